"""The rehearsal of a release: what would a learner know that has only what is told?

The proportions of a candidate are pooled as they would be published, rows are drawn from them, and a booster learns
from these. What it says of the original tuples is held against the teacher, who has not seen them: of labels how often
it would be right if the teacher's probabilities were true, of numbers the squared difference. No row is held back for
that, and no label is compared with one that it was learnt from.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.anonymizers.partition.hedging.teaching import Lesson, Table, boosting, readable
from hedgerow.arrays import Floats, Ints, Longs
from hedgerow.counts import FrequencyTable
from hedgerow.errors import required
from hedgerow.proportions import Lifts, Proportions, Spread, count_labels, count_proportions, tilted
from hedgerow.proportions.dealing import LabelledRows, deal_values, rows_by_class
from hedgerow.proportions.lifting import proportions_to_publish
from hedgerow.recoding import Recoding

__all__ = ["Rehearsal"]

# A candidate is known well enough by so many rows.
_MOST_ROWS: Final = 60_000
_DAY: Final = 86_400e6  # microseconds


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """Judges candidates for a release.

    Attributes
    ----------
    counts : FrequencyTable
    table : Table
    lesson : Lesson
    support : int
        Of how many people each published share is at least.
    seed : int
    """

    counts: FrequencyTable
    table: Table
    lesson: Lesson
    support: int
    seed: int

    def told(self, recoding: Recoding) -> Proportions:
        """What would be published beside the table."""
        # What groups publish is at hand: an empty text there is a value, and not what a file has for a missing one.
        recoding = replace(recoding, missing=())
        exact = count_proportions(self.counts, recoding)
        support = min(self.support, int(exact.sizes.sum()))
        return proportions_to_publish(exact, count_labels(self.counts, recoding), support)

    def score(self, recoding: Recoding) -> float:
        """What a learner would know of the original tuples; more is better."""
        rows, target = self._drawn(recoding)
        if self.table.labels and len(np.unique(target)) < 2:
            return 0.0
        first = np.searchsorted(self.counts.cell_tuple, np.arange(len(self.counts.tuples)))
        said = boosting(self.table, target, self.seed).fit(readable(rows), target).predict(self.table.rows[first])
        weights = self.counts.tuple_sizes / self.counts.rows
        if self.table.labels:
            return float(weights @ self.lesson.guess[np.arange(len(said)), said.astype(np.int64)])
        return -float(weights @ (said - self.lesson.guess[:, 0]) ** 2)

    def _drawn(self, recoding: Recoding) -> tuple[Floats, Longs | Floats]:
        """Rows as they would be redrawn, and their targets."""
        proportions = self.told(recoding)
        generator = np.random.default_rng(self.seed)
        pieces = required(recoding.pieces, "how the cells of a table go to groups")
        kept = np.flatnonzero(pieces.group >= 0)
        piece = np.repeat(kept, pieces.size[kept])
        if len(piece) > _MOST_ROWS:
            piece = np.sort(generator.permutation(piece)[:_MOST_ROWS])
        cells = pieces.cell[piece]
        rows = rows_by_class(_class_of_group(proportions, recoding)[pieces.group[piece]], proportions.sizes)
        labels = (
            None if proportions.lifts is None else self.codes_of_labels(proportions.lifts)[self.table.target[cells]]
        )
        columns = []
        for at, (name, own) in enumerate(zip(self.counts.quasi, generator.spawn(len(self.counts.quasi)), strict=True)):
            spread = self.spread(proportions, name)
            tilt = tilted(proportions, name, spread)
            labelled = None if tilt is None or labels is None else LabelledRows(tilt, labels)
            columns.append(self._read(at, *deal_values(spread, rows, 1, own, labelled)))
        return np.column_stack(columns), self.table.target[cells]

    def spread(self, proportions: Proportions, name: str) -> Spread:
        """The values that each class may hold in a column, as a reader with the hierarchies would see it."""
        hierarchy = self.counts.hierarchies.get(name)
        source = None if hierarchy is None or hierarchy.automatic else hierarchy.source
        column = proportions.column(name)
        labels = column.labels(source)
        return column.spread(labels.values_below, labels.listed)

    def codes_of_labels(self, lifts: Lifts) -> Longs:
        """Which label of some lifts each of ours is, -1 if none."""
        domain = self.counts.domains[lifts.target]
        texts = np.array([None] * self.table.labels, dtype=object)
        known = self.table.label_of_code >= 0
        texts[self.table.label_of_code[known]] = np.array([*domain.labels, *[None] * domain.has_missing], object)[known]
        return lifts.codes_of(tuple(texts.tolist()))

    def placed(self, recoding: Recoding, proportions: Proportions, most: int) -> tuple[Ints, Longs]:
        """At most so many cells, chosen at random, and the class of each."""
        pieces = required(recoding.pieces, "how the cells of a table go to groups")
        some = np.flatnonzero(pieces.group >= 0)
        if len(some) > most:
            some = np.sort(np.random.default_rng(self.seed).permutation(some)[:most])
        return pieces.cell[some], _class_of_group(proportions, recoding)[pieces.group[some]]

    def label_counts(self, recoding: Recoding, proportions: Proportions) -> Floats:
        """How many records of each class have each label."""
        pieces = required(recoding.pieces, "how the cells of a table go to groups")
        kept = pieces.group >= 0
        of_class = _class_of_group(proportions, recoding)[pieces.group[kept]]
        labels = self.table.target[pieces.cell[kept]].astype(np.int64)
        shape = len(proportions.sizes), self.table.labels
        key = of_class * shape[1] + labels
        return np.bincount(key, pieces.size[kept], shape[0] * shape[1]).reshape(shape).astype(np.float64)

    def _read(self, at: int, values: pa.Array, codes: Longs) -> Floats:
        """Drawn values as learners read them."""
        domain, known = self.counts.domains[self.counts.quasi[at]], self.table.values[at]
        if domain.kind == "text":
            read = {label: known[code] for code, label in enumerate(domain.labels.tolist())}
            return np.array([read.get(value, np.nan) for value in values.to_pylist()])[codes]
        if pa.types.is_date(values.type):
            numbers = values.cast(pa.int32()).cast(pa.float64())
        elif pa.types.is_timestamp(values.type):
            numbers = pc.divide(values.cast(pa.int64()).cast(pa.float64(), safe=False), _DAY)
        else:
            numbers = values.cast(pa.float64(), safe=False)
        return domain.positions_of(numbers.to_numpy(zero_copy_only=False))[codes]


def _class_of_group(proportions: Proportions, recoding: Recoding) -> Longs:
    """The class that each group is of: groups that publish the same are one."""
    texts = {
        name: pa.array([column.texts[value] for value in recoding.groups[:, at].tolist()], pa.string())
        for at, (name, column) in enumerate(zip(recoding.quasi, recoding.columns, strict=True))
    }
    return proportions.classes_of(nw.from_native(pa.table(texts), eager_only=True))
