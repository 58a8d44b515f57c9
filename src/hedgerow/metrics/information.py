"""Losses in information theory's terms: bits that generalization takes from cells, and divergence of the whole."""

from __future__ import annotations

import numpy as np

from hedgerow.arrays import Floats, Longs
from hedgerow.counts import Counted
from hedgerow.metrics.view import ColumnView, ReleaseView, view_of
from hedgerow.recoding import Recoding

__all__ = ["bits_in", "bits_missing", "kl", "non_uniform_entropy"]


def non_uniform_entropy(counts: Counted, recoding: Recoding) -> float:
    r"""The bits that are missing to say, for every cell, which original value it was.

    .. math:: \sum_{\text{cells}} -w \log_2 \frac{f(v)}{f(g(v))}

    :math:`w` is the weight of the cell's column, 1 on the mean. :math:`f` counts the records of the original column
    with a value, or with any of the values that the published one :math:`g(v)` covers. A suppressed cell and one of a
    lost record cover everything; a column published as numbers is described by the values that its class holds. The sum
    is over all quasi-identifier cells, not a mean.

    A. Gionis, T. Tassa: k-Anonymization with Minimal Loss of Information, ESA 2007 and IEEE TKDE 21(2), 2009.
    """
    view = view_of(counts, recoding)
    return view.weighted(bits_missing(view, column) for column in view.columns)


def bits_missing(view: ReleaseView, column: ColumnView) -> float:
    """The bits that are missing to say which original values the cells of one column were, whatever it weighs."""
    known = _sum_of_logs(column.histogram, column.histogram)
    covered = _sum_of_logs(view.sizes, _covered_records(column, view.rows)) + view.lost * np.log(view.rows)
    # The difference is never negative but for the rounding of two large sums.
    return max(float(covered - known), 0.0) / float(np.log(2.0))


def bits_in(column: ColumnView) -> float:
    """The bits that say which original values the cells of a column are; all are missing where it is hidden."""
    rows = int(column.histogram.sum())
    known = _sum_of_logs(column.histogram, column.histogram)
    return max(float(rows * np.log(rows) - known), 0.0) / float(np.log(2.0))


def kl(counts: Counted, recoding: Recoding) -> float:
    r"""Kullback-Leibler divergence, in nats, of the original records from what the release says of them.

    .. math:: \sum_{x} p(x) \log \frac{p(x)}{\hat p(x)},
        \qquad \hat p(x) = \frac{|E|}{n} \prod_{A} \frac{1}{|\text{values of } A \text{ in the cell of } E|}

    The mass of an equivalence class is spread evenly over its published box, in values that occur in the column. A
    record is looked up in its own class only; where boxes overlap, the others could only raise :math:`\hat p`, and
    the figure is an upper bound. Lost records are taken as one more class that publishes ``*`` everywhere. A column
    published as numbers is described by the values that its class holds. Columns count alike, whatever they weigh.

    D. Kifer, J. Gehrke: Injecting Utility into Anonymized Datasets, SIGMOD 2006; A. Machanavajjhala, D. Kifer, J.
    Gehrke, M. Venkitasubramaniam: l-Diversity, ACM TKDD 1(1), 2007.
    """
    view = view_of(counts, recoding)
    everything = sum(np.log(column.domain.size) for column in view.columns)
    volumes = sum((_log_width(column) for column in view.columns), np.zeros(view.classes))
    original = view.log_likelihood
    spread = _sum_of_logs(view.sizes, view.sizes) - float(view.sizes @ volumes)
    if view.lost:
        spread += view.lost * (np.log(view.lost) - everything)
    return max(float(original - spread) / view.rows, 0.0)


def _log_width(column: ColumnView) -> Floats:
    """For each class, the logarithm of how many values of the column it publishes."""
    widths = column.per_class(column.written.sizes, lambda: column.tight.sizes, column.domain.size)
    return np.asarray(np.log(widths), dtype=np.float64)


def _covered_records(column: ColumnView, rows: int) -> Floats:
    """For each class, how many original records have one of the values it publishes."""
    return column.per_class(
        column.written.reduce(np.add, column.histogram),
        lambda: column.tight.reduce(np.add, column.histogram),
        rows,
    ).astype(np.float64)


def _sum_of_logs(weights: Longs, numbers: Longs | Floats) -> float:
    """The sum of ``weight * log(number)``; what weighs nothing may be 0."""
    return float(weights @ np.log(np.where(weights > 0, numbers, 1)))
