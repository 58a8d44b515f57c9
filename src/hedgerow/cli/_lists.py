"""Reads lists, assignments, numbers and signs from the command line."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from typing import Any, Final

from hedgerow.errors import BadInput, plural, translated

__all__ = [
    "assignments",
    "limit_in_words",
    "read_delimiter",
    "read_duration",
    "read_kinds",
    "read_ks",
    "read_suppression_limit",
    "read_level",
    "read_levels",
    "read_weights",
    "split_names",
]

_LARGEST_SHARE: Final = 100  # in percent


def split_names(texts: str | Sequence[str] | None, owner: str) -> list[str] | None:
    """Split comma-separated column names by the rules of CSV. An option that was not given stays ``None``.

    Parameters
    ----------
    texts : str or sequence of str, optional
        What was typed, once or several times.
    owner : str
        The option, for errors.

    Examples
    --------
    >>> split_names(['age,"income, yearly"', "sex"], "--quasi")
    ['age', 'income, yearly', 'sex']
    """
    if not texts:
        return None
    typed = [texts] if isinstance(texts, str) else texts
    names: list[str] = []
    for text in typed:
        unmatched = BadInput(f'The quotes in {owner} {text!r} do not match. Type names like a,"b,c",d.')
        with translated(csv.Error, into=unmatched):
            parts = next(csv.reader([text], skipinitialspace=True, strict=True), [])
        if not parts or not all(parts):
            raise BadInput(f"A column name in {owner} {text!r} is empty. Type names like a,b,c.")
        names += parts
    return names


def assignments(texts: Sequence[str] | None, option: str) -> dict[str, str] | None:
    """Read ``name=value`` texts. An option that was not given stays ``None``.

    >>> assignments(["cut=widest", "relaxed=yes"], "--set")
    {'cut': 'widest', 'relaxed': 'yes'}
    """
    if not texts:
        return None
    values: dict[str, str] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise BadInput(f"{text!r} has no name or no value. Type {option} name=value.")
        if name in values:
            raise BadInput(f"{name!r} is given twice by {option}. Give it once.")
        values[name] = value
    return values


def read_kinds(texts: Sequence[str] | None) -> dict[str, str | list[str]] | None:
    """Read kinds of columns. Several words are values in their order.

    >>> read_kinds(["zip=text", "triage=green,red"])
    {'zip': 'text', 'triage': ['green', 'red']}
    """
    typed = assignments(texts, "--kind")
    if typed is None:
        return None
    parts = {name: split_names(value, "--kind") or [] for name, value in typed.items()}
    return {name: words[0] if len(words) == 1 else words for name, words in parts.items()}


def read_delimiter(typed: str | None) -> str | None:
    r"""Read a delimiter. A tab may be typed as a backslash and a t.

    >>> read_delimiter(r"\t"), read_delimiter(";")
    ('\t', ';')
    """
    return "\t" if typed == r"\t" else typed


def read_ks(typed: Sequence[str] | None, require: Sequence[str] | None) -> list[int] | None:
    """Read every k. The default is 5, 10, 50 and 100, or no k if something else is required.

    >>> read_ks(["5,10"], None), read_ks(None, None), read_ks(None, ["l=3@disease"])
    ([5, 10], [5, 10, 50, 100], None)
    """
    if not typed:
        return None if require else [5, 10, 50, 100]
    ks = []
    for text in split_names(typed, "-k") or []:
        if not text.isascii() or not text.isdigit():
            raise BadInput(f"{text!r} is not a whole number. Type numbers with commas: -k 5,10,50.")
        ks.append(int(text))
    return ks


def read_duration(typed: str, option: str) -> float:
    """Read a time in seconds, minutes or hours.

    >>> read_duration("90", "--time-limit"), read_duration("10m", "--time-limit"), read_duration("1.5h", "--time-limit")
    (90.0, 600.0, 5400.0)
    """
    text = typed.strip().lower()
    unit = {"s": 1, "m": 60, "h": 3600}.get(text[-1:])
    wrong = BadInput(f"{typed!r} is not a time. Type seconds, minutes or hours: {option} 90, 10m or 1h.")
    with translated(ValueError, into=wrong):
        seconds = float(text if unit is None else text[:-1]) * (unit or 1)
    if not (math.isfinite(seconds) and seconds > 0):
        raise wrong
    return seconds


def read_suppression_limit(given: str | float, owner: str) -> int | float:
    """Read how many rows may be lost, typed or as a number.

    >>> read_suppression_limit("2%", "hedgerow evaluate"), read_suppression_limit("200", "hedgerow evaluate")
    (0.02, 200)
    """
    from hedgerow.anonymizers.parameters import check_limit, read_limit

    limit: Any = read_limit(given) if isinstance(given, str) else given
    check_limit(limit, owner)
    return float(limit) if isinstance(limit, float) else int(limit)


def limit_in_words(limit: int | float | None) -> tuple[str, ...]:
    """A note on how a limit was understood, if it is a number of rows, which is easily taken for a share.

    >>> limit_in_words(2)
    ('At most 2 rows may be lost (--suppression-limit 2). For a share, type it as 2%.',)
    >>> limit_in_words(0.02), limit_in_words(0)
    ((), ())
    """
    if limit is None or isinstance(limit, float) or limit == 0:
        return ()
    share = f" For a share, type it as {limit}%." if limit <= _LARGEST_SHARE else ""
    return (f"At most {plural(limit, 'rows')} may be lost (--suppression-limit {limit}).{share}",)


def read_weights(texts: Sequence[str] | None) -> dict[str, float] | None:
    """Read weights of columns. The schema checks their range.

    >>> read_weights(["zip=2,age=1", "sex=0.5"])
    {'zip': 2.0, 'age': 1.0, 'sex': 0.5}
    """
    typed = assignments(split_names(texts, "--weights"), "--weights")
    if typed is None:
        return None
    weights = {}
    for name, text in typed.items():
        with translated(ValueError, into=BadInput(f"The weight of {name!r} is not a number. Type --weights {name}=2.")):
            weights[name] = float(text)
    return weights


def read_levels(texts: Sequence[str] | None) -> dict[str, str] | None:
    """Read limits on the levels of columns, as typed.

    >>> read_levels(["zip=2:3", "age=:2"])
    {'zip': '2:3', 'age': ':2'}
    """
    typed = assignments(texts, "--level")
    if typed is not None:
        for name, text in typed.items():
            read_level(name, text)
    return typed


def read_level(name: str, typed: str | int) -> tuple[int | None, int | None]:
    """Read the finest and the coarsest level of a column, of which one may be open.

    >>> read_level("zip", "2:3"), read_level("zip", ":3"), read_level("zip", "2:"), read_level("zip", 2)
    ((2, 3), (None, 3), (2, None), (2, 2))
    """
    finest, colon, coarsest = str(typed).partition(":")
    ends = [text.strip() for text in (finest, coarsest if colon else finest)]
    if not any(ends) or not all(not text or (text.isascii() and text.isdigit()) for text in ends):
        raise BadInput(
            f"The levels of {name!r} are not readable. Type the finest and the coarsest: --level {name}=2:3, "
            f"{name}=2: or {name}=:3, or one level: {name}=2."
        )
    first, last = (int(text) if text else None for text in ends)
    if first is not None and last is not None and first > last:
        raise BadInput(f"The coarsest level of {name!r} is finer than the finest. Type --level {name}={last}:{first}.")
    return first, last
