"""HIPAA's safe harbour: what is published of ZIP codes, of ages over 89, and of dates.

Judged is what is published, never what it was made from. A column is known by its name, or by its cells where these
are dates. Nothing here quotes a cell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, Literal, NamedTuple

import numpy as np

from hedgerow.published import Interval, ValueSet, number_in, parse, read
from hedgerow.report.facts.figures import Judgement
from hedgerow.report.facts.sections.identifying import HarbourFinding, SafeHarbour
from hedgerow.report.facts.subjects import Subject
from hedgerow.report.facts.wording import percent, quoted
from hedgerow.values import SUPPRESSED_TEXT
from hedgerow.verifier import ClassCounts

__all__ = ["safe_harbour"]

Topic = Literal["zip", "age", "date"]

_WORDS: Final[dict[Topic, frozenset[str]]] = {
    "zip": frozenset({"zip", "zipcode", "zip5", "zip9", "postcode", "postal", "postalcode", "plz"}),
    "age": frozenset({"age", "ages"}),
    "date": frozenset({"date", "dates", "dob", "birthdate", "birthday", "datetime", "timestamp"}),
}
_TITLES: Final[dict[Topic, str]] = {"zip": "ZIP codes", "age": "Ages over 89", "date": "Dates"}
_RULES: Final[dict[Topic, str]] = {
    "zip": (
        "No part of the country smaller than a state, but for the first three digits of a ZIP code where more than "
        "20,000 people live in all areas that begin with them (45 CFR 164.514(b)(2)(i)(B))."
    ),
    "age": "Ages over 89 only as one category of age 90 or older (45 CFR 164.514(b)(2)(i)(C)).",
    "date": "Of dates that are directly related to a person only the year (45 CFR 164.514(b)(2)(i)(C)).",
}
_REMARK: Final = (
    "Three of the eighteen identifiers that the safe harbour names are looked at here, by names of columns and by what "
    "is published. Names, numbers of records and the others are for a person to judge, as is whether the rule applies."
)
_OLDEST: Final = 89
_ZIP_DIGITS: Final = 3
_ZIP_AREA: Final = 100  # so many five-digit codes begin with the same three digits
_YEAR: Final = 365
_WORD: Final = re.compile(r"[A-Z]?[a-z]+[0-9]*|[A-Z]+(?![a-z])[0-9]*")
_WHOLE_YEARS: Final = re.compile(r"[0-9]{4}|[0-9]{3}0s")
_CALENDAR: Final = re.compile(r"[0-9]{4}(-[0-9]{2}|-Q[1-4])?|[0-9]{3}0s")


class _Published(NamedTuple):
    """One column as it is published: its distinct cells, and the share of records that have each."""

    texts: Sequence[str | None]
    shares: Sequence[float]

    def having(self, finer: Callable[[str], bool]) -> float:
        """The share of records whose cell is of some kind; hidden and missing ones are of none."""
        told = zip(self.texts, self.shares, strict=True)
        return sum(held for text, held in told if text is not None and _tells(text) and finer(text))


def safe_harbour(subject: Subject) -> SafeHarbour | None:
    """What the rule asks of three kinds of columns; ``None`` for an audit, which keeps no cells."""
    published = subject.by_rows
    if published is None:
        return None
    cells = _cells(published)
    in_clear = [name for name in published.table_columns if name not in cells]
    findings = (
        _finding("zip", subject, cells, in_clear, _zip_finer),
        _ages(cells, in_clear),
        _finding("date", subject, cells, in_clear, _date_finer),
    )
    return SafeHarbour(findings, _REMARK)


def _cells(counted: ClassCounts) -> dict[str, _Published]:
    """All columns that were counted."""
    rows = counted.cells.rows
    columns = [
        (name, counted.codes[counted.class_of_cell, at], labels)
        for at, (name, labels) in enumerate(zip(counted.columns, counted.labels, strict=True))
    ]
    columns += [(name, one.codes, one.labels) for name, one in counted.cells.sensitive.items()]
    return {
        name: _Published(labels.tolist(), (np.bincount(codes, rows, len(labels)) / counted.rows).tolist())
        for name, codes, labels in columns
    }


def _looks_like(topic: Topic, name: str) -> bool:
    """Whether a column is called so: ``ZIP``, ``zipCode``, ``date_of_birth``.

    >>> _looks_like("zip", "homeZipcode"), _looks_like("age", "age_years"), _looks_like("age", "wage")
    (True, True, False)
    """
    words = {word.lower() for word in _WORD.findall(name)}
    return bool(words & _WORDS[topic])


def _finding(
    topic: Topic,
    subject: Subject,
    cells: dict[str, _Published],
    in_clear: Sequence[str],
    finer: Callable[[str], bool],
) -> HarbourFinding:
    found = [name for name in cells if _is(topic, name, cells[name], subject)]
    clear = [name for name in in_clear if _looks_like(topic, name) or _stored(topic, subject.types.get(name, ""))]
    if not found and not clear:
        return _absent(topic)
    told = {name: cells[name].having(finer) for name in found}
    wrong = {name: held for name, held in told.items() if held > 0}
    more = "more than three digits" if topic == "zip" else "more than the year"
    parts = [f"{percent(held)} of the records tell {more} of {name!r}." for name, held in wrong.items()]
    if clear:
        parts.append(f"{quoted(clear)} is published as it is.")
    if not parts:
        parts = ["No record tells more than three digits."] if topic == "zip" else ["No record tells more than a year."]
        if topic == "zip":
            parts.append("Whether more than 20,000 people live in each such area was not looked up.")
    judgement: Judgement = "bad" if wrong or clear else "note" if topic == "zip" else "good"
    return HarbourFinding(topic, _TITLES[topic], judgement, (*found, *clear), " ".join(parts), _RULES[topic])


def _ages(cells: dict[str, _Published], in_clear: Sequence[str]) -> HarbourFinding:
    found = [name for name in cells if _looks_like("age", name)]
    clear = [name for name in in_clear if _looks_like("age", name)]
    if not found and not clear:
        return _absent("age")
    parts = [f"{quoted(clear)} is published as it is, and was not looked at value by value."] if clear else []
    judgement: Judgement = "unknown" if clear else "good"
    for name in found:
        told = cells[name]
        above = {text for text in told.texts if text is not None and _tells(text) and _over(text) == "above"}
        # One category of 90 or older is what the rule allows.
        allowed = len(above) == 1 and all(_from_ninety(text) for text in above)
        exact = 0.0 if allowed else told.having(lambda text: _over(text) == "above")
        across = told.having(lambda text: _over(text) == "across")
        if exact:
            parts.append(f"{percent(exact)} of the records tell ages over 89 in {name!r} more finely than that.")
            judgement = "bad"
        elif across:
            parts.append(f"{percent(across)} of the records are in ranges of {name!r} that reach beyond 89.")
            judgement = "note" if judgement == "good" else judgement
        else:
            parts.append(f"No record tells an age over 89 in {name!r} more finely than that.")
    return HarbourFinding("age", _TITLES["age"], judgement, (*found, *clear), " ".join(parts), _RULES["age"])


def _absent(topic: Topic) -> HarbourFinding:
    what = {"zip": "ZIP codes", "age": "ages", "date": "dates"}[topic]
    return HarbourFinding(
        topic, _TITLES[topic], "unknown", (), f"No published column looks like {what}.", _RULES[topic]
    )


def _tells(text: str) -> bool:
    return text != SUPPRESSED_TEXT


def _members(text: str) -> tuple[str, ...]:
    """The values or labels that a cell names."""
    said = parse(text)
    return tuple(one for one in said.members if one is not None) if isinstance(said, ValueSet) else (text,)


def _zip_finer(text: str) -> bool:
    """Whether a cell tells more than three digits of a ZIP code.

    >>> _zip_finer("02139"), _zip_finer("021**"), _zip_finer("[12000,12100)"), _zip_finer("[12000,12010)")
    (True, False, False, True)
    """
    said = parse(text)
    if isinstance(said, Interval):
        return said.high - said.low < _ZIP_AREA
    return any(sum(sign.isdigit() for sign in one) > _ZIP_DIGITS for one in _members(text))


def _is(topic: Topic, name: str, column: _Published, subject: Subject) -> bool:
    if _looks_like(topic, name) or _stored(topic, subject.types.get(name, "")):
        return True
    if topic != "date":
        return False
    told = [text for text in column.texts if text is not None and _tells(text)]
    return bool(told) and all(_is_date(text) for text in told) and any(_date_finer(text) for text in told)


def _stored(topic: Topic, kind: str) -> bool:
    return topic == "date" and kind.startswith("Date")


def _is_date(text: str) -> bool:
    return isinstance(read(text, "date"), Interval) or all(
        number_in(one, "date") is not None or _CALENDAR.fullmatch(one) for one in _members(text)
    )


def _date_finer(text: str) -> bool:
    """Whether a cell tells more of a date than its year.

    >>> [_date_finer(text) for text in ("2024-03-31", "2024-03", "2024", "2020s", "[2020-01-01,2021-01-01)")]
    [True, True, False, False, False]
    """
    said = read(text, "date")
    if isinstance(said, Interval):
        return said.high - said.low < _YEAR
    return not all(_WHOLE_YEARS.fullmatch(one) for one in _members(text))


def _over(text: str) -> Literal["below", "across", "above", "unclear"]:
    """Where a cell of ages lies: up to 89, above, or across."""
    said = parse(text)
    if isinstance(said, Interval):
        highest = said.high if said.closed else np.nextafter(said.high, -np.inf)
        if said.low > _OLDEST:
            return "above"
        # Ages are whole years: a range that ends below 90 has nobody older.
        return "across" if highest >= _OLDEST + 1 else "below"
    ages = [number_in(one, "number") for one in _members(text)]
    known = [age for age in ages if age is not None]
    if not known:
        return "unclear"
    return "above" if max(known) > _OLDEST else "below"


def _from_ninety(text: str) -> bool:
    """Whether a cell is a category of age 90 or older."""
    said = parse(text)
    return isinstance(said, Interval) and said.low == _OLDEST + 1
