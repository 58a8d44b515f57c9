"""What was kept of each column, and which of them tells people apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal

import narwhals as nw
import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Floats, Ints, Longs
from hedgerow._internal.rounding import significant
from hedgerow.core.cells import (
    NO_LABELS,
    SUPPRESSED,
    Interval,
    PublishedKind,
    Suppressed,
    ValueSet,
    leaves_below,
    parse,
    read,
    spelled,
)
from hedgerow.core.counts import encode_column
from hedgerow.core.metrics import ColumnLoss, losses_by_column
from hedgerow.core.recoding import Recoding
from hedgerow.errors import BadInput, plural
from hedgerow.io.domains import Domain
from hedgerow.report.facts._bars import Holding, Told, bars_before_and_after, bars_in_clear, bars_published, most_held
from hedgerow.report.facts._sections import ColumnFacts, Columns, LabelShare, Score, Suppression, Utility
from hedgerow.report.facts._standing_for import kind_of_cells, standing_as_told, standing_for
from hedgerow.report.facts._subjects import Originals, Subject
from hedgerow.report.facts.figures import Bar, Figure
from hedgerow.report.facts.wording import DIGITS, fraction, percent, share
from hedgerow.risk import TellsApart, tells_apart
from hedgerow.verifier import ClassCounts
from hedgerow.verifier.classes import Labels

__all__ = ["columns", "rows_kept", "suppression", "utility"]


_KINDS: Final[dict[PublishedKind, str]] = {
    "value": "values",
    "set": "sets of values",
    "interval": "ranges",
    "label": "labels",
    "number": "means or medians",
    "suppressed": "hidden",
}
_PAIRED: Final = (
    "Before: the original rows. After: what a reader of the table would reckon, taking what a cell leaves open as "
    "evenly spread. Values of few are told together."
)
_PAIRED_AS_TOLD: Final = (
    "Before: the original rows. After: what a reader would reckon from the proportions that are published beside the "
    "table. Values of few are told together."
)
_PUBLISHED: Final = (
    "As published. What a cell leaves open is taken as evenly spread over ranges; cells that name several values are "
    "one bar, since a set may name a value of few people."
)
_CLEAR: Final = "The column is published as it is. Values of few are told together."
_TOO_FEW: Final = "Too few people share a value to show how the column is distributed."
_OF_AN_AUDIT: Final = "An audit counts a table and keeps no cell of it."
_WHOSE: Final = "People were counted, and the table does not say whose its rows are: values of few cannot be told."


def columns(subject: Subject) -> Columns:
    """What was kept, column by column; of an audit, which keeps no cells, only how far they tell people apart."""
    published = subject.published
    if published is None:
        return _audited(subject)
    before = _before(subject.originals)
    losses = {} if subject.originals is None else losses_by_column(subject.originals.counts, subject.originals.recoding)
    found = [_quasi(subject, published, name, losses.get(name), before.get(name)) for name in subject.quasi]
    in_clear = dict.fromkeys((*((subject.target,) if subject.target else ()), *subject.sensitive))
    found += [_in_clear(subject, published, name) for name in in_clear]
    return Columns(tuple(found), _most(subject.audit.tells_apart), _most(before), subject.fewest, _counted(subject))


def _audited(subject: Subject) -> Columns:
    telling = subject.audit.tells_apart
    found = tuple(
        ColumnFacts(name, "quasi-identifier", None, None, "not known", (), _OF_AN_AUDIT, **_telling(subject, one, None))
        for name, one in telling.items()
    )
    return Columns(found, _most(telling), None, subject.fewest, _counted(subject))


def _counted(subject: Subject) -> Literal["rows", "people"]:
    return "rows" if subject.audit.people is None else "people"


def _before(originals: Originals | None) -> dict[str, TellsApart]:
    if originals is None:
        return {}
    return {name: tells_apart(originals.counts.histogram(name)) for name in originals.counts.quasi}


def _most(telling: Mapping[str, TellsApart]) -> str | None:
    """The column that tells most pairs of records apart; of those that tell equally many, the one with more values."""
    found = max(telling.items(), key=lambda one: (one[1].separation, one[1].distinction), default=None)
    return None if found is None or found[1].separation == 0 else found[0]


def _quasi(
    subject: Subject, published: ClassCounts, name: str, loss: ColumnLoss | None, before: TellsApart | None
) -> ColumnFacts:
    at = subject.quasi.index(name)
    labels = published.labels[at]
    holding = Holding.of_cells(published, published.codes[published.class_of_cell, at], len(labels))
    rows = holding.rows_in(np.arange(len(labels)), len(labels))
    originals, after = subject.originals, subject.audit.tells_apart.get(name)
    if originals is None:
        bars, note = bars_published(labels, holding, Told(subject.fewest, DIGITS)), _PUBLISHED
        kind: str | None = kind_of_cells(labels.tolist())
        published_as = _in_words(_read_kinds(labels, rows, kind))
    else:
        domain = originals.counts.domains[name]
        holding, hierarchy = Holding.of_original(originals.counts, name), originals.counts.hierarchies.get(name)
        column, shown = originals.recoding.columns[at], _rows_shown(originals.recoding, at)
        if subject.proportions is None:
            standing, note = standing_for(column, shown), _PAIRED
        else:
            below = NO_LABELS if hierarchy is None else leaves_below(hierarchy)
            standing, note = standing_as_told(domain, subject.proportions.columns[at].spread(below)), _PAIRED_AS_TOLD
        bars = bars_before_and_after(domain, holding, standing, Told(subject.fewest, subject.digits), hierarchy)
        published_as = _in_words((_KINDS[one], held) for one, held in zip(column.kinds, shown.tolist(), strict=True))
        kind = "order" if domain.ordered else domain.kind
    return ColumnFacts(
        name=name,
        role="quasi-identifier",
        kind=kind,
        hierarchy=subject.manifest.get("hierarchies", {}).get(name),
        published_as=published_as,
        bars=bars,
        bars_note=note if bars else _TOO_FEW,
        **_kept(subject, loss),
        **_telling(subject, after, before),
    )


def _rows_shown(recoding: Recoding, at: int) -> Longs:
    """How many rows show each published value of a column."""
    groups = len(recoding.groups)
    sizes = recoding.sizes if recoding.pieces is None else recoding.pieces.sizes(groups)
    return np.bincount(recoding.groups[:, at], sizes, len(recoding.columns[at])).astype(np.int64)


def _kept(subject: Subject, loss: ColumnLoss | None) -> dict[str, Figure | None]:
    if loss is None:
        return {}
    digits = subject.digits
    bits = loss.bits_kept
    return {
        "ncp": fraction(
            "detail lost",
            loss.ncp_published,
            digits,
            "How wide its cells are: 0 % is every value as it was, 100 % is nothing told.",
        ),
        "entropy_kept": None
        if bits is None
        else fraction("bits kept", bits, digits, "How much of what the column told of a record it still tells."),
        "suppressed": fraction(
            "hidden", loss.suppression, digits, "The share of its cells that tell nothing, those of lost rows included."
        ),
    }


def _telling(subject: Subject, after: TellsApart | None, before: TellsApart | None) -> dict[str, Figure | None]:
    found: dict[str, Figure | None] = {}
    distinct = "Its different cells over its records: 100 % if everybody has one of their own."
    apart = "The share of all pairs of records that it tells apart by itself."
    if after is not None:
        found["distinction"] = share("distinction", after.distinction, distinct)
        found["separation"] = share("separation", after.separation, apart)
    if before is not None:
        found["distinction_before"] = fraction("distinction before", before.distinction, subject.digits, distinct)
        found["separation_before"] = fraction("separation before", before.separation, subject.digits, apart)
    return found


def _read_kinds(labels: Labels, rows: Longs, kind: str | None) -> Iterator[tuple[str, int]]:
    """What the cells of a column are, as far as their text tells it, and how many rows have each."""
    for label, held in zip(labels.tolist(), rows.tolist(), strict=True):
        said = None if label is None else parse(label)
        if said is None:
            yield "empty", held
        elif isinstance(said, Suppressed):
            yield "hidden", held
        elif isinstance(said, ValueSet):
            yield "sets of values", held
        elif kind != "text" and (isinstance(said, Interval) or isinstance(read(label, "date"), Interval)):
            yield "ranges", held
        else:
            yield "values or labels", held


def _in_words(kinds: Iterable[tuple[str, int]]) -> str:
    """A share for each kind of cell.

    >>> _in_words([("ranges", 3), ("hidden", 1), ("ranges", 6)])
    'ranges (90 %), hidden (10 %)'
    """
    sums: dict[str, int] = {}
    for what, held in kinds:
        sums[what] = sums.get(what, 0) + held
    everything = max(sum(sums.values()), 1)
    most = sorted(((what, held) for what, held in sums.items() if held), key=lambda one: -one[1])
    return ", ".join(f"{what} ({percent(significant(held / everything, DIGITS))})" for what, held in most)


def _in_clear(subject: Subject, published: ClassCounts, name: str) -> ColumnFacts:
    """The target, or a sensitive column."""
    role: Literal["target", "sensitive"] = "sensitive" if name in subject.sensitive else "target"
    originals = subject.originals
    kind: str | None = None
    bars: tuple[Bar, ...] = ()
    note = _WHOSE
    if originals is not None:
        counts = originals.counts
        domain = counts.domains[name]
        told = Told(subject.fewest, subject.digits)
        holding = Holding.of_original(counts, name)
        bars = bars_in_clear(domain, holding, rows_kept(originals, name), told, before=True)
        kind, note = ("order" if domain.ordered else domain.kind), _CLEAR
    elif not subject.whose_unknown:
        domain, codes = _as_domain(name, published)
        holding = Holding.of_cells(published, codes, domain.size)
        rows = holding.rows_in(np.arange(domain.size), domain.size)
        bars = bars_in_clear(domain, holding, rows, Told(subject.fewest, DIGITS), before=False)
        kind, note = domain.kind, _CLEAR
    return ColumnFacts(
        name=name,
        role=role,
        kind=kind,
        hierarchy=None,
        published_as="values as they are",
        bars=bars,
        bars_note=note if bars or note == _WHOSE else _TOO_FEW,
    )


def rows_kept(originals: Originals, name: str) -> Longs:
    """How many published rows have each original value of the target or a sensitive column."""
    counts = originals.counts
    if originals.recoding.lost == 0:
        return counts.histogram(name)
    kept = np.zeros(counts.domains[name].size, dtype=np.int64)
    for part, pieces in originals.recoding.in_parts(counts):
        shown = pieces.group >= 0
        codes = part.codes_of(name)[pieces.cell[shown]]
        kept += np.bincount(codes, pieces.size[shown], len(kept)).astype(np.int64)
    return kept


def _as_domain(name: str, published: ClassCounts) -> tuple[Domain, Ints]:
    """A published column as a domain of its values, and the code of each cell there."""
    column = published.cells.sensitive[name]
    read_again = encode_column(name, pa.array(column.labels.tolist(), pa.string()), missing=(), kind="derived")
    return read_again.domain, read_again.codes[column.codes]


# --------------------------------------------------------------------------------------------------
# What was left out: rows, cells, and both by the label of the target.


_MOST_LABELS = 12


def suppression(subject: Subject) -> Suppression | None:
    """What was left out; ``None`` for an audit, which does not know what there was."""
    published = subject.published
    if published is None:
        return None
    rows_in, lost = int(subject.manifest["rows_in"]), int(subject.manifest["rows_lost"])
    labels, note = _labels(subject, published)
    return Suppression(
        rows=share(
            "rows left out",
            lost / rows_in,
            f"Of {plural(rows_in, 'rows')} {lost:,} {'was' if lost == 1 else 'were'} left out so that the others "
            "could stay finer.",
            "good" if lost == 0 else "note",
        ),
        cells=share(
            "cells hidden",
            subject.audit.losses["suppression"],
            "The share of quasi-identifier cells that tell nothing (*), those of rows that were left out included.",
        ),
        labels=labels,
        labels_note=note,
    )


def _hidden(published: ClassCounts) -> Floats:
    """The share of quasi-identifiers that each class hides; an empty cell tells nothing either."""
    hidden = [
        np.array([label is None or label == str(SUPPRESSED) for label in labels])[published.codes[:, at]]
        for at, labels in enumerate(published.labels)
    ]
    return np.asarray(np.mean(hidden, axis=0))


def _labels(subject: Subject, published: ClassCounts) -> tuple[tuple[LabelShare, ...], str]:
    target = subject.target
    if target is None:
        return (), "No column was named as target, so nothing is told by label."
    if subject.whose_unknown:
        return (), "People were counted, and the table does not say whose its rows are: labels of few cannot be told."
    column = published.cells.sensitive[target]
    held = most_held(Holding.of_cells(published, column.codes, len(column.labels)), subject.fewest, _MOST_LABELS)
    if held is None or not held.shown:
        return (), f"Too few share a label of {target!r} to tell it by label."
    group = held.group[column.codes]
    groups = len(held.shown) + 1
    rows = np.bincount(group, published.cells.rows, groups)
    hidden = np.bincount(group, published.cells.rows * _hidden(published)[published.class_of_cell], groups)
    lost = _lost(subject, target, published, held.group, groups)
    found = []
    for at in np.flatnonzero(rows).tolist():
        code = held.shown[at] if at < len(held.shown) else None
        kind: Literal["value", "others", "missing"] = (
            "others" if code is None else "missing" if column.labels[code] is None else "value"
        )
        found.append(
            LabelShare(
                label="others" if code is None else "no value" if kind == "missing" else str(column.labels[code]),
                kind=kind,
                share=round(float(rows[at] / published.rows), DIGITS),
                cells=round(float(hidden[at] / rows[at]), DIGITS),
                rows=None if lost is None else lost[at],
            )
        )
    return tuple(found), f"Labels that fewer than {subject.fewest:,} {subject.unit} have are told together as others."


def _lost(subject: Subject, target: str, published: ClassCounts, group: Longs, groups: int) -> list[float] | None:
    """The share of original rows of each label that were left out, where that may be told."""
    if int(subject.manifest["rows_lost"]) == 0:
        return [0.0] * groups
    if subject.originals is None:
        return None
    counts = subject.originals.counts
    domain = counts.domains[target]
    labels = published.cells.sensitive[target].labels.tolist()
    place = {None if label is None else spelled(label, domain.kind): code for code, label in enumerate(labels)}
    # A label that nobody has any more is among the others.
    group_of_code = np.array(
        [
            group[place[label]] if label in place else groups - 1
            for label in (*domain.labels.tolist(), *[None] * domain.has_missing)
        ]
    )
    before = np.bincount(group_of_code, counts.histogram(target), groups)
    after = np.bincount(group[published.cells.sensitive[target].codes], published.cells.rows, groups)
    return [round(float(1 - one / max(all_, 1)), subject.digits) for one, all_ in zip(after, before, strict=True)]


# --------------------------------------------------------------------------------------------------
# What learners still know of the target, where somebody has evaluated it.


_MEANING: Final = (
    "How well learners predict the target on rows they have not seen: trained on the rows as they are, on what the "
    "method publishes, and by always saying the commonest label. What a release costs lies between."
)
# Of a mean over test parts one row changes less than that of any count, but never more digits than these are told.
_FEWEST_DIGITS: Final = 2
_COLUMNS: Final = ("learner", "train", "test", "method", "majority", "unanonymized")


def utility(subject: Subject, evaluation: Any) -> Utility | None:
    """The scores of an evaluation; ``None`` without one, and for recipients, since they come from original rows."""
    from hedgerow.evaluation.results import Evaluation
    from hedgerow.evaluation.scores import BETTER_WHEN_LOWER, named_score

    if evaluation is None:
        return None
    if not isinstance(evaluation, Evaluation):
        raise BadInput.parameter("evaluation", "report", "what hr.evaluate returned", type(evaluation).__name__)
    if subject.edition == "public":
        return None
    score = named_score(None, evaluation.task)
    rows = nw.from_native(evaluation.table(score), eager_only=True).rows(named=True)
    digits = max(_FEWEST_DIGITS, subject.digits)
    found = []
    for row in rows:
        for column in (name for name in row if name not in _COLUMNS):
            k = int(column.removeprefix("k=")) if column.startswith("k=") else None
            raw, published, majority = (_told(row[name], digits) for name in ("unanonymized", column, "majority"))
            kept = _share_kept(raw, published, majority)
            found.append(Score(row["learner"], row["method"], k, raw, published, majority, kept))
    return Utility(score, score not in BETTER_WHEN_LOWER, evaluation.protocol, tuple(found), _MEANING)


def _told(value: float | None, digits: int) -> float | None:
    return None if value is None else round(float(value), digits)


def _share_kept(raw: float | None, published: float | None, majority: float | None) -> float | None:
    """What of the way from the majority to the raw rows is left.

    >>> _share_kept(0.9, 0.8, 0.7), _share_kept(0.7, 0.7, 0.7)
    (0.5, None)
    """
    if raw is None or published is None or majority is None or raw == majority:
        return None
    return round((published - majority) / (raw - majority), 2)
