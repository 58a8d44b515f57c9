"""Audit two releases together: read the previous one, find what both share, and count or bound the groups of people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from hedgerow.arrays import Bools, Longs
from hedgerow.counts import Asked, EncodedColumn, encode_column
from hedgerow.errors import BadInput, listing
from hedgerow.intake import STANDARD_INPUT
from hedgerow.published import Interval, Suppressed, ValueSet, parse
from hedgerow.risk.auditable import Auditable
from hedgerow.risk.beside import manifest_fit, read_manifest
from hedgerow.risk.given import labels_of
from hedgerow.risk.linked_rows import BothReleases, Side, same_values
from hedgerow.risk.overlap_bounds import bounds_of
from hedgerow.risk.overlap_people import Placed, found_people, placed
from hedgerow.risk.shared_cells import compare_cells, listed_labels, masks_among, people_in_cells
from hedgerow.risk.together import LearntTogether, Relation, Together
from hedgerow.verifier import ClassCounts, count_classes, open_table
from hedgerow.verifier.classes import Labels
from hedgerow.verifier.labels import numbers_of

__all__ = ["Given", "audit_together"]


@dataclass(frozen=True, eq=False)
class Given:
    """What an audit of two releases is given.

    Attributes
    ----------
    previous : dataframe, DuckDB relation, path or Release
    original : dataframe, DuckDB relation or path, optional
    quasi : sequence of str
        Those of the new release.
    asked : sequence of str
        Sensitive columns and the target.
    entity : str, optional
    changed : sequence of str
        Columns in clear whose values may have changed since.
    hierarchies : mapping of column to hierarchy
    required : int, optional
        The k that is required over all quasi-identifiers.
    options : mapping
        How tables are read: missing, encoding, delimiter.
    """

    previous: Any
    original: Any
    quasi: Sequence[str]
    asked: Sequence[str]
    entity: str | None
    changed: Sequence[str]
    hierarchies: Mapping[str, Any]
    required: int | None
    options: Mapping[str, Any]


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
    previous = given.previous.described.artefact if isinstance(given.previous, Auditable) else given.previous
    _, unfit = manifest_fit(previous)
    reading = {name: given.options.get(name) for name in ("encoding", "delimiter")}
    before = open_table(previous, **reading)
    shared = tuple(name for name in given.quasi if name in _names(before))
    if not shared:
        raise BadInput(
            f"The previous release has none of the quasi-identifiers {listing(given.quasi)}, so nothing can be said of "
            "both together. Name columns that both have."
        )
    remarks = [f"Of the previous release: {text}" for text in unfit]
    left = [name for name in given.quasi if name not in shared]
    if left:
        remarks.append(
            f"The previous release does not have {listing(left)}: people are told apart there by the others."
        )
    candidates = _candidates(table, opened, given, _names(before))
    old = count_classes(before, shared, sensitive=candidates, **given.options)
    new = count_classes(opened, given.quasi, sensitive=candidates, **given.options)
    linking, why_not = _linking(old, new, candidates)
    both = BothReleases.of(old, new, linking)
    asked = {name: both.values[name] for name in given.asked if name in linking}
    threshold = given.required or int(min(both.old.sizes.min(), both.new.sizes.min()))
    find = _by_what_is_published if given.original is None else _by_original
    return find(both, given, threshold, asked, [*remarks, *why_not])


def _by_what_is_published(
    both: BothReleases, given: Given, k: int, asked: Mapping[str, Longs], remarks: list[str]
) -> Together:
    old, new = both.old.counts, both.new.counts
    fits, unread = _overlaps(both, given, widely=False)
    found = bounds_of(both, fits, k, asked)
    if not (found.stay or found.none_new):
        # Cells were read strictly, and people are missing: maybe numbers are means of groups.
        fits, others = _overlaps(both, given, widely=True)
        again = bounds_of(both, fits, k, asked) if others != unread else found
        found, unread = (again, others) if again.stay or again.none_new else (found, unread)
    people = given.entity is not None
    return _together(
        both,
        given,
        relation=_relation(found.new_of_old, found.old_of_new),
        same_people=found.stay and found.none_new,
        by_original=False,
        exact=not people and all(one.least == one.most for one in (found.k, found.below, found.alone)),
        counted="rows",
        # Several rows of a group may be of one person.
        k=found.k._replace(least=1) if people else found.k,
        threshold=k,
        below=found.below,
        alone=found.alone,
        small=found.small,
        newcomers=found.newcomers,
        leavers=found.leavers,
        learnt={
            name: LearntTogether(_alone(both.new, values), max(_alone(both.new, values), found.told[name] / new.rows))
            for name, values in asked.items()
        },
        remarks=(
            *remarks,
            *_unread(unread),
            _granted(old.rows, new.rows, stay=found.stay, none_new=found.none_new),
            *(["Rows are counted: whose they are, only the original table tells."] if people else []),
        ),
    )


def _overlaps(both: BothReleases, given: Given, *, widely: bool) -> tuple[dict[str, Bools], list[str]]:
    """Which cells of each shared column go together, and the columns of which not all cells were understood."""
    fits, unread = {}, []
    for name in both.shared:
        before, after = (one.labels[one.columns.index(name)].tolist() for one in (both.old.counts, both.new.counts))
        labels = listed_labels(given.hierarchies, name, {*before, *after})
        fits[name], number = compare_cells(before, after, labels, widely=widely)
        unread += [name] * bool(number)
    return fits, unread


def _by_original(both: BothReleases, given: Given, k: int, asked: Mapping[str, Longs], remarks: list[str]) -> Together:
    original = count_classes(given.original, given.quasi, entity=given.entity, **given.options)
    people = given.entity is not None
    rows = original.sizes
    if people:
        rows = np.bincount(original.class_of_cell, original.cells.rows, len(original.codes)).astype(np.int64)
    sides, unread = [], set()
    for name, side in (("previous", both.old), ("new", both.new)):
        one, strange = _place(side, original, rows, given)
        unread |= strange
        if not one.consistent:
            short = int((one.covered < one.side.sizes).sum())
            remarks.append(
                f"In {short:,} of {side.number:,} classes of the {name} release are more rows than rows of the "
                "original table fit: it is not the table that the release was made from, or it has labels whose "
                "hierarchy is not given (--hierarchy)."
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
        linking=tuple(both.values),
        rows=old.counts.rows,
        classes=old.number,
        k_before=int(old.sizes.min()),
        required=given.required,
        **figures,
    )


def _place(side: Side, original: ClassCounts, rows: Longs, given: Given) -> tuple[Placed, set[str]]:
    """Find the classes that cover each original tuple; read cells widely only if they make no sense otherwise."""
    columns = side.counts.columns
    at = [original.columns.index(name) for name in columns]
    below = labels_of(given.hierarchies, original)
    encoded = [_encoded(original, i, texts) for texts, i in zip(side.counts.labels, at, strict=True)]
    codes = np.stack([one.codes[original.codes[:, i]] for one, i in zip(encoded, at, strict=True)], axis=1)
    for widely in (False, True):
        read = [
            people_in_cells(texts.tolist(), one.domain, below[i], widely=widely)
            for texts, one, i in zip(side.counts.labels, encoded, at, strict=True)
        ]
        result = placed(side, [one.fits for one in read], codes, rows)
        if result.consistent:
            break
    return result, {name for name, one in zip(columns, read, strict=True) if one.unread}


def _encoded(original: ClassCounts, at: int, published: Labels) -> EncodedColumn:
    """The values of a column of the original table; codes that are published as masks are text."""
    values = pa.array(original.labels[at].tolist(), pa.large_string())
    kind: Asked = "text" if masks_among(published.tolist()) else "derived"
    return encode_column(original.columns[at], values, missing=(), kind=kind)


def _candidates(table: Any, opened: Any, given: Given, before: Sequence[str]) -> tuple[str, ...]:
    """The columns that both publish as they are, as far as their names tell."""
    hidden = {*given.quasi}
    for one in (table, given.previous):
        hidden |= _hidden(one)
    common = [name for name in _names(opened) if name in before]
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


def _names(opened: Any) -> Sequence[str]:
    return tuple(opened.names if hasattr(opened, "names") else opened.columns)
