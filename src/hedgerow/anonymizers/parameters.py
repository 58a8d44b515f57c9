"""What the parameters of a method may be: declared once, as fields of its class.

``cut: Literal["loss", "widest"] = choice("Which cut is taken.")`` is all there is to say of a parameter. From such
fields :class:`hedgerow.anonymizers.base.Anonymizer` derives ``__init__`` and the docstring, the command its options and
manual, and the contract what it is checked with.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, get_args

__all__ = [
    "CELLS",
    "IMPROVE",
    "PUBLISH",
    "Parameter",
    "Words",
    "choice",
    "choice_or_object",
    "flag",
    "number",
    "shared",
]


@dataclass(frozen=True)
class Parameter:
    """A parameter of a method, apart from its name.

    Attributes
    ----------
    meaning : str
        What it does: one sentence, and more if a reader of the docstring needs more.
    default : object
    kind : str
        Its type as docstrings tell it.
    must : str
        What a value must be, for messages.
    values : str
        What may be typed, for the manual.
    accepts : callable
        Whether a value may be given.
    read : callable
        Reads the value as typed on the command line; what cannot be read stays text, and is not accepted.
    options : tuple of str
        The words it may be.
    trials : tuple
        The values that the contract is checked with, besides the default.
    weak : bool
        Whether it gives up the guarantee if it is on; the command then asks for a second yes.
    shared : bool
        Whether every method has it; the pipeline then checks it.
    """

    meaning: str
    default: object
    kind: str
    must: str = ""
    values: str = ""
    accepts: Callable[[object], bool] = lambda _value: True
    read: Callable[[str], object] = str
    options: tuple[str, ...] = ()
    trials: tuple[object, ...] = ()
    weak: bool = False
    shared: bool = False


@dataclass(frozen=True)
class Words:
    """A choice whose words are those of the field's ``Literal``."""

    meaning: str

    def typed(self, annotation: object) -> Parameter:
        """The parameter, completed by the annotation."""
        parameter: Parameter = choice(self.meaning, options=get_args(annotation))
        return parameter


def choice(
    meaning: str, *, options: Collection[str] = (), default: str | None = None, trials: Sequence[str] = ()
) -> Any:
    """One of several words.

    Parameters
    ----------
    meaning : str
    options : collection of str
        The words, if the field is not annotated with a ``Literal`` of them. A list that grows later is looked up as it
        is then.
    default : str, optional
        The first if not given.
    trials : sequence of str
        The words that the contract is checked with, where all would be many.
    """
    if not options:
        return Words(meaning)
    chosen = next(iter(options)) if default is None else default
    *others, last = map(repr, options)
    return Parameter(
        meaning,
        chosen,
        kind=f"{{{_quoted(options)}}}",
        must=f"{', '.join(others)} or {last}" if others else last,
        values=" | ".join(options),
        accepts=lambda value: isinstance(value, str) and value in options,
        options=tuple(options),
        trials=tuple(trials) or tuple(word for word in options if word != chosen),
    )


def choice_or_object(meaning: str, *, options: Sequence[str], extras: Sequence[str], objects: str) -> Any:
    """One of several words or, in Python, an object; ``extras`` are words that need an optional dependency."""
    words = (*options, *extras)

    def accepts(value: object) -> bool:
        if isinstance(value, str):
            return value in words
        return not isinstance(value, type) and (callable(value) or hasattr(value, "fit"))

    return Parameter(
        meaning,
        options[0],
        kind=f"{{{_quoted(words)}}} or object",
        must=f"{', '.join(map(repr, words))} or {objects}",
        values=" | ".join(words),
        accepts=accepts,
        options=tuple(options),
        trials=tuple(options[1:]),
    )


def flag(meaning: str, *, default: bool = False, weak: bool = False) -> Any:
    """On or off; ``weak`` marks one that gives up the guarantee."""
    words = {"true": True, "false": False, "yes": True, "no": False}
    return Parameter(
        meaning,
        default,
        kind="bool",
        must="True or False",
        values="yes | no",
        accepts=lambda value: isinstance(value, bool),
        read=lambda text: words.get(text.lower(), text),
        # The contract cannot hold for what gives up the guarantee.
        trials=() if weak else (not default,),
        weak=weak,
    )


def number(
    meaning: str,
    *,
    default: float | str | None,
    least: float,
    most: float = math.inf,
    whole: bool = False,
    words: Sequence[str] = (),
    trials: tuple[object, ...] = (),
) -> Any:
    """A number from ``least`` to ``most``, or one of a few words; ``None`` only if that is the default."""
    limits = f">= {least:g}" if math.isinf(most) else f"from {least:g} to {most:g}"
    others = [*map(repr, words), *(["None"] if default is None else [])]

    def accepts(value: object) -> bool:
        if value is None or isinstance(value, str):
            return (value is None and default is None) or value in words
        kind = numbers.Integral if whole else numbers.Real
        return not isinstance(value, bool) and isinstance(value, kind) and least <= float(value) <= most

    def read(text: str) -> object:
        try:
            return int(text) if whole else float(text)
        except ValueError:
            return text

    return Parameter(
        meaning,
        default,
        kind="".join(f'"{word}" or ' for word in words)
        + ("int" if whole else "float")
        + (", optional" if default is None else ""),
        must=" or ".join([*others, f"{'an int' if whole else 'a number'} {limits}"]),
        values=" | ".join([*words, "N" if whole else "NUMBER"]),
        accepts=accepts,
        read=read,
        trials=trials,
    )


def shared(kind: str, meaning: str, *, default: object = None) -> Any:
    """A parameter of every method."""
    return Parameter(meaning, default, kind=kind, shared=True)


def _quoted(words: Collection[str]) -> str:
    return ", ".join(f'"{word}"' for word in words)


IMPROVE: Any = flag(
    "Whether groups exchange records and split afterwards, while every requirement holds and the loss falls. Slower."
)
"""Of the methods whose groups are boxes."""

CELLS: Any = choice(
    "What cells say: the values that the records of a group hold, or all values of the region that was cut out for it, "
    "which tells less of who is in it, and loses more. Proportions tell how values are shared, whatever cells say.",
    options=("held", "region"),
)
"""Of the methods whose groups are cut out of a space."""

PUBLISH: Any = choice(
    "How a group is shown: as sets, as intervals where there is an order, or as labels of hierarchies. By default "
    "labels where a hierarchy is given, else intervals of numbers, dates and categories in an order, and sets of "
    "the others.",
    options=("auto", "set", "interval", "label"),
    trials=("set", "label"),
)
"""Of the methods whose groups hold several values."""
