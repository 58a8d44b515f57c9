"""The kind and hierarchy of a column, only in spellings that a job file accepts, and without values of few rows.

Numbers get intervals with round ends; codes lose characters from the right; dates become months, years or decades.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Floats, Longs
from hedgerow.advice._names import CODE, HEALTH, ICD, ZIP, mostly, topic_of, words_of
from hedgerow.advice._profiles import Profile, WrittenDates, holds_text
from hedgerow.advice._roles import whole_numbers
from hedgerow.core.counts import number_of
from hedgerow.engines import Look, Tally
from hedgerow.hierarchies.diagnoses import code_of
from hedgerow.io.domains import Domain

__all__ = [
    "MOST_CATEGORIES",
    "decimal_sign",
    "hierarchy_of",
    "hierarchy_of_diagnoses",
    "keeps_more_without",
    "kind_of",
    "missing_texts",
    "order_of",
]


# --------------------------------------------------------------------------------------------------
# What columns hold if their type does not show it: codes that look like numbers, ordered categories, missing values.


_MISSING: Final = ("?", "NA", "N/A", "n/a", "NULL", "null", "NaN", "nan", "#N/A")
_MISSING_AMONG_NUMBERS: Final = (*_MISSING, "-", ".", "--", "unknown", "Unknown")

_SCALES: Final = tuple(
    tuple(scale.split(","))
    for scale in (
        "very low,low,medium,high,very high",
        "none,low,moderate,high",
        "none,mild,moderate,severe",
        "mild,moderate,severe,critical",
        "green,yellow,orange,red",
        "small,medium,large",
        "xs,s,m,l,xl,xxl",
        "never,rarely,sometimes,often,always",
        "very poor,poor,fair,good,very good,excellent",
        "strongly disagree,disagree,neutral,agree,strongly agree",
        "strongly disagree,disagree,neither,agree,strongly agree",
        "very dissatisfied,dissatisfied,neutral,satisfied,very satisfied",
        "junior,mid,senior,lead",
        "gering,mittel,hoch",
        "niedrig,mittel,hoch",
        "klein,mittel,gross",
        "nie,selten,manchmal,oft,immer",
        "leicht,mittel,schwer",
        "faible,moyen,eleve",
        "bajo,medio,alto",
        "basso,medio,alto",
        "january,february,march,april,may,june,july,august,september,october,november,december",
        "jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec",
        "monday,tuesday,wednesday,thursday,friday,saturday,sunday",
        "mon,tue,wed,thu,fri,sat,sun",
    )
)
_RANGE: Final = re.compile(
    r"(?P<sign>[<>≤≥]=?|under|over|unter|bis|ab)?\s*(?P<low>[0-9]+)\s*"
    r"(?P<rest>\+|(?:-|–|to|bis)\s*[0-9]+)?\s*[^0-9]{0,8}\Z"
)


def missing_texts(look: Look, fewest: int) -> tuple[str, ...]:
    """Texts that mean "no value", if at least so many rows of a column have them."""
    texts: dict[str, None] = {}
    for tally in _text_tallies(look):
        rows = dict(zip(tally.values.cast(pa.large_string()).to_pylist(), tally.records.tolist(), strict=True))
        marks = [text for text in _MISSING_AMONG_NUMBERS if rows.get(text, 0) >= fewest]
        others = rows.keys() - {None, "", *marks}
        # A hyphen or a point means "no value" only among numbers.
        among_numbers = 0 < len(marks) < len(rows) and all(number_of(text) is not None for text in others)
        texts |= dict.fromkeys(text for text in marks if text in _MISSING or among_numbers)
    return tuple(texts)


def _text_tallies(look: Look) -> Iterator[Tally]:
    return (tally for tally in look.tallies.values() if tally is not None and holds_text(tally.values.type))


def decimal_sign(look: Look) -> str:
    """The sign before decimals: a comma if some columns hold such numbers, and none holds numbers with points."""
    signs: set[str] = set()
    for tally in _text_tallies(look):
        texts = [text for text in tally.values.cast(pa.large_string()).to_pylist() if text]
        signs |= {sign for sign in ",." if _has_decimals(texts, sign)}
    return "," if signs == {","} else "."


def _has_decimals(texts: Sequence[str], sign: str) -> bool:
    """Whether texts are numbers, some with this sign before decimals."""
    if not any(sign in text for text in texts):
        return False
    if sign != ".":
        if any("." in text for text in texts):
            return False
        texts = [text.replace(sign, ".") for text in texts]
    return all(number_of(text) is not None for text in texts)


def kind_of(profile: Profile, fewest: int) -> tuple[str | tuple[str, ...] | None, str]:
    """The kind of a quasi-identifier, and why; ``None`` if its type shows it.

    Parameters
    ----------
    profile : Profile
    fewest : int
        An order lists all values. None is suggested if fewer rows than this have some value.
    """
    if profile.kind == "number" and topic_of(profile.name, ZIP) and len({len(label) for label in profile.labels}) == 1:
        return "text", "Postcodes are not quantities."
    if profile.typed_text and profile.kind in ("number", "date"):
        return profile.kind, f"All its values are {profile.kind}s, stored as text."
    order = () if profile.kind != "text" or profile.fewest < fewest else order_of(profile.labels)
    return (order, "Its values have an order.") if order else (None, "")


def order_of(labels: Sequence[str]) -> tuple[str, ...]:
    """Sort labels of a known scale, or ranges of numbers; of other labels return nothing.

    >>> order_of(["High", "Low", "Medium"]), order_of(["18-24", "<18", "25+"]), order_of(["a", "b", "c"])
    (('Low', 'Medium', 'High'), ('<18', '18-24', '25+'), ())
    """
    if len(labels) < 3:
        return ()
    for scale in _SCALES:
        places = [scale.index(label.strip().lower()) for label in labels if label.strip().lower() in scale]
        if len(places) == len(labels) == len(set(places)):
            return tuple(label for _, label in sorted(zip(places, labels, strict=True)))
    return _ranges(labels)


def _ranges(labels: Iterable[str]) -> tuple[str, ...]:
    """Sort labels such as ``<18``, ``18-24`` and ``65+``. Numbers alone are not ranges."""
    matches = {label: _RANGE.match(label.strip().lower()) for label in labels}
    found = {label: match for label, match in matches.items() if match is not None}
    places = {_place(match): label for label, match in found.items()}
    if len(places) < len(matches) or not any(match["sign"] or match["rest"] for match in found.values()):
        return ()
    return tuple(places[place] for place in sorted(places))


def _place(match: re.Match[str]) -> tuple[int, int]:
    """The place of a range: its number, and whether it lies below, at or above the number."""
    sign, rest = match["sign"] or "", match["rest"] or ""
    below = sign.startswith(("<", "≤", "un", "bis"))
    return int(match["low"]), -1 if below else int(bool(sign) or rest == "+")


# --------------------------------------------------------------------------------------------------
# Hierarchies.


MOST_CATEGORIES: Final = 30
_INTERVALS: Final = 16  # about so many of the finest width
_MANY_CODES: Final = 5
_STEPS: Final = {1: (1, 5, 10), 2: (2, 10, 20), 5: (5, 10, 20)}
_GENERATION: Final = 20 * 365  # days
_OLDEST: Final = 90  # HIPAA's safe harbour puts all ages over 89 together
_WIDEST: Final = 1e12


def hierarchy_of(profile: Profile, *, as_text: bool = False) -> str | None:
    """The hierarchy of a column as a job file writes it; ``None`` if the automatic hierarchy is as good.

    Parameters
    ----------
    profile : Profile
    as_text : bool
        Whether its numbers will be read as text.
    """
    domain = profile.domain
    if domain is None or profile.distinct < 2:
        return None
    if profile.kind == "date":
        return _calendar(domain.values, domain.records)
    if profile.written_dates is not None:
        return _of_written_dates(profile.written_dates, domain)
    return _of_texts(profile) if as_text or profile.kind == "text" else _of_numbers(profile, domain)


def _of_texts(profile: Profile) -> str | None:
    if profile.distinct > _MANY_CODES:
        diagnoses = hierarchy_of_diagnoses(profile)
        if diagnoses is not None or mostly(profile.labels, ICD, 1.0):
            return diagnoses or "prefix:1,3"
        lengths = {len(label) for label in profile.labels}
        if len(lengths) == 1 and mostly(profile.labels, CODE, 1.0):
            return _masking(lengths.pop())  # codes have at least two characters
    return "flat" if profile.distinct <= MOST_CATEGORIES else None


def hierarchy_of_diagnoses(profile: Profile) -> str | None:
    """The hierarchy of a column of ICD-10 codes; ``None`` if it holds others.

    Other codes may have the same characters, as those of British postal areas: so some must have a dot, unless the name
    of the column suggests diagnoses.
    """
    codes = [code_of(label) for label in profile.labels]
    known = [code for code in codes if code is not None]
    named = topic_of(profile.name, HEALTH) is not None or any("." in label for label in profile.labels)
    if profile.kind != "text" or not (known and named) or len(known) < max(len(codes), profile.distinct):
        return None
    return "icd10:4,3,chapter" if max(map(len, known)) > 4 else "icd10:3,chapter"


def _of_numbers(profile: Profile, domain: Domain) -> str | None:
    if topic_of(profile.name, ZIP) and whole_numbers(profile) and domain.values[0] >= 0:
        return _masking(max(2, *map(len, profile.labels)))
    return _intervals(profile, domain)


def keeps_more_without(hierarchy: str) -> bool:
    """Whether methods that cut or merge keep more detail of a column without this hierarchy, and as readably."""
    return hierarchy == "flat" or hierarchy.startswith("intervals")


def _masking(length: int) -> str:
    """Mask one character after the other; in long codes a third, two thirds, and all but one.

    >>> _masking(5), _masking(2), _masking(9)
    ('masking:1,2,3,4', 'masking:1', 'masking:3,6,8')
    """
    levels = range(1, length) if length <= 5 else sorted({length // 3, 2 * length // 3, length - 1})
    return f"masking:{','.join(map(str, levels))}"


def _of_written_dates(written: WrittenDates, domain: Domain) -> str:
    """The calendar of dates in text. Where day and month may be either, only years, which are right in both forms."""
    if written.other is not None:
        return f"dates:year,decade,{written.form}"
    order = np.argsort(written.days, kind="stable")
    records = None if domain.records is None else domain.records[order]
    return f"{_calendar(written.days[order], records)},{written.form}"


def _calendar(days: Floats, records: Longs | None) -> str:
    """Years and decades if dates span a generation, as dates of birth do; else months, quarters and years."""
    low, high = _middle(days, records)
    return "dates:year,decade" if high - low > _GENERATION else "dates:month,quarter,year"


def _intervals(profile: Profile, domain: Domain) -> str | None:
    """Intervals of three widths. Each width is 1, 2 or 5 times a power of ten, chosen for most of the numbers."""
    low, high = _middle(domain.values, domain.records)
    spread = high - low
    if not 0 < spread < math.inf or len(domain.labels) <= _MANY_CODES:
        return None
    lead, finest = _finest_width(spread)
    finest = max(finest, 1.0) if whole_numbers(profile) else finest
    # Not if so far from zero that intervals of this width look alike, nor if the width is no round number.
    if abs(domain.values).max() > _WIDEST * finest or not 1e-9 < finest < _WIDEST:
        return None
    widths = [1.0, 5.0, 10.0] if finest == 1 else [finest * factor / lead for factor in _STEPS[lead]]
    written = ",".join(f"{width:.12g}" for width in widths)
    return f"intervals:{written},>={_OLDEST}" if _are_ages(profile, domain) else f"intervals:{written}"


def _finest_width(spread: float) -> tuple[int, float]:
    """The leading digit of the finest width, and the width."""
    width = spread / _INTERVALS
    power = math.floor(math.log10(width))
    lead = min(_STEPS, key=lambda digit: abs(math.log10(width) - power - math.log10(digit)))
    return lead, lead * 10.0**power


def _are_ages(profile: Profile, domain: Domain) -> bool:
    """Whether numbers are called and look like the ages of people in years."""
    return "age" in words_of(profile.name) and bool(domain.values[0] >= 0 and 60 <= domain.values[-1] <= 125)


def _middle(values: Floats, records: Longs | None) -> tuple[float, float]:
    """The two numbers between which nine of ten rows lie, so that no outlier decides. The values ascend."""
    records = np.ones(len(values), dtype=np.int64) if records is None else records
    share = np.cumsum(records) / max(int(records.sum()), 1)
    first, last = np.searchsorted(share, [0.05, 0.95])
    return float(values[min(first, len(values) - 1)]), float(values[min(last, len(values) - 1)])
