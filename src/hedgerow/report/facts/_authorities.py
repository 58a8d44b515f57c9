"""Questions of authorities: the three of the EU's working party, and HIPAA's safe harbour.

Every answer rests on counts. Whether a table is personal data is a question of law and of context, which no program
answers.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, Literal, NamedTuple

import numpy as np

from hedgerow.core.cells import Interval, ValueSet, date_of_days, number_in, parse, read
from hedgerow.errors import plural
from hedgerow.io.values import SUPPRESSED_TEXT
from hedgerow.report.facts._subject import Subject
from hedgerow.report.facts.context import Context
from hedgerow.report.facts.figures import Judgement, percent, plain, quoted
from hedgerow.report.facts.sections import HarbourFinding, SafeHarbour, Verdict, WorkingParty
from hedgerow.risk import Audit
from hedgerow.verifier import ClassCounts

__all__ = ["safe_harbour", "working_party"]


# --------------------------------------------------------------------------------------------------
# The three questions of the EU's working party: singling out, linkability, inference.


Question = Literal["singling out", "linkability", "inference"]

_SOURCE: Final = (
    "Article 29 Data Protection Working Party: Opinion 05/2014 on Anonymisation Techniques (WP216), 10 April 2014"
)
_NO_LEGAL_OPINION: Final = (
    "These are findings about the table, not a legal opinion. Whether the table is still personal data also depends on "
    "who receives it, what else they know, and what binds them."
)
_QUESTIONS: Final[dict[Question, str]] = {
    "singling out": "Can the records of one person be distinguished from all others?",
    "linkability": "Can two records of one person, or of a group, be put together, in this table or another one?",
    "inference": "Can a value of a person be deduced from other values with good odds?",
}
_OF_VALUES: Final = ("l", "entropy l", "c", "t", "p", "alpha")
"""The measures of requirements on the sensitive values in a class, not only on its size."""

Answer = tuple[Judgement, str]


def working_party(subject: Subject) -> WorkingParty:
    """Answer the three questions by what was counted."""
    verdicts = (
        _verdict("singling out", _singling_out(subject), _singling_out_evidence(subject)),
        _verdict("linkability", _linkability(subject), _linkability_evidence(subject)),
        _verdict("inference", _inference(subject), _inference_evidence(subject)),
    )
    return WorkingParty(verdicts, _SOURCE, _NO_LEGAL_OPINION)


def _verdict(question: Question, answer: Answer, evidence: Iterable[str]) -> Verdict:
    judgement, sentence = answer
    return Verdict(question, _QUESTIONS[question], judgement, sentence, tuple(evidence))


def _singling_out(subject: Subject) -> Answer:
    audit = subject.audit
    if audit.k == 1 or audit.singled_out:
        return "bad", "Some people can be singled out."
    if audit.verdict is not None and not audit.verdict.holds:
        return "bad", "Some classes are smaller than was required."
    if subject.accepted:
        return "note", "Not by the quasi-identifiers; columns that were accepted may still do it."
    if audit.k_all is not None and audit.k_all < audit.k:
        return "note", (
            "Not by the quasi-identifiers. But fewer people share the values of all columns, for anyone who also knows "
            "the others."
        )
    return "good", "Nobody is unique in what is published."


def _singling_out_evidence(subject: Subject) -> Iterator[str]:
    audit = subject.audit
    yield f"The smallest class over the quasi-identifiers has {audit.k:,} {subject.unit}."
    if audit.k_all is None:
        yield "How few share the values of all columns was not computed."
    else:
        yield f"The fewest who share the values of all published columns are {audit.k_all:,}."
    if audit.singled_out is not None:
        yield f"The published proportions single out {plural(audit.singled_out, 'people')}."
    if subject.accepted:
        yield f"What {quoted(subject.accepted)} reveal was accepted by name; it may single people out."


def _linkability(subject: Subject) -> Answer:
    audit = subject.audit
    if audit.k == 1 or (audit.linked is not None and audit.linked[0] == 1):
        return "bad", "Some people's rows can be linked to them."
    if audit.linked is None and _linking_pseudonyms(subject):
        return "bad", "A person's rows may be linked to each other by their pseudonym."
    return "note", (
        "A person can be linked to a group, not to a row. The opinion holds that this risk remains with k-anonymity."
    )


def _linkability_evidence(subject: Subject) -> Iterator[str]:
    audit = subject.audit
    yield f"Linking the table with another one leads to a class of at least {audit.k:,} {subject.unit}, not to a row."
    pseudonyms = _linking_pseudonyms(subject)
    if audit.linked is not None:
        fewest = audit.linked[0]
        alike = "some share their classes with nobody" if fewest == 1 else f"{fewest:,} people share all their classes"
        yield f"Rows of one person can be linked; {alike}."
    elif pseudonyms:
        yield f"Rows with the same pseudonym in {quoted(pseudonyms)} can be linked, and rows were counted."
    elif audit.people is None:
        yield "Rows were counted: whether some are of one person is not known."
    else:
        yield "The table does not say which rows are of one person."


def _linking_pseudonyms(subject: Subject) -> list[str]:
    """The pseudonymized columns, unless it was found that no pseudonym stands in several rows of a person."""
    if subject.manifest.get("rows_are_people") is False:
        return []
    return list(subject.columns.get("pseudonymized", ()))


def _inference(subject: Subject) -> Answer:
    audit = subject.audit
    known = [name for name, share in audit.label_homogeneity.items() if share > 0]
    sensitive = [name for name in audit.sensitive if name in known]
    if sensitive:
        return "bad", f"Anyone who finds a person's class may learn {quoted(sensitive)} without finding the row."
    if known:
        return "note", f"Anyone who finds a person's class may learn {quoted(known)}, which nothing protects."
    if not audit.sensitive:
        return "note", "No column was named as sensitive, so nothing was required against inference."
    if not _values_were_required(audit):
        return "note", "Every class has several sensitive values, though nothing was required of them."
    return "good", (
        "Every class has several sensitive values, as was required; the table still shows how likely each of them is."
    )


def _values_were_required(audit: Audit) -> bool:
    """Whether something was required of the sensitive values of each class, and holds."""
    findings = () if audit.verdict is None else audit.verdict.findings
    required = [finding.holds for finding in findings if finding.measure in _OF_VALUES]
    return bool(required) and all(required)


def _inference_evidence(subject: Subject) -> Iterator[str]:
    audit = subject.audit
    for name, share in audit.label_homogeneity.items():
        yield f"{percent(share)} of the records are in classes with a single value of {name!r}."
    for name, values in audit.sensitive.items():
        yield (
            f"Of {name!r} every class has at least {plural(values.distinct_l, 'values')}; t is {plain(values.t_equal)}."
        )
    if audit.proportions:
        name, worst = max(audit.proportions.items(), key=lambda item: item[1].posterior)
        sure = f"make the best guess of a hidden {name!r} {percent(worst.posterior)} sure"
        yield f"The proportions {sure if worst.posterior else 'reveal no hidden value of anybody'}."


# --------------------------------------------------------------------------------------------------
# HIPAA's safe harbour: what is published of ZIP codes, of ages over 89, and of dates.
#
# The rule is one of the United States. It is shown only where a table seems to be of people there: it has ZIP codes or
# states of that country, or the context names the country or the law.
#
# Only published cells are judged. A column is recognized by its name, or by its cells where these are dates. A year of
# birth reveals an age, too: the age that is reached in the year of the newest date in the table that is not a date of
# birth, or else today. No sentence quotes a cell.


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
# Words that only occur in names of columns of other countries.
_FOREIGN: Final = """
plz postleitzahl bundesland land kanton gemeinde kreis alter geschlecht geburt geburtsdatum geburtsjahr jahrgang wohnort
staatsangehoerigkeit krankheit diagnose codepostal commune departement naissance sexe codigopostal provincia municipio
nacimiento sexo comune nascita sesso geslacht leeftijd gemeente postcode
"""
_FOREIGN_WORDS: Final = frozenset(_FOREIGN.split())
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
_NAMES_THE_US: Final = re.compile(r"\bHIPAA\b|\bU\.?S\.?A?\b|\bUnited States\b")
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
_SCOPE: Final = (
    "Three of the eighteen identifiers that the safe harbour names are examined here, by the names of columns and by "
    "their published cells. A person must judge names, record numbers and the others, and whether the rule applies."
)
_OLDEST: Final = 89
_ZIP_DIGITS: Final = 3
_ZIP_AREA: Final = 100  # the number of five-digit codes that begin with the same three digits
_YEAR: Final = 365
_FIRST_YEAR: Final = 1850
_WORD: Final = re.compile(r"[A-Z]?[a-z]+[0-9]*|[A-Z]+(?![a-z])[0-9]*")
_WHOLE_YEARS: Final = re.compile(r"[0-9]{4}|[0-9]{3}0s")
_CALENDAR: Final = re.compile(r"[0-9]{4}(-[0-9]{2}|-Q[1-4])?|[0-9]{3}0s")


class _Published(NamedTuple):
    """A column as it is published: its distinct cells, and the share of records that have each."""

    texts: Sequence[str | None]
    shares: Sequence[float]

    @property
    def shown(self) -> list[str]:
        """The cells that are neither hidden nor missing."""
        return [text for text in self.texts if text is not None and text != SUPPRESSED_TEXT]

    def share_of(self, is_of_kind: Callable[[str], bool]) -> float:
        """The share of records whose cell is of some kind; hidden and missing cells are of none."""
        matching = {text for text in self.shown if is_of_kind(text)}
        return sum(held for text, held in zip(self.texts, self.shares, strict=True) if text in matching)


def safe_harbour(subject: Subject, context: Context | None = None, today: dt.date | None = None) -> SafeHarbour | None:
    """Compare three kinds of published columns with the rule.

    Returns
    -------
    SafeHarbour or None
        ``None`` for an audit, which keeps no cells, and where nothing shows that people are of the United States.
    """
    published = subject.by_rows
    if published is None:
        return None
    cells = _cells(published)
    if not _applies(published.table_columns, cells, context):
        return None
    in_clear = [name for name in published.table_columns if name not in cells]
    findings = (
        _zips_or_dates("zip", subject, cells, in_clear),
        _ages(cells, in_clear, _year_of(cells, today or dt.date.today())),
        _zips_or_dates("date", subject, cells, in_clear),
    )
    return SafeHarbour(findings, _SCOPE)


def _applies(columns: Sequence[str], cells: Mapping[str, _Published], context: Context | None) -> bool:
    """Whether people seem to be of the United States."""
    if context is not None and _names_the_us(context):
        return True
    states = [column for name, column in cells.items() if _words(name) & _STATE]
    if any(map(_are_states, states)):
        return True
    if any(_words(name) & _FOREIGN_WORDS for name in columns):
        return False
    # Of columns that were not counted, only the names are known.
    called_zip = [name for name in columns if _words(name) & _ZIP]
    return any(name not in cells or _are_zip_codes(cells[name]) for name in called_zip)


def _names_the_us(context: Context) -> bool:
    texts = (context.recipient, context.purpose, context.controls, context.notes)
    return any(_NAMES_THE_US.search(text or "") for text in texts)


def _are_states(column: _Published) -> bool:
    values = {member for text in column.shown for member in _members(text)}
    return len({value for value in values if value.upper() in _STATES}) >= min(_FEW_STATES, len(values)) > 0


def _are_zip_codes(column: _Published) -> bool:
    """Whether cells look like ZIP codes, or like ranges of them; hidden cells may be any."""
    values = [member for text in column.shown if not isinstance(parse(text), Interval) for member in _members(text)]
    # A ZIP code that was stored as a number has lost its leading zeros.
    return all(_ZIP_CODE.fullmatch(value.zfill(5)) for value in values)


def _year_of(cells: Mapping[str, _Published], today: dt.date) -> int:
    """The year in which ages are judged: that of the newest date that is not a date of birth, or else this year."""
    dates = [text for name, column in cells.items() if not _is_called_birth(name) for text in column.shown]
    newest = max((span[1] for text in dates if (span := _years(text, alone=False)) is not None), default=-math.inf)
    return today.year if newest == -math.inf else int(min(newest, today.year))


def _cells(counted: ClassCounts) -> dict[str, _Published]:
    """All counted columns."""
    rows = counted.cells.rows
    columns = [
        (name, counted.codes[counted.class_of_cell, at], labels)
        for at, (name, labels) in enumerate(zip(counted.columns, counted.labels, strict=True))
    ]
    columns += [(name, column.codes, column.labels) for name, column in counted.cells.sensitive.items()]
    return {
        name: _Published(labels.tolist(), (np.bincount(codes, rows, len(labels)) / counted.rows).tolist())
        for name, codes, labels in columns
    }


def _looks_like(topic: Topic, name: str) -> bool:
    """Whether the name of a column fits a topic: ``ZIP``, ``zipCode``, ``date_of_birth``.

    >>> _looks_like("zip", "homeZipcode"), _looks_like("age", "age_years"), _looks_like("age", "wage")
    (True, True, False)
    """
    return bool(_words(name) & _WORDS[topic])


def _words(name: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(name)}


def _is_called_birth(name: str) -> bool:
    """Whether the name of a column is that of a date or a year of birth.

    >>> _is_called_birth("birth_year"), _is_called_birth("dateOfBirth"), _is_called_birth("birth_weight")
    (True, True, False)
    """
    words = _words(name)
    return bool(words & _BIRTH) and not words & _NO_YEAR


def _zips_or_dates(
    topic: Literal["zip", "date"], subject: Subject, cells: Mapping[str, _Published], in_clear: Sequence[str]
) -> HarbourFinding:
    """Judge ZIP codes or dates: whether cells are finer than the rule allows."""
    known = [name for name in cells if _is(topic, name, cells[name], subject)]
    clear = [name for name in in_clear if _looks_like(topic, name) or _is_stored(topic, name, subject)]
    if not known and not clear:
        return _absent(topic)
    limit = _LIMITS[topic]
    shares = {name: cells[name].share_of(limit.is_exceeded) for name in known}
    wrong = [
        f"{percent(share)} of the records reveal more than {limit.allowed} of {name!r}."
        for name, share in shares.items()
        if share > 0
    ]
    if clear:
        wrong.append(f"{quoted(clear)} is published unchanged.")
    answer: Answer = ("bad", " ".join(wrong)) if wrong else limit.kept
    judgement, text = answer
    return HarbourFinding(topic, _TITLES[topic], judgement, (*known, *clear), text, _RULES[topic])


def _ages(cells: Mapping[str, _Published], in_clear: Sequence[str], year: int) -> HarbourFinding:
    """Judge ages and years of birth: whether ages over 89 are one category."""
    ages, births, clear = _age_columns(cells, in_clear)
    findings = [_judge_ages(name, cells[name], None) for name in ages]
    findings += [_judge_ages(name, cells[name], year) for name in births]
    if clear:
        findings.insert(0, ("unknown", f"{quoted(clear)} is published unchanged. Its values were not examined."))
    if not findings:
        return _absent("age")
    worst = min((judgement for judgement, _ in findings), key=_WORST_FIRST.index)
    text = " ".join(text for _, text in findings)
    return HarbourFinding("age", _TITLES["age"], worst, (*ages, *births, *clear), text, _RULES["age"])


def _age_columns(cells: Mapping[str, _Published], in_clear: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """The columns of ages, those of years of birth, and those of either that were not counted."""
    births = [name for name in cells if _is_called_birth(name) and _are_years(cells[name])]
    ages = [name for name in cells if _looks_like("age", name) and name not in births]
    return ages, births, [name for name in in_clear if _looks_like("age", name) or _is_called_birth(name)]


_WORST_FIRST: Final[tuple[Judgement, ...]] = ("bad", "unknown", "note", "good")


def _judge_ages(name: str, column: _Published, year: int | None) -> Answer:
    """Judge a column of ages, or one of years of birth by the ages that are reached in a year."""
    by = "" if year is None else f" in {year}, by years of birth,"
    above = {text for text in column.shown if _lies(text, "above", year)}
    # The rule allows one category of 90 or older.
    allowed = len(above) == 1 and all(_is_oldest_category(text, year) for text in above)
    exact = 0.0 if allowed else column.share_of(partial(_lies, where="above", year=year))
    across = column.share_of(partial(_lies, where="across", year=year))
    if exact:
        return "bad", f"{percent(exact)} of the records reveal ages over 89{by} in {name!r} more finely than that."
    if across:
        by = by.rstrip(",")
        return "note", f"{percent(across)} of the records are in ranges of {name!r} that reach beyond 89{by}."
    return "good", f"No record reveals an age over 89{by} in {name!r} more finely than that."


def _lies(text: str, where: str, year: int | None) -> bool:
    """Whether the ages of a cell lie there; of years of birth, the ages that are reached in a year."""
    return where == (_place_of_ages(text) if year is None else _place_of_births(text, year))


def _is_oldest_category(text: str, year: int | None) -> bool:
    """Whether a cell is the category of all who are 90 or older."""
    if year is not None:
        span = _years(text, alone=True)
        return span is not None and span[0] < span[1] == year - _OLDEST - 1
    ages = parse(text)
    return isinstance(ages, Interval) and ages.low == _OLDEST + 1


def _absent(topic: Topic) -> HarbourFinding:
    columns = {"zip": "ZIP codes", "age": "ages", "date": "dates"}[topic]
    return HarbourFinding(
        topic, _TITLES[topic], "unknown", (), f"No published column looks like {columns}.", _RULES[topic]
    )


def _members(text: str) -> tuple[str, ...]:
    """The values or labels that a cell names."""
    meaning = parse(text)
    if isinstance(meaning, ValueSet):
        return tuple(member for member in meaning.members if member is not None)
    return (text,)


def _is_finer_zip(text: str) -> bool:
    """Whether a cell reveals more than three digits of a ZIP code.

    >>> [_is_finer_zip(text) for text in ("02139", "021**", "[12000,12100)", "[12000,12010)")]
    [True, False, False, True]
    """
    meaning = parse(text)
    if isinstance(meaning, Interval):
        return meaning.high - meaning.low < _ZIP_AREA
    return any(sum(sign.isdigit() for sign in member) > _ZIP_DIGITS for member in _members(text))


def _is_finer_date(text: str) -> bool:
    """Whether a cell reveals more of a date than its year.

    >>> [_is_finer_date(text) for text in ("2024-03-31", "2024-03", "2024", "2020s", "[2020-01-01,2021-01-01)")]
    [True, True, False, False, False]
    """
    meaning = read(text, "date")
    if isinstance(meaning, Interval):
        return meaning.high - meaning.low < _YEAR
    return not all(_WHOLE_YEARS.fullmatch(member) for member in _members(text))


class _Limit(NamedTuple):
    """A limit of the rule: what is allowed, whether a cell exceeds it, and the finding if none does."""

    allowed: str
    is_exceeded: Callable[[str], bool]
    kept: Answer


_LIMITS: Final = {
    "zip": _Limit(
        "three digits",
        _is_finer_zip,
        (
            "note",
            "No record reveals more than three digits. Whether more than 20,000 people live in each such area was not "
            "looked up.",
        ),
    ),
    "date": _Limit("the year", _is_finer_date, ("good", "No record reveals more than the year.")),
}


def _is(topic: Topic, name: str, column: _Published, subject: Subject) -> bool:
    """Whether a column holds ZIP codes or dates, by its name, its type or its cells."""
    if _looks_like(topic, name) or _is_stored(topic, name, subject):
        return True
    if topic != "date":
        return False
    shown = column.shown
    return bool(shown) and all(_is_date(text) for text in shown) and any(_is_finer_date(text) for text in shown)


def _is_stored(topic: Topic, name: str, subject: Subject) -> bool:
    """Whether the type of a column is a date."""
    return topic == "date" and subject.types.get(name, "").startswith("Date")


def _is_date(text: str) -> bool:
    return isinstance(read(text, "date"), Interval) or all(
        number_in(member, "date") is not None or _CALENDAR.fullmatch(member) for member in _members(text)
    )


Place = Literal["below", "across", "above", "unclear"]


def _place_of_ages(text: str) -> Place:
    """The place of a cell of ages: up to 89, above, or across."""
    meaning = parse(text)
    if isinstance(meaning, Interval):
        if meaning.low > _OLDEST:
            return "above"
        # Ages are whole years: a range that ends below 90 has nobody older.
        return "across" if _last(meaning) >= _OLDEST + 1 else "below"
    ages = [number_in(member, "number") for member in _members(text)]
    known = [age for age in ages if age is not None]
    if not known:
        return "unclear"
    return "above" if max(known) > _OLDEST else "below"


def _place_of_births(text: str, year: int) -> Place:
    """The place of the ages that are reached in a year, for a cell of years of birth."""
    span = _years(text, alone=True)
    if span is None:
        return "unclear"
    first, last = span
    if year - last > _OLDEST:
        return "above"
    return "across" if year - first > _OLDEST else "below"


def _last(interval: Interval) -> float:
    """The highest number in an interval."""
    return interval.high if interval.closed else float(np.nextafter(interval.high, -np.inf))


def _are_years(column: _Published) -> bool:
    """Whether cells are years, spans of them, or dates."""
    shown = column.shown
    return bool(shown) and all(_years(text, alone=True) is not None for text in shown)


Years = tuple[float, float]


def _years(text: str, *, alone: bool) -> Years | None:
    """The first and the last year that a cell may stand for; a number is a year only where years stand ``alone``.

    >>> _years("[1925,1928)", alone=True), _years("1925-03-07", alone=False), _years("1920s", alone=False)
    ((1925, 1927), (1925, 1925), (1920, 1929))
    """
    dates = read(text, "date")
    if isinstance(dates, Interval):
        return _year(dates.low), _year(float(_last(dates)))
    numbers = parse(text)
    if isinstance(numbers, Interval):
        return _years_between(numbers) if alone else None
    spans = [_years_of(member, alone=alone) for member in _members(text)]
    known = [span for span in spans if span is not None]
    if not known or len(known) < len(spans):
        return None
    return min(low for low, _ in known), max(high for _, high in known)


def _years_between(numbers: Interval) -> Years | None:
    """The first and the last whole number of an interval, if its ends are years or open."""
    low = math.ceil(numbers.low) if numbers.low > -math.inf else numbers.low
    high = math.floor(_last(numbers)) if numbers.high < math.inf else numbers.high
    return (low, high) if all(map(_is_year, filter(math.isfinite, (low, high)))) else None


def _years_of(text: str, *, alone: bool) -> Years | None:
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
