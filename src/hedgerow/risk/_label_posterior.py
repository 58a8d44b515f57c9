"""What a release tells of the label of a person whose quasi-identifiers are known.

Let x be the person's original values, and c run over the published classes. A reader who believes that the person is in
the table, and takes the columns of a class for independent, knows

    P(y | x) = Σ_c n(c, y) Π_j s_j(x_j | c, y)  /  Σ_c Σ_z n(c, z) Π_j s_j(x_j | c, z)

where n(c, y) people of the class have the label y, and s_j is the share of them that holds the value in column j
(:mod:`hedgerow.risk.likelihoods` says what is known of it); it is that of the whole class where nothing is told by
label. A class *matches* if no s_j is 0. If none does, the person
is not in the table. Then all that is known is the prior, how frequent the labels are in the whole release; or people
like this one are asked about: those of the classes that fit in the most columns, each class by its size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgerow._internal.arrays import Floats, Longs
from hedgerow.core.cells import leaves_below, spelled
from hedgerow.core.counts import FrequencyTable, tabulate
from hedgerow.core.proportions import Proportions
from hedgerow.core.recoding import Recoding
from hedgerow.errors import BadInput, required
from hedgerow.risk.likelihoods import (
    Covering,
    KnownColumn,
    Labels,
    Likelihood,
    Told,
    cells_of_column,
    cells_of_texts,
    known_of_column,
)

__all__ = ["LabelPosterior", "Posterior", "PublishedClasses", "label_posterior"]

_PAIRS: Final = 2**24
"""So many pairs of a person and a class are looked at together."""


@dataclass(frozen=True, eq=False)
class Posterior:
    """What is known of the labels of some people.

    Attributes
    ----------
    probabilities : float array (people, labels)
        Each row adds up to 1.
    matching : int array (people,)
        How many classes each of them matches; 0 for people who cannot be in the table.
    """

    probabilities: Floats
    matching: Longs


@dataclass(frozen=True, eq=False)
class PublishedClasses:
    """The classes of a release, as everybody can count them.

    Attributes
    ----------
    texts : tuple of tuples of str or None
        What each quasi-identifier publishes, each value once; ``None`` is an empty cell.
    codes : int array (classes, quasi-identifiers)
        Which of them each class publishes.
    people : int array (classes, labels)
        How many people of each class have each label.
    labels : Labels, optional
        The column of the labels and its values; without them nothing is read that is told by label.
    """

    texts: tuple[tuple[str | None, ...], ...]
    codes: NDArray[np.integer[Any]]
    people: Longs
    labels: Labels | None = None


@dataclass(frozen=True, eq=False)
class LabelPosterior:
    """Tells the labels of people by what a release publishes.

    Attributes
    ----------
    columns : tuple of Likelihood
        One for each quasi-identifier.
    people : int array (classes, labels)
        How many people of each class have each label.

    Examples
    --------
    >>> from hedgerow.io.domains import Domain
    >>> town = Domain("town", "text", np.array(["Bonn", "Kiel", "Ulm"]))
    >>> published = PublishedClasses((("{Bonn|Ulm}", "*"),), np.array([[0], [1]]), np.array([[3, 1], [0, 6]]))
    >>> posterior = LabelPosterior.of_classes(published, [KnownColumn(town, np.array([1, 1, 1]))])
    >>> told = posterior.of(np.array([[0], [1]]))
    >>> told.probabilities.tolist(), told.matching.tolist()
    ([[0.375, 0.625], [0.0, 1.0]], [2, 1])
    """

    columns: tuple[Likelihood, ...]
    people: Longs

    @classmethod
    def of_classes(
        cls, published: PublishedClasses, known: Sequence[KnownColumn], proportions: Proportions | None = None
    ) -> LabelPosterior:
        """Make it of published classes and, if there are any, of the proportions that are published with them.

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
            for at, (texts, one) in enumerate(zip(published.texts, known, strict=True)):
                cell = published.codes[:, at].astype(np.int64)
                columns.append(Covering.of(cells_of_texts(texts, one), cell, one.records))
            return cls(tuple(columns), published.people)
        for at, one in enumerate(known):
            columns.append(Told.of(proportions, at, one, published.labels))
        return cls(tuple(columns), _by_told_class(published, proportions))

    @property
    def _by_labels(self) -> bool:
        """Whether some column depends on the label."""
        nobody = np.empty(0, dtype=np.int64)
        return any(column.ratios(nobody, nobody) is not None for column in self.columns)

    @cached_property
    def prior(self) -> Floats:
        """How frequent the labels are in the whole release."""
        return np.asarray(self.people.sum(axis=0) / self.people.sum())

    def of(self, tuples: NDArray[np.integer[Any]], *, nearest: bool = False) -> Posterior:
        """The posterior of people with these values.

        Parameters
        ----------
        tuples : int array (people, quasi-identifiers)
            Codes of the domains that this was made for.
        nearest : bool
            Whether people who match no class have the labels of those classes that fit in the most columns, instead
            of the prior.

        Notes
        -----
        O(distinct tuples × classes) bits for each column, and O(pairs that match) for each column.
        """
        codes = [tuples[:, at].astype(np.int32) for at in range(len(self.columns))]
        distinct, index = tabulate(codes, [len(column.point) for column in self.columns], len(tuples))
        points = np.stack([column.point[distinct[:, at]] for at, column in enumerate(self.columns)])
        step = max(1, _PAIRS // (self.people.size if self._by_labels else len(self.people)))
        parts = [self._of_points(points[:, start : start + step]) for start in range(0, max(len(distinct), 1), step)]
        probabilities = np.concatenate([one.probabilities for one in parts])
        matching = np.concatenate([one.matching for one in parts])
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
    """What the release that a recoding makes would tell of the labels of people; no row is needed.

    For methods that check themselves before anything is published: fit on some of the records, ask about these and
    about others, and compare how often the most probable label is right (:meth:`hedgerow.risk.Risk.excess`).

    Parameters
    ----------
    counts : FrequencyTable
        The records that are published.
    recoding : Recoding
        Which groups they go to, and what these publish; it has pieces.
    tuples : int array (people, quasi-identifiers)
        The people who are asked about, by their codes in ``counts.domains``. They need not be in ``counts.tuples``.
    proportions : Proportions, optional
        What is published with the table, its pooled proportions.
    target : str, optional
        Another target or sensitive column than the target of the schema.
    nearest : bool
        What is told of people who match no class: see :meth:`LabelPosterior.of`. Say ``True`` to compare with people
        who are not in the table: few of them match small classes, and the prior would make them a weak control.

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
        raise BadInput("The table has no target. Name the column whose labels are to be told.")
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
            columns.append(Told.of(proportions, at, known, published.labels))
    people = published.people if proportions is None else _by_told_class(published, proportions)
    return LabelPosterior(tuple(columns), people).of(tuples, nearest=nearest)


def _by_told_class(published: PublishedClasses, proportions: Proportions) -> Longs:
    """The people of each class with each label, in the order in which the proportions have the classes."""
    codes = []
    for at, (column, texts) in enumerate(zip(proportions.columns, published.texts, strict=True)):
        code = [column.code_of_text.get(spelled(text, column.kind), -1) for text in texts]
        codes.append(np.array(code, dtype=np.int64)[published.codes[:, at]])
    told = np.stack([column.published for column in proportions.columns], axis=1)
    place = {tuple(one): at for at, one in enumerate(told.tolist())}
    found = [place.get(tuple(one), -1) for one in np.stack(codes, axis=1).tolist()]
    if sorted(found) != list(range(len(told))):
        raise BadInput("The proportions speak of other classes than the table. Give those that were published with it.")
    people = np.empty_like(published.people)
    people[found] = published.people
    return people


def _published(counts: FrequencyTable, recoding: Recoding, target: str) -> PublishedClasses:
    """The classes that the groups of a recoding are; where people are counted, each counts where they are at home."""
    pieces = required(recoding.pieces, "how the cells of a table go to groups")
    kept = pieces.group >= 0
    if counts.is_representative is not None:
        kept &= counts.is_representative[pieces.cell]
    held, held_of_piece = np.unique(pieces.group[kept], return_inverse=True)
    texts, codes = [], []
    for at, column in enumerate(recoding.columns):
        used, index = np.unique(recoding.groups[held, at], return_inverse=True)
        said = [spelled(column.texts[value], column.domain.kind) for value in used.tolist()]
        code_of = {text: code for code, text in enumerate(dict.fromkeys(said))}
        texts.append(tuple(code_of))
        codes.append(np.array([code_of[text] for text in said], dtype=np.int32)[index])
    classes, class_of_held = tabulate(codes, [len(one) for one in texts], len(held))
    labels = counts.domains[target].size
    label = counts.values_of(target)[pieces.cell[kept]]
    key = class_of_held.astype(np.int64)[held_of_piece] * labels + label
    people = np.bincount(key, pieces.size[kept], len(classes) * labels).astype(np.int64).reshape(-1, labels)
    domain = counts.domains[target]
    names = Labels(target, (*domain.labels.tolist(), *[None] * domain.has_missing))
    return PublishedClasses(tuple(texts), classes, people, names)
