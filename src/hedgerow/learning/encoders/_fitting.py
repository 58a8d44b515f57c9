"""Fitting a column: its kind, its values, and the hierarchy whose nodes become features.

What is known of a column are the values that its cells show alone or in sets, those of the proportions, and the ends of
intervals. A hierarchy that is given is encoded for them. Without one, categories and truth values are flat, dates have
the calendar, and numbers the intervals that are published if these are few, else quantiles of the known numbers; where
there are proportions always these, as an anonymizer would have chosen. Single numbers and dates are nodes on request:
those that are known, and those that a given tree lists.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Longs
from hedgerow.core.cells import (
    NO_LABELS,
    CellKind,
    Interval,
    Leaves,
    Reach,
    Vocabulary,
    covered_values,
    days_of,
    domain_of,
    kind_of_texts,
    leaves_below,
    number_in,
    parse,
)
from hedgerow.core.proportions import Spread
from hedgerow.errors import BadInput, plural, required
from hedgerow.hierarchies import (
    NOWHERE,
    EncodedHierarchy,
    Hierarchy,
    automatic,
    flat,
    hierarchy_of,
    intervals,
    nodes_above,
    taxonomy,
)
from hedgerow.hierarchies.calendars import Dates
from hedgerow.hierarchies.taxonomies import Taxonomy
from hedgerow.io.domains import Domain, Kind
from hedgerow.io.values import MISSING_TEXT, number_text
from hedgerow.learning.encoders._nodes import ROOT, FeatureNodes, nodes_of_hierarchy

__all__ = ["Column", "Unknown", "fit_column"]


# --------------------------------------------------------------------------------------------------
# A column as an encoder knows it after fitting: its nodes, and where values and labels stand there.
#
# A value stands at its leaf, a number at its own or at the finest interval that holds it, a label at its node. A
# value that the hierarchy does not know stands at the nearest node above it that is known, at last at the root.


Unknown = Literal["ancestor", "error"]


@dataclass(frozen=True, eq=False)
class Column:
    """A fitted column.

    Attributes
    ----------
    name : str
    kind : {"number", "text", "date"}
    nodes : FeatureNodes
    places : mapping of str to int
        The node of each label and, unless numbers are found by the ends of intervals, of each value.
    domain : Domain
        The values that the hierarchy was encoded for.
    hierarchy : EncodedHierarchy, optional
        To place values that are not known; numbers are placed by the ends of intervals, and no hierarchy is kept.
    into : int array
        The node that each node of the hierarchy became.
    given : Hierarchy, optional
        What the hierarchy was encoded from, to place unseen values.
    clamped : bool
        Whether numbers beyond all intervals belong to the outermost ones: they do where these were made from the
        training table, and not where somebody said what the column may hold.
    known : float array
        The numbers of the column, ascending; empty if it holds none.
    known_node : int array
        The node of each.
    known_alone : float array
        How many rows held each alone.
    alone_text : mapping of str to float
        The same for values that are no numbers.
    alone : float array (nodes,)
        How many rows held a value of each node alone.
    leaves : mapping of label to values
        What labels stand for where they are members of a set.
    reach : Reach, optional
        Where open intervals are taken to end.
    """

    name: str
    kind: Kind
    nodes: FeatureNodes
    places: Mapping[str, int]
    domain: Domain
    hierarchy: EncodedHierarchy | None
    into: Longs
    given: Hierarchy | None
    clamped: bool
    known: Floats = field(default_factory=lambda: np.empty(0))
    known_node: Longs = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    known_alone: Floats = field(default_factory=lambda: np.empty(0))
    alone_text: Mapping[str, float] = field(default_factory=dict)
    alone: Floats = field(default_factory=lambda: np.empty(0))
    leaves: Leaves = field(default_factory=lambda: NO_LABELS)
    reach: Reach = field(default_factory=lambda: Reach.of(()))

    @property
    def by_ends(self) -> bool:
        """Whether numbers are placed by the ends of intervals."""
        return self.kind == "number" and self.nodes.low is not None

    def number_of(self, text: str) -> float:
        """Read a value as a number, a date as its days; nan if it is none."""
        number = number_in(text, self.kind)
        return math.nan if number is None else number

    def read(self, words: Vocabulary) -> Vocabulary:
        """The cells of a table as this column reads them."""
        return words.read_as(self.kind, self.leaves).within(self.reach)

    def place(self, texts: list[str], numbers: Floats, unknown: Unknown) -> tuple[Longs, Bools]:
        """The node of each value or label, and whether it is one of the column's own."""
        nodes = np.full(len(texts), NOWHERE, dtype=np.int64)
        numeric = ~np.isnan(numbers)
        if self.by_ends:
            nodes[numeric] = self._around(numbers[numeric])
            self._refuse_text(texts, numeric)
            # A number that stands only in a gap between the finest intervals, or between numbers, is not known.
            nodes[(nodes != NOWHERE) & ~self.nodes.bottom[nodes] & ~self.is_known(numbers)] = NOWHERE
        elif self.kind == "number":
            texts = [
                number_text(number) if one else text for text, number, one in zip(texts, numbers, numeric, strict=True)
            ]
        for at in np.flatnonzero(nodes == NOWHERE).tolist():
            nodes[at] = self.places.get(texts[at], NOWHERE)
        known = nodes != NOWHERE
        strange = np.flatnonzero(~known)
        if len(strange):
            self.refuse_unknown(len(strange), unknown)
            nodes[strange] = self._above([texts[at] for at in strange.tolist()], numbers[strange])
        return nodes, known

    def is_known(self, numbers: Floats) -> Bools:
        """Which numbers are those of the column."""
        return np.isin(numbers, self.known)

    def _refuse_text(self, texts: list[str], numeric: Bools) -> None:
        if any(texts[at] not in self.places for at in np.flatnonzero(~numeric).tolist()):
            raise BadInput(
                f"The column {self.name!r} was fitted as numbers and holds text that is no label of its "
                "hierarchy. Make it numbers."
            )

    def refuse_unknown(self, count: int, unknown: Unknown) -> None:
        """Raise if values that are not known are unwelcome."""
        if unknown == "error":
            raise BadInput(
                f"The column {self.name!r} has {plural(count, 'different values')} that its hierarchy does not know. "
                "Add what is missing to it, or choose unknown='ancestor'."
            )

    def _around(self, numbers: Floats) -> Longs:
        """The lowest node that holds each number, -1 where none does; it may be clamped to the outermost ones."""
        if not self.clamped or not len(numbers):
            return self.nodes.around(numbers)
        low, high = self.nodes.ends
        within = np.clip(numbers, low[ROOT], high[ROOT])
        found = self.nodes.around(within)
        # The outermost interval takes numbers from outside; the last number in it is not one of them.
        above = self.nodes.parent[found]
        outside = (within != numbers) & (found != NOWHERE) & self.nodes.single[found] & (above != ROOT)
        return np.where(outside, above, found)

    def _above(self, texts: list[str], numbers: Floats) -> Longs:
        """The nearest known node above values that the hierarchy does not have."""
        if self.by_ends:
            around = self._around(numbers)
            return np.where(around == NOWHERE, ROOT, around)
        hierarchy = required(self.hierarchy, "the hierarchy of a column")
        readable = np.arange(len(texts)) if self.kind == "text" else np.flatnonzero(~np.isnan(numbers))
        above = np.full(len(texts), ROOT, dtype=np.int64)
        if len(readable):
            labels = np.array([texts[at] for at in readable.tolist()], dtype=np.str_)
            order = np.argsort(labels if self.kind == "text" else numbers[readable], kind="stable")
            scale = None if self.kind == "text" else numbers[readable][order]
            unseen = Domain(self.name, self.kind, labels[order], scale)
            found = nodes_above(hierarchy, self.domain, unseen, self.given)
            above[readable[order]] = np.where(found == NOWHERE, ROOT, self.into[found])
        return above


# Published intervals become features of their own if together they cut the column into no more pieces than these;
# beyond, as a multidimensional method may publish them, quantiles serve better.
_MOST_PIECES: Final = 64
_CALENDAR_LABEL: Final = re.compile(r"([0-9]{4})(?:(s)|-Q([1-4])|-([0-9]{2})(?:-([0-9]{2}))?)?\Z")


def fit_column(
    name: str,
    cells: Vocabulary,
    spec: Any = None,
    *,
    spread: Spread | None = None,
    parts: Sequence[str] = (),
    unknown: Unknown = "ancestor",
    singles: bool = False,
) -> Column:
    """Fit a column.

    Parameters
    ----------
    name : str
    cells : Vocabulary
        What the training table holds.
    spec : object
        The hierarchy: whatever a schema takes, an encoded one, or ``None``.
    spread : Spread, optional
        What the classes of the release may hold, by its proportions.
    parts : sequence of str
        The parts that the table has shares of, as labels.
    unknown : {"ancestor", "error"}
        Whether values that the hierarchy does not cover are welcome.
    singles : bool
        Whether single numbers and dates are nodes too, as categories always are.

    Examples
    --------
    >>> import narwhals as nw
    >>> from hedgerow.core.cells import read_vocabulary
    >>> towns = {"*": {"Germany": ["Bonn", "Köln"], "France": ["Lyon", "Nice"]}}
    >>> town = read_vocabulary(nw.new_series("town", ["Bonn", "France"], backend="pyarrow"))
    >>> column = fit_column("town", town, towns)
    >>> [column.nodes.labels[node] for node in column.nodes.order]
    ['Bonn', 'Köln', 'Lyon', 'Nice', 'Germany', 'France', '*']
    """
    given, intact = _given(spec, name)
    kind = _kind(cells, given, intact, spread, parts)
    reach = _reach(cells.read_as(kind), kind, spread)
    found = _Found.of(cells.read_as(kind).within(reach), kind, spread, parts, reach)
    if kind == "number":
        column = _fit_numbers(name, found, given, intact, unknown, singles)
    else:
        column = _fit_labels(name, kind, found, given, unknown, singles)
    return _counted(replace(column, reach=reach), cells.read_as(kind))


def _reach(cells: Vocabulary, kind: Kind, spread: Spread | None) -> Reach:
    """How far the column reaches, by what it publishes and what the proportions tell."""
    members = (number_in(member, kind) for member in cells.members() if member is not None)
    told = [] if spread is None or spread.domain.numbers is None else spread.domain.numbers.tolist()
    numbers = [*cells.numbers.tolist(), *(one for one in members if one is not None), *told]
    return Reach.of(cells.intervals(), numbers)


def _given(spec: Any, name: str) -> tuple[Hierarchy | None, EncodedHierarchy | None]:
    """The hierarchy that is given, and its encoded form if that has intervals, which then stay as they are."""
    if isinstance(spec, EncodedHierarchy):
        if spec.low is not None and spec.height > 1:
            return spec.source, spec
        return (taxonomy(spec.to_tree()) if spec.source is None else spec.source), None
    return (None if spec is None else hierarchy_of(spec, name)), None


def _kind(
    cells: Vocabulary,
    given: Hierarchy | None,
    intact: EncodedHierarchy | None,
    spread: Spread | None,
    parts: Sequence[str],
) -> Kind:
    if spread is not None:
        return spread.domain.kind
    if cells.stored != "text":
        return cells.stored
    if intact is not None:
        return "number"
    if isinstance(given, Dates) and given.format is None:
        return "date"
    labels = _inner_labels(given)
    values = [cells.texts[at] for at in cells.which(CellKind.VALUE).tolist()]
    values += [member for member in cells.members() if member is not None]
    values = [value for value in values if value not in labels]
    ends = cells.intervals() or any(isinstance(parse(part), Interval) for part in parts)
    if not values:
        return "number" if ends else "text"
    if cells.categorical and not ends:
        return "text"
    kind = kind_of_texts(values)
    return "text" if kind == "date" and given is not None else kind


def _inner_labels(given: Hierarchy | None) -> frozenset[str]:
    """The labels of a taxonomy that are no values."""
    if not isinstance(given, Taxonomy):
        return frozenset()
    return frozenset(given.tree.labels[node] for node in set(given.tree.parent) if node >= 0)


@dataclass(frozen=True, eq=False)
class _Found:
    """The values that a column is known to hold, each with a weight, and the ends of its intervals."""

    weights: dict[str, float]
    numbers: dict[float, float]
    intervals: list[Interval]
    parts: list[Interval]
    has_missing: bool
    counted: bool
    """Whether proportions say which values there are, and how often."""

    @classmethod
    def of(cls, cells: Vocabulary, kind: Kind, spread: Spread | None, parts: Sequence[str], reach: Reach) -> _Found:
        weights: dict[str, float] = {}
        rows = cells.rows
        for at in cells.which(CellKind.VALUE).tolist():
            weights[cells.texts[at]] = weights.get(cells.texts[at], 0.0) + float(rows[at])
        members = cells.members()
        for member in members:
            if member is not None:
                weights.setdefault(member, 1.0)
        if spread is not None:
            held = np.asarray(spread.matrix.sum(axis=0)).ravel()
            counted = dict(zip(spread.domain.labels.tolist(), held.tolist(), strict=False))
            # A number that is published may be the mean of a class; the proportions have the numbers themselves.
            weights = counted if kind == "number" else weights | counted
        read = [parse(part) for part in parts]
        if kind == "text":
            read = list(parts)
        for part in read:
            if isinstance(part, str) and part != MISSING_TEXT:
                weights.setdefault(part, 1.0)
        missing = (cells.kinds == CellKind.MISSING).any() or None in members or MISSING_TEXT in parts
        missing = missing or (spread is not None and spread.domain.has_missing)
        numbers: dict[float, float] = {}
        if kind == "number":
            for text, weight in weights.items():
                number = number_in(text, kind)
                if number is not None:
                    numbers[number] = numbers.get(number, 0.0) + weight
        divided = [reach.ended(part) for part in read if isinstance(part, Interval)]
        return cls(weights, numbers, cells.intervals(), divided, bool(missing), spread is not None)


def _fit_numbers(
    name: str, found: _Found, given: Hierarchy | None, intact: EncodedHierarchy | None, unknown: Unknown, singles: bool
) -> Column:
    ends = {end for one in (*found.intervals, *found.parts) for end in (one.low, one.high)}
    known = np.array(sorted(found.numbers), dtype=np.float64)
    clamped = False
    if intact is not None:
        domain, hierarchy = _number_domain(name, found, ()), intact
    elif given is not None:
        # Where an interval begins there is a value of the hierarchy, so that it has the interval as a node.
        begins = {one.low for one in (*found.intervals, *found.parts)}
        closes = {one.high for one in (*found.intervals, *found.parts) if one.closed}
        domain, hierarchy = _encoded(given, _number_domain(name, found, begins | closes), unknown)
    else:
        clamped = True
        pieces = {end for one in found.parts for end in (one.low, one.high)} or (set() if found.counted else ends)
        domain = _number_domain(name, found, () if found.counted else ends)
        given = _nested_pieces(pieces, domain.values) if 1 < len(pieces) <= _MOST_PIECES + 1 else automatic()
        hierarchy = given.encode(domain)
    by_ends = hierarchy.low is not None
    nodes, into = nodes_of_hierarchy(hierarchy, hide_leaves=by_ends or not singles, with_missing=found.has_missing)
    places = _places(hierarchy, into, with_leaves=not by_ends)
    if by_ends:
        if singles:
            # Not the leaves of the hierarchy: see below, and ends of intervals need not be numbers of the column.
            nodes, moved = nodes.with_numbers(known)
            places = {label: int(moved[node]) for label, node in places.items()}
        known_node = nodes.around(known)
        known, known_node = known[known_node >= 0], known_node[known_node >= 0]
        nodes = replace(nodes, own=_own_numbers(nodes, known_node))
        # Its leaves may be the original numbers of a release, which are of no use here.
        return Column(name, "number", nodes, places, domain, None, into[:0], None, clamped, known, known_node)
    node_of = {number_in(hierarchy.labels[leaf], "number"): int(into[leaf]) for leaf in hierarchy.leaves}
    known = np.array(sorted(number for number in node_of if number is not None), dtype=np.float64)
    known_node = np.array([node_of[number] for number in known.tolist()], dtype=np.int64)
    # A tree may write a number in another way than the table does.
    as_numbers = {number_text(number): node for number, node in node_of.items() if number is not None}
    places = as_numbers | places
    column = Column(name, "number", nodes, places, domain, hierarchy, into, given, clamped, known, known_node)
    return replace(column, leaves=leaves_below(hierarchy))


def _number_domain(name: str, found: _Found, ends: Iterable[float]) -> Domain:
    numbers = np.array(sorted({*found.numbers, *ends}), dtype=np.float64)
    weights = [max(round(found.numbers.get(number, 1.0)), 1) for number in numbers.tolist()]
    labels = np.array([number_text(number) for number in numbers.tolist()], dtype=np.str_)
    return Domain(name, "number", labels, numbers, records=np.array(weights, dtype=np.int64))


def _nested_pieces(ends: set[float], known: Floats) -> Hierarchy:
    """The pieces between the ends of intervals, two by two below a wider one, and so on up."""
    beyond = {float(number) for number in known if not min(ends) <= number <= max(ends)}
    edges = sorted(ends | ({min(beyond), max(beyond)} if beyond else set()))
    levels = []
    wider = edges
    while len(wider) > 3:
        wider = wider[::2] if len(wider) % 2 else [*wider[::2], wider[-1]]
        levels.append(wider)
    return intervals(edges, levels=levels)


def _own_numbers(nodes: FeatureNodes, known_node: Longs) -> Floats:
    """How many known numbers stand at each node; where none is known at all, the width of each finest interval."""
    low, high = nodes.spans
    own = np.bincount(known_node, minlength=len(nodes)).astype(np.float64)
    if not own.any():
        own = np.where(nodes.bottom, np.nan_to_num(high - low), 0.0)
    if nodes.missing >= 0:
        own[nodes.missing] = 1.0
    return own


def _fit_labels(
    name: str, kind: Kind, found: _Found, given: Hierarchy | None, unknown: Unknown, singles: bool
) -> Column:
    """Fit a column of text or dates."""
    labels = _inner_labels(given)
    values = [text for text in found.weights if text not in labels]
    stand_ins: set[str] = set()
    if kind == "date":
        # A label of the calendar is a node if some day below it is there.
        stand_ins = {day for text in values if (day := _day_of(text)) is not None} - set(values)
        values = [text for text in values if days_of(text) is not None]
        domain = domain_of(name, [*values, *stand_ins])
        if not len(domain.labels):
            domain = Domain(name, "date", domain.labels, np.empty(0))
    else:
        domain = Domain(name, "text", np.array(sorted(values), dtype=np.str_))
    chosen = given if given is not None else (automatic() if kind == "date" else flat())
    domain, hierarchy = _encoded(chosen, domain, unknown)
    inner = {hierarchy.labels[node] for node in np.flatnonzero(hierarchy.level > 0).tolist()}
    only_labels = stand_ins if isinstance(given, Taxonomy) else stand_ins | {one for one in values if one in inner}
    nodes, into = nodes_of_hierarchy(
        hierarchy,
        hide_leaves=True if kind == "date" and not singles else frozenset(stand_ins),
        with_missing=found.has_missing,
        labels_only=frozenset(only_labels),
    )
    column = Column(name, kind, nodes, _places(hierarchy, into), domain, hierarchy, into, chosen, clamped=False)
    column = replace(column, leaves=_without(leaves_below(hierarchy), only_labels))
    if domain.numbers is None:
        return column
    real = np.array([label not in stand_ins for label in domain.labels.tolist()], dtype=bool)
    return replace(column, known=domain.numbers[real], known_node=into[hierarchy.leaf_of[: len(real)][real]])


def _without(leaves: Leaves, labels: set[str]) -> Leaves:
    """What labels stand for, but for leaves that are themselves only labels."""
    real = {label: tuple(value for value in below if value not in labels) for label, below in leaves.items()}
    return {label: below for label, below in real.items() if below}


def _day_of(label: str) -> str | None:
    """The first day of a span of the calendar, as the hierarchy of dates names spans.

    >>> _day_of("1984-Q2"), _day_of("1980s"), _day_of("1984-02-29"), _day_of("spring")
    ('1984-04-01', '1980-01-01', None, None)
    """
    read = _CALENDAR_LABEL.match(label)
    if read is None or read[5] is not None:
        return None
    month = int(read[4]) if read[4] else 3 * int(read[3]) - 2 if read[3] else 1
    day = f"{read[1]}-{month:02d}-01"
    return None if days_of(day) is None else day


def _encoded(given: Hierarchy, domain: Domain, unknown: Unknown) -> tuple[Domain, EncodedHierarchy]:
    """Encode a hierarchy for the values that it covers."""
    try:
        return domain, given.encode(domain)
    except BadInput:
        if unknown == "error":
            raise
    covered = covered_values(given, domain)
    if not len(covered.labels) and not isinstance(given, Taxonomy):
        given = flat()
    return covered, given.encode(covered)


def _places(hierarchy: EncodedHierarchy, into: Longs, *, with_leaves: bool = True) -> dict[str, int]:
    """The node of each label; an interval also as it is written where it is not the last, or is."""
    places = {
        label: int(into[node])
        for node, label in enumerate(hierarchy.labels)
        if label is not None and (with_leaves or hierarchy.level[node] > 0)
    }
    for label, node in list(places.items()) if hierarchy.low is not None else []:
        read = parse(label)
        if isinstance(read, Interval):
            places.setdefault(str(replace(read, closed=not read.closed)), node)
    return places


def _counted(column: Column, cells: Vocabulary) -> Column:
    """Count how many rows hold each value alone."""
    values, rows = cells.which(CellKind.VALUE), cells.rows
    texts = [cells.texts[at] for at in values.tolist()]
    alone = np.zeros(len(column.nodes))
    nodes, _ = column.place(texts, cells.numbers[values], "ancestor")
    # A label that covers several values is not one of them.
    single = column.nodes.bottom[nodes]
    np.add.at(alone, nodes[single], rows[values][single])
    if column.nodes.missing >= 0:
        alone[column.nodes.missing] = rows[cells.kinds == CellKind.MISSING].sum()
    by_number = np.zeros(len(column.known))
    at = np.searchsorted(column.known, cells.numbers[values])
    found = (at < len(column.known)) & np.isin(cells.numbers[values], column.known)
    np.add.at(by_number, at[found], rows[values][found])
    texts_alone = {} if column.kind == "number" else dict(zip(texts, rows[values].astype(float).tolist(), strict=True))
    return replace(column, alone=alone, known_alone=by_number, alone_text=texts_alone)
