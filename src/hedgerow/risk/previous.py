"""Audit two releases together: read the previous one, find what both share, and count or bound the groups of people.

An attacker who has both releases knows the quasi-identifiers of both. So the classes of each release are those of all
these columns that it publishes, whatever their role in it is, and the tuples of the original table are those of all of
them. By which columns people are told apart in the previous release, it says itself or its manifest does, if that one
fits the table; or whoever asks names them. Where nobody does, its classes may be finer than what can be counted, and no
k is proved.

Without the original table it is taken for granted that everybody of the smaller release is in the larger one, unless
one of them left out rows, or no reading of the cells allows it. Where it is not granted, no k is proved.
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
from hedgerow.core.cells import Interval, Suppressed, ValueSet, parse
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
from hedgerow.risk.overlap import Placed, bounds_of, found_people, placed
from hedgerow.verifier import ClassCounts, count_classes
from hedgerow.verifier.classes import Labels, numbers_of

__all__ = ["BY_VALUES", "Given", "audit_together", "quasi_of"]

BY_VALUES: Final = frozenset(
    {
        "allmin",
        "bug",
        "datafly",
        "greedy",
        "hedge",
        "heuristicmin",
        "incognito",
        "k-member",
        "kaca",
        "kadet",
        "mingen",
        "mondrian",
        "oka",
        "optimal",
        "tdr",
        "tds",
    }
)
"""The methods that never publish the mean or the median of a group: where they publish a number, it is a value."""

_SELF_EXPLAINING: Final = re.compile(
    r"(automatic: )?(flat|(given |quantile )?intervals|dates by|masking of [\d, al]+ characters from the right\Z|"
    r"the first [\d, ]+ characters)"
)
"""What manifests call the hierarchies whose labels say themselves what they stand for, or that have none."""

_TABLE: Final = 2**26
"""So many pairs of a cell and a value of one column are looked at; a larger column is taken to tell nothing."""


@dataclass(frozen=True, eq=False)
class Given:
    """What an audit of two releases is given.

    Attributes
    ----------
    previous : dataframe, DuckDB relation, path or Release
    original : dataframe, DuckDB relation or path, optional
    quasi : sequence of str
        Those of the new release.
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
        The quasi-identifiers of the previous release, besides those that it or its manifest names.
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


@dataclass(frozen=True, eq=False)
class _Stated:
    """What a release says of how it was made: by itself, or by a manifest that fits it.

    Attributes
    ----------
    quasi : tuple of str, optional
        Its quasi-identifiers; ``None`` if nothing says which they are.
    pseudonymized : tuple of str
    entity : str, optional
    lost : int
        How many rows it left out.
    rows : int
        How many rows the table had that it was made from; 0 if that is not known.
    missing : tuple of str
    hierarchies : mapping of column to str, optional
        What they are called.
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
    def of(cls, table: Any) -> _Stated:
        """Read what a table says; nothing, if it has no manifest or one that is not of this table."""
        if isinstance(table, Auditable):
            return cls._read(table.described.facts)
        if manifest_fit(table)[0] != "fits":
            return cls()
        facts = read_manifest(Path(table).absolute()) or {}
        # Drawn rows are nobody's.
        return cls() if "drawn_from" in facts else cls._read(facts)

    @classmethod
    def _read(cls, facts: Mapping[str, Any]) -> _Stated:
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

    def with_quasi(self, named: Sequence[str], columns: Sequence[str]) -> _Stated:
        """The same with the quasi-identifiers that are named; without any, if the table lacks some of its own."""
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
        """The quasi-identifiers of both releases that this one publishes; a pseudonym is no value of its column."""
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
    """What both releases say of themselves, and the columns by which people are told apart in any of them."""

    old: _Stated
    new: _Stated
    quasi: tuple[str, ...]

    def labelled(self, name: str) -> bool:
        """Whether cells of a column may be labels that are explained nowhere."""
        return self.old.labelled(name) or self.new.labelled(name)

    @property
    def averaged(self) -> bool | None:
        """Whether numbers may be means of groups, if that is known."""
        said = {self.old.averaged, self.new.averaged}
        return True if True in said else None if None in said else False

    @property
    def granted(self) -> tuple[bool, bool]:
        """Whether everybody of the old release may be taken to be in the new one, and the other way round."""
        return not self.new.lost, not self.old.lost

    @property
    def missing(self) -> tuple[str, ...]:
        """Texts that mean "no value" in one of them."""
        return (*self.old.missing, *self.new.missing)


def quasi_of(previous: Any, named: Sequence[str] = ()) -> tuple[str, ...]:
    """The quasi-identifiers of an earlier release, as far as it, its manifest or the caller names them."""
    return tuple(dict.fromkeys((*(_Stated.of(previous).quasi or ()), *named)))


def audit_together(table: Any, opened: Any, given: Given) -> Together:
    """Measure what two releases give away together.

    Parameters
    ----------
    table : dataframe, DuckDB relation, path or Release
        The new release.
    opened : object
        The same, opened: standard input is read once.
    given : Given
    """
    previous = artefact_of(given.previous)
    _, unfit = manifest_fit(previous)
    before = given.reading.open(previous)
    was = _Stated.of(given.previous).with_quasi(given.previous_quasi, before.columns)
    now = _Stated.of(table)
    quasi = tuple(dict.fromkeys((*given.quasi, *(now.quasi or ()), *(was.quasi or ()))))
    columns = was.published(quasi, before.columns), now.published(quasi, opened.columns)
    if not columns[0]:
        raise BadInput(
            f"The previous release has none of the quasi-identifiers {listing(given.quasi)}, so nothing can be said of "
            "both together. Name columns that both have, or those of the previous release in previous_quasi= "
            "(--previous-quasi)."
        )
    stated = _Both(was, now, quasi)
    remarks = [f"Of the previous release: {text}" for text in unfit]
    remarks += _told_apart(given, was, columns)
    candidates = _candidates(table, opened, given, quasi, before.columns)
    read = given.reading.with_missing
    old = count_classes(before, columns[0], sensitive=candidates, missing=read(was.missing))
    new = count_classes(opened, columns[1], sensitive=candidates, missing=read(now.missing))
    linking, why_not = _linking(old, new, candidates)
    both = BothReleases.of(old, new, linking)
    asked = {name: both.values[name] for name in given.protected if name in linking}
    entity = given.entity or now.entity or was.entity
    given = replace(given, entity=entity)
    threshold = given.required or int(min(both.old.sizes.min(), both.new.sizes.min()))
    find = _by_what_is_published if given.original is None else _by_original
    found = find(both, given, stated, threshold, asked, [*remarks, *why_not])
    return found if was.quasi is not None else _unproved(found, old.rows + new.rows)


def _told_apart(given: Given, was: _Stated, columns: tuple[Sequence[str], Sequence[str]]) -> list[str]:
    """By which columns people are told apart in which release, as far as that is no matter of course."""
    before, after = columns
    remarks = []
    if was.quasi is None:
        remarks.append(
            "No manifest that fits the previous release says which columns were its quasi-identifiers. Name them in "
            "previous_quasi= (--previous-quasi), or give the release as it was saved, with its manifest; else no k is "
            "proved."
        )
    left = [name for name in given.quasi if name not in before]
    if left:
        remarks.append(
            f"The previous release does not have {listing(left)}: people are told apart there by the others."
        )
    gone = [name for name in before if name not in after]
    if gone:
        remarks.append(
            f"The new release does not have {listing(gone)}, by which people are told apart in the previous one."
        )
    more = [name for name in after if name not in given.quasi]
    if more:
        remarks.append(
            f"People are told apart in the new release by {listing(more)}, too: whoever knows the quasi-identifiers of "
            "the previous release knows that."
        )
    return remarks


def _unproved(found: Together, everybody: int) -> Together:
    """What is left of figures where the classes of the previous release may be finer than those that were counted."""
    return replace(
        found,
        relation="unknown",
        exact=False,
        k=found.k._replace(least=1),
        below=found.below._replace(most=everybody),
        alone=found.alone._replace(most=everybody),
        rows_left=None,
    )


def _by_what_is_published(
    both: BothReleases, given: Given, stated: _Both, k: int, asked: Mapping[str, Longs], remarks: list[str]
) -> Together:
    old, new = both.old.counts, both.new.counts
    # If people are missing by one reading, the cells may say less, or values that link rows have changed.
    for widely, linked in ((False, True), (True, True), (True, False)):
        one = both if linked else BothReleases.of(old, new, ())
        fits, unread = _overlaps(one, given, stated, widely=widely)
        found = bounds_of(one, fits, k, asked if linked else {}, stated.granted)
        if found.stay or found.none_new:
            break
    if both.values and not one.values:
        remarks.append(
            f"Rows are not compared by {listing(list(both.values))}: by these, some people of one release are not in "
            "the other one. Name those that may have changed (--changed)."
        )
    if stated.old.lost or stated.new.lost:
        remarks.append("Rows were left out when the releases were made: whose they are, only the original table tells.")
    people = given.entity is not None
    # Several rows of a group may be of one person; and without everybody, somebody may be in one release alone.
    proved = not people and (found.stay or found.none_new)
    everybody = old.rows + new.rows
    return _together(
        one,
        given,
        relation=_relation(found.new_of_old, found.old_of_new),
        same_people=found.stay and found.none_new,
        by_original=False,
        exact=proved and all(one.least == one.most for one in (found.k, found.below, found.alone)),
        counted="rows",
        k=found.k if proved else found.k._replace(least=1),
        threshold=k,
        below=found.below if proved else found.below._replace(most=everybody),
        alone=found.alone if proved else found.alone._replace(most=everybody),
        small=found.small,
        newcomers=found.newcomers,
        leavers=found.leavers,
        learnt={
            name: LearntTogether(
                _alone(both.new, values), max(_alone(both.new, values), found.told.get(name, 0) / new.rows)
            )
            for name, values in asked.items()
        },
        remarks=(
            *remarks,
            *_unread(unread),
            _granted(old.rows, new.rows, stay=found.stay, none_new=found.none_new),
            *(["Rows are counted: whose they are, only the original table tells."] if people else []),
        ),
    )


def _overlaps(both: BothReleases, given: Given, stated: _Both, *, widely: bool) -> tuple[dict[str, Bools], list[str]]:
    """Which cells of each shared column go together, and the columns of which not all cells were understood."""
    fits, unread = {}, []
    for name in both.shared:
        if name in given.changed:
            continue
        before, after = (one.labels[one.columns.index(name)].tolist() for one in (both.old.counts, both.new.counts))
        # Each cell names a few values, at most two of them between others.
        if (len(before) + len(after)) ** 2 * 2 > _TABLE:
            unread.append(name)
            continue
        labels = listed_labels(given.hierarchies, name, {*before, *after})
        fits[name], number = compare_cells(
            before,
            after,
            labels,
            widely=widely,
            labelled=stated.labelled(name) and name not in given.hierarchies,
            averaged=stated.averaged,
        )
        unread += [name] * bool(number)
    return fits, unread


def _by_original(
    both: BothReleases, given: Given, stated: _Both, k: int, asked: Mapping[str, Longs], remarks: list[str]
) -> Together:
    known = {*both.old.counts.columns, *both.new.counts.columns}
    columns = tuple(name for name in stated.quasi if name in known)
    original = count_classes(
        given.reading.open(given.original),
        columns,
        entity=given.entity,
        missing=given.reading.with_missing(stated.missing),
    )
    people = given.entity is not None
    rows = original.sizes
    if people:
        rows = np.bincount(original.class_of_cell, original.cells.rows, len(original.codes)).astype(np.int64)
    sides, unread = [], set()
    for name, side, said in (("previous", both.old, stated.old), ("new", both.new, stated.new)):
        one, strange = _place(side, original, rows, given, said, given.changed if name == "previous" else ())
        unread |= strange
        if not one.consistent:
            short = int((one.covered < one.side.sizes).sum())
            where = f"In {short:,} of {side.number:,} classes of" if short else "In"
            remarks.append(
                f"{where} the {name} release are more rows than rows of the original table fit: it is not the table "
                "that the release was made from, or it has labels whose hierarchy is not given (--hierarchy). Who is "
                "missing in it may stand alone."
            )
        sides.append(one)
    nobody = int(rows[(sides[0].number == 0) & (sides[1].number == 0)].sum())
    if nobody == int(rows.sum()):
        raise BadInput(
            "No row of the original table fits a class of either release. Give the table that they were made from, and "
            "the hierarchies that explain their labels."
        )
    found = found_people(both, sides[0], sides[1], original, k, asked)
    one_only = [
        f"{number:,} rows of the original table fit {which} release only: to be in that one alone counts as a class."
        for number, which in ((found.only_old, "the previous"), (found.only_new, "the new"))
        if number
    ]
    told = int(rows[sides[1].number > 0].sum()) or 1
    return _together(
        both,
        given,
        relation=_relation(found.new_of_old, found.old_of_new),
        same_people=found.everybody,
        by_original=True,
        exact=found.exact,
        counted="people" if people else "rows",
        k=found.k,
        threshold=k,
        below=found.below,
        alone=found.alone,
        small=found.small,
        rows_left=found.rows_left,
        learnt={name: LearntTogether(one.alone / told, one.together / told) for name, one in found.told.items()},
        remarks=(
            *remarks,
            *_unread(sorted(unread)),
            *one_only,
            *(
                ["People fit so many classes that not all groups were looked at: figures are bounds."]
                if sides[0].free.any() or sides[1].free.any() or found.crowded
                else []
            ),
            *(
                []
                if found.exact
                else [
                    "Some people fit several classes, or classes that are not of all whom they fit: figures are bounds."
                ]
            ),
        ),
    )


def _together(both: BothReleases, given: Given, **figures: Any) -> Together:
    old = both.old
    return Together(
        columns=both.shared,
        columns_before=old.counts.columns,
        columns_after=both.new.counts.columns,
        linking=tuple(both.values),
        rows=old.counts.rows,
        classes=old.number,
        k_before=int(old.sizes.min()),
        required=given.required,
        **figures,
    )


def _place(
    side: Side, original: ClassCounts, rows: Longs, given: Given, said: _Stated, changed: Sequence[str]
) -> tuple[Placed, set[str]]:
    """Find the classes that cover each original tuple.

    Cells are read strictly only where they can mean nothing else, or where this puts everybody into a class and every
    class is as large as it is; else empty cells and numbers may stand for anything.
    """
    columns = side.counts.columns
    at = [original.columns.index(name) for name in columns]
    below = labels_of(given.hierarchies, original)
    encoded = [_encoded(original, i, texts) for texts, i in zip(side.counts.labels, at, strict=True)]
    codes = np.stack([one.codes[original.codes[:, i]] for one, i in zip(encoded, at, strict=True)], axis=1)
    unread, strict, wide = set(), {}, {}
    for place, (name, texts, one, i) in enumerate(zip(columns, side.counts.labels, encoded, at, strict=True)):
        if name in changed:
            continue
        if len(texts) * one.domain.size > _TABLE:
            unread.add(name)
            continue
        read = [
            people_in_cells(texts.tolist(), one.domain, below[i], widely=widely, averaged=said.averaged)
            for widely in (False, True)
        ]
        strict[place], wide[place] = (one.fits for one in read)
        if read[0].unread:
            unread.add(name)
    lacking = max(0, said.rows - int(rows.sum()))
    result = placed(side, strict, codes, rows, lacking)
    plain = all(np.array_equal(strict[place], wide[place]) for place in strict)
    if not plain and not (result.everybody and bool((result.number > 0).all())):
        result = placed(side, wide, codes, rows, lacking)
    return result, unread


def _encoded(original: ClassCounts, at: int, published: Labels) -> EncodedColumn:
    """The values of a column of the original table; codes that are published as masks are text."""
    values = pa.array(original.labels[at].tolist(), pa.large_string())
    kind: Asked = "text" if masks_among(published.tolist()) else "derived"
    return encode_column(original.columns[at], values, missing=(), kind=kind)


def _candidates(table: Any, opened: Any, given: Given, quasi: Sequence[str], before: Sequence[str]) -> tuple[str, ...]:
    """The columns that both publish as they are, as far as their names tell."""
    hidden = {*quasi}
    for one in (table, given.previous):
        hidden |= _hidden(one)
    common = [name for name in opened.columns if name in before]
    for name in given.changed:
        if name not in common:
            raise BadInput.unknown("column of both releases", name, common, "It is said to have changed.")
    return tuple(name for name in common if name not in hidden and name not in given.changed)


def _hidden(table: Any) -> set[str]:
    """The columns of a release that are not published as they are, as far as it or its manifest says."""
    if isinstance(table, Auditable):
        return set(table.described.quasi)
    if not isinstance(table, str | Path) or table == STANDARD_INPUT:
        return set()
    try:
        columns = (read_manifest(Path(table).absolute()) or {}).get("columns", {})
    except BadInput:
        return set()  # that it cannot be read is said elsewhere
    if not isinstance(columns, Mapping):
        return set()
    return {str(name) for role in ("quasi", "pseudonymized") for name in columns.get(role) or ()}


def _linking(old: ClassCounts, new: ClassCounts, candidates: Sequence[str]) -> tuple[list[str], list[str]]:
    """The columns by which rows of both can be compared, and why others cannot."""
    kept, generalized, strangers = [], [], []
    for name in candidates:
        labels = [one.cells.sensitive[name].labels for one in (old, new)]
        places = same_values(*labels)
        texts = [text for side in labels for text in side if text is not None]
        if numbers_of(texts) is None and any(isinstance(parse(one), Interval | ValueSet | Suppressed) for one in texts):
            generalized.append(name)
        elif not np.isin(*places).any():
            strangers.append(name)
        else:
            kept.append(name)
    remarks = []
    if generalized:
        remarks.append(f"Rows are not compared by {listing(generalized)}: there are generalized cells.")
    if strangers:
        remarks.append(
            f"Rows are not compared by {listing(strangers)}: the releases have no value in common there, as with "
            "pseudonyms."
        )
    return kept, remarks


def _names_in(said: Any, role: str) -> tuple[str, ...]:
    """A list of names in a manifest; nothing where it holds anything else."""
    names = said.get(role) if isinstance(said, Mapping) else None
    return tuple(names) if isinstance(names, list | tuple) and all(isinstance(one, str) for one in names) else ()


def _number(said: Any) -> int | None:
    return said if isinstance(said, int) and not isinstance(said, bool) and said >= 0 else None


def _relation(new_of_old: Longs, old_of_new: Longs) -> Relation:
    """How classes lie, by how many of the other release each may share people with."""
    if not new_of_old.any():
        return "apart"
    finer, coarser = bool((old_of_new <= 1).all()), bool((new_of_old <= 1).all())
    if finer and coarser:
        return "equal"
    return "finer" if finer else "coarser" if coarser else "crossing"


def _granted(before: int, after: int, *, stay: bool, none_new: bool) -> str:
    """What is taken for granted of who is in which release."""
    if stay and none_new:
        return "Both are taken to be of the same people, since they have as many rows."
    if stay:
        return f"The new release has {_more(after - before)}: all people of the old one are taken to be in it still."
    if none_new:
        return f"The old release has {_more(before - after)}: all people of the new one are taken to have been in it."
    return "The releases are not of the same people: some are in one of them only, and nobody can tell how many."


def _more(rows: int) -> str:
    return f"{rows:,} more {'row' if rows == 1 else 'rows'}"


def _alone(side: Side, values: Longs) -> float:
    """The share of rows in classes of the new release with one value."""
    reach = int(values.max(initial=0)) + 1
    held = np.unique(side.classes * reach + values[side.links]) // reach
    single = np.bincount(held, minlength=side.number) == 1
    return float(side.sizes[single].sum() / side.counts.rows)


def _unread(columns: Sequence[str]) -> list[str]:
    if not columns:
        return []
    return [
        f"In {listing(columns)} are labels that no hierarchy explains, or numbers that may be means; they are taken to "
        "stand for anything. Give hierarchies (--hierarchy) for sharper figures."
    ]
