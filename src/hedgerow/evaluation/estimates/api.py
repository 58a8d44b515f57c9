"""``hr.analyses``: will the analyses that recipients plan give the same results on the release?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hedgerow.engines import File, FileSource, open_source
from hedgerow.errors import BadInput, check_int
from hedgerow.evaluation.estimates.agreement import bounds, pooled
from hedgerow.evaluation.estimates.models import Fit, mean_by_group, regress, shares_of_groups
from hedgerow.evaluation.estimates.notation import Analysed, Crosstab, Grouping, Mean, Regression, parse_all
from hedgerow.evaluation.estimates.reading import (
    Categories,
    Numbers,
    PlainRows,
    PublishedRows,
    TableOfAnalyses,
    Unreadable,
    under_labels,
)
from hedgerow.evaluation.estimates.results import Analyses, AnalysisResult, Estimate, Reading
from hedgerow.evaluation.tables import OpenedTable, backend_of
from hedgerow.hierarchies import Hierarchy
from hedgerow.io.frames import as_arrow, is_spark, open_frame
from hedgerow.io.readers import SparkFiles
from hedgerow.release import Release

__all__ = [
    "OriginalRows",
    "Readable",
    "analyses",
    "compare_rows",
    "open_original",
    "readings_of",
    "refuse_unpublished",
    "run",
]

_DRAWS: Final = 10
_MOST_COMBINATIONS: Final = 10_000


def analyses(
    original: Any,
    release: Any,
    planned: Iterable[str] | str,
    *,
    entity: str | None = None,
    kinds: Mapping[str, Any] | None = None,
    draws: int = _DRAWS,
    random_state: int = 0,
) -> Analyses:
    """Run the analyses that recipients plan on the original rows and on the release, and compare the results.

    Estimates are compared by the overlap of their 95 % confidence intervals (Karr et al. 2006) and by their relative
    error. A published interval is read as its midpoint, a set by the published proportions or in equal shares, and
    ``*`` as missing. Where there are proportions, the analyses also run on redrawn rows, several times; the variance
    between the draws is added to that within (Rubin's rules).

    Parameters
    ----------
    original : dataframe, DuckDB relation, path or File
        The table that was released.
    release : Release or path
        The release, or the file where it was saved.
    planned : sequence of str
        The analyses: ``"crosstab sex, ward"``, ``"mean days by ward"``, ``"linear days ~ age + sex"``,
        ``"logistic readmitted ~ age + days"``. Numbers are divided into groups by ``age(30, 50)``.
    entity : str, optional
        The column that tells people apart, by default that of the release: intervals then count people. The release
        needs its pseudonyms for that; otherwise its rows are counted.
    kinds : mapping of column to kind, optional
        As in a :class:`~hedgerow.Schema`.
    draws : int
        How many times rows are redrawn, at least 2.
    random_state : int
        The seed of the draws.

    Returns
    -------
    Analyses
        Private, like the original: never publish it. A report shows recipients the release's own figures and a word.

    Examples
    --------
    >>> import hedgerow as hr
    >>> people = hr.datasets.make_census(2000, random_state=1)
    >>> schema = hr.Schema(quasi=["age", "sex"], target="income", insensitive=["hours-per-week"], others="drop")
    >>> release = hr.anonymize(people, schema, k=25)
    >>> hr.analyses(people, release, ["mean hours-per-week by sex", "crosstab age(30, 50), sex"])
    Analyses(2 analyses on 2,000 original and 2,000 released rows)
      mean hours-per-week by sex  good  overlap 1.00  relative error 0.0%  (2 means; rows counted)
      crosstab age(30, 50), sex   good  overlap 0.97  relative error 0.9%  (6 shares; rows counted)
    """
    parsed = parse_all(planned)
    check_int("draws", "analyses", draws, 2)
    check_int("random_state", "analyses", random_state, 0)
    if kinds is not None and not isinstance(kinds, Mapping):
        raise BadInput.parameter("kinds", "analyses", "a mapping of columns", type(kinds).__name__)
    release = Release.load(release) if isinstance(release, str | Path) else release
    if not isinstance(release, Release):
        raise BadInput.parameter("release", "analyses", "a release or the path of one", type(release).__name__)
    person = entity if entity is not None else release.facts["columns"].get("entity")
    rows = open_original(original, parsed, missing=release.guarantee.missing, kinds=kinds or {}, entity=person)
    return run(rows, release, parsed, draws=draws, random_state=random_state)


# --------------------------------------------------------------------------------------------------
# The original rows.


@dataclass(frozen=True, eq=False)
class OriginalRows:
    """The original rows with the columns of the analyses, and the dataframe library of results."""

    plain: PlainRows
    backend: Literal["pandas", "polars", "pyarrow"] = "pyarrow"


def open_original(
    data: Any,
    parsed: Sequence[Analysed],
    *,
    missing: tuple[str, ...] = ("",),
    kinds: Mapping[str, Any] = MappingProxyType({}),
    entity: str | None = None,
    checked: bool = False,
) -> OriginalRows:
    """Read the columns that analyses need, and refuse an analysis that does not fit them, unless that was checked."""
    names = list(dict.fromkeys([name for analysis in parsed for name in analysis.columns]))
    wanted = [*names, *([entity] if entity is not None and entity not in names else [])]
    table, decimal, untyped = _columns(data, wanted)
    otherwise: Literal["typed", "derived"] = "derived" if untyped else "typed"
    known = {name: kind for name, kind in kinds.items() if name in wanted}
    plain = PlainRows(table, missing, known, otherwise, decimal, entity)
    if not plain.rows:
        raise BadInput("The table has no rows.")
    for analysis in parsed if not checked else ():
        _check(plain, analysis)
    return OriginalRows(plain, backend_of(data))


def _columns(data: Any, wanted: Sequence[str]) -> tuple[pa.Table, str, bool]:
    """Some columns of a table, the sign before decimals, and whether its numbers are texts."""
    if isinstance(data, OpenedTable):
        return _chosen(data.table, wanted), ".", False
    if is_spark(data):
        _refuse_absent(data.columns, wanted)
        return pa.table(data.select(*wanted).toArrow()), ".", False
    if isinstance(data, str | File | FileSource) or hasattr(data, "__fspath__"):
        source = data if isinstance(data, FileSource) else open_source(data)
        _refuse_absent(source.columns, wanted)
        if isinstance(source, FileSource):
            return source.rows(wanted), source.decimal, source.untyped
    frame = open_frame(data).frame
    _refuse_absent(frame.columns, wanted)
    return pa.table({name: as_arrow(frame[name]) for name in wanted}), ".", False


def _chosen(table: pa.Table, wanted: Sequence[str]) -> pa.Table:
    _refuse_absent(table.column_names, wanted)
    return table.select(list(wanted))


def _refuse_absent(columns: Iterable[str], wanted: Iterable[str]) -> None:
    known = list(columns)
    for name in wanted:
        if name not in known:
            raise BadInput.unknown("column", name, known, "An analysis names it.")


def _check(plain: PlainRows, analysis: Analysed) -> None:
    """Refuse an analysis that the original columns do not fit."""
    try:
        if isinstance(analysis, Mean):
            plain.numbers(analysis.column)
        if isinstance(analysis, Regression):
            _check_regression(plain, analysis)
        else:
            for group in analysis.groups:
                _check_group(plain, group)
    except Unreadable as reason:
        raise BadInput(f"The analysis {analysis.text!r} cannot be run: {reason}.") from None


def _check_group(plain: PlainRows, group: Grouping) -> None:
    """Refuse groups of numbers in a column of text. Without cuts, groups may be coarser in the release."""
    if group.cuts:
        plain.categories(group)
    else:
        plain.encoded(group.column)


def _check_regression(plain: PlainRows, analysis: Regression) -> None:
    for term in analysis.terms:
        _check_group(plain, Grouping(term.column, term.cuts))
    if analysis.kind == "linear":
        plain.numbers(analysis.outcome)
        return
    names = plain.categories(Grouping(analysis.outcome)).names
    if analysis.value is None and len(names) != 2:
        raise Unreadable(
            f"the column {analysis.outcome!r} has {len(names):,} different values; name the one to explain, as in "
            f"logistic {analysis.outcome}=VALUE ~ …"
        )
    if analysis.value is not None and analysis.value not in names:
        raise Unreadable(f"no row has the named value of {analysis.outcome!r}")


# --------------------------------------------------------------------------------------------------
# The release.


@dataclass(frozen=True, eq=False)
class Readable:
    """A release by one reading: a table, or several draws.

    Attributes
    ----------
    reading : {"published", "redrawn"}
    tables : sequence of tables
    hierarchies : mapping of column to Hierarchy
        For labels that stand for the values below them.
    """

    reading: Reading
    tables: Sequence[TableOfAnalyses]
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)

    @property
    def people(self) -> bool:
        """Whether it tells people apart."""
        return self.tables[0].people is not None


def readings_of(
    release: Release | pa.Table, original: PlainRows, parsed: Sequence[Analysed], *, draws: int, random_state: int
) -> list[Readable]:
    """The readings of a release: as published, and redrawn if it has proportions; or rows in its place."""
    wanted = list(dict.fromkeys(name for analysis in parsed for name in analysis.columns))
    if not isinstance(release, Release):
        entity = original.entity if original.entity in release.column_names else None
        return [Readable("published", [replace(original, table=release, entity=entity)])]
    table = _table_of(release)
    present = [name for name in wanted if name in table.column_names]
    kinds = {name: "text" for name in present if original.encoded(name).domain.kind == "text"}
    missing = (*release.guarantee.missing, *set(release.markers.values()))
    entity = original.entity if original.entity in table.column_names else None
    held = [*present, *([entity] if entity is not None and entity not in present else [])]
    plain = PlainRows(table.select(held), missing, kinds, "derived", original.decimal, entity)
    columns = list(dict.fromkeys([*held, *release.quasi]))
    hierarchies = release.label_hierarchies
    # A column of numbers that was coded with an open end (≥10) holds text.
    coded = [name for name in release.audit.coded if name in present and name not in kinds]
    open_ended = [name for name in coded if not plain.holds_numbers(name)]
    read = PublishedRows(table.select(columns), (*release.quasi, *open_ended), plain, hierarchies, release.proportions)
    readings = [Readable("published", [read], hierarchies)]
    if release.proportions is not None and draws:
        readings.append(Readable("redrawn", _drawn(release, plain, held, draws, random_state), hierarchies))
    return readings


def _drawn(release: Release, plain: PlainRows, held: Sequence[str], draws: int, random_state: int) -> list[PlainRows]:
    """Redrawn rows, a table for each draw."""
    from hedgerow.learning import redraw

    made = _arrow(redraw(release, draws, random_state=random_state), held)
    rows = made.num_rows // draws
    return [replace(plain, table=made.slice(at * rows, rows)) for at in range(draws)]


def _table_of(release: Release) -> pa.Table:
    native = release.rows.native
    if isinstance(native, SparkFiles):
        return pa.concat_tables([pq.read_table(part) for part in native.parts])
    return _arrow(release.table)


def _arrow(table: Any, names: Sequence[str] | None = None) -> pa.Table:
    frame = open_frame(table).frame
    return pa.table({name: as_arrow(frame[name]) for name in (frame.columns if names is None else names)})


def refuse_unpublished(parsed: Iterable[Analysed], published: Iterable[str]) -> None:
    """Refuse an analysis of a column that the release does not have."""
    known = set(published)
    for analysis in parsed:
        for name in analysis.columns:
            if name not in known:
                raise BadInput(
                    f"The analysis {analysis.text!r} needs the column {name!r}, which is not published. Leave the "
                    "analysis out, or give the column a role in which it is published."
                )


# --------------------------------------------------------------------------------------------------
# Both side by side.


def run(
    original: OriginalRows, release: Release, parsed: Sequence[Analysed], *, draws: int = _DRAWS, random_state: int = 0
) -> Analyses:
    """Run parsed analyses on the original rows and on the release."""
    plain = original.plain
    refuse_unpublished(parsed, release.guarantee.columns)
    readings = readings_of(release, plain, parsed, draws=draws, random_state=random_state)
    results = tuple(compare_rows(plain, reading, analysis) for analysis in parsed for reading in readings)
    drawn = draws if len(readings) > 1 else 0
    return Analyses(results, plain.rows, readings[0].tables[0].rows, drawn, original.backend)


def compare_rows(plain: PlainRows, release: Readable, analysis: Analysed) -> AnalysisResult:
    """An analysis on the original rows, and on a release by one reading."""
    kind = analysis.kind if isinstance(analysis, Regression) else ("mean" if isinstance(analysis, Mean) else "crosstab")
    result = AnalysisResult(
        analysis.text,
        kind,
        release.reading,
        counted="rows" if plain.people is None else "people",
        release_counted="people" if release.people else "rows",
    )
    try:
        prepared = _prepared(plain, release, analysis)
    except _OfOriginal as reason:
        return replace(result, original_reason=str(reason))
    except Unreadable as reason:
        return replace(result, reason=str(reason))
    result = replace(result, references=prepared.references, explained=prepared.explained)
    (own, own_reason), (theirs, their_reason) = (_tried(prepared, side) for side in ("original", "release"))
    return replace(
        result,
        estimates=tuple(_estimates(own, theirs)),
        original_rows=0.0 if own is None else own.rows,
        release_rows=0.0 if theirs is None else theirs.rows,
        original_units=0 if own is None else own.units,
        reason=their_reason,
        original_reason=own_reason,
    )


def _tried(prepared: _Prepared, side: str) -> tuple[Fit | None, str]:
    """The estimates on one side, or why there are none."""
    try:
        return prepared.fit(side), ""
    except Unreadable as reason:
        return None, str(reason)


def _estimates(original: Fit | None, release: Fit | None) -> Iterable[Estimate]:
    """The estimates that either table has; a combination that is empty in both is none."""
    names = dict.fromkeys(name for fit in (original, release) if fit is not None for name in fit.names)
    sides = [(fit, [] if fit is None else bounds(fit)) for fit in (original, release)]
    for name in names:
        (value, interval, support), (published, own, published_support) = (
            _of_fit(fit, intervals, name) for fit, intervals in sides
        )
        if (value is None and published is None) or not (support or published_support):
            continue
        yield Estimate(name, value, published, interval, own, support, published_support)


def _of_fit(fit: Fit | None, intervals: Sequence[Any], name: tuple[str, ...]) -> tuple[float | None, Any, float]:
    at = None if fit is None else fit.place.get(name)
    if fit is None or at is None or fit.values[at] != fit.values[at]:
        return None, None, 0.0
    return float(fit.values[at]), intervals[at], float(fit.support[at])


class _OfOriginal(Unreadable):
    """The same of the original rows, whose figures may stand in the message."""


class _Prepared(NamedTuple):
    """An analysis that is ready to run: the same groups in all tables.

    Attributes
    ----------
    fits : sequence of callables
        The estimates on each table, the original first.
    references : mapping of column to str
    explained : str
    """

    fits: Sequence[Callable[[], Fit]]
    references: Mapping[str, str] = MappingProxyType({})
    explained: str = ""

    def fit(self, side: str) -> Fit:
        """The estimates on the original rows, or on the release, whose draws are combined."""
        return pooled([fit() for fit in (self.fits[:1] if side == "original" else self.fits[1:])])


def _prepared(plain: PlainRows, release: Readable, analysis: Analysed) -> _Prepared:
    tables = [plain, *release.tables]
    if isinstance(analysis, Regression):
        return _regressions(plain, release, analysis)
    columns = [_groups(plain, release, group) for group in analysis.groups]
    _refuse_many([of_tables[0] for of_tables in columns])
    by_table = [[of_tables[at] for of_tables in columns] for at in range(len(tables))]
    if isinstance(analysis, Crosstab):
        pairs = zip(by_table, tables, strict=True)
        return _Prepared([partial(shares_of_groups, groups, table.people) for groups, table in pairs])
    numbers = [table.numbers(analysis.column) for table in tables]
    means = zip(numbers, by_table, tables, strict=True)
    return _Prepared([partial(mean_by_group, column, groups, table.people) for column, groups, table in means])


def _regressions(plain: PlainRows, release: Readable, analysis: Regression) -> _Prepared:
    tables = [plain, *release.tables]
    outcomes: Sequence[Numbers | Categories]
    explained, logistic = "", analysis.kind == "logistic"
    if logistic:
        outcomes, explained = _outcome(plain, release, analysis)
    else:
        outcomes = [table.numbers(analysis.outcome) for table in tables]
    terms: list[dict[str, Numbers | Categories]] = [{} for _ in tables]
    references = {}
    for term in analysis.terms:
        name = term.column
        columns: Sequence[Numbers | Categories]
        if term.categorical or not plain.holds_numbers(name):
            columns = groups = _groups(plain, release, Grouping(name, term.cuts))
            references[name] = _most_frequent(groups[1:])
        else:
            columns = [table.numbers(name) for table in tables]
        for of_table, column in zip(terms, columns, strict=True):
            of_table[name] = column
    pairs = zip(outcomes, terms, tables, strict=True)
    fits = [partial(regress, own, of, references, table.people, logistic=logistic) for own, of, table in pairs]
    return _Prepared(fits, references, explained)


def _refuse_many(groups: Sequence[Categories]) -> None:
    number = math.prod(len(group.names) for group in groups)
    if number > _MOST_COMBINATIONS:
        raise _OfOriginal(f"it has {number:,} combinations of groups, and {_MOST_COMBINATIONS:,} are the most")


def _groups(plain: PlainRows, release: Readable, group: Grouping) -> list[Categories]:
    """A column as the same groups in all tables, as fine as the release publishes them."""
    theirs = [table.categories(group) for table in release.tables]
    names = list(dict.fromkeys(name for groups in theirs for name in groups.names))
    try:
        own = plain.categories(group)
        if not group.cuts:
            hierarchy = release.hierarchies.get(group.column)
            own = under_labels(own, names, hierarchy, plain.encoded(group.column).domain)
    except Unreadable as reason:
        raise _OfOriginal(str(reason)) from None
    every = list(dict.fromkeys([*own.names, *names]))
    return [groups.named(every) for groups in (own, *theirs)]


def _most_frequent(columns: Sequence[Categories]) -> str:
    """The group that most rows of the release have; the first of several."""
    rows = np.sum([column.rows for column in columns], axis=0)
    if not rows.any():
        raise Unreadable("no row has all columns of the analysis")
    return columns[0].names[int(rows.argmax())]


def _outcome(plain: PlainRows, release: Readable, analysis: Regression) -> tuple[list[Categories], str]:
    """The outcome of a logistic regression as groups, the explained one last."""
    made = _groups(plain, release, Grouping(analysis.outcome))
    names, explained = made[0].names, analysis.value
    if explained is None:
        rows = np.sum([column.rows for column in made[1:]], axis=0)
        held = [name for name, number in zip(names, rows.tolist(), strict=True) if number > 0]
        if len(held) != 2:
            raise Unreadable(f"the release has {len(held):,} values of {analysis.outcome!r} where two are needed")
        explained = held[-1]
    if explained not in names:
        raise Unreadable(f"the release has no such value of {analysis.outcome!r}")
    ordered = [*(name for name in names if name != explained), explained]
    return [column.named(ordered) for column in made], explained
