"""The rehearsal of a release: what would a learner know that has only what is told?

The proportions of a candidate are pooled as they would be published, rows are drawn from them, and a booster learns
from these. What it says of the original tuples is held against the teacher, who has not seen them: of labels how often
it would be right if the teacher's probabilities were true, of numbers the squared difference. No row is held back for
that, and no label is compared with one that it was learnt from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.anonymizers.partition.hedging.teaching import Lesson, Table, boosting
from hedgerow.arrays import Floats, Longs
from hedgerow.counts import FrequencyTable
from hedgerow.errors import required
from hedgerow.proportions import Proportions, count_proportions
from hedgerow.proportions.dealing import deal_values, rows_by_class
from hedgerow.proportions.pooling import pool
from hedgerow.published import Leaves, published_labels
from hedgerow.recoding import Recoding

__all__ = ["Rehearsal"]

# A candidate is known well enough by so many rows.
_MOST_ROWS: Final = 40_000
_DAY: Final = 86_400e6  # microseconds


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """Judges candidates for a release."""

    counts: FrequencyTable
    table: Table
    lesson: Lesson
    support: int
    seed: int

    def told(self, recoding: Recoding) -> Proportions:
        """What would be published beside the table."""
        exact = count_proportions(self.counts, recoding)
        return pool(exact, min(self.support, int(exact.sizes.sum())))

    def score(self, recoding: Recoding) -> float:
        """What a learner would know of the original tuples; more is better."""
        from threadpoolctl import threadpool_limits

        drawn, target = self._drawn(recoding)
        model = boosting(self.table, self.seed)
        first = np.searchsorted(self.counts.cell_tuple, np.arange(len(self.counts.tuples)))
        rows = self.table.rows[first]
        weights = self.counts.tuple_sizes / self.counts.rows
        if self.table.labels and len(np.unique(target)) < 2:
            return 0.0
        with threadpool_limits(1):
            said = model.fit(drawn, target).predict(rows)
        if self.table.labels:
            return float(weights @ self.lesson.guess[np.arange(len(rows)), said.astype(np.int64)])
        return -float(weights @ (said - self.lesson.guess[:, 0]) ** 2)

    def _drawn(self, recoding: Recoding) -> tuple[Floats, Longs | Floats]:
        """Rows as they would be redrawn, and their targets."""
        proportions = self.told(recoding)
        pieces = required(recoding.pieces, "how the cells of a table go to groups")
        kept = np.flatnonzero(pieces.group >= 0)
        piece = np.repeat(kept, pieces.size[kept])
        generator = np.random.default_rng(self.seed)
        if len(piece) > _MOST_ROWS:
            piece = np.sort(generator.permutation(piece)[:_MOST_ROWS])
        cell = pieces.cell[piece]
        rows = rows_by_class(_class_of_group(proportions, recoding)[pieces.group[piece]], proportions.sizes)
        columns = []
        for at, (name, own) in enumerate(zip(self.counts.quasi, generator.spawn(len(self.counts.quasi)), strict=True)):
            spread = proportions.column(name).spread(self._below(proportions, name))
            columns.append(self._read(at, *deal_values(spread, rows, 1, own)))
        return np.column_stack(columns), self.table.target[cell]

    def _below(self, proportions: Proportions, name: str) -> Leaves:
        """What published labels stand for."""
        hierarchy = self.counts.hierarchies[name]
        source = None if hierarchy.automatic else hierarchy.source
        return published_labels(source, name, proportions.column(name).texts).values_below

    def _read(self, at: int, values: pa.Array, codes: Longs) -> Floats:
        """Drawn values as learners read them."""
        domain, known = self.counts.domains[self.counts.quasi[at]], self.table.values[at]
        if domain.kind == "text":
            read = {label: known[code] for code, label in enumerate(domain.labels.tolist())}
            return np.array([read.get(value, np.nan) for value in values.to_pylist()])[codes]
        if pa.types.is_date(values.type):
            numbers = values.cast(pa.int32()).cast(pa.float64())
        elif pa.types.is_timestamp(values.type):
            numbers = pc.divide(values.cast(pa.int64()).cast(pa.float64()), _DAY)
        else:
            numbers = values.cast(pa.float64())
        return numbers.to_numpy(zero_copy_only=False)[codes]


def _class_of_group(proportions: Proportions, recoding: Recoding) -> Longs:
    """The class that each group is of: groups that publish the same are one."""
    texts = {
        name: pa.array([column.texts[value] for value in recoding.groups[:, at].tolist()], pa.string())
        for at, (name, column) in enumerate(zip(recoding.quasi, recoding.columns, strict=True))
    }
    return proportions.classes_of(nw.from_native(pa.table(texts), eager_only=True))
