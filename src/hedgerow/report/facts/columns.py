"""What was kept of each column, and which of them tells people apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal

import numpy as np
import pyarrow as pa

from hedgerow.arrays import Ints, Longs
from hedgerow.counts import encode_column
from hedgerow.domains import Domain
from hedgerow.metrics import ColumnLoss, losses_by_column
from hedgerow.published import NO_LABELS, Interval, PublishedKind, Suppressed, ValueSet, leaves_below, parse, read
from hedgerow.recoding import Recoding
from hedgerow.report.facts.bars import Told, bars_before_and_after, bars_in_clear, bars_published
from hedgerow.report.facts.figures import Bar, Figure
from hedgerow.report.facts.holding import Holding
from hedgerow.report.facts.sections.keeping import ColumnFacts, Columns
from hedgerow.report.facts.standing_for import kind_of_cells, standing_as_told, standing_for
from hedgerow.report.facts.subjects import Originals, Subject
from hedgerow.report.facts.wording import DIGITS, fraction, percent, share
from hedgerow.risk import TellsApart, tells_apart
from hedgerow.rounding import significant
from hedgerow.verifier import ClassCounts
from hedgerow.verifier.classes import Labels

__all__ = ["columns", "rows_kept"]

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
