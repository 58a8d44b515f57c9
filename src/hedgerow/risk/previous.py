"""Audits two releases together: finds what both share, and counts or bounds the groups of people.

An attacker who has both releases knows the quasi-identifiers of both. So the classes of each release are formed by all
these columns that it publishes, whatever their role in it, and so are the tuples of the original table. The previous
release names its own quasi-identifiers, or its manifest does if it fits the table, or the caller does. If they are
unknown, its classes may be finer than those that can be counted, and no k is proved.

Without the original table, everybody of the smaller release is assumed to be in the larger one, unless one of them left
out rows, or no reading of the cells allows it. Without this assumption, no k is proved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Bools, Longs
from hedgerow.core.cells import Interval, Leaves, Suppressed, ValueSet, parse
from hedgerow.core.counts import Asked, EncodedColumn, encode_column
from hedgerow.errors import BadInput, listing
from hedgerow.io.readers import STANDARD_INPUT
from hedgerow.risk._inputs import Auditable, Reading, artefact_of, labels_of
from hedgerow.risk.audit import LearntTogether, Relation, Together
from hedgerow.risk.joining import (
    BothReleases,
    Side,
    compare_cells,
    listed_labels,
    masks_among,
    people_in_cells,
    same_values,
)
from hedgerow.risk.manifest import manifest_fit, read_manifest
from hedgerow.risk.overlap import Bounds, FoundPeople, Placed, bounds_of, found_people, placed
from hedgerow.verifier import ClassCounts, count_classes
from hedgerow.verifier.classes import Labels, numbers_of

__all__ = ["BY_VALUES", "Given", "Stated", "audit_together", "place_tuples", "quasi_of", "relation_of"]

BY_VALUES: Final = frozenset(
    {
        "allmin",
        "apt",
        "bug",
        "datafly",
        "genetic",
        "greedy",
        "hedge",
        "heuristicmin",
        "incognito",
        "k-member",
        "k-optimize",
        "kaca",
        "kadet",
        "mingen",
        "mondrian",
        "mu-argus",
        "oka",
        "optimal",
        "tdr",
        "tds",
    }
)
"""Methods that never publish the mean or the median of a group: a number that they publish is a value."""

_SELF_EXPLAINING: Final = re.compile(
    r"(automatic: )?(flat|(given |quantile )?intervals|dates by|"
    r"masking of [\d, al]+ characters from the right(\Z|, published)|the first [\d, ]+ characters)"
)
"""How manifests describe hierarchies without labels, or with labels that need no explanation."""

_TABLE: Final = 2**26
"""The most pairs of a cell and a value to compare in a column. A larger column is assumed to show nothing."""


@dataclass(frozen=True, eq=False)
class Given:
    """The inputs of an audit of two releases.

    Attributes
    ----------
    previous : dataframe, DuckDB relation, path or Release
    original : dataframe, DuckDB relation or path, optional
    quasi : sequence of str
        The quasi-identifiers of the new release.
    protected : sequence of str
        The sensitive columns and the target.
    entity : str, optional
    changed : sequence of str
        Columns in clear whose values may have changed since.
    hierarchies : mapping of column to hierarchy
    required : int, optional
        The k that is required over all quasi-identifiers.
    reading : Reading
        How tables are read.
    previous_quasi : sequence of str
        Quasi-identifiers of the previous release besides those that it or its manifest names.
    previous_original : dataframe, DuckDB relation or path, optional
        The table that the previous release was made from; ``original`` is then that of the new one alone.
    recoding, previous_recoding : Recoding or path, optional
    """

    previous: Any
    original: Any
    quasi: Sequence[str]
    protected: Sequence[str]
    entity: str | None
    changed: Sequence[str]
    hierarchies: Mapping[str, Any]
    required: int | None
    reading: Reading
    previous_quasi: Sequence[str] = ()
    previous_original: Any = None
    recoding: Any = None
    previous_recoding: Any = None


@dataclass(frozen=True, eq=False)
class Stated:
    """How a release was made, as it states itself or in a manifest that fits it.

    Attributes
    ----------
    quasi : tuple of str, optional
        Its quasi-identifiers; ``None`` if they are unknown.
    pseudonymized : tuple of str
    entity : str, optional
    lost : int
        The number of rows that it left out.
    rows : int
        The number of rows of the table that it was made from; 0 if unknown.
    missing : tuple of str
    hierarchies : mapping of column to str, optional
        Their descriptions.
    method : str, optional
    """

    quasi: tuple[str, ...] | None = None
    pseudonymized: tuple[str, ...] = ()
    entity: str | None = None
    lost: int = 0
    rows: int = 0
    missing: tuple[str, ...] = ()
    hierarchies: Mapping[str, Any] | None = None
    method: str | None = None

    @classmethod
    def of(cls, table: Any) -> Stated:
        """Read what a table states; nothing if it has no manifest, or a manifest of another table."""
        if isinstance(table, Auditable):
            return cls._read(table.described.facts)
        if manifest_fit(table)[0] != "fits":
            return cls()
        facts = read_manifest(Path(table).absolute()) or {}
        # Drawn rows belong to nobody.
        return cls() if "drawn_from" in facts else cls._read(facts)

    @classmethod
    def _read(cls, facts: Mapping[str, Any]) -> Stated:
        columns, hierarchies = facts.get("columns"), facts.get("hierarchies")
        quasi = _names_in(columns, "quasi")
        if not isinstance(columns, Mapping) or not quasi:
            return cls()
        entity, method = columns.get("entity"), facts.get("method")
        lost, rows = (_number(facts.get(name)) for name in ("rows_lost", "rows_in"))
        if lost is None or rows is None:
            return cls()
        return cls(
            quasi=quasi,
            pseudonymized=_names_in(columns, "pseudonymized"),
            entity=entity if isinstance(entity, str) else None,
            lost=lost,
            rows=rows,
            missing=_names_in(facts, "missing"),
            hierarchies=hierarchies if isinstance(hierarchies, Mapping) else None,
            method=method if isinstance(method, str) else None,
        )

    def with_quasi(self, named: Sequence[str], columns: Sequence[str]) -> Stated:
        """Add quasi-identifiers that the caller names. If the table lacks some of its own, these are unknown."""
        for name in named:
            if name not in columns:
                raise BadInput.unknown(
                    "column of the previous release", name, columns, "It is named in previous_quasi."
                )
        own = self.quasi if self.quasi is not None and set(self.quasi) <= set(columns) else None
        if not named:
            return replace(self, quasi=own)
        return replace(self, quasi=tuple(dict.fromkeys((*(own or ()), *named))))

    def published(self, quasi: Iterable[str], columns: Sequence[str]) -> tuple[str, ...]:
        """The quasi-identifiers of both releases that this release publishes. A pseudonym is not a value."""
        return tuple(name for name in quasi if name in columns and name not in self.pseudonymized)

    def labelled(self, name: str) -> bool:
        """Whether cells of a column may be labels that only its hierarchy explains."""
        if self.hierarchies is None or name not in (self.quasi or ()):
            return False
        called = self.hierarchies.get(name)
        return not isinstance(called, str) or _SELF_EXPLAINING.match(called) is None

    @property
    def averaged(self) -> bool | None:
        """Whether numbers may be means of groups, if that is known."""
        return None if self.method is None else self.method not in BY_VALUES


@dataclass(frozen=True, eq=False)
class _Both:
    """What both releases state, and the quasi-identifiers of either."""

    old: Stated
    new: Stated
    quasi: tuple[str, ...]

    def labelled(self, name: str) -> bool:
        """Whether cells of a column may be labels that nothing explains."""
        return self.old.labelled(name) or self.new.labelled(name)

    @property
    def averaged(self) -> bool | None:
        """Whether numbers may be means of groups, if that is known."""
        both = {self.old.averaged, self.new.averaged}
        return True if True in both else None if None in both else False

    @property
    def granted(self) -> tuple[bool, bool]:
        """Whether everybody of the old release may be assumed to be in the new one, and the reverse."""
        return not self.new.lost, not self.old.lost

    @property
    def entity(self) -> str | None:
        """The column that identifies the person."""
        return self.new.entity or self.old.entity

    @property
    def missing(self) -> tuple[str, ...]:
        """Texts that mean "no value" in one of them."""
        return (*self.old.missing, *self.new.missing)


def quasi_of(previous: Any, named: Sequence[str] = ()) -> tuple[str, ...]:
    """The quasi-identifiers of an earlier release, as far as it, its manifest or the caller names them."""
    return tuple(dict.fromkeys((*(Stated.of(previous).quasi or ()), *named)))


def audit_together(table: Any, opened: Any, given: Given) -> Together:
    """Measure what two releases disclose together.

    Parameters
    ----------
    table : dataframe, DuckDB relation, path or Release
        The new release.
    opened : object
        The same, opened, because standard input can be read only once.
    given : Given
    """
    previous = artefact_of(given.previous)
    _, unfit = manifest_fit(previous)
    before = given.reading.open(previous)
    was = Stated.of(given.previous).with_quasi(given.previous_quasi, before.columns)
    now = Stated.of(table)
    quasi = tuple(dict.fromkeys((*given.quasi, *(now.quasi or ()), *(was.quasi or ()))))
    columns = was.published(quasi, before.columns), now.published(quasi, opened.columns)
    if not columns[0]:
        raise BadInput(
            f"The previous release has none of the quasi-identifiers {listing(given.quasi)}, so nothing can be said "
            "about both together. Name columns that both have, or name those of the previous release in "
            "previous_quasi= (--previous-quasi)."
        )
    stated = _Both(was, now, quasi)
    remarks = [f"About the previous release: {text}" for text in unfit]
    remarks += _column_remarks(given, was, columns)
    candidates = _candidates(table, opened, given, quasi, before.columns)
    missing = given.reading.with_missing
    old = count_classes(before, columns[0], sensitive=candidates, missing=missing(was.missing))
    new = count_classes(opened, columns[1], sensitive=candidates, missing=missing(now.missing))
    linking, why_not = _linking(old, new, candidates)
    both = BothReleases.of(old, new, linking)
    audit = _Joint(
        both,
        replace(given, entity=given.entity or stated.entity),
        stated,
        given.required or int(min(both.old.sizes.min(), both.new.sizes.min())),
        {name: both.values[name] for name in given.protected if name in linking},
        (*remarks, *why_not),
    )
    together = audit.by_what_is_published() if given.original is None else audit.by_original()
    return together if was.quasi is not None else _unproved(together, old.rows + new.rows)


def _column_remarks(given: Given, was: Stated, columns: tuple[Sequence[str], Sequence[str]]) -> list[str]:
    """Remarks on the columns that form the classes of each release, where they are not obvious."""
    before, after = columns
    left = [name for name in given.quasi if name not in before]
    gone = [name for name in before if name not in after]
    more = [name for name in after if name not in given.quasi]
    remarks = {
        "No manifest that fits the previous release names its quasi-identifiers. Name them in "
        "previous_quasi= (--previous-quasi), or give the release as it was saved, with its manifest. Otherwise no k is "
        "proved.": was.quasi is None,
        f"The previous release does not have {listing(left)}: the other quasi-identifiers form its classes.": left,
        f"The new release does not have {listing(gone)}, which the previous one uses to form its classes.": gone,
        f"The classes of the new release are also formed by {listing(more)}, because an attacker may know the "
        "quasi-identifiers of the previous release.": more,
    }
    return [remark for remark, applies in remarks.items() if applies]


def _unproved(together: Together, everybody: int) -> Together:
    """What can be claimed if the classes of the previous release may be finer than those that were counted."""
    return replace(_without_proof(together, everybody), relation="unknown", rows_left=None)


@dataclass(frozen=True, eq=False)
class _Joint:
    """Two releases that were counted, ready to be audited together.

    Attributes
    ----------
    both : BothReleases
    given : Given
    stated : _Both
    k : int
        Groups below it are counted.
    protected : mapping of column to int array (links,)
        The values of sensitive columns and the target.
    remarks : tuple of str
    """

    both: BothReleases
    given: Given
    stated: _Both
    k: int
    protected: Mapping[str, Longs]
    remarks: tuple[str, ...]

    def by_what_is_published(self) -> Together:
        """Bound the groups by what both releases publish."""
        old, new = self.both.old.counts, self.both.new.counts
        compared, bounds, unread = self._bounds()
        remarks = [*self.remarks, *self._remarks(compared), *_unread(unread)]
        remarks.append(_assumption(old.rows, new.rows, stay=bounds.stay, none_new=bounds.none_new))
        if self.given.entity is not None:
            remarks.append("Rows are counted: only the original table shows to whom they belong.")
        # Several rows of a group may be of one person, and without everybody, somebody may be in one release alone.
        proved = self.given.entity is None and (bounds.stay or bounds.none_new)
        together = Together(
            **self._common(compared),
            relation=relation_of(bounds.new_of_old, bounds.old_of_new),
            same_people=bounds.stay and bounds.none_new,
            by_original=False,
            exact=all(extent.least == extent.most for extent in (bounds.k, bounds.below, bounds.alone)),
            counted="rows",
            k=bounds.k,
            below=bounds.below,
            alone=bounds.alone,
            small=bounds.small,
            newcomers=bounds.newcomers,
            leavers=bounds.leavers,
            learnt={name: self._learnt(name, bounds) for name in self.protected},
            remarks=tuple(remarks),
        )
        return together if proved else _without_proof(together, old.rows + new.rows)

    def _remarks(self, compared: BothReleases) -> list[str]:
        """Remarks on links that contradict each other, and on rows that were left out."""
        remarks = []
        if self.both.values and not compared.values:
            remarks.append(
                f"Rows are not compared by {listing(list(self.both.values))}: by these columns, some people of one "
                "release are missing from the other. Name those that may have changed (--changed). Else somebody may "
                "have left and somebody else joined, and the difference isolates both."
            )
        if self.stated.old.lost or self.stated.new.lost:
            remarks.append(
                "Rows were left out when the releases were made: only the original table shows whose they are."
            )
        return remarks

    def _bounds(self) -> tuple[BothReleases, Bounds, list[str]]:
        """The first reading of the cells under which nobody is missing, else the last."""
        # If people are missing by one reading, the cells may say less, or values that link rows have changed.
        for widely, linked in ((False, True), (True, True), (True, False)):
            compared = self.both if linked else BothReleases.of(self.both.old.counts, self.both.new.counts, ())
            fits, unread = self._overlaps(compared, widely=widely)
            # Values in clear that contradict each other may have changed, or somebody took somebody else's place.
            granted = self.stated.granted if linked or not self.both.values else (False, False)
            bounds = bounds_of(compared, fits, self.k, self.protected if linked else {}, granted)
            if bounds.stay or bounds.none_new:
                break
        return compared, bounds, unread

    def _overlaps(self, both: BothReleases, *, widely: bool) -> tuple[dict[str, Bools], list[str]]:
        """Which cells of each shared column may stand for one value, and the columns with cells that were not read."""
        fits, unread = {}, []
        for name in both.shared:
            if name in self.given.changed:
                continue
            before, after = (
                side.labels[side.columns.index(name)].tolist() for side in (both.old.counts, both.new.counts)
            )
            # Each cell names a few values, at most two of them between others.
            if (len(before) + len(after)) ** 2 * 2 > _TABLE:
                unread.append(name)
                continue
            fits[name], number = compare_cells(
                before,
                after,
                listed_labels(self.given.hierarchies, name, {*before, *after}),
                widely=widely,
                labelled=self.stated.labelled(name) and name not in self.given.hierarchies,
                averaged=self.stated.averaged,
            )
            unread += [name] * bool(number)
        return fits, unread

    def _learnt(self, name: str, bounds: Bounds) -> LearntTogether:
        side = self.both.new
        alone = _single_valued(side, self.protected[name])
        return LearntTogether(alone, max(alone, bounds.learnt.get(name, 0) / side.counts.rows))

    def by_original(self) -> Together:
        """Count the groups in the original table."""
        original, rows = self._original()
        old, strange_before = self._placed(self.both.old, original, rows, self.stated.old, self.given.changed)
        new, strange_after = self._placed(self.both.new, original, rows, self.stated.new, ())
        if not rows[(old.number > 0) | (new.number > 0)].any():
            raise BadInput(
                "No row of the original table fits a class of either release. Give the table that they were made from, "
                "and the hierarchies that explain their labels."
            )
        people = found_people(self.both, old, new, original, self.k, self.protected)
        readable = int(rows[new.number > 0].sum()) or 1
        remarks = [*self.remarks, *_too_few_rows(old, "previous"), *_too_few_rows(new, "new")]
        remarks += [*_unread(sorted(strange_before | strange_after)), *_one_only(people)]
        if old.free.any() or new.free.any() or people.crowded:
            remarks.append("People fit so many classes that not all groups were examined: figures are bounds.")
        if not people.exact:
            remarks.append(
                "Some people fit several classes, or a class with fewer rows than people who fit: figures are bounds."
            )
        return Together(
            **self._common(self.both),
            relation=relation_of(people.new_of_old, people.old_of_new),
            same_people=people.everybody,
            by_original=True,
            exact=people.exact,
            counted="rows" if self.given.entity is None else "people",
            k=people.k,
            below=people.below,
            alone=people.alone,
            small=people.small,
            rows_left=people.rows_left,
            learnt={
                name: LearntTogether(left.alone / readable, left.together / readable)
                for name, left in people.learnt.items()
            },
            remarks=tuple(remarks),
        )

    def _original(self) -> tuple[ClassCounts, Longs]:
        """The tuples of the original table, and the rows of each."""
        known = {*self.both.old.counts.columns, *self.both.new.counts.columns}
        original = count_classes(
            self.given.reading.open(self.given.original),
            tuple(name for name in self.stated.quasi if name in known),
            entity=self.given.entity,
            missing=self.given.reading.with_missing(self.stated.missing),
        )
        if self.given.entity is None:
            return original, original.sizes
        rows = np.bincount(original.class_of_cell, original.cells.rows, len(original.codes))
        return original, rows.astype(np.int64)

    def _placed(
        self, side: Side, original: ClassCounts, rows: Longs, stated: Stated, changed: Sequence[str]
    ) -> tuple[Placed, set[str]]:
        """Find the classes that cover each original tuple, and the columns with cells that could not be read."""
        below = dict(zip(original.columns, labels_of(self.given.hierarchies, original), strict=True))
        return place_tuples(side, original, rows, below, made_of=stated.rows, averaged=stated.averaged, changed=changed)

    def _common(self, compared: BothReleases) -> dict[str, Any]:
        """What is reported whichever way the groups are counted."""
        old = compared.old
        return {
            "columns": compared.shared,
            "columns_before": old.counts.columns,
            "columns_after": compared.new.counts.columns,
            "linking": tuple(compared.values),
            "rows": old.counts.rows,
            "classes": old.number,
            "k_before": int(old.sizes.min()),
            "threshold": self.k,
            "required": self.given.required,
        }


def place_tuples(
    side: Side,
    original: ClassCounts,
    rows: Longs,
    below: Mapping[str, Leaves],
    *,
    made_of: int = 0,
    averaged: bool | None = None,
    changed: Sequence[str] = (),
) -> tuple[Placed, set[str]]:
    """Find the classes of a release that cover each original tuple, and the columns with cells that could not be read.

    Cells are read strictly only if they can mean nothing else, or if this puts everybody into a class and every class
    has the size that it should have. Else empty cells and numbers may stand for anything.

    Parameters
    ----------
    side : Side
    original : ClassCounts
        Its classes are the tuples.
    rows : int array (tuples,)
    below : mapping of column to labels
        The values that the labels of its cells stand for.
    made_of : int
        The rows of the table that the release was made from; 0 if unknown.
    averaged : bool, optional
        Whether numbers may be means of groups, if that is known.
    changed : sequence of str
        Columns whose values may have changed since.
    """
    codes, unread = [], set()
    strict: dict[int, Bools] = {}
    wide: dict[int, Bools] = {}
    for place, (name, texts) in enumerate(zip(side.counts.columns, side.counts.labels, strict=True)):
        at = original.columns.index(name)
        values = _encoded(original, at, texts)
        codes.append(values.codes[original.codes[:, at]])
        if name in changed:
            continue
        if len(texts) * values.domain.size > _TABLE:
            unread.add(name)
            continue
        cells = texts.tolist()
        plain = people_in_cells(cells, values.domain, below[name], widely=False, averaged=averaged)
        loose = people_in_cells(cells, values.domain, below[name], widely=True, averaged=averaged)
        strict[place], wide[place] = plain.fits, loose.fits
        if plain.unread:
            unread.add(name)
    tuples = np.stack(codes, axis=1)
    lacking = max(0, made_of - int(rows.sum()))
    result = placed(side, strict, tuples, rows, lacking)
    if result.everybody and bool((result.number > 0).all()):
        return result, unread
    if all(np.array_equal(strict[place], wide[place]) for place in strict):
        return result, unread
    return placed(side, wide, tuples, rows, lacking), unread


def _without_proof(together: Together, everybody: int) -> Together:
    """The figures with bounds that hold for all possible people."""
    return replace(
        together,
        exact=False,
        k=together.k._replace(least=1),
        below=together.below._replace(most=everybody),
        alone=together.alone._replace(most=everybody),
    )


def _too_few_rows(release: Placed, name: str) -> list[str]:
    """Remark on a release that has more rows than the original table has for it."""
    if release.consistent:
        return []
    short = int((release.covered < release.side.sizes).sum())
    where = f"In {short:,} of {release.side.number:,} classes of" if short else "In"
    return [
        f"{where} the {name} release are more rows than rows of the original table fit: the release was made from "
        "another table, or a label needs its hierarchy (--hierarchy). People who are missing from the original table "
        "may be unique."
    ]


def _one_only(people: FoundPeople) -> list[str]:
    """Remark on rows that fit one release only."""
    return [
        f"{number:,} rows of the original table fit {which} release only: being in that one alone counts as a class."
        for number, which in ((people.only_old, "the previous"), (people.only_new, "the new"))
        if number
    ]


def _encoded(original: ClassCounts, at: int, published: Labels) -> EncodedColumn:
    """The values of a column of the original table. Codes that are published as masks are text."""
    values = pa.array(original.labels[at].tolist(), pa.large_string())
    kind: Asked = "text" if masks_among(published.tolist()) else "derived"
    return encode_column(original.columns[at], values, missing=(), kind=kind)


def _candidates(table: Any, opened: Any, given: Given, quasi: Sequence[str], before: Sequence[str]) -> tuple[str, ...]:
    """The columns that both may publish unchanged, judged by their names and roles."""
    hidden = {*quasi} | _hidden(table) | _hidden(given.previous)
    common = [name for name in opened.columns if name in before]
    for name in given.changed:
        if name not in common:
            raise BadInput.unknown("column of both releases", name, common, "It is named as changed.")
    return tuple(name for name in common if name not in hidden and name not in given.changed)


def _hidden(table: Any) -> set[str]:
    """The columns that a release does not publish unchanged, as it or its manifest states."""
    if isinstance(table, Auditable):
        return set(table.described.quasi)
    if not isinstance(table, str | Path) or table == STANDARD_INPUT:
        return set()
    try:
        columns = (read_manifest(Path(table).absolute()) or {}).get("columns", {})
    except BadInput:
        return set()  # another message says that it cannot be read
    if not isinstance(columns, Mapping):
        return set()
    return {str(name) for role in ("quasi", "pseudonymized") for name in columns.get(role) or ()}


def _linking(old: ClassCounts, new: ClassCounts, candidates: Sequence[str]) -> tuple[list[str], list[str]]:
    """The columns by which rows of both can be compared, and remarks on the others."""
    kept, generalized, strangers = [], [], []
    for name in candidates:
        before, after = old.cells.sensitive[name].labels, new.cells.sensitive[name].labels
        if _are_generalized([*before, *after]):
            generalized.append(name)
        elif not np.isin(*same_values(before, after)).any():
            strangers.append(name)
        else:
            kept.append(name)
    remarks = []
    if generalized:
        remarks.append(f"Rows are not compared by {listing(generalized)}: some cells there are generalized.")
    if strangers:
        remarks.append(
            f"Rows are not compared by {listing(strangers)}: the releases have no value in common there, as with "
            "pseudonyms."
        )
    return kept, remarks


def _are_generalized(labels: Sequence[str | None]) -> bool:
    """Whether a column that does not hold numbers has generalized cells."""
    texts = [text for text in labels if text is not None]
    cells = map(parse, texts)
    return numbers_of(texts) is None and any(isinstance(cell, Interval | ValueSet | Suppressed) for cell in cells)


def _names_in(facts: Any, role: str) -> tuple[str, ...]:
    """A list of names in a manifest; empty if the manifest holds anything else there."""
    names = facts.get(role) if isinstance(facts, Mapping) else None
    return tuple(names) if isinstance(names, list | tuple) and all(isinstance(name, str) for name in names) else ()


def _number(fact: Any) -> int | None:
    return fact if isinstance(fact, int) and not isinstance(fact, bool) and fact >= 0 else None


def relation_of(new_of_old: Longs, old_of_new: Longs) -> Relation:
    """How classes relate, by the number of classes of the other release with which each may share people."""
    if not new_of_old.any():
        return "apart"
    finer, coarser = bool((old_of_new <= 1).all()), bool((new_of_old <= 1).all())
    if finer and coarser:
        return "equal"
    return "finer" if finer else "coarser" if coarser else "crossing"


def _assumption(before: int, after: int, *, stay: bool, none_new: bool) -> str:
    """The assumption about the people who are in each release."""
    if stay and none_new:
        return "Both are assumed to describe the same people, because they have equally many rows."
    if stay:
        return f"The new release has {_more(after - before)}: everybody in the old one is assumed to be in it still."
    if none_new:
        return f"The old release has {_more(before - after)}: everybody in the new one is assumed to be in it too."
    return "The releases do not describe the same people: some are in only one, and it is not known how many."


def _more(rows: int) -> str:
    return f"{rows:,} more {'row' if rows == 1 else 'rows'}"


def _single_valued(side: Side, values: Longs) -> float:
    """The share of rows in classes with a single value."""
    reach = int(values.max(initial=0)) + 1
    held = np.unique(side.classes * reach + values[side.links]) // reach
    single = np.bincount(held, minlength=side.number) == 1
    return float(side.sizes[single].sum() / side.counts.rows)


def _unread(columns: Sequence[str]) -> list[str]:
    if not columns:
        return []
    return [
        f"In {listing(columns)}, cells are labels that no hierarchy explains, or numbers that may be means. They may "
        "stand for anything. Give hierarchies (--hierarchy) for sharper figures."
    ]
