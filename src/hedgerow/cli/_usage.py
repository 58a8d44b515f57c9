"""Wrong usage: the sentence for a command that was not typed as it must be.

typer finds these mistakes and describes them in the words of a parser. Here each gets the form of all other errors:
what is wrong, and what to type instead. What was typed may be repeated: it is no cell of a table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from hedgerow.cli._help import EXAMPLES
from hedgerow.errors import listing

__all__ = ["wrong_usage"]

_EXTRA: Final = re.compile(r"unexpected extra arguments?(?:\(s\))? \((.*)\)", re.DOTALL)
_ONE_DASH: Final = re.compile(r"-[a-z][a-z-]+")
_UNKNOWN: Final = re.compile(r"No such option: (--[a-z-]+)")
_WITH_COMMAS: Final = ("COLUMNS", "NAMES", "K,K,…", "LIMITS", "COLUMN=NUMBER")
"""What the help calls the value of an option that takes a list."""
_KINDS: Final = {"integer": "a whole number", "number": "a number", "float": "a number"}
"""What parsers call kinds of numbers, in any release of typer, and what we call them."""


def wrong_usage(error: BaseException, arguments: Sequence[str]) -> str | None:
    """The sentence for an error of the parser; ``None`` for other errors.

    Parameters
    ----------
    error : exception
    arguments : sequence of str
        The words after ``hedgerow``.
    """
    # Newer releases of typer carry a click of their own, older ones use the package: known by its method.
    usage = getattr(error, "format_message", None)
    if not callable(usage):
        return None
    context = getattr(error, "ctx", None)
    command = "hedgerow" if context is None else str(context.command_path)
    if context is None and arguments and arguments[0] in EXAMPLES:
        command = f"hedgerow {arguments[0]}"
    options = {} if context is None else _options(context)
    message = str(usage())
    own = (
        _wrong_number(error, message, command, arguments)
        or _one_dash(options, arguments)
        or _too_many_words(message, options, arguments)
        or _of_another_command(message, context)
        or message
    )
    return f"{own if own.endswith(('.', '?')) else own + '.'} Type {command} --help."


def _options(context: Any) -> dict[str, Any]:
    """The options of a command by the words that name them."""
    return {word: option for option in context.command.params for word in option.opts if word.startswith("-")}


def _wrong_number(error: BaseException, message: str, command: str, arguments: Sequence[str]) -> str | None:
    """The sentence for a number that is none."""
    kind = next((ours for theirs, ours in _KINDS.items() if f" {theirs}" in message), None)
    names = [word for word in getattr(getattr(error, "param", None), "opts", ()) if word.startswith("-")]
    if kind is None or not names:
        return None
    typed = next((value for name in names for value in _values(name, arguments)), None)
    got = "" if typed is None else f" Got {typed!r} instead."
    return f"The {names[0]!r} parameter of {command} must be {kind}.{got}"


def _values(name: str, arguments: Sequence[str]) -> list[str]:
    """What was typed for an option, the last first, because it wins."""
    joined = f"{name}=" if name.startswith("--") else name
    following = [value for word, value in pairwise(arguments) if word == name]
    return [*reversed(following), *(word[len(joined) :] for word in arguments if word.startswith(joined))]


def _one_dash(options: dict[str, Any], arguments: Sequence[str]) -> str | None:
    """The sentence for an option such as ``-quasi``, which a parser takes for ``-q`` with something behind it."""
    wrong = [word for word in arguments if _ONE_DASH.fullmatch(word) and f"-{word}" in options]
    return f"There is no option {wrong[0]!r}. Did you mean '-{wrong[0]}', with two dashes?" if wrong else None


def _too_many_words(message: str, options: dict[str, Any], arguments: Sequence[str]) -> str | None:
    """The sentence for words that belong to no option, most often a list without commas."""
    extra = _EXTRA.search(message)
    if extra is None:
        return None
    words = extra[1].split(" ")
    for at, word in enumerate(arguments):
        listed = [value for value in _until_next_option(arguments[at + 1 :]) if not Path(value).exists()]
        option = options.get(word)
        if option is not None and len(listed) > 1 and not set(words).isdisjoint(listed):
            if option.metavar in _WITH_COMMAS:
                return f"Lists are separated by commas: {word} {','.join(value.strip(',;') for value in listed)}."
            if getattr(option, "multiple", False):
                return f"Repeat the option for each value: {' '.join(f'{word} {value}' for value in listed)}."
    belong = f"{listing(words)} {'belongs' if len(words) == 1 else 'belong'} to no option."
    return f"{belong} The name of an option begins with dashes; a value with spaces stands in quotes."


def _of_another_command(message: str, context: Any) -> str | None:
    """The sentence for an option that this command lacks, and others have."""
    unknown, program = _UNKNOWN.match(message), getattr(context, "parent", None)
    if unknown is None or program is None:
        return None
    owners = [
        f"{program.command_path} {name}"
        for name, command in program.command.commands.items()
        if any(unknown[1] in option.opts for option in command.params)
    ]
    if not owners:
        return None
    *first, last = owners
    have = f"{', '.join(first)} and {last} have" if first else f"{last} has"
    return f"{context.command_path} has no option {unknown[1]}; {have} it."


def _until_next_option(words: Sequence[str]) -> list[str]:
    """The words before the next option."""
    end = next((at for at, word in enumerate(words) if word.startswith("-")), len(words))
    return list(words[:end])
