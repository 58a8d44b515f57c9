"""How columns could generalize: only spellings that a job file accepts, and none that holds a value of the table.

Numbers get intervals whose ends are round; codes lose characters from the right; dates go up the calendar.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from hedgerow.advice._names import CODE, ICD, ZIP, mostly, topic_of, words_of
from hedgerow.advice._profiles import Profile, holds_text
from hedgerow.advice._roles import whole_numbers
from hedgerow.core.counts import number_of
from hedgerow.engines import Look
from hedgerow.io.domains import Domain

__all__ = [
    "MOST_CATEGORIES",
    "decimal_sign",
    "generalized",
    "keeps_more_without",
    "kind_of",
    "missing_texts",
    "order_of",
]


# --------------------------------------------------------------------------------------------------
# What columns hold where their type does not say it: codes like numbers, categories in an order, no value.


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
    """Texts that stand for "no value", of those that at least so many rows of a column have."""
    found: dict[str, None] = {}
    for tally in look.tallies.values():
        if tally is None or not holds_text(tally.values.type):
            continue
        held = dict(zip(tally.values.cast(pa.large_string()).to_pylist(), tally.records.tolist(), strict=True))
        marks = [text for text in _MISSING_AMONG_NUMBERS if held.get(text, 0) >= fewest]
        if not marks:
            continue
        numbers = all(text in (None, "", *marks) or number_of(text) is not None for text in held)
        usual = [text for text in marks if text in _MISSING or (numbers and len(held) > len(marks))]
        found |= dict.fromkeys(usual)
    return tuple(found)


def decimal_sign(look: Look) -> str:
    """What stands before decimals: a comma if there are columns of such numbers, and none of numbers with points."""
    commas = points = False
    for tally in look.tallies.values():
        if tally is None or not holds_text(tally.values.type):
            continue
        texts = [text for text in tally.values.cast(pa.large_string()).to_pylist() if text]
        points |= any("." in text for text in texts) and all(number_of(text) is not None for text in texts)
        with_points = [text.replace(",", ".") for text in texts if "." not in text]
        all_read = len(with_points) == len(texts) and all(number_of(text) is not None for text in with_points)
        commas |= all_read and any("," in text for text in texts)
    return "," if commas and not points else "."


def kind_of(profile: Profile, fewest: int) -> tuple[str | tuple[str, ...] | None, str]:
    """What is to be said of what a quasi-identifier holds, and why; ``None`` if its type says it.

    Parameters
    ----------
    profile : Profile
    fewest : int
        An order lists all values: none is suggested if fewer rows than these have one of them.
    """
    if profile.kind == "number" and topic_of(profile.name, ZIP) and len({len(one) for one in profile.labels}) == 1:
        return "text", "Postcodes are no quantities."
    if profile.typed_text and profile.kind in ("number", "date"):
        return profile.kind, f"The table holds them as text, and all of them are {profile.kind}s."
    order = () if profile.kind != "text" or profile.fewest < fewest else order_of(profile.labels)
    return (order, "Its values have an order.") if order else (None, "")


def order_of(labels: Sequence[str]) -> tuple[str, ...]:
    """Labels in their order, if they are of a scale that is known, or ranges of numbers; else nothing.

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
    """Labels such as ``<18``, ``18-24`` and ``65+`` in their order; numbers alone are no ranges."""
    read = {label: _RANGE.match(label.strip().lower()) for label in labels}
    places: dict[tuple[int, int], str] = {}
    ranges = 0
    for label, found in read.items():
        if found is None:
            return ()
        sign, rest = found["sign"] or "", found["rest"] or ""
        ranges += bool(sign or rest)
        side = -1 if sign.startswith(("<", "≤", "un", "bis")) else int(bool(sign) or rest == "+")
        places[int(found["low"]), side] = label
    return tuple(places[place] for place in sorted(places)) if ranges and len(places) == len(read) else ()


MOST_CATEGORIES: Final = 30
_INTERVALS: Final = 16  # about so many of the finest ones
_MANY_CODES: Final = 5
_STEPS: Final = {1: (1, 5, 10), 2: (2, 10, 20), 5: (5, 10, 20)}
_GENERATION: Final = 20 * 365  # days
_OLDEST: Final = 90  # HIPAA's safe harbour: all ages over 89 are one
_WIDEST: Final = 1e12


def generalized(profile: Profile, *, as_text: bool = False) -> str | None:
    """The hierarchy of a column as a job file writes it; ``None`` if the automatic one is as good.

    Parameters
    ----------
    profile : Profile
    as_text : bool
        Whether its numbers are to be read as text.
    """
    domain = profile.domain
    if domain is None or profile.distinct < 2:
        return None
    if profile.kind == "date":
        return _calendar(domain)
    if profile.kind == "number" and not as_text:
        if topic_of(profile.name, ZIP) and whole_numbers(profile) and domain.values[0] >= 0:
            return _masking(max(2, *map(len, profile.labels)))
        return _intervals(profile, domain)
    if mostly(profile.labels, ICD, 1.0) and profile.distinct > _MANY_CODES:
        return "prefix:1,3"
    lengths = {len(label) for label in profile.labels}
    if len(lengths) == 1 and profile.distinct > _MANY_CODES and mostly(profile.labels, CODE, 1.0):
        # Of two characters at least: so codes are.
        return _masking(lengths.pop())
    return "flat" if profile.distinct <= MOST_CATEGORIES else None


def keeps_more_without(hierarchy: str) -> bool:
    """Whether methods that cut or merge tell more of a column without this hierarchy, and as readably."""
    return hierarchy == "flat" or hierarchy.startswith("intervals")


def _masking(length: int) -> str:
    """Mask one character after the other; of long codes a third, two thirds, and all but one.

    >>> _masking(5), _masking(2), _masking(9)
    ('masking:1,2,3,4', 'masking:1', 'masking:3,6,8')
    """
    levels = range(1, length) if length <= 5 else sorted({length // 3, 2 * length // 3, length - 1})
    return f"masking:{','.join(map(str, levels))}"


def _calendar(domain: Domain) -> str:
    """Years and decades where dates span a generation, as those of birth do; else months, quarters and years."""
    low, high = _middle(domain)
    return "dates:year,decade" if high - low > _GENERATION else "dates:month,quarter,year"


def _intervals(profile: Profile, domain: Domain) -> str | None:
    """Intervals of three widths, each 1, 2 or 5 times a power of ten, which most of the numbers decide."""
    low, high = _middle(domain)
    spread = high - low
    if spread <= 0 or not math.isfinite(spread) or len(domain.labels) <= _MANY_CODES:
        return None
    power = math.floor(math.log10(spread / _INTERVALS))
    lead = min(_STEPS, key=lambda one: abs(math.log10(spread / _INTERVALS) - power - math.log10(one)))
    finest = lead * 10.0**power
    if whole_numbers(profile):
        finest = max(finest, 1.0)
    # So far from zero that intervals of this width could not be told apart, or so fine that they are no round numbers.
    if abs(domain.values).max() > _WIDEST * finest or not 1e-9 < finest < _WIDEST:
        return None
    widths = [finest * factor / lead for factor in _STEPS[lead]] if finest != 1 else [1.0, 5.0, 10.0]
    written = [f"{width:.12g}" for width in widths]
    old = [f">={_OLDEST}"] if "age" in words_of(profile.name) and _is_age(domain) else []
    return f"intervals:{','.join([*written, *old])}"


def _is_age(domain: Domain) -> bool:
    """Whether numbers could be the years of people's lives."""
    return bool(domain.values[0] >= 0 and 60 <= domain.values[-1] <= 125)


def _middle(domain: Domain) -> tuple[float, float]:
    """Between which numbers nine of ten rows lie, so that no outlier decides."""
    records = np.ones(len(domain.labels), dtype=np.int64) if domain.records is None else domain.records
    share = np.cumsum(records) / max(int(records.sum()), 1)
    first, last = np.searchsorted(share, [0.05, 0.95])
    values = domain.values
    return float(values[min(first, len(values) - 1)]), float(values[min(last, len(values) - 1)])
