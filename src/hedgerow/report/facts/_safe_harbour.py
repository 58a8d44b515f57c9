"""HIPAA's safe harbour: what is published of ZIP codes, of ages over 89, and of dates.

The rule is one of the United States. It is shown only where a table seems to be of people there: it has ZIP codes or
states of that country, or the context names the country or the law.

Judged is what is published, never what it was made from. A column is known by its name, or by its cells where these
are dates. A year of birth tells an age, too: the one that is reached in the year of the newest date in the table that
is not one of birth, or today. Nothing here quotes a cell.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Literal, NamedTuple

import numpy as np

from hedgerow.core.cells import Interval, ValueSet, date_of_days, number_in, parse, read
from hedgerow.io.values import SUPPRESSED_TEXT
from hedgerow.report.facts._sections import HarbourFinding, SafeHarbour
from hedgerow.report.facts._subjects import Subject
from hedgerow.report.facts.context import Context
from hedgerow.report.facts.figures import Judgement
from hedgerow.report.facts.wording import percent, quoted
from hedgerow.verifier import ClassCounts

__all__ = ["safe_harbour"]

Topic = Literal["zip", "age", "date"]

_WORDS: Final[dict[Topic, frozenset[str]]] = {
    "zip": frozenset({"zip", "zipcode", "zip5", "zip9", "postcode", "postal", "postalcode", "plz"}),
    "age": frozenset({"age", "ages"}),
    "date": frozenset({"date", "dates", "dob", "birthdate", "birthday", "datetime", "timestamp"}),
}
_BIRTH: Final = frozenset({"birth", "born", "dob", "yob", "birthdate", "birthday", "birthyear"})
_NO_YEAR: Final = frozenset({"place", "country", "state", "city", "weight", "order", "rank", "name", "sex"})
_ZIP: Final = frozenset({"zip", "zipcode", "zip3", "zip5", "zip9"})
_STATE: Final = frozenset({"state", "states", "statecode", "usstate"})
# Words that names of columns have only elsewhere.
_FOREIGN: Final = """
plz postleitzahl bundesland land kanton gemeinde kreis alter geschlecht geburt geburtsdatum geburtsjahr jahrgang wohnort
staatsangehoerigkeit krankheit diagnose codepostal commune departement naissance sexe codigopostal provincia municipio
nacimiento sexo comune nascita sesso geslacht leeftijd gemeente postcode
"""
_ELSEWHERE: Final = frozenset(_FOREIGN.split())
_OF_THE_US: Final = """
AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA PR
RI SC SD TN TX UT VT VA WA WV WI WY ALABAMA ALASKA ARIZONA ARKANSAS CALIFORNIA COLORADO CONNECTICUT DELAWARE
DISTRICT_OF_COLUMBIA FLORIDA GEORGIA HAWAII IDAHO ILLINOIS INDIANA IOWA KANSAS KENTUCKY LOUISIANA MAINE MARYLAND
MASSACHUSETTS MICHIGAN MINNESOTA MISSISSIPPI MISSOURI MONTANA NEBRASKA NEVADA NEW_HAMPSHIRE NEW_JERSEY NEW_MEXICO
NEW_YORK NORTH_CAROLINA NORTH_DAKOTA OHIO OKLAHOMA OREGON PENNSYLVANIA PUERTO_RICO RHODE_ISLAND SOUTH_CAROLINA
SOUTH_DAKOTA TENNESSEE TEXAS UTAH VERMONT VIRGINIA WASHINGTON WEST_VIRGINIA WISCONSIN WYOMING
"""
_STATES: Final = frozenset(name.replace("_", " ") for name in _OF_THE_US.split())
_FEW_STATES: Final = 2
_SAYS_SO: Final = re.compile(r"\bHIPAA\b|\bU\.?S\.?A?\b|\bUnited States\b")
_ZIP_CODE: Final = re.compile(r"[0-9]{3}(?:[0-9]{2}|\*\*|[0-9]\*|\*)?(?:-(?:[0-9]{4}|\*{4}))?", re.ASCII)
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
_FIRST_YEAR: Final = 1850
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


def safe_harbour(subject: Subject, context: Context | None = None, today: dt.date | None = None) -> SafeHarbour | None:
    """What the rule asks of three kinds of columns.

    Returns
    -------
    SafeHarbour or None
        ``None`` for an audit, which keeps no cells, and where nothing tells that people are of the United States.
    """
    published = subject.by_rows
    if published is None:
        return None
    cells = _cells(published)
    if not _applies(published.table_columns, cells, context):
        return None
    in_clear = [name for name in published.table_columns if name not in cells]
    findings = (
        _finding("zip", subject, cells, in_clear, _zip_finer),
        _ages(cells, in_clear, _year_of(cells, today or dt.date.today())),
        _finding("date", subject, cells, in_clear, _date_finer),
    )
    return SafeHarbour(findings, _REMARK)


def _applies(columns: Sequence[str], cells: dict[str, _Published], context: Context | None) -> bool:
    """Whether people seem to be of the United States."""
    said = () if context is None else (context.recipient, context.purpose, context.controls, context.notes)
    if any(text is not None and _SAYS_SO.search(text) for text in said):
        return True
    if any(_words(name) & _STATE and _are_states(cells[name]) for name in cells):
        return True
    if any(_words(name) & _ELSEWHERE for name in columns):
        return False
    # Columns that were not counted are known by their names.
    return any(_words(name) & _ZIP and (name not in cells or _are_zip_codes(cells[name])) for name in columns)


def _are_states(column: _Published) -> bool:
    told = {one for text in column.texts if text is not None and _tells(text) for one in _members(text)}
    return len({one for one in told if one.upper() in _STATES}) >= min(_FEW_STATES, len(told)) > 0


def _are_zip_codes(column: _Published) -> bool:
    """Whether cells look like ZIP codes, or like ranges of them; hidden ones may be any."""
    told = [
        text for text in column.texts if text is not None and _tells(text) and not isinstance(parse(text), Interval)
    ]
    # A number has lost its zeros.
    return all(_ZIP_CODE.fullmatch(one.zfill(5)) for text in told for one in _members(text))


def _year_of(cells: dict[str, _Published], today: dt.date) -> int:
    """The year in which ages are told: that of the newest date that is not one of birth, or this one."""
    newest = -math.inf
    for name, column in cells.items():
        if not _tells_birth(name):
            known = (text for text in column.texts if text is not None and _tells(text))
            newest = max([newest, *(span[1] for text in known if (span := _years(text, alone=False)) is not None)])
    return today.year if newest == -math.inf else int(min(newest, today.year))


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
    return bool(_words(name) & _WORDS[topic])


def _words(name: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(name)}


def _tells_birth(name: str) -> bool:
    """Whether a column is called like a date or a year of birth.

    >>> _tells_birth("birth_year"), _tells_birth("dateOfBirth"), _tells_birth("birth_weight")
    (True, True, False)
    """
    words = _words(name)
    return bool(words & _BIRTH) and not words & _NO_YEAR


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


def _ages(cells: dict[str, _Published], in_clear: Sequence[str], year: int) -> HarbourFinding:
    births = [name for name in cells if _tells_birth(name) and _are_years(cells[name])]
    found = [name for name in cells if _looks_like("age", name) and name not in births]
    clear = [name for name in in_clear if _looks_like("age", name) or _tells_birth(name)]
    if not found and not births and not clear:
        return _absent("age")
    parts = [f"{quoted(clear)} is published as it is, and was not looked at value by value."] if clear else []
    judgement: Judgement = "unknown" if clear else "good"
    for name in (*found, *births):
        told = cells[name]
        born_in = year if name in births else None
        by = f" in {year}, by years of birth," if name in births else ""
        above = {text for text in told.texts if text is not None and _tells(text) and _place(text, born_in) == "above"}
        # One category of 90 or older is what the rule allows.
        allowed = len(above) == 1 and all(_is_oldest_category(text, born_in) for text in above)
        exact = 0.0 if allowed else told.having(partial(_lies, where="above", born_in=born_in))
        across = told.having(partial(_lies, where="across", born_in=born_in))
        if exact:
            parts.append(f"{percent(exact)} of the records tell ages over 89{by} in {name!r} more finely than that.")
            judgement = "bad"
        elif across:
            parts.append(
                f"{percent(across)} of the records are in ranges of {name!r} that reach beyond 89{by.rstrip(',')}."
            )
            judgement = "note" if judgement == "good" else judgement
        else:
            parts.append(f"No record tells an age over 89{by} in {name!r} more finely than that.")
    columns = (*found, *births, *clear)
    return HarbourFinding("age", _TITLES["age"], judgement, columns, " ".join(parts), _RULES["age"])


def _place(text: str, born_in: int | None) -> Literal["below", "across", "above", "unclear"]:
    """Where the ages of a cell lie; where it holds years of birth, those that are reached in a year."""
    return _over(text) if born_in is None else _born(text, born_in)


def _lies(text: str, where: str, born_in: int | None) -> bool:
    return _place(text, born_in) == where


def _is_oldest_category(text: str, born_in: int | None) -> bool:
    """Whether a cell is the category of all who are 90 or older."""
    return _from_ninety(text) if born_in is None else _born_until(text, born_in)


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


def _are_years(column: _Published) -> bool:
    """Whether cells are years, spans of them, or dates."""
    told = [text for text in column.texts if text is not None and _tells(text)]
    return bool(told) and all(_years(text, alone=True) is not None for text in told)


def _years(text: str, *, alone: bool) -> tuple[float, float] | None:
    """The first and the last year that a cell may stand for; a number is one only where years stand ``alone``.

    >>> _years("[1925,1928)", alone=True), _years("1925-03-07", alone=False), _years("1920s", alone=False)
    ((1925, 1927), (1925, 1925), (1920, 1929))
    """
    said = read(text, "date")
    if isinstance(said, Interval):
        last = said.high if said.closed else np.nextafter(said.high, -np.inf)
        return _year(said.low), _year(float(last))
    numbers = parse(text)
    if isinstance(numbers, Interval):
        ends = [math.ceil(numbers.low) if numbers.low > -math.inf else numbers.low, numbers.high]
        if numbers.high < math.inf:
            ends[1] = math.floor(numbers.high if numbers.closed else np.nextafter(numbers.high, -np.inf))
        finite = [one for one in ends if math.isfinite(one)]
        return (ends[0], ends[1]) if alone and all(map(_is_year, finite)) else None
    spans = [_span(one, alone=alone) for one in _members(text)]
    known = [one for one in spans if one is not None]
    if not known or len(known) < len(spans):
        return None
    return min(low for low, _ in known), max(high for _, high in known)


def _span(text: str, *, alone: bool) -> tuple[float, float] | None:
    days = number_in(text, "date")
    if days is not None:
        return _year(days), _year(days)
    if _CALENDAR.fullmatch(text):
        first = int(text[:4])
        if not _is_year(first) or (text.isdigit() and not alone):
            return None
        return first, first + 9 * text.endswith("s")
    number = number_in(text, "number")
    return (number, number) if alone and number is not None and _is_year(number) else None


def _year(days: float) -> float:
    return int(date_of_days(math.floor(days))[:4])


def _is_year(number: float) -> bool:
    return _FIRST_YEAR <= number < _FIRST_YEAR + 300


def _born(text: str, year: int) -> Literal["below", "across", "above", "unclear"]:
    """Where the ages lie that years of birth tell."""
    span = _years(text, alone=True)
    if span is None:
        return "unclear"
    first, last = span
    if year - last > _OLDEST:
        return "above"
    return "across" if year - first > _OLDEST else "below"


def _born_until(text: str, year: int) -> bool:
    """Whether a cell is the category of all who were born so that they are 90 or older."""
    span = _years(text, alone=True)
    return span is not None and span[0] < span[1] == year - _OLDEST - 1
