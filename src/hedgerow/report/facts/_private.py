"""Questions about single people and values. Their answers are for the publisher, so the public edition has none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Longs
from hedgerow._internal.rounding import significant
from hedgerow.errors import BadInput, plural, translated
from hedgerow.io.readers.sizes import read_json
from hedgerow.release import CountedReason, Release, counted_reasons
from hedgerow.report.facts._subject import Subject
from hedgerow.report.facts.figures import count, number, quoted, share
from hedgerow.report.facts.sections import ManyRows, NotFiner, NotFinerColumn, UniqueColumn, UniqueValues

__all__ = ["many_rows", "not_finer", "unique_values"]


# --------------------------------------------------------------------------------------------------
# Whether anybody has a value that nobody else has.


_ROLES: Final = {
    "quasi": "quasi-identifier",
    "target": "target",
    "sensitive": "sensitive",
    "insensitive": "published unchanged",
}


def unique_values(subject: Subject) -> UniqueValues | None:
    """Count who holds the rarest value of each published column, on the table as it is written."""
    release = subject.release
    if release is None:
        return None
    table = release.described
    held = release.guarantee.holders(table.artefact, 2, table.owners or table.entity)
    roles = {name: _ROLES[role] for role in _ROLES for name in _listed(subject.columns.get(role))}
    columns = tuple(
        UniqueColumn(
            name,
            roles.get(name, "published unchanged"),
            count("fewest", rare.fewest, f"The fewest {held.counted} who have one of its values."),
            count(
                "unique values",
                rare.values,
                f"Values that only one of the {held.counted} has.",
                "note" if rare.values else "good",
            ),
        )
        for name, rare in held.columns.items()
    )
    # People were counted in columns in clear when the release was made, though its table may not name them.
    alone = [name for name, column in subject.audit.clear.items() if column.alone > 0]
    unique = [column.name for column in columns if column.unique.value or column.name in alone]
    counted = f"{held.counted} were counted"
    if subject.people_unknown:
        counted += "; the table does not show whose they are, so a value in several rows may be of one person"
    return UniqueValues(_about_unique(unique, counted), "note" if unique else "good", columns, held.exempt)


def _about_unique(unique: list[str], counted: str) -> str:
    if not unique:
        return f"In no published column does anybody have a value that nobody else has ({counted})."
    return (
        f"Somebody has a value that nobody else has in {quoted(unique)} ({counted}). Anyone who knows that value finds "
        "the person's rows."
    )


def _listed(columns: Any) -> Iterable[str]:
    return (columns,) if isinstance(columns, str) else columns or ()


# --------------------------------------------------------------------------------------------------
# People with very many rows.


_MANY: Final = 10  # times as many rows as the median


def many_rows(subject: Subject, original: Any) -> ManyRows | None:
    """How many rows people have, in the release, or else in the original table."""
    release = subject.release
    entity = subject.columns.get("entity")
    if release is None or entity is None:
        return None
    rows, table = _rows_of_people(release), "the release"
    if rows is None and original is not None:
        rows, table = _rows_in(original, str(entity), release), "the original table"
    if rows is None or not len(rows):
        return None
    middle, most = float(np.median(rows)), int(rows.max())
    many = rows >= _MANY * middle
    figures = (
        count("people", len(rows), f"The people in {table}."),
        number("median", middle, "Half of the people have at most this many rows."),
        number("99 in 100", float(np.percentile(rows, 99)), "So many rows at most have 99 of 100 people."),
        count("most", most, "The rows of the person who has most.", "note" if many.any() else "good"),
        count("very many", int(many.sum()), f"People with {_MANY} times as many rows as the median, or more."),
        share("their rows", float(rows[many].sum() / rows.sum()), "The share of all rows that are theirs."),
    )
    return ManyRows(_about_many(release, int(many.sum()), most), figures)


def _about_many(release: Release, many: int, most: int) -> str:
    if not many:
        return "Nobody has very many rows."
    who = f"{plural(many, 'people')} {'has' if many == 1 else 'have'} very many rows (up to {most:,})."
    columns = release.facts["columns"]
    if release.guarantee.linked or release.audit.links or columns["pseudonymized"]:
        return f"{who} The table shows which rows belong together, so their number alone can identify such a person."
    if columns["accepted"]:
        return f"{who} What was accepted may show which rows belong together: {quoted(list(columns['accepted']))}."
    return (
        f"{who} The table does not show which rows belong together. Such a person is in many classes, counts once in "
        "each, and weighs more than others in every mean."
    )


def _rows_of_people(release: Release) -> Longs | None:
    """The rows of each person, where the release knows them."""
    cells = release.classes.cells
    if cells.people is None:
        return None
    rows = np.bincount(cells.people, cells.rows).astype(np.int64)
    return np.asarray(rows[rows > 0])


def _rows_in(original: Any, entity: str, release: Release) -> Longs:
    """The rows of each person in the original table, of which nothing but that column is read."""
    from hedgerow.evaluation.estimates.api import open_original

    people = open_original(original, (), missing=release.guarantee.missing, entity=entity).plain.people
    return np.zeros(0, dtype=np.int64) if people is None else np.bincount(people)[np.unique(people)].astype(np.int64)


# --------------------------------------------------------------------------------------------------
# Why cells do not show more.


_DIGITS: Final = 2
_OF_RECORDS: Final = "The share of the records whose cell shows no more for this reason."
_WORDS: Final = {
    "exact": "shown as it is",
    "alike": "everybody in the class has the same value",
    "method": "the method chose so: all requirements would hold",
}


class _Counted(NamedTuple):
    reasons: tuple[CountedReason, ...]
    records: int


def not_finer(subject: Subject, explanation: object) -> NotFiner | None:
    """Count the reasons why cells are not finer: of a fresh release, or by the private file about a loaded one."""
    release = subject.release
    if release is None:
        return None
    counted = _counted_in(explanation, release) if explanation is not None else _counted_of(release)
    if counted is None or not counted.reasons:
        return None
    by_column: dict[str, list[CountedReason]] = {}
    for reason in counted.reasons:
        by_column.setdefault(reason.column, []).append(reason)
    columns = tuple(
        NotFinerColumn(
            name,
            tuple(
                (_in_words(reason), share("share", significant(reason.records / counted.records, _DIGITS), _OF_RECORDS))
                for reason in sorted(reasons, key=lambda reason: -reason.records)
            ),
        )
        for name, reasons in by_column.items()
    )
    return NotFiner(_sentence(counted), columns)


def _in_words(reason: CountedReason) -> str:
    if reason.requirement is not None:
        return f"{reason.requirement} forbids more"
    return _WORDS.get(reason.because, reason.because)


def _sentence(counted: _Counted) -> str:
    """Which requirement forces most cells."""
    forced: Counter[str] = Counter()
    for reason in counted.reasons:
        if reason.requirement is not None:
            forced[reason.requirement] += reason.records
    cells = sum(reason.records for reason in counted.reasons)
    if not forced:
        return "No requirement forbids to show more: cells are exact, or the method chose so."
    parts = [f"{requirement} for {_percent(held / cells)}" for requirement, held in forced.most_common()]
    return f"One step finer, a cell would violate a requirement: {', '.join(parts)} of the cells."


def _percent(value: float) -> str:
    return share("", significant(value, _DIGITS), "").text


def _counted_of(release: Release) -> _Counted | None:
    try:
        reasons = release.reasons
    except BadInput:  # a release that was loaded, is too large, or promises nothing has none
        return None
    return _Counted(reasons.counted, int(reasons.sizes.sum()))


_LARGEST: Final = 1 << 30  # bytes


def _counted_in(explanation: object, release: Release) -> _Counted:
    """Read the counts in the file that ``hedgerow anonymize --explain`` wrote."""
    if not isinstance(explanation, str | Path):
        must = "the path of a file that hedgerow anonymize --explain wrote"
        raise BadInput.parameter("explanation", "report", must, type(explanation).__name__)
    unreadable = BadInput(
        f"The explanation {str(explanation)!r} cannot be read. Name the file that hedgerow anonymize --explain wrote."
    )
    with translated(OSError, KeyError, TypeError, AttributeError, ValueError, RecursionError, into=unreadable):
        content: Mapping[str, Any] = read_json(Path(explanation), _LARGEST)
        reasons = counted_reasons(content)
        records = sum(int(each["records"]) for each in content["classes"])
    if records != release.audit.rows or {reason.column for reason in reasons} != set(release.quasi):
        raise BadInput(f"The explanation {str(explanation)!r} is about another release than this one.")
    return _Counted(reasons, records)
