"""A column fitted by an encoder: its kind, its values, and the hierarchy whose nodes become features.

The known values of a column are those that its cells show alone or in sets, those of the proportions, and the ends of
intervals. If you pass a hierarchy, it is encoded for them. Otherwise categories and truth values are flat, and dates
use the calendar. Numbers use the published intervals if these are few, else quantiles of the known numbers; with
proportions always quantiles, as an anonymizer would choose. Single numbers and dates are nodes on request: those that
are known, and those that your tree lists.
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
# The fitted column: its nodes, and the places of values and labels among them.
#
# A value belongs to its leaf, a number to its own leaf or to the finest interval that contains it, a label to its node.
# A value that the hierarchy lacks belongs to the nearest known node above it, which may be the root.


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
        The node of each label and, unless numbers are placed by the ends of intervals, of each value.
    domain : Domain
        The values that the hierarchy was encoded for.
    hierarchy : EncodedHierarchy, optional
        Places unknown values. Numbers are placed by the ends of intervals, without a hierarchy.
    into : int array
        The node that each node of the hierarchy became.
    given : Hierarchy, optional
        The hierarchy before encoding, to place unseen values.
    clamped : bool
        Whether numbers outside all intervals belong to the outermost interval. They do if the intervals come from the
        training table, but not if somebody declared the range of the column.
    known : float array
        The numbers of the column, ascending; empty if it has none.
    known_node : int array
        The node of each known number.
    known_alone : float array
        The number of rows that published each known number alone.
    alone_text : mapping of str to float
        The same for values that are not numbers.
    alone : float array (nodes,)
        The number of rows that published a value of each node alone.
    leaves : mapping of label to values
        The values that labels stand for as members of a set.
    reach : Reach, optional
        The assumed ends of half-open intervals.
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
        """A value as a number, a date as days; nan if it is neither."""
        number = number_in(text, self.kind)
        return math.nan if number is None else number

    def read(self, words: Vocabulary) -> Vocabulary:
        """The cells of a table, read as this column's kind."""
        return words.read_as(self.kind, self.leaves).within(self.reach)

    def place(self, texts: list[str], numbers: Floats, unknown: Unknown) -> tuple[Longs, Bools]:
        """The node of each value or label, and whether the column knows it."""
        nodes = np.full(len(texts), NOWHERE, dtype=np.int64)
        numeric = ~np.isnan(numbers)
        if self.by_ends:
            nodes[numeric] = self._around(numbers[numeric])
            self._refuse_text(texts, numeric)
            # A number in a gap between the finest intervals, or between numbers, is not known.
            nodes[(nodes != NOWHERE) & ~self.nodes.bottom[nodes] & ~self.is_known(numbers)] = NOWHERE
        elif self.kind == "number":
            texts = [
                number_text(number) if is_number else text
                for text, number, is_number in zip(texts, numbers, numeric, strict=True)
            ]
        for at in np.flatnonzero(nodes == NOWHERE).tolist():
            nodes[at] = self.places.get(texts[at], NOWHERE)
        known = nodes != NOWHERE
        unseen = np.flatnonzero(~known)
        if len(unseen):
            self.refuse_unknown(len(unseen), unknown)
            nodes[unseen] = self._above([texts[at] for at in unseen.tolist()], numbers[unseen])
        return nodes, known

    def is_known(self, numbers: Floats) -> Bools:
        """Whether each number occurred in training."""
        return np.isin(numbers, self.known)

    def _refuse_text(self, texts: list[str], numeric: Bools) -> None:
        if any(texts[at] not in self.places for at in np.flatnonzero(~numeric).tolist()):
            raise BadInput(
                f"The column {self.name!r} was fitted as numbers and holds text that is not a label of its "
                "hierarchy. Make it numbers."
            )

    def refuse_unknown(self, count: int, unknown: Unknown) -> None:
        """Raise an error for unknown values if ``unknown="error"``."""
        if unknown == "error":
            raise BadInput(
                f"The column {self.name!r} has {plural(count, 'different values')} that its hierarchy does not know. "
                "Add them to the hierarchy, or choose unknown='ancestor'."
            )

    def _around(self, numbers: Floats) -> Longs:
        """The lowest node that contains each number, or -1. If clamped, outer numbers go to the outermost intervals."""
        if not self.clamped or not len(numbers):
            return self.nodes.around(numbers)
        low, high = self.nodes.ends
        within = np.clip(numbers, low[ROOT], high[ROOT])
        found = self.nodes.around(within)
        # Numbers from outside belong to the outermost interval, but not to its node for a single number.
        above = self.nodes.parent[found]
        outside = (within != numbers) & (found != NOWHERE) & self.nodes.single[found] & (above != ROOT)
        return np.where(outside, above, found)

    def _above(self, texts: list[str], numbers: Floats) -> Longs:
        """The nearest known node above values that the hierarchy lacks."""
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
            nodes = nodes_above(hierarchy, self.domain, unseen, self.given)
            above[readable[order]] = np.where(nodes == NOWHERE, ROOT, self.into[nodes])
        return above


# Published intervals become features if together they cut the column into at most this many pieces. Multidimensional
# methods may publish more; then quantiles serve better.
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
        The cells of the training table.
    spec : object
        The hierarchy, as in a schema; an encoded hierarchy; or ``None``.
    spread : Spread, optional
        The proportions of each class of the release.
    parts : sequence of str
        The labels of the parts whose shares the table contains.
    unknown : {"ancestor", "error"}
        Whether values that the hierarchy does not cover are allowed.
    singles : bool
        Whether single numbers and dates are nodes too. Categories always are.

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
    observed = _Observed.of(cells.read_as(kind).within(reach), kind, spread, parts, reach)
    if kind == "number":
        column = _fit_numbers(name, observed, given, intact, unknown, singles)
    else:
        column = _fit_labels(name, kind, observed, given, unknown, singles)
    return _counted(replace(column, reach=reach), cells.read_as(kind))


def _reach(cells: Vocabulary, kind: Kind, spread: Spread | None) -> Reach:
    """The range of the column, from its published cells and the proportions."""
    members = (number_in(member, kind) for member in cells.members() if member is not None)
    of_spread = [] if spread is None or spread.domain.numbers is None else spread.domain.numbers.tolist()
    numbers = [*cells.numbers.tolist(), *(number for number in members if number is not None), *of_spread]
    return Reach.of(cells.intervals(), numbers)


def _given(spec: Any, name: str) -> tuple[Hierarchy | None, EncodedHierarchy | None]:
    """The hierarchy of the caller, and its encoded form if that has intervals, which are then kept."""
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
    return _kind_of_text(cells, given, parts)


def _kind_of_text(cells: Vocabulary, given: Hierarchy | None, parts: Sequence[str]) -> Kind:
    """The kind of a column that is stored as text, judged by its values and intervals."""
    values = _values(cells, given)
    has_intervals = cells.intervals() or any(isinstance(parse(part), Interval) for part in parts)
    if not values:
        return "number" if has_intervals else "text"
    if cells.categorical and not has_intervals:
        return "text"
    kind = kind_of_texts(values)
    return "text" if kind == "date" and given is not None else kind


def _values(cells: Vocabulary, given: Hierarchy | None) -> list[str]:
    """The values that cells show alone or in sets, without labels of the hierarchy."""
    labels = _inner_labels(given)
    values = [cells.texts[at] for at in cells.which(CellKind.VALUE).tolist()]
    values += [member for member in cells.members() if member is not None]
    return [value for value in values if value not in labels]


def _inner_labels(given: Hierarchy | None) -> frozenset[str]:
    """The labels of a taxonomy that are not values."""
    if not isinstance(given, Taxonomy):
        return frozenset()
    return frozenset(given.tree.labels[node] for node in set(given.tree.parent) if node >= 0)


@dataclass(frozen=True, eq=False)
class _Observed:
    """The known values of a column, each with a weight, and its intervals."""

    weights: dict[str, float]
    numbers: dict[float, float]
    intervals: list[Interval]
    parts: list[Interval]
    has_missing: bool
    counted: bool
    """Whether proportions reveal the values and their frequencies."""

    @classmethod
    def of(cls, cells: Vocabulary, kind: Kind, spread: Spread | None, parts: Sequence[str], reach: Reach) -> _Observed:
        weights = _weights(cells, kind, spread)
        read = list(parts) if kind == "text" else [parse(part) for part in parts]
        for part in read:
            if isinstance(part, str) and part != MISSING_TEXT:
                weights.setdefault(part, 1.0)
        numbers: dict[float, float] = {}
        if kind == "number":
            for text, weight in weights.items():
                number = number_in(text, kind)
                if number is not None:
                    numbers[number] = numbers.get(number, 0.0) + weight
        divided = [reach.ended(part) for part in read if isinstance(part, Interval)]
        missing = _has_missing(cells, spread, parts)
        return cls(weights, numbers, cells.intervals(), divided, missing, spread is not None)


def _weights(cells: Vocabulary, kind: Kind, spread: Spread | None) -> dict[str, float]:
    """The weight of each value: the rows that publish it alone, or its frequency by the proportions."""
    weights: dict[str, float] = {}
    for at in cells.which(CellKind.VALUE).tolist():
        weights[cells.texts[at]] = weights.get(cells.texts[at], 0.0) + float(cells.rows[at])
    for member in cells.members():
        if member is not None:
            weights.setdefault(member, 1.0)
    if spread is None:
        return weights
    held = np.asarray(spread.matrix.sum(axis=0)).ravel()
    counted = dict(zip(spread.domain.labels.tolist(), held.tolist(), strict=False))
    # A published number may be the mean of a class; the proportions contain the original numbers.
    return counted if kind == "number" else weights | counted


def _has_missing(cells: Vocabulary, spread: Spread | None, parts: Sequence[str]) -> bool:
    published = (cells.kinds == CellKind.MISSING).any() or None in cells.members() or MISSING_TEXT in parts
    return bool(published or (spread is not None and spread.domain.has_missing))


def _fit_numbers(
    name: str,
    observed: _Observed,
    given: Hierarchy | None,
    intact: EncodedHierarchy | None,
    unknown: Unknown,
    singles: bool,
) -> Column:
    clamped = intact is None and given is None
    if intact is not None:
        domain, hierarchy = _number_domain(name, observed, ()), intact
    elif given is not None:
        domain, hierarchy = _encoded(given, _number_domain(name, observed, _held_ends(observed)), unknown)
    else:
        domain, given = _automatic_numbers(name, observed)
        hierarchy = given.encode(domain)
    by_ends = hierarchy.low is not None
    nodes, into = nodes_of_hierarchy(hierarchy, hide_leaves=by_ends or not singles, with_missing=observed.has_missing)
    places = _places(hierarchy, into, with_leaves=not by_ends)
    if by_ends:
        known = np.array(sorted(observed.numbers), dtype=np.float64)
        if singles:
            # Not the leaves of the hierarchy: see below, and ends of intervals need not be numbers of the column.
            nodes, moved = nodes.with_numbers(known)
            places = {label: int(moved[node]) for label, node in places.items()}
        known_node = nodes.around(known)
        known, known_node = known[known_node >= 0], known_node[known_node >= 0]
        nodes = replace(nodes, own=_own_numbers(nodes, known_node))
        # Its leaves may be the original numbers of a release, which are not used here.
        return Column(name, "number", nodes, places, domain, None, into[:0], None, clamped, known, known_node)
    return _column_by_leaves(Column(name, "number", nodes, places, domain, hierarchy, into, given, clamped))


def _column_by_leaves(column: Column) -> Column:
    """A column of numbers whose hierarchy names them, with the known numbers and their nodes."""
    hierarchy, into = required(column.hierarchy, "the hierarchy of a column"), column.into
    node_of = {number_in(hierarchy.labels[leaf], "number"): int(into[leaf]) for leaf in hierarchy.leaves}
    known = np.array(sorted(number for number in node_of if number is not None), dtype=np.float64)
    known_node = np.array([node_of[number] for number in known.tolist()], dtype=np.int64)
    # A tree may spell a number in another way than the table.
    as_numbers = {number_text(number): node for number, node in node_of.items() if number is not None}
    return replace(
        column,
        places=as_numbers | dict(column.places),
        known=known,
        known_node=known_node,
        leaves=leaves_below(hierarchy),
    )


def _held_ends(observed: _Observed) -> set[float]:
    """The ends that intervals contain. As values of the hierarchy, they ensure that it has a node for each interval."""
    pieces = (*observed.intervals, *observed.parts)
    return {piece.low for piece in pieces} | {piece.high for piece in pieces if piece.closed}


def _automatic_numbers(name: str, observed: _Observed) -> tuple[Domain, Hierarchy]:
    """The domain and the hierarchy of numbers if the caller passes none."""
    ends = {end for piece in (*observed.intervals, *observed.parts) for end in (piece.low, piece.high)}
    divided = {end for part in observed.parts for end in (part.low, part.high)}
    pieces = divided or (set() if observed.counted else ends)
    domain = _number_domain(name, observed, () if observed.counted else ends)
    few = 1 < len(pieces) <= _MOST_PIECES + 1
    return domain, _nested_pieces(pieces, domain.values) if few else automatic()


def _number_domain(name: str, observed: _Observed, ends: Iterable[float]) -> Domain:
    numbers = np.array(sorted({*observed.numbers, *ends}), dtype=np.float64)
    weights = [max(round(observed.numbers.get(number, 1.0)), 1) for number in numbers.tolist()]
    labels = np.array([number_text(number) for number in numbers.tolist()], dtype=np.str_)
    return Domain(name, "number", labels, numbers, records=np.array(weights, dtype=np.int64))


def _nested_pieces(ends: set[float], known: Floats) -> Hierarchy:
    """The pieces between the ends of intervals, joined in pairs, level by level."""
    beyond = {float(number) for number in known if not min(ends) <= number <= max(ends)}
    edges = sorted(ends | ({min(beyond), max(beyond)} if beyond else set()))
    levels = []
    wider = edges
    while len(wider) > 3:
        wider = wider[::2] if len(wider) % 2 else [*wider[::2], wider[-1]]
        levels.append(wider)
    return intervals(edges, levels=levels)


def _own_numbers(nodes: FeatureNodes, known_node: Longs) -> Floats:
    """The number of known numbers at each node; if none is known, the width of each finest interval."""
    low, high = nodes.spans
    own = np.bincount(known_node, minlength=len(nodes)).astype(np.float64)
    if not own.any():
        own = np.where(nodes.bottom, np.nan_to_num(high - low), 0.0)
    if nodes.missing >= 0:
        own[nodes.missing] = 1.0
    return own


def _fit_labels(
    name: str, kind: Kind, observed: _Observed, given: Hierarchy | None, unknown: Unknown, singles: bool
) -> Column:
    """Fit a column of text or dates."""
    labels = _inner_labels(given)
    values = [text for text in observed.weights if text not in labels]
    stand_ins: set[str] = set()
    if kind == "date":
        values, stand_ins = _days(values)
    domain = _label_domain(name, kind, [*values, *stand_ins])
    chosen = given if given is not None else (automatic() if kind == "date" else flat())
    domain, hierarchy = _encoded(chosen, domain, unknown)
    only_labels = stand_ins
    if not isinstance(given, Taxonomy):
        only_labels = stand_ins | (set(values) & _inner_labels_of(hierarchy))
    nodes, into = nodes_of_hierarchy(
        hierarchy,
        hide_leaves=True if kind == "date" and not singles else frozenset(stand_ins),
        with_missing=observed.has_missing,
        labels_only=frozenset(only_labels),
    )
    column = Column(name, kind, nodes, _places(hierarchy, into), domain, hierarchy, into, chosen, clamped=False)
    column = replace(column, leaves=_without(leaves_below(hierarchy), only_labels))
    if domain.numbers is None:
        return column
    real = np.array([label not in stand_ins for label in domain.labels.tolist()], dtype=bool)
    return replace(column, known=domain.numbers[real], known_node=into[hierarchy.leaf_of[: len(real)][real]])


def _inner_labels_of(hierarchy: EncodedHierarchy) -> set[str | None]:
    return {hierarchy.labels[node] for node in np.flatnonzero(hierarchy.level > 0).tolist()}


def _days(values: list[str]) -> tuple[list[str], set[str]]:
    """The days among some dates and labels of the calendar, and a further day below each label, so it has a node."""
    stand_ins = {day for text in values if (day := _day_of(text)) is not None} - set(values)
    return [text for text in values if days_of(text) is not None], stand_ins


def _label_domain(name: str, kind: Kind, values: list[str]) -> Domain:
    if kind == "text":
        return Domain(name, "text", np.array(sorted(values), dtype=np.str_))
    domain = domain_of(name, values)
    return domain if len(domain.labels) else Domain(name, "date", domain.labels, np.empty(0))


def _without(leaves: Leaves, labels: set[str]) -> Leaves:
    """The values below each label, without leaves that are only labels."""
    real = {label: tuple(value for value in below if value not in labels) for label, below in leaves.items()}
    return {label: below for label, below in real.items() if below}


def _day_of(label: str) -> str | None:
    """The first day of a period that a label of the calendar names.

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
    """The node of each label; an interval also under its spelling with the other kind of upper end."""
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
    """Count the rows that publish each value alone."""
    values, rows = cells.which(CellKind.VALUE), cells.rows
    texts = [cells.texts[at] for at in values.tolist()]
    alone = np.zeros(len(column.nodes))
    nodes, _ = column.place(texts, cells.numbers[values], "ancestor")
    # A label that covers several values is not counted.
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
