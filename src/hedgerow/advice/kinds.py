"""What columns hold where their type does not say it: codes like numbers, categories in an order, no value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

import pyarrow as pa

from hedgerow.advice.profiles import Profile, holds_text
from hedgerow.advice.words import ZIP, topic_of
from hedgerow.counts.reading import number_of
from hedgerow.engines import Look

__all__ = ["decimal_sign", "kind_of", "missing_texts", "order_of"]

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
