"""The metrics: each a function of the counts and the recoding, and the list of all under their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Final, Literal

import numpy as np

from hedgerow._internal.arrays import Floats, Longs
from hedgerow.core.counts import Counted, FrequencyTable
from hedgerow.core.metrics.cells import loss_as_read, loss_of_sets, lost_leaves, share_of_leaves
from hedgerow.core.metrics.view import ColumnView, ReleaseView, Undefined, shared_view, view_of
from hedgerow.core.recoding import Recoding
from hedgerow.errors import BadInput

__all__ = [
    "METRICS",
    "Metric",
    "Undefined",
    "all_losses",
    "register",
    "bits_in",
    "bits_missing",
    "c_avg",
    "classification",
    "discernibility",
    "distortion",
    "kl",
    "loss",
    "ncp",
    "ncp_published",
    "nllm",
    "non_uniform_entropy",
    "prec",
    "row_ratio",
    "suppression",
    "written_penalties",
]


def ncp(counts: Counted, recoding: Recoding) -> float:
    r"""Normalized certainty penalty of the values that the records of each equivalence class hold.

    .. math:: \frac{1}{n\,q} \sum_{E} |E| \sum_{A} w_A\,\mathrm{NCP}_A(E)

    The weights :math:`w_A` of the columns have the mean 1, and are 1 if not given. For numbers and dates
    :math:`\mathrm{NCP}_A(E) = (\max_E - \min_E)/(\max_A - \min_A)`, for categories :math:`(|\text{values in } E| -
    1)/(|\text{values of } A| - 1)`. A class is described by its tight sets and ranges, however its cells are written,
    so that methods that publish in different ways can be compared. Lost records count 1 in every cell. In a column of
    numbers a class that mixes missing values and numbers counts 1, one of only missing values 0; among categories,
    missing is one more value.

    J. Xu, W. Wang, J. Pei, X. Wang, B. Shi, A. Fu: Utility-Based Anonymization Using Local Recoding, KDD 2006;
    here averaged over the cells.
    """
    view = view_of(counts, recoding)
    return view.mean_over_cells(loss_of_sets(column.domain, column.tight) for column in view.columns)


def ncp_published(counts: Counted, recoding: Recoding) -> float:
    r"""Normalized certainty penalty of the literal text of each cell.

    .. math:: \frac{1}{n\,q} \sum_{E} |E| \sum_{A} w_A\,\mathrm{NCP}_A(\text{cell of } E)

    As :func:`ncp`, but a set counts its members, a label the values of the column that it covers, an interval (also
    a label that reads as an interval) its written ends, clipped to the range of the column, and ``*`` counts 1. A
    column published as numbers, such as the means of kACTUS, does not show its spread: its classes are described by
    their tight ranges. Lost records count 1.

    J. Xu, W. Wang, J. Pei, X. Wang, B. Shi, A. Fu: Utility-Based Anonymization Using Local Recoding, KDD 2006.
    """
    view = view_of(counts, recoding)
    return view.mean_over_cells(map(written_penalties, view.columns))


def suppression(counts: Counted, recoding: Recoding) -> float:
    r"""The share of quasi-identifier cells that are written ``*`` or belong to a lost record.

    .. math:: \frac{1}{n\,q} \left( q\,|\text{lost}| + \sum_{E} |E|\; |\{A : E \text{ publishes } * \}| \right)

    Every cell counts alike, whatever its column weighs.

    A. Meyerson, R. Williams: On the Complexity of Optimal k-Anonymity, PODS 2004, which counts the cells; here as a
    share of all cells.
    """
    view = view_of(counts, recoding)
    return view.mean_over_cells((column.suppressed for column in view.columns), alike=True)


def written_penalties(column: ColumnView) -> Floats:
    """The penalty of the text that each class has in a column."""
    domain, published = column.domain, column.published
    of_sets = loss_of_sets(domain, column.written)
    of_value = loss_as_read(domain, published.texts, np.isin(published.kinds, ("interval", "label")), of_sets)
    penalties: Floats = column.per_class(of_value, lambda: loss_of_sets(domain, column.tight), 1.0)
    return penalties


# --------------------------------------------------------------------------------------------------
# Losses by equivalence class: how many there are, how large they are, and how pure.
#
# They do not depend on columns, so the weights of columns do not enter them.


def discernibility(counts: Counted, recoding: Recoding) -> float:
    r"""Discernibility: each record costs as much as there are records that look like it.

    .. math:: \sum_{E} |E|^2 + n\,|\text{lost}|

    R. Bayardo, R. Agrawal: Data Privacy through Optimal k-Anonymization, ICDE 2005.
    """
    view = view_of(counts, recoding)
    # Python's integers: the squares of a large table pass 2**63.
    return float(sum(size * size for size in view.sizes.tolist()) + view.rows * view.lost)


def c_avg(counts: Counted, recoding: Recoding, *, k: int | None = None) -> float:
    r"""Normalized average class size: how many times larger than necessary the classes are.

    .. math:: \frac{|\text{published records}| \,/\, |\text{classes}|}{k}

    ``k`` is the size that was required; without it, the smallest class of the release is taken for it, and the
    figure only says how uneven the classes are.

    K. LeFevre, D. DeWitt, R. Ramakrishnan: Mondrian Multidimensional k-Anonymity, ICDE 2006.
    """
    if k is not None and k < 1:
        raise BadInput.parameter("k", "c_avg", "an int >= 1", k)
    view = view_of(counts, recoding)
    if not view.classes:
        raise Undefined("The release publishes no record, so its classes have no average size.")
    required = int(view.sizes.min()) if k is None else k
    return float(view.sizes.mean()) / required


def classification(counts: Counted, recoding: Recoding) -> float:
    r"""Classification metric: the share of records that are lost or not of their class's most frequent label.

    .. math:: \frac{1}{n} \left( |\text{lost}| + \sum_{E} (|E| - \max_{c} |E_c|) \right)

    V. Iyengar: Transforming Data to Satisfy Privacy Constraints, KDD 2002.
    """
    target = counts.roles.target
    if target is None:
        raise Undefined("The metric 'classification' needs a target. Name one in the schema.")
    view = view_of(counts, recoding)
    classes, sizes = view.by_label(target)
    most = np.zeros(view.classes, dtype=np.int64)
    np.maximum.at(most, classes, sizes)
    return 1.0 - float(most.sum()) / view.rows


def row_ratio(counts: Counted, recoding: Recoding) -> float:
    r"""The distinct published rows as a share of the distinct input rows.

    .. math:: \frac{|\text{distinct published rows}|}{|\text{distinct input rows}|}

    Arca, Hewett: Data privacy with heuristic anonymisation, section 5.2 (its output/input ratio of rows).
    """
    view = view_of(counts, recoding)
    return view.classes / view.tuples


# --------------------------------------------------------------------------------------------------
# Losses by the place in the hierarchy: how high a published value stands, and how many leaves lie below it.
#
# A set or an interval is no node: where its height counts, it stands at the lowest node above all its values. In the
# formulas :math:`w` is the weight of a cell's column, 1 on the mean.


def prec(counts: Counted, recoding: Recoding) -> float:
    r"""Precision: one minus the mean share of the hierarchy that cells were lifted through.

    .. math:: 1 - \frac{1}{n\,q} \sum_{\text{cells}} w\,\frac{\text{level of the cell}}{\text{height of its hierarchy}}

    The level of a set or interval is that of the lowest node above its values. Suppressed cells and those of lost
    records are at the root.

    L. Sweeney: Achieving k-Anonymity Privacy Protection Using Generalization and Suppression, International Journal
    of Uncertainty, Fuzziness and Knowledge-Based Systems 10(5), 2002; Arca, Hewett: Data privacy with heuristic
    anonymisation, section 5.1.
    """
    view = view_of(counts, recoding)
    levels = (column.hierarchy.level[column.nodes] / column.hierarchy.height for column in view.columns)
    return 1.0 - view.mean_over_cells(levels)


def distortion(counts: Counted, recoding: Recoding) -> float:
    r"""Weighted hierarchical distance from the original cells to the published ones, mean over all cells.

    .. math:: \frac{1}{n\,q} \sum_{\text{cells}} w\,\frac{\text{steps from the value up to what is published}}{
        \text{height of the hierarchy}}

    All steps weigh the same, the first of the weightings in the paper: then, in a hierarchy whose leaves are all
    equally deep, this is :math:`1 - \mathrm{Prec}`, and elsewhere it differs by counting the steps that a value on a
    short branch really climbed. The paper sums over the cells; the mean compares tables of different sizes. Lost
    records climb to the root.

    J. Li, R. Wong, A. Fu, J. Pei: Achieving k-Anonymity by Clustering in Attribute Hierarchical Structures, DaWaK
    2006.
    """
    view = view_of(counts, recoding)
    cells = view.rows * len(view.columns)
    # Every leaf on the way down from the root, less what is still published of that way.
    steps = (
        float(column.histogram @ column.hierarchy.depth[column.hierarchy.leaf_of])
        - float(view.sizes @ column.hierarchy.depth[column.nodes])
        for column in view.columns
    )
    shares = (step / column.hierarchy.height for step, column in zip(steps, view.columns, strict=True))
    return view.weighted(shares) / cells


def nllm(counts: Counted, recoding: Recoding) -> float:
    r"""Normalized lost leaves metric: the leaves that a cell could stand for beyond the true one, as a share.

    .. math:: \frac{1}{n\,q} \sum_{\text{cells}} w\,\frac{\text{leaves}(v) - 1}{\text{leaves(root)} - 1}

    A set counts its members. Suppressed cells and lost records count 1.

    V. Iyengar: Transforming Data to Satisfy Privacy Constraints, KDD 2002 (its loss metric for categories). The paper
    on the proportional representation credits a comparison of metrics. Our copy has lost its references; it is probably
    C. Mauger, G. Le Mahec, G. Dequen: Modeling and Evaluation of k-anonymization Metrics, PPAI at AAAI 2020.
    """
    view = view_of(counts, recoding)
    return view.mean_over_cells(
        np.where(column.suppressed, 1.0, lost_leaves(column.hierarchy, column.leaves)) for column in view.columns
    )


def loss(counts: Counted, recoding: Recoding) -> float:
    r"""The share of a hierarchy's leaves that a cell could stand for, mean over all cells, as ARX counts it.

    .. math:: \frac{1}{n\,q} \sum_{\text{cells}} w\,\frac{\text{leaves}(v)}{\text{leaves(root)}}

    An untouched cell is one leaf of many, so the loss of an untouched table is small but not 0. A set counts its
    members. Suppressed cells and lost records count 1.

    F. Prasser, F. Kohlmayer, R. Lautenschläger, K. Kuhn: ARX, A Comprehensive Tool for Anonymizing Biomedical Data,
    AMIA 2014, after V. Iyengar, KDD 2002.
    """
    view = view_of(counts, recoding)
    return view.mean_over_cells(share_of_leaves(column.hierarchy, column.leaves) for column in view.columns)


# --------------------------------------------------------------------------------------------------
# Losses in information theory's terms: bits that generalization takes from cells, and divergence of the whole.


def non_uniform_entropy(counts: Counted, recoding: Recoding) -> float:
    r"""The bits that are missing to identify the original value of every cell.

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
    """The bits that are missing to identify the original values of one column, whatever its weight is."""
    known = _sum_of_logs(column.histogram, column.histogram)
    # For each class, how many original records have one of the values it publishes.
    records = column.per_class(
        column.written.reduce(np.add, column.histogram),
        lambda: column.tight.reduce(np.add, column.histogram),
        view.rows,
    ).astype(np.float64)
    covered = _sum_of_logs(view.sizes, records) + view.lost * np.log(view.rows)
    # The difference is never negative but for the rounding of two large sums.
    return max(float(covered - known), 0.0) / float(np.log(2.0))


def bits_in(column: ColumnView) -> float:
    """The bits that identify the original values of a column; all are missing where it is hidden."""
    rows = int(column.histogram.sum())
    known = _sum_of_logs(column.histogram, column.histogram)
    return max(float(rows * np.log(rows) - known), 0.0) / float(np.log(2.0))


def kl(counts: Counted, recoding: Recoding) -> float:
    r"""Kullback-Leibler divergence, in nats, between the original records and their distribution by the release.

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
    """The sum of ``weight * log(number)``; a number with the weight 0 may be 0."""
    return float(weights @ np.log(np.where(weights > 0, numbers, 1)))


# --------------------------------------------------------------------------------------------------
# The list of metrics, under the names that ``metric=``, ``--metric`` and ``losses`` use.


MetricFunction = Callable[[FrequencyTable, Recoding], float]


@dataclass(frozen=True)
class Metric:
    """A metric and its properties.

    Attributes
    ----------
    name : str
    function : callable
        From counts and a recoding to a number.
    direction : {"lower", "higher"}
        Which is better.
    monotone : bool
        Whether generalizing further never improves it, as long as the lost records stay the same: a search may prune.
    meaning : str
        One line for a person.
    weighted : bool
        Whether the weights of the columns (``counts.column_weights``) enter it.
    """

    name: str
    function: MetricFunction
    direction: Literal["lower", "higher"]
    monotone: bool
    meaning: str
    weighted: bool = False


_LISTED = (
    Metric("prec", prec, "higher", True, "how low in their hierarchies the cells stay; 1 is untouched", weighted=True),
    Metric("ncp", ncp, "lower", True, "mean width of what each class holds, 0 to 1", weighted=True),
    Metric(
        "ncp_published",
        ncp_published,
        "lower",
        True,
        "mean width of what is written in the cells, 0 to 1",
        weighted=True,
    ),
    Metric("nllm", nllm, "lower", True, "mean share of other leaves a cell could stand for, 0 to 1", weighted=True),
    Metric("discernibility", discernibility, "lower", True, "sum of squared class sizes; a lost record costs n"),
    Metric("c_avg", c_avg, "lower", True, "average class size over the required k; 1 is ideal"),
    Metric(
        "distortion",
        distortion,
        "lower",
        True,
        "mean share of its hierarchy that a cell climbed, 0 to 1",
        weighted=True,
    ),
    Metric("loss", loss, "lower", True, "mean share of leaves below a cell, as in ARX", weighted=True),
    Metric(
        "non_uniform_entropy", non_uniform_entropy, "lower", True, "bits missing to restore all cells", weighted=True
    ),
    Metric("classification", classification, "lower", True, "share of records unlike their class's majority label"),
    Metric("row_ratio", row_ratio, "higher", True, "distinct published rows over distinct input rows"),
    Metric("suppression", suppression, "lower", True, "share of cells that are * or lost"),
    # Merging two overlapping boxes can leave a box smaller than the two together, and so a higher density.
    Metric("kl", kl, "lower", False, "divergence of the records from the classes' even boxes, in nats"),
)

_KNOWN = {metric.name: metric for metric in _LISTED}

METRICS: Final[Mapping[str, Metric]] = MappingProxyType(_KNOWN)
"""All metrics by name, in the order in which they are shown; those registered later come last."""


def register(metric: Metric) -> None:
    """Add a metric of your own: it is shown with the others, and searches may use it.

    Parameters
    ----------
    metric : Metric
        With a name that is still free. Its function raises :class:`Undefined` for a release without a value.
    """
    if metric.name in _KNOWN:
        raise BadInput(f"There already is a metric called {metric.name!r}. Choose another name.")
    _KNOWN[metric.name] = metric


def all_losses(counts: Counted, recoding: Recoding, *, k: int | None = None) -> dict[str, float]:
    """Compute every metric that is defined for a release, in the order of :data:`METRICS`.

    Parameters
    ----------
    counts : FrequencyTable
    recoding : Recoding
    k : int, optional
        The class size that was required, for ``c_avg``.

    Returns
    -------
    dict of name to value
        Without ``classification`` if there is no target, and without other metrics that the release does not define. Of
        a table that does not fit into memory only our own metrics: yours may read its tuples.
    """
    losses: dict[str, float] = {}
    known = METRICS.values() if isinstance(counts, FrequencyTable) else _LISTED
    with shared_view(counts, recoding):
        for metric in known:
            function: Any = partial(c_avg, k=k) if metric.function is c_avg else metric.function
            try:
                losses[metric.name] = function(counts, recoding)
            except Undefined:
                continue
    return losses
