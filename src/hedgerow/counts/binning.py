"""A target of numbers in bins: what methods learn from that need classes, while the numbers are published."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from hedgerow.counts.counted import Counted
from hedgerow.counts.table import FrequencyTable
from hedgerow.domains import Domain
from hedgerow.errors import BadInput, whole
from hedgerow.hierarchies import intervals

__all__ = ["check_bins", "holds_classes", "in_bins", "refuse_many_numbers"]

_MOST_CLASSES: Final = 20  # more different numbers than these are a scale, not classes


def in_bins(counts: FrequencyTable, bins: int) -> FrequencyTable:
    """The same cells, with another target: the numbers of the target in bins with about equally many people.

    The target itself stays among the columns that requirements may speak of.

    Parameters
    ----------
    counts : FrequencyTable
        With a target.
    bins : int
        At most so many, and fewer where equal numbers would have to be parted.
    """
    target = check_bins(bins, counts.roles.target)
    domain = counts.domains[target]
    if domain.kind != "number":
        raise BadInput(f"target_bins cuts numbers, and the target {target!r} holds none. Leave target_bins out.")
    cut = intervals(quantiles=bins, levels=()).encode(domain)
    # Directly below the root: intervals, or the numbers themselves where they are few.
    nodes, bin_of_code = np.unique(cut.at_level[cut.height - 1], return_inverse=True)
    labels = [label for label in (cut.labels[node] for node in nodes.tolist()) if label is not None]
    name = _free_name(counts, f"{target} in bins")
    codes = bin_of_code[counts.values_of(target)].astype(np.int32)
    records = np.bincount(codes, counts.cell_sizes, len(nodes))[: len(labels)].astype(np.int64)
    binned = Domain(name, "text", np.array(labels), None, domain.has_missing, records, ordered=True)
    return replace(
        counts,
        roles=replace(counts.roles, target=name, sensitive=counts.cell_columns),
        domains={**counts.domains, name: binned},
        cell_values=np.column_stack([codes, counts.cell_values]),
    )


def check_bins(bins: object, target: str | None) -> str:
    """The target, unless the number of bins is wrong or there is no target to cut."""
    whole("target_bins", "anonymize", bins, 2, must="None or an int >= 2")
    if target is None:
        raise BadInput("target_bins is that of a target, and none is named. Name the column of the class too.")
    return target


def refuse_many_numbers(counts: Counted, owner: str) -> None:
    """Refuse a target whose numbers are no classes, and say what to do."""
    target = counts.roles.target
    if target is None:
        return
    domain = counts.domains[target]
    if not holds_classes(domain):
        what = "numbers with fractions" if _has_fractions(domain) else f"{len(domain.labels):,} different numbers"
        raise BadInput(
            f"The target {target!r} holds {what}, and {owner} learns from classes. Say target_bins=4 "
            "(--target-bins 4): it then learns from four bins with about equally many people, and the numbers are "
            "published as they are."
        )


def holds_classes(domain: Domain) -> bool:
    """Whether the values of a column are classes: text, dates, or few whole numbers."""
    return domain.kind != "number" or not (_has_fractions(domain) or len(domain.labels) > _MOST_CLASSES)


def _has_fractions(domain: Domain) -> bool:
    return bool((domain.values != np.floor(domain.values)).any())


def _free_name(counts: FrequencyTable, name: str) -> str:
    while name in counts.roles.columns:
        name += "_"
    return name
