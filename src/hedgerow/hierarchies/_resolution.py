"""From a schema's entry for a column (a name, a path, a dict, an object) to its encoded hierarchy."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from hedgerow.errors import BadInput, translated
from hedgerow.hierarchies._masks import masking, prefix
from hedgerow.hierarchies.calendars import DATE_LEVELS, dates
from hedgerow.hierarchies.diagnoses import icd10
from hedgerow.hierarchies.encoded import EncodedHierarchy, Hierarchy, encode_tree, tree_of_levels
from hedgerow.hierarchies.entries import number_or_nan
from hedgerow.hierarchies.files import read_arx, read_toml
from hedgerow.hierarchies.intervals import intervals
from hedgerow.hierarchies.taxonomies import taxonomy
from hedgerow.io.domains import Domain
from hedgerow.io.values import BELOW, FROM

__all__ = ["Automatic", "BUILDERS", "Flat", "automatic", "flat", "hierarchy_of", "resolve"]


# --------------------------------------------------------------------------------------------------
# Hierarchies without parameters: flat, and the automatic one for columns without a given hierarchy.


# Sixteen parts, halved thrice: for ages, about the 5, 10, 20 and 40 years one would choose by hand.
_AUTOMATIC_QUANTILES = 16


@dataclass(frozen=True)
class Flat:
    """Every value generalizes to ``*`` at once; see :func:`flat`."""

    def encode(self, domain: Domain) -> EncodedHierarchy:
        """Put all values directly below the root."""
        built = tree_of_levels(domain.labels.tolist(), [])
        return encode_tree(built.tree, built.nodes[0], domain, "flat")


@dataclass(frozen=True)
class Automatic:
    """The hierarchy of a column without a given one; see :func:`automatic`."""

    def encode(self, domain: Domain) -> EncodedHierarchy:
        """Choose by the kind of the column, and mark the result as chosen."""
        if domain.kind == "number":
            chosen = intervals(quantiles=_AUTOMATIC_QUANTILES).encode(domain)
        elif domain.kind == "date":
            chosen = dates().encode(domain)
        else:
            chosen = Flat().encode(domain)
        return dataclasses.replace(chosen, description=f"automatic: {chosen.description}", automatic=True)


def flat() -> Flat:
    """Build the hierarchy with nothing between a value and ``*``.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"sex": ["F", "M", "F"]})
    >>> schema = hr.Schema(quasi=["sex"], hierarchies={"sex": hr.hierarchies.flat()})
    >>> sorted(hr.anonymize(people, schema, method="datafly", k=2).table["sex"].to_pylist())
    ['*', '*', '*']
    """
    return Flat()


def automatic() -> Automatic:
    """Build the hierarchy that suits the column.

    Numbers get nested quantile intervals, dates the calendar, and text is flat.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [21, 24, 38, 39]})
    >>> schema = hr.Schema(quasi=["age"], hierarchies={"age": hr.hierarchies.automatic()})
    >>> sorted(hr.anonymize(people, schema, method="datafly", k=2).table["age"].to_pylist())
    ['[21,38)', '[21,38)', '[38,39]', '[38,39]']
    """
    return Automatic()


BUILDERS: Final[Mapping[str, Callable[[], Hierarchy]]] = {
    "automatic": automatic,
    "flat": flat,
    "masking": masking,
    "dates": dates,
    "icd10": icd10,
    "intervals": lambda: intervals(quantiles=8),
    "quantiles": lambda: intervals(quantiles=8),
}
"""The hierarchies that have a name, with their default parameters."""

_WORDS: Final[Mapping[str, Callable[[list[str]], Hierarchy]]] = {
    "masking": lambda words: masking(levels=list(map(_number, words))),
    "prefix": lambda words: prefix(*map(_number, words)),
    "dates": lambda words: _dates(words),
    "icd10": lambda words: _icd10(words),
    "intervals": lambda words: _intervals(words),
    "quantiles": lambda words: _quantiles(words),
}
"""Hierarchies with parameters after a colon."""

_READERS: Final[Mapping[str, Callable[[Path], Hierarchy]]] = {".csv": read_arx, ".toml": read_toml}


def hierarchy_of(spec: Any, column: str) -> Hierarchy:
    """Find the hierarchy that a schema names; files are read here.

    Parameters
    ----------
    spec : object
        ``None`` (automatic), a builder's name (with parameters: ``masking:2,3``, ``prefix:1,3``, ``dates:month,year``,
        for dates in another form ``dates:month,year,%d.%m.%Y``, ``icd10:3,chapter``, ``intervals:5,10,20``, with open
        ends ``intervals:5,10,20,<18,>=90``), the path of a ``.csv`` (ARX) or ``.toml`` file, a nested dict or list, or
        an object with a method ``encode``.
    column : str
        The column, for errors.
    """
    if spec is None:
        return Automatic()
    if isinstance(spec, str | Path):
        return _by_name(spec, column)
    if isinstance(spec, Mapping | list | tuple):
        named = f"the hierarchy of the column {column!r}"
        with translated(BadInput, into=lambda error: BadInput(f"In {named}: {error}")):
            return taxonomy(spec)
    if callable(getattr(spec, "encode", None)) and not isinstance(spec, type):
        hierarchy: Hierarchy = spec
        return hierarchy
    raise BadInput(
        f"The hierarchy of the column {column!r} must be an object of hedgerow.hierarchies, a builder's "
        f"name, a path or a nested dict. Got {type(spec).__name__} instead."
    )


def _by_name(spec: str | Path, column: str) -> Hierarchy:
    """The hierarchy of a builder's name, perhaps with parameters, or of a file."""
    if isinstance(spec, str) and spec in BUILDERS:
        return BUILDERS[spec]()
    reader = _READERS.get(Path(spec).suffix.lower())
    if reader is not None:
        return reader(Path(spec))
    name, colon, words = str(spec).partition(":")
    if colon and name in _WORDS:
        with translated(BadInput, into=lambda error: BadInput(f"In the hierarchy {spec!r} of {column!r}: {error}")):
            return _WORDS[name]([word.strip() for word in words.split(",")])
    raise BadInput.unknown(
        "hierarchy",
        str(spec),
        BUILDERS,
        f"It is given for the column {column!r}; the path of a .csv or .toml file is possible too.",
    )


def _dates(words: list[str]) -> Hierarchy:
    """The calendar with some levels; a word with a percent sign is the format of the dates."""
    forms = [word for word in words if "%" in word]
    if len(forms) > 1:
        raise BadInput("The format of dates is given twice, or has a comma in it. Write one without a comma.")
    levels = [word for word in words if "%" not in word]
    return dates(levels or DATE_LEVELS, format=forms[0] if forms else None)


def _icd10(words: list[str]) -> Hierarchy:
    """ICD-10 codes at some levels."""
    levels: list[Any] = [int(word) if word.isdecimal() else word for word in words]
    return icd10(levels)


_OPEN_ENDS: Final = {BELOW: "bottom", FROM: "top", ">=": "top"}
"""The signs of open ends of intervals, and the parameter that each of them sets."""


def _intervals(words: list[str]) -> Hierarchy:
    widths, ends = _numbers_and_ends(words)
    return intervals(width=widths[0], levels=widths[1:], **ends)


def _quantiles(words: list[str]) -> Hierarchy:
    counts, ends = _numbers_and_ends(words)
    return intervals(quantiles=counts[0], levels=counts[1:] or None, **ends)


def _numbers_and_ends(words: list[str]) -> tuple[list[Any], dict[str, Any]]:
    """The numbers of intervals, and their open ends."""
    ends: dict[str, Any] = {}
    plain = []
    for word in words:
        sign = next((sign for sign in _OPEN_ENDS if word.startswith(sign)), None)
        if sign is None:
            plain.append(_number(word))
        elif _OPEN_ENDS[sign] in ends:
            raise BadInput("An open end is given twice. Write one number behind < and one behind >=.")
        else:
            ends[_OPEN_ENDS[sign]] = _number(word.removeprefix(sign).strip())
    if not plain:
        raise BadInput("There is no number but open ends. Write widths too, such as intervals:5,10,<18,>=90.")
    return plain, ends


def _number(word: str) -> Any:
    """Read a number after a colon; a whole number becomes an ``int``."""
    number = number_or_nan(word)
    if math.isnan(number):
        raise BadInput(f"{word!r} is not a number. Write numbers separated by commas.")
    return int(number) if number.is_integer() else number


def resolve(spec: Any, domain: Domain, column: str) -> EncodedHierarchy:
    """Find the hierarchy that a schema names, as :func:`hierarchy_of`, and encode it for the column's values.

    Examples
    --------
    >>> import numpy as np
    >>> sex = Domain("sex", "text", np.array(["F", "M"]))
    >>> resolve({"person": ["F", "M"]}, sex, "sex").labels
    ('person', 'F', 'M')
    """
    hierarchy = hierarchy_of(spec, column)
    return replace(hierarchy.encode(domain), source=hierarchy)
