"""The probability of an original value in each class of a release, column by column.

If the release publishes proportions, it follows from them: the share of the bin is divided among its values as far as
the published cell allows (:meth:`hedgerow.core.proportions.ColumnProportions.spread`). A number that stands for a whole
group, such as a median, reveals nothing beyond the bins. Without proportions, it is the share of the value among the
known people whose values the cell may stand for. Proportions by label (:mod:`hedgerow.core.proportions._margins`) make
a value more or less probable for the people of a class who have the label, as they do when rows are drawn.

Only ratios between classes matter. Factors that are the same in all classes, such as how many numbers a piece of a
range holds, are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hedgerow._internal.arrays import Bools, Floats, Longs
from hedgerow.core.cells import (
    Interval,
    Leaves,
    Possible,
    PublishedColumn,
    Suppressed,
    leaves_below,
    number_in,
    read,
    spelled,
    stands_for,
)
from hedgerow.core.counts import FrequencyTable, tabulate
from hedgerow.core.proportions import ColumnProportions, Proportions, Tilt, tilted
from hedgerow.core.recoding import Recoding
from hedgerow.errors import BadInput, required
from hedgerow.io.domains import Domain
from hedgerow.io.values import SUPPRESSED_TEXT

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = [
    "KnownColumn",
    "LabelPosterior",
    "Labels",
    "Posterior",
    "PublishedClasses",
    "PublishedShares",
    "cells_of_column",
    "cells_of_texts",
    "label_posterior",
]

Bits: TypeAlias = NDArray[np.uint8]

_CELLS: Final = 2**24
"""The number of pairs of a class and a value, or a person, in memory at a time."""


class Likelihood(Protocol):
    """The probability of the values of a column in the classes."""

    @property
    def point(self) -> Longs:
        """The point that each original value counts as; -1 if no class may hold it."""

    @property
    def bits(self) -> Bits:
        """Which classes may hold each point, eight in a byte; the last row is for -1."""

    def logarithms(self, classes: Longs, points: Longs) -> Floats:
        """The logarithms of the shares of points in classes that may hold them."""

    def ratios(self, classes: Longs, points: Longs) -> Floats | None:
        """What each label adds to these logarithms, (pairs, labels); ``None`` if they do not depend on the label."""


class Labels(NamedTuple):
    """The labels in question: their column, and its values as text."""

    target: str
    texts: tuple[str | None, ...]


@dataclass(frozen=True, eq=False)
class KnownColumn:
    """A quasi-identifier as an attacker knows it from other sources.

    Attributes
    ----------
    domain : Domain
        The original values of the people in question. Tuples are codes of these values.
    records : int array (domain.size,)
        The number of people who hold each value; used if the release publishes no proportions.
    below : mapping of label to values
        The values that the labels of its hierarchy stand for.
    vague : frozenset of str or None
        Published texts that may stand for any value, also a missing value: the root of its hierarchy, numbers that
        stand for a whole group, and ``None`` if empty cells are suppressed.
    """

    domain: Domain
    records: Longs
    below: Leaves = field(default_factory=dict)
    vague: frozenset[str | None] = frozenset()


@dataclass(frozen=True, eq=False)
class PublishedShares:
    """A column with published proportions.

    Attributes
    ----------
    point : int array
        The point that each original value counts as.
    shares : sparse array (classes, points)
    pool : int array (points,)
        The pool of each point.
    tilt : Tilt, optional
        How values depend on the label.
    labels : int array (labels,), optional
        For each label in question, the label of the tilt; -1 if it has none.
    """

    point: Longs
    shares: csr_array
    pool: Longs
    tilt: Tilt | None = None
    labels: Longs | None = None

    @classmethod
    def of(cls, proportions: Proportions, at: int, known: KnownColumn, asked: Labels | None = None) -> PublishedShares:
        """Make it of proportions.

        Parameters
        ----------
        proportions : Proportions
        at : int
            The position of the column.
        known : KnownColumn
        asked : Labels, optional
        """
        from scipy.sparse import csr_array

        column, sizes, lifts = proportions.columns[at], proportions.sizes, proportions.lifts
        # A range has a few points. A label of numbers that is not an interval would keep too few: the bin is used.
        hidden, below = (known.vague, known.below) if column.kind == "text" else (known.vague.union(known.below), {})
        # An attacker knows the values that may occur, also values that no pool names.
        possible: list[str | None] = [*known.domain.labels.tolist()] if column.kind == "text" else []
        spread = _by_bins(column, hidden).spread(below, [*possible, *[None] * known.domain.has_missing])
        people = csr_array(spread.matrix)
        shares = people.data / np.repeat(sizes, np.diff(people.indptr))
        # A share that is too small for a float is dropped.
        held = csr_array((shares, people.indices, people.indptr), shape=people.shape)
        held.eliminate_zeros()
        tilt = labels = None
        if lifts is not None and asked is not None and asked.target == lifts.target:
            tilt, labels = tilted(proportions, column.name, spread), lifts.codes_of(asked.texts)
        return cls(spread.codes_of(known.domain), held, spread.pool, tilt, labels)

    @cached_property
    def bits(self) -> Bits:
        by_point = self.shares.T.tocsr()
        points, classes = by_point.shape
        step = max(1, _CELLS // classes)
        parts = (by_point[start : start + step].toarray() > 0 for start in range(0, points, step))
        return _packed(parts, classes)

    def logarithms(self, classes: Longs, points: Longs) -> Floats:
        if not len(classes):
            return np.empty(0)
        shares: Floats = np.asarray(self.shares[classes, points]).ravel()
        return np.log(shares)

    def ratios(self, classes: Longs, points: Longs) -> Floats | None:
        if self.tilt is None or self.labels is None:
            return None
        pools = self.pool[points]
        return np.stack([self.tilt.log_ratios(classes, pools, label) for label in self.labels.tolist()], axis=1)


@dataclass(frozen=True, eq=False)
class Covering:
    """A column of which only the published cells are known. All values that a cell may stand for have one ratio."""

    point: Longs
    bits: Bits
    logarithm: Floats

    @classmethod
    def of(cls, covers: Bools, cell_of_class: Longs, records: Longs) -> Covering:
        """Make it of cells.

        Parameters
        ----------
        covers : bool array (cells, values)
            Which values each published cell may stand for.
        cell_of_class : int array (classes,)
        records : int array (values,)
            The number of known people who hold each value.
        """
        # A cell that no known person fits is never needed.
        people = np.maximum(covers @ records.astype(np.float64), 1.0)
        classes, values = len(cell_of_class), covers.shape[1]
        step = max(1, _CELLS // classes)
        parts = (covers[:, start : start + step].T[:, cell_of_class] for start in range(0, values, step))
        return cls(np.arange(values, dtype=np.int64), _packed(parts, classes), -np.log(people)[cell_of_class])

    def logarithms(self, classes: Longs, points: Longs) -> Floats:  # noqa: ARG002 - the same for all points
        return self.logarithm[classes]

    def ratios(self, classes: Longs, points: Longs) -> Floats | None:  # noqa: ARG002 - cells do not depend on labels
        return None


def cells_of_texts(texts: Sequence[str | None], known: KnownColumn) -> Bools:
    """Which values each published cell may stand for, (cells, values).

    Examples
    --------
    >>> age = Domain("age", "number", np.array(["20", "25", "30"]), np.array([20.0, 25, 30]))
    >>> cells_of_texts(["[20,30)", "{25|30}", "*", "20"], KnownColumn(age, np.ones(3, dtype=np.int64))).astype(int)
    array([[1, 1, 0],
           [0, 1, 1],
           [1, 1, 1],
           [1, 0, 0]])
    """
    domain = known.domain
    labels: list[str | None] = [*domain.labels.tolist(), *[None] * domain.has_missing]
    code_of = {label: code for code, label in enumerate(labels)}
    covers = np.zeros((len(texts), domain.size), dtype=bool)
    for at, text in enumerate(texts):
        possible = stands_for(read(text, domain.kind, known.below))
        if isinstance(possible, Suppressed) or text in known.vague or _is_strange(possible, known):
            covers[at] = True
        elif isinstance(possible, Interval):
            numbers = required(domain.numbers, "the numbers of a column of intervals")
            end = np.searchsorted(numbers, possible.high, "right" if possible.closed else "left")
            covers[at, np.searchsorted(numbers, possible.low) : end] = True
        else:
            covers[at, [code for value in possible if (code := code_of.get(value)) is not None]] = True
    return covers


def _is_strange(possible: Possible, known: KnownColumn) -> bool:
    """Whether a cell of a column of numbers or dates is neither, such as a label that nothing explains."""
    if known.domain.kind == "text" or isinstance(possible, Interval | Suppressed):
        return False
    return any(value is not None and number_in(value, known.domain.kind) is None for value in possible)


def cells_of_column(column: PublishedColumn, texts: Sequence[str | None]) -> Bools:
    """The same for a column that knows what its cells cover. A number that stands for a group may be any value."""
    covers = np.zeros((len(texts), column.domain.size), dtype=bool)
    place = {text: at for at, text in enumerate(texts)}
    for value, (text, kind) in enumerate(zip(column.texts, column.kinds, strict=True)):
        at = place.get(spelled(text, column.domain.kind))
        if at is not None and kind == "number":
            covers[at] = True
        elif at is not None:
            covers[at, column.covered.codes(value)] = True
    return covers


def known_of_column(column: PublishedColumn, records: Longs) -> KnownColumn:
    """A column as its publisher knows it. A label below which values may be missing is the root."""
    domain = column.domain
    labels: list[str] = domain.labels.tolist()
    below: dict[str, tuple[str, ...]] = {}
    vague: set[str | None] = set()
    with_missing = (column.covered.sizes > 0) & (column.covered.highest == domain.missing_code)
    for value, (text, kind) in enumerate(zip(column.texts, column.kinds, strict=True)):
        if text is not None and kind == "label" and not isinstance(read(text, domain.kind), Interval):
            below[text] = tuple(labels[code] for code in column.covered.codes(value).tolist() if code < len(labels))
        if kind in ("number", "suppressed") or (kind == "label" and with_missing[value]):
            vague.add(text)
    return KnownColumn(domain, records, below, frozenset(vague))


def _packed(parts: Iterable[Bools], classes: int) -> Bits:
    nobody = np.zeros((1, -(-classes // 8)), dtype=np.uint8)
    return np.concatenate([*(np.packbits(part, axis=1) for part in parts), nobody])


def _by_bins(column: ColumnProportions, vague: frozenset[str | None]) -> ColumnProportions:
    """The column without its published numbers, because in a bin of several values a number stands for a group."""
    hidden = (text in vague or number_in(text, column.kind) is not None for text in column.texts)
    texts = (SUPPRESSED_TEXT if hides else text for hides, text in zip(hidden, column.texts, strict=True))
    return replace(column, texts=tuple(texts))


# --------------------------------------------------------------------------------------------------
# What a release reveals about the label of a person whose quasi-identifiers are known.
#
# Let x be the person's original values, and c run over the published classes. An attacker who believes that the person
# is in the table, and assumes that the columns of a class are independent, knows
#
#     P(y | x) = Σ_c n(c, y) Π_j s_j(x_j | c, y)  /  Σ_c Σ_z n(c, z) Π_j s_j(x_j | c, z)
#
# where n(c, y) people of the class have the label y, and s_j is the share of them that holds the value in column j.
# Without proportions by label, it is the share in the whole class. A class *matches* if no s_j is 0. If none matches,
# the person is not in the table. Then only the prior is known, the frequency of the labels in the whole release.
# Instead of it, one may ask for people like this person: those of the classes that fit in the most columns, each class
# by its size.


@dataclass(frozen=True, eq=False)
class Posterior:
    """The probabilities of the labels of some people.

    Attributes
    ----------
    probabilities : float array (people, labels)
        Each row adds up to 1.
    matching : int array (people,)
        The number of classes that each of them matches; 0 for people who cannot be in the table.
    """

    probabilities: Floats
    matching: Longs


@dataclass(frozen=True, eq=False)
class PublishedClasses:
    """The classes of a release, as everybody can count them.

    Attributes
    ----------
    texts : tuple of tuples of str or None
        The texts that each quasi-identifier publishes, each once; ``None`` is an empty cell.
    codes : int array (classes, quasi-identifiers)
        The text that each class publishes.
    people : int array (classes, labels)
        The number of people of each class with each label.
    labels : Labels, optional
        The column of the labels and its values. Without them, proportions by label are not used.
    """

    texts: tuple[tuple[str | None, ...], ...]
    codes: NDArray[np.integer[Any]]
    people: Longs
    labels: Labels | None = None


@dataclass(frozen=True, eq=False)
class LabelPosterior:
    """Predicts the labels of people from what a release publishes.

    Attributes
    ----------
    columns : tuple of Likelihood
        One for each quasi-identifier.
    people : int array (classes, labels)
        The number of people of each class with each label.

    Examples
    --------
    >>> from hedgerow.io.domains import Domain
    >>> town = Domain("town", "text", np.array(["Bonn", "Kiel", "Ulm"]))
    >>> published = PublishedClasses((("{Bonn|Ulm}", "*"),), np.array([[0], [1]]), np.array([[3, 1], [0, 6]]))
    >>> posterior = LabelPosterior.of_classes(published, [KnownColumn(town, np.array([1, 1, 1]))])
    >>> labels = posterior.of(np.array([[0], [1]]))
    >>> labels.probabilities.tolist(), labels.matching.tolist()
    ([[0.375, 0.625], [0.0, 1.0]], [2, 1])
    """

    columns: tuple[Likelihood, ...]
    people: Longs

    @classmethod
    def of_classes(
        cls, published: PublishedClasses, known: Sequence[KnownColumn], proportions: Proportions | None = None
    ) -> LabelPosterior:
        """Use published classes and the proportions published with them, if there are any.

        Parameters
        ----------
        published : PublishedClasses
        known : sequence of KnownColumn
            One for each quasi-identifier; :meth:`of` takes codes of their domains.
        proportions : Proportions, optional
            Of these very classes.
        """
        columns: list[Likelihood] = []
        if proportions is None:
            for at, (texts, column) in enumerate(zip(published.texts, known, strict=True)):
                cell = published.codes[:, at].astype(np.int64)
                columns.append(Covering.of(cells_of_texts(texts, column), cell, column.records))
            return cls(tuple(columns), published.people)
        for at, column in enumerate(known):
            columns.append(PublishedShares.of(proportions, at, column, published.labels))
        return cls(tuple(columns), _in_order_of_proportions(published, proportions))

    @property
    def _by_labels(self) -> bool:
        """Whether some column depends on the label."""
        nobody = np.empty(0, dtype=np.int64)
        return any(column.ratios(nobody, nobody) is not None for column in self.columns)

    @cached_property
    def prior(self) -> Floats:
        """The frequency of the labels in the whole release."""
        return np.asarray(self.people.sum(axis=0) / self.people.sum())

    def of(self, tuples: NDArray[np.integer[Any]], *, nearest: bool = False) -> Posterior:
        """The posterior of people with these values.

        Parameters
        ----------
        tuples : int array (people, quasi-identifiers)
            Codes of the domains of the known columns.
        nearest : bool
            Whether people who match no class get the labels of the classes that fit in the most columns, instead of the
            prior.

        Notes
        -----
        O(distinct tuples × classes) bits for each column, and O(pairs that match) for each column.
        """
        codes = [tuples[:, at].astype(np.int32) for at in range(len(self.columns))]
        distinct, index = tabulate(codes, [len(column.point) for column in self.columns], len(tuples))
        points = np.stack([column.point[distinct[:, at]] for at, column in enumerate(self.columns)])
        step = max(1, _CELLS // (self.people.size if self._by_labels else len(self.people)))
        parts = [self._of_points(points[:, start : start + step]) for start in range(0, max(len(distinct), 1), step)]
        probabilities = np.concatenate([part.probabilities for part in parts])
        matching = np.concatenate([part.matching for part in parts])
        strangers = np.flatnonzero(matching == 0)
        if nearest:
            for start in range(0, len(strangers), step):
                some = strangers[start : start + step]
                probabilities[some] = self._of_nearest(points[:, some])
        return Posterior(probabilities[index], matching[index])

    def _of_points(self, points: Longs) -> Posterior:
        """The posterior of distinct tuples, (columns, tuples)."""
        from scipy.sparse import csr_array

        bits = self.columns[0].bits[points[0]]
        for column, own in zip(self.columns[1:], points[1:], strict=True):
            bits &= column.bits[own]
        tuples, classes = points.shape[1], len(self.people)
        asked, matched = np.nonzero(np.unpackbits(bits, axis=1, count=classes))
        matching = np.bincount(asked, minlength=tuples)
        weight = np.zeros(len(asked))
        for column, own in zip(self.columns, points, strict=True):
            weight += column.logarithms(matched, own[asked])
        by_label = self._by_label(matched, points[:, asked])
        probabilities = np.tile(self.prior, (tuples, 1))
        some = np.flatnonzero(matching)
        if len(some):
            begin = (np.cumsum(matching) - matching)[some]
            # The largest weight of each tuple becomes 1, so that a product of many shares does not vanish.
            if by_label is None:
                highest = np.maximum.reduceat(weight, begin)
                weight = np.exp(weight - np.repeat(highest, matching[some]))
                people = (csr_array((weight, (asked, matched)), shape=(tuples, classes)) @ self.people)[some]
            else:
                by_label += weight[:, None]
                highest = np.maximum.reduceat(by_label.max(axis=1), begin)
                by_label = np.exp(by_label - np.repeat(highest, matching[some])[:, None])
                people = np.add.reduceat(by_label * self.people[matched], begin, axis=0)
            probabilities[some] = people / people.sum(axis=1, keepdims=True)
        return Posterior(probabilities, matching)

    def _by_label(self, classes: Longs, points: Longs) -> Floats | None:
        """What each label adds to the weight of tuples in classes, (pairs, labels); -inf if nobody there has it."""
        together: Floats | None = None
        for column, own in zip(self.columns, points, strict=True):
            ratios = column.ratios(classes, own)
            if ratios is not None:
                together = ratios if together is None else together + ratios
        return None if together is None else np.where(self.people[classes] > 0, together, -np.inf)

    def _of_nearest(self, points: Longs) -> Floats:
        """The labels of the classes that fit each tuple in the most columns, (columns, tuples)."""
        classes = len(self.people)
        fitting = np.zeros((points.shape[1], classes), dtype=np.int16)
        for column, own in zip(self.columns, points, strict=True):
            fitting += np.unpackbits(column.bits[own], axis=1, count=classes)
        people = (fitting == fitting.max(axis=1, keepdims=True)) @ self.people.astype(np.float64)
        return np.asarray(people / people.sum(axis=1, keepdims=True))


def label_posterior(
    counts: FrequencyTable,
    recoding: Recoding,
    tuples: NDArray[np.integer[Any]],
    proportions: Proportions | None = None,
    target: str | None = None,
    *,
    nearest: bool = False,
) -> Posterior:
    """What the release that a recoding makes would reveal about the labels of people. No row is needed.

    It serves methods that check themselves before anything is published: fit on some of the records, predict the labels
    of these and of others, and compare how often the most probable label is right
    (:meth:`hedgerow.risk.Risk.excess`).

    Parameters
    ----------
    counts : FrequencyTable
        The records that are published.
    recoding : Recoding
        Their groups, and what these publish. It has pieces.
    tuples : int array (people, quasi-identifiers)
        The people in question, by their codes in ``counts.domains``. They need not be in ``counts.tuples``.
    proportions : Proportions, optional
        The pooled proportions published with the table.
    target : str, optional
        Another target or sensitive column than the target of the schema.
    nearest : bool
        How to treat people who match no class: see :meth:`LabelPosterior.of`. Use ``True`` to compare with people who
        are not in the table: few of them match small classes, and the prior would make them a weak control.

    Returns
    -------
    Posterior
        Its columns are the codes of the target in ``counts.domains``.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import hedgerow as hr
    >>> from hedgerow.engines import open_source
    >>> people = pa.table({"age": [20, 21, 22, 60, 61, 62], "ill": ["no", "no", "yes", "yes", "yes", "yes"]})
    >>> schema = hr.Schema(quasi=["age"], target="ill")
    >>> counts = open_source(people).count(schema, schema.resolve(people.column_names)).counts
    >>> recoding = hr.anonymize(people, schema, k=3).recoding
    >>> label_posterior(counts, recoding, counts.tuples).probabilities[:, 0].round(2).tolist()
    [0.67, 0.67, 0.67, 0.0, 0.0, 0.0]
    """
    target = counts.roles.target if target is None else target
    if target is None:
        raise BadInput("The table has no target. Name the column whose labels should be predicted.")
    published = _published(counts, recoding, target)
    columns: list[Likelihood] = []
    for at, column in enumerate(recoding.columns):
        records = counts.histogram(counts.quasi[at])
        if proportions is None:
            covers, cell = cells_of_column(column, published.texts[at]), published.codes[:, at].astype(np.int64)
            columns.append(Covering.of(covers, cell, records))
        else:
            known = known_of_column(column, records)
            hierarchy = counts.hierarchies.get(counts.quasi[at])
            if hierarchy is not None and not hierarchy.automatic and known.domain.kind == "text":
                # Pools may be nodes that no cell publishes.
                known = replace(known, below={**leaves_below(hierarchy), **known.below})
            columns.append(PublishedShares.of(proportions, at, known, published.labels))
    people = published.people if proportions is None else _in_order_of_proportions(published, proportions)
    return LabelPosterior(tuple(columns), people).of(tuples, nearest=nearest)


def _in_order_of_proportions(published: PublishedClasses, proportions: Proportions) -> Longs:
    """The people of each class with each label, in the order of the classes in the proportions."""
    codes = []
    for at, (column, texts) in enumerate(zip(proportions.columns, published.texts, strict=True)):
        code = [column.code_of_text.get(spelled(text, column.kind), -1) for text in texts]
        codes.append(np.array(code, dtype=np.int64)[published.codes[:, at]])
    published_codes = np.stack([column.published for column in proportions.columns], axis=1).tolist()
    place = {tuple(cells): at for at, cells in enumerate(published_codes)}
    places = [place.get(tuple(cells), -1) for cells in np.stack(codes, axis=1).tolist()]
    if sorted(places) != list(range(len(published_codes))):
        raise BadInput("The proportions describe other classes than the table. Give those that were published with it.")
    people = np.empty_like(published.people)
    people[places] = published.people
    return people


def _published(counts: FrequencyTable, recoding: Recoding, target: str) -> PublishedClasses:
    """The classes that the groups of a recoding form. A person counts where the representative record is."""
    pieces = required(recoding.pieces, "how the cells of a table go to groups")
    kept = pieces.group >= 0
    if counts.is_representative is not None:
        kept &= counts.is_representative[pieces.cell]
    held, held_of_piece = np.unique(pieces.group[kept], return_inverse=True)
    texts, codes = [], []
    for at, column in enumerate(recoding.columns):
        used, index = np.unique(recoding.groups[held, at], return_inverse=True)
        spellings = [spelled(column.texts[value], column.domain.kind) for value in used.tolist()]
        code_of = {text: code for code, text in enumerate(dict.fromkeys(spellings))}
        texts.append(tuple(code_of))
        codes.append(np.array([code_of[text] for text in spellings], dtype=np.int32)[index])
    classes, class_of_held = tabulate(codes, [len(column) for column in texts], len(held))
    labels = counts.domains[target].size
    label = counts.values_of(target)[pieces.cell[kept]]
    key = class_of_held.astype(np.int64)[held_of_piece] * labels + label
    people = np.bincount(key, pieces.size[kept], len(classes) * labels).astype(np.int64).reshape(-1, labels)
    domain = counts.domains[target]
    names = Labels(target, (*domain.labels.tolist(), *[None] * domain.has_missing))
    return PublishedClasses(tuple(texts), classes, people, names)
