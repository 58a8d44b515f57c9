"""Lists and assignments as they are typed on the command line."""

from __future__ import annotations

import csv
from collections.abc import Sequence

from hedgerow.errors import BadInput, translated

__all__ = ["assignments", "split_names"]


def split_names(texts: str | Sequence[str] | None, owner: str) -> list[str] | None:
    """Split comma-separated column names by the rules of CSV; an option that was not given stays ``None``.

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
        unmatched = BadInput(f'The quotes in {owner} {text!r} do not match. Write names like a,"b,c",d.')
        with translated(csv.Error, into=unmatched):
            parts = next(csv.reader([text], skipinitialspace=True, strict=True), [])
        if not parts or not all(parts):
            raise BadInput(f"A column name in {owner} {text!r} is empty. Write names like a,b,c.")
        names += parts
    return names


def assignments(texts: Sequence[str] | None) -> dict[str, str] | None:
    """Read ``name=value`` texts; an option that was not given stays ``None``.

    >>> assignments(["cut=widest", "relaxed=yes"])
    {'cut': 'widest', 'relaxed': 'yes'}
    """
    if not texts:
        return None
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise BadInput(f"The parameter {text!r} is not understood. Write --set name=value.")
        if name in found:
            raise BadInput(f"The parameter {name!r} is set twice. Set it once.")
        found[name] = value
    return found
