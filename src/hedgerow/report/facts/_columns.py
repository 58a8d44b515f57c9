"""The columns of a report: what was kept of each, what was left out, and what learners still know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple

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
from hedgerow.report.facts._distributions import (
    Holders,
    Precision,
    bars_before_and_after,
    bars_in_clear,
    bars_published,
    estimate_by_proportions,
    estimate_recoded,
    kind_of_cells,
    most_held,
)
from hedgerow.report.facts._subject import Originals, Subject
from hedgerow.report.facts.figures import DIGITS, Bar, Figure, fraction, percent, share
from hedgerow.report.facts.sections import ColumnFacts, Columns, LabelShare, Score, Suppression, Utility
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
    "Before: the original rows. After: what a reader would estimate, dividing each cell evenly among the values it may "
    "stand for. Values of few people are shown together."
)
_PAIRED_BY_PROPORTIONS: Final = (
    "Before: the original rows. After: what a reader would estimate from the proportions that are published beside the "
    "table. Values of few people are shown together."
)
_PUBLISHED: Final = (
    "As published. Each cell with a range is divided evenly over it. Cells that name several values are one bar, "
    "because a set may name a value of few people."
)
_CLEAR: Final = "The column is published unchanged. Values of few people are shown together."
_TOO_FEW: Final = "Too few people share a value to show how the column is distributed."
_OF_AN_AUDIT: Final = "An audit counts a table and keeps no cell of it."
_PEOPLE_UNKNOWN: Final = (
    "People were counted, and the table does not show whose rows are whose: values of few people cannot be recognized."
)


def columns(subject: Subject) -> Columns:
    """Gather what was kept of each column; for an audit, which keeps no cells, only how well it identifies people."""
    published = subject.published
    if published is None:
        return _audited(subject)
    before = _separation_before(subject.originals)
    losses = {} if subject.originals is None else losses_by_column(subject.originals.counts, subject.originals.recoding)
    shown = [_quasi(subject, published, name, losses.get(name), before.get(name)) for name in subject.quasi]
    shown += [_in_clear(subject, published, name) for name in subject.protected]
    return Columns(tuple(shown), _most(subject.audit.tells_apart), _most(before), subject.fewest, _counted(subject))


def _audited(subject: Subject) -> Columns:
    separation = subject.audit.tells_apart
    shown = tuple(
        ColumnFacts(
            name, "quasi-identifier", None, None, "not known", (), _OF_AN_AUDIT, **_separation(subject, after, None)
        )
        for name, after in separation.items()
    )
    return Columns(shown, _most(separation), None, subject.fewest, _counted(subject))


def _counted(subject: Subject) -> Literal["rows", "people"]:
    return "rows" if subject.audit.people is None else "people"


def _separation_before(originals: Originals | None) -> dict[str, TellsApart]:
    if originals is None:
        return {}
    return {name: tells_apart(originals.counts.histogram(name)) for name in originals.counts.quasi}


def _most(separation: Mapping[str, TellsApart]) -> str | None:
    """The column in which most pairs of records differ; of equals, the one with more values."""
    name = max(separation, key=lambda name: (separation[name].separation, separation[name].distinction), default=None)
    return None if name is None or separation[name].separation == 0 else name


def _quasi(
    subject: Subject, published: ClassCounts, name: str, loss: ColumnLoss | None, before: TellsApart | None
) -> ColumnFacts:
    at, originals = subject.quasi.index(name), subject.originals
    distribution = (
        _distribution_published(subject, published, at)
        if originals is None
        else _distribution_recoded(subject, originals, name, at)
    )
    return ColumnFacts(
        name=name,
        role="quasi-identifier",
        kind=distribution.kind,
        hierarchy=subject.manifest.get("hierarchies", {}).get(name),
        published_as=distribution.published_as,
        bars=distribution.bars,
        bars_note=distribution.note if distribution.bars else _TOO_FEW,
        **_kept(subject, loss),
        **_separation(subject, subject.audit.tells_apart.get(name), before),
    )


class _Distribution(NamedTuple):
    """The distribution of a column, and the kinds of its published cells."""

    kind: str | None
    published_as: str
    bars: tuple[Bar, ...]
    note: str


def _distribution_published(subject: Subject, published: ClassCounts, at: int) -> _Distribution:
    """The distribution of a quasi-identifier of which only the published cells are known."""
    labels = published.labels[at]
    holders = Holders.of_cells(published, published.codes[published.class_of_cell, at], len(labels))
    rows = holders.rows_in(np.arange(len(labels)), len(labels))
    kind = kind_of_cells(labels.tolist())
    bars = bars_published(labels, holders, Precision(subject.fewest, DIGITS))
    return _Distribution(kind, _in_words(_read_kinds(labels, rows, kind)), bars, _PUBLISHED)


def _distribution_recoded(subject: Subject, originals: Originals, name: str, at: int) -> _Distribution:
    """The distribution of a quasi-identifier, before and after."""
    counts, recoding = originals.counts, originals.recoding
    domain, hierarchy = counts.domains[name], counts.hierarchies.get(name)
    column, rows = recoding.columns[at], _rows_by_value(recoding, at)
    if subject.proportions is None:
        estimate, note = estimate_recoded(column, rows), _PAIRED
    else:
        below = NO_LABELS if hierarchy is None else leaves_below(hierarchy)
        spread = subject.proportions.columns[at].spread(below)
        estimate, note = estimate_by_proportions(domain, spread), _PAIRED_BY_PROPORTIONS
    precision = Precision(subject.fewest, subject.digits)
    bars = bars_before_and_after(domain, Holders.of_original(counts, name), estimate, precision, hierarchy)
    published_as = _in_words((_KINDS[kind], held) for kind, held in zip(column.kinds, rows.tolist(), strict=True))
    return _Distribution(_kind(domain), published_as, bars, note)


def _kind(domain: Domain) -> str:
    return "order" if domain.ordered else domain.kind


def _rows_by_value(recoding: Recoding, at: int) -> Longs:
    """The rows of each published value of a column."""
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
            "How wide its cells are: 0 % is every value as it was, 100 % is no information.",
        ),
        "entropy_kept": None
        if bits is None
        else fraction(
            "bits kept", bits, digits, "How much of the information in the column its published cells still carry."
        ),
        "suppressed": fraction(
            "hidden",
            loss.suppression,
            digits,
            "The share of its cells that carry no information. Cells of lost rows count too.",
        ),
    }


def _separation(subject: Subject, after: TellsApart | None, before: TellsApart | None) -> dict[str, Figure | None]:
    figures: dict[str, Figure | None] = {}
    distinct = "Its distinct cells divided by its records: 100 % if all records differ."
    apart = "The share of all pairs of records that differ in this column."
    if after is not None:
        figures["distinction"] = share("distinction", after.distinction, distinct)
        figures["separation"] = share("separation", after.separation, apart)
    if before is not None:
        figures["distinction_before"] = fraction("distinction before", before.distinction, subject.digits, distinct)
        figures["separation_before"] = fraction("separation before", before.separation, subject.digits, apart)
    return figures


def _read_kinds(labels: Labels, rows: Longs, kind: str | None) -> Iterator[tuple[str, int]]:
    """The kinds of the cells of a column, as far as their text shows it, and the rows of each."""
    for label, held in zip(labels.tolist(), rows.tolist(), strict=True):
        meaning = None if label is None else parse(label)
        if meaning is None:
            yield "empty", held
        elif isinstance(meaning, Suppressed):
            yield "hidden", held
        elif isinstance(meaning, ValueSet):
            yield "sets of values", held
        elif kind != "text" and (isinstance(meaning, Interval) or isinstance(read(label, "date"), Interval)):
            yield "ranges", held
        else:
            yield "values or labels", held


def _in_words(kinds: Iterable[tuple[str, int]]) -> str:
    """A share for each kind of cell.

    >>> _in_words([("ranges", 3), ("hidden", 1), ("ranges", 6)])
    'ranges (90 %), hidden (10 %)'
    """
    rows: Counter[str] = Counter()
    for kind, held in kinds:
        rows[kind] += held
    everything = max(rows.total(), 1)
    return ", ".join(
        f"{kind} ({percent(significant(held / everything, DIGITS))})" for kind, held in rows.most_common() if held
    )


def _in_clear(subject: Subject, published: ClassCounts, name: str) -> ColumnFacts:
    """The target, or a sensitive column."""
    originals = subject.originals
    kind: str | None = None
    bars: tuple[Bar, ...] = ()
    if originals is not None:
        domain, kind = originals.counts.domains[name], _kind(originals.counts.domains[name])
        holders, precision = Holders.of_original(originals.counts, name), Precision(subject.fewest, subject.digits)
        bars = bars_in_clear(domain, holders, rows_kept(originals, name), precision, before=True)
    elif not subject.people_unknown:
        domain, codes = _as_domain(name, published)
        holders, kind = Holders.of_cells(published, codes, domain.size), domain.kind
        rows = holders.rows_in(np.arange(domain.size), domain.size)
        bars = bars_in_clear(domain, holders, rows, Precision(subject.fewest, DIGITS), before=False)
    why = _PEOPLE_UNKNOWN if originals is None and subject.people_unknown else _TOO_FEW
    return ColumnFacts(
        name=name,
        role="sensitive" if name in subject.sensitive else "target",
        kind=kind,
        hierarchy=None,
        published_as="unchanged values",
        bars=bars,
        bars_note=_CLEAR if bars else why,
    )


def rows_kept(originals: Originals, name: str) -> Longs:
    """The published rows of each original value of the target or a sensitive column."""
    counts = originals.counts
    if originals.recoding.lost == 0:
        return counts.histogram(name)
    kept = np.zeros(counts.domains[name].size, dtype=np.int64)
    for part, pieces in originals.recoding.in_parts(counts):
        published = pieces.group >= 0
        codes = part.codes_of(name)[pieces.cell[published]]
        kept += np.bincount(codes, pieces.size[published], len(kept)).astype(np.int64)
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
    """Gather what was left out; ``None`` for an audit, which does not know the original table."""
    published = subject.published
    if published is None:
        return None
    rows_in, lost = int(subject.manifest["rows_in"]), int(subject.manifest["rows_lost"])
    labels, note = _by_label(subject, published)
    return Suppression(
        rows=share(
            "rows left out",
            lost / rows_in,
            f"Of {plural(rows_in, 'rows')} {lost:,} {'was' if lost == 1 else 'were'} left out to keep more detail in "
            "the others.",
            "good" if lost == 0 else "note",
        ),
        cells=share(
            "cells hidden",
            subject.audit.losses["suppression"],
            "The share of quasi-identifier cells that are hidden (*). Cells of rows that were left out count too.",
        ),
        labels=labels,
        labels_note=note,
    )


def _hidden(published: ClassCounts) -> Floats:
    """The share of quasi-identifiers that each class hides; an empty cell counts as hidden."""
    hidden = [
        np.array([label is None or label == str(SUPPRESSED) for label in labels])[published.codes[:, at]]
        for at, labels in enumerate(published.labels)
    ]
    return np.asarray(np.mean(hidden, axis=0))


def _by_label(subject: Subject, published: ClassCounts) -> tuple[tuple[LabelShare, ...], str]:
    """The share of the records with each label that was left out, and a note about the labels."""
    target = subject.target
    if target is None:
        return (), "No column was named as target, so nothing is shown by label."
    if subject.people_unknown:
        return (), "People were counted, and the table does not show whose rows are whose: no label is shown by itself."
    column = published.cells.sensitive[target]
    pooled = most_held(Holders.of_cells(published, column.codes, len(column.labels)), subject.fewest, _MOST_LABELS)
    if pooled is None or not pooled.shown:
        return (), f"Too few people share a label of {target!r} to show labels."
    group, groups = pooled.group[column.codes], len(pooled.shown) + 1
    rows = np.bincount(group, published.cells.rows, groups)
    hidden = np.bincount(group, published.cells.rows * _hidden(published)[published.class_of_cell], groups)
    lost = _lost(subject, target, published, pooled.group, groups)
    named = [_named(column.labels[code]) for code in pooled.shown]
    shares = tuple(
        LabelShare(
            *(named[at] if at < len(named) else ("others", "others")),
            share=round(float(rows[at] / published.rows), DIGITS),
            cells=round(float(hidden[at] / rows[at]), DIGITS),
            rows=None if lost is None else lost[at],
        )
        for at in np.flatnonzero(rows).tolist()
    )
    return shares, f"Labels that fewer than {subject.fewest:,} {subject.unit} have are shown together as others."


def _named(label: str | None) -> tuple[str, Literal["value", "others", "missing"]]:
    return ("no value", "missing") if label is None else (str(label), "value")


def _lost(subject: Subject, target: str, published: ClassCounts, group: Longs, groups: int) -> list[float] | None:
    """The share of original rows of each label that were left out, where it may be shown."""
    if int(subject.manifest["rows_lost"]) == 0:
        return [0.0] * groups
    if subject.originals is None:
        return None
    counts = subject.originals.counts
    domain = counts.domains[target]
    labels = published.cells.sensitive[target].labels.tolist()
    code_of = {None if label is None else spelled(label, domain.kind): code for code, label in enumerate(labels)}
    original = (*domain.labels.tolist(), *[None] * domain.has_missing)
    # A label without any published record is among the others.
    group_of_code = np.array([group[code_of[label]] if label in code_of else groups - 1 for label in original])
    before = np.bincount(group_of_code, counts.histogram(target), groups)
    after = np.bincount(group[published.cells.sensitive[target].codes], published.cells.rows, groups)
    return [
        round(float(1 - published_rows / max(rows, 1)), subject.digits)
        for published_rows, rows in zip(after, before, strict=True)
    ]


# --------------------------------------------------------------------------------------------------
# What learners still know of the target, where it was evaluated.


_MEANING: Final = (
    "How well learners predict the target on rows they have not seen: trained on the original rows, on what the "
    "method publishes, and by always saying the commonest label. What a release costs lies between."
)
# A single row changes a mean over test parts less than it changes a count, so at least these digits are shown.
_FEWEST_DIGITS: Final = 2
_COLUMNS: Final = ("learner", "train", "test", "method", "majority", "unanonymized")


def utility(subject: Subject, evaluation: Any) -> Utility | None:
    """The scores of an evaluation, if there is one; recipients get none, since scores come from original rows."""
    if evaluation is None:
        return None
    from hedgerow.evaluation.results import Evaluation
    from hedgerow.evaluation.scores import BETTER_WHEN_LOWER, named_score

    if not isinstance(evaluation, Evaluation):
        raise BadInput.parameter("evaluation", "report", "what hr.evaluate returned", type(evaluation).__name__)
    if evaluation.task not in ("classes", "numbers"):
        must = "an evaluation of learners (task='classification')"
        raise BadInput.parameter("evaluation", "report", must, evaluation.task)
    if subject.edition == "public":
        return None
    score = named_score(None, evaluation.task)
    rows = nw.from_native(evaluation.table(score), eager_only=True).rows(named=True)
    digits = max(_FEWEST_DIGITS, subject.digits)
    scores = [_score(row, column, digits) for row in rows for column in row if column not in _COLUMNS]
    return Utility(score, score not in BETTER_WHEN_LOWER, evaluation.protocol, tuple(scores), _MEANING)


def _score(row: Mapping[str, Any], column: str, digits: int) -> Score:
    """One learner on one release."""
    k = int(column.removeprefix("k=")) if column.startswith("k=") else None
    raw, published, majority = (_rounded(row[name], digits) for name in ("unanonymized", column, "majority"))
    return Score(row["learner"], row["method"], k, raw, published, majority, _share_kept(raw, published, majority))


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(float(value), digits)


def _share_kept(raw: float | None, published: float | None, majority: float | None) -> float | None:
    """The part of the way from the majority to the raw rows that is left.

    >>> _share_kept(0.9, 0.8, 0.7), _share_kept(0.7, 0.7, 0.7)
    (0.5, None)
    """
    if raw is None or published is None or majority is None or raw == majority:
        return None
    return round((published - majority) / (raw - majority), 2)
