"""The list of metrics, under the names that ``metric=``, ``--metric`` and ``losses`` use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Final, Literal

from hedgerow.core.counts import Counted, FrequencyTable
from hedgerow.core.metrics._losses import (
    c_avg,
    classification,
    discernibility,
    distortion,
    kl,
    loss,
    ncp,
    ncp_published,
    nllm,
    non_uniform_entropy,
    prec,
    row_ratio,
    suppression,
)
from hedgerow.core.metrics.view import Undefined, shared_view
from hedgerow.core.recoding import Recoding
from hedgerow.errors import BadInput

__all__ = ["METRICS", "Metric", "Undefined", "all_losses", "register"]

MetricFunction = Callable[[FrequencyTable, Recoding], float]


@dataclass(frozen=True)
class Metric:
    """A metric and what is known of it.

    Attributes
    ----------
    name : str
    function : callable
        From counts and a recoding to a number.
    direction : {"lower", "higher"}
        Which is better.
    monotone : bool
        Whether generalizing further never makes it better, no record being lost or found again: a search may prune.
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
"""All metrics by name, in the order in which they are shown; what is registered later stands at the end."""


def register(metric: Metric) -> None:
    """Add a metric of one's own: it is shown with the others, and searches may be judged by it.

    Parameters
    ----------
    metric : Metric
        Under a name that is still free. Its function raises :class:`Undefined` for a release that it does not speak of.
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
        Without ``classification`` where there is no target, and without what else the release does not define. Of a
        table that does not fit into memory only our own metrics: others may look at its tuples.
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
