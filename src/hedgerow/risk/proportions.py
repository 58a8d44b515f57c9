"""What proportions give away beyond the published values: how sure a reader can be of somebody's original value.

Who finds the class of a person knows the person's original value with the probability of its share in the class. The
published value alone tells less. A class that publishes the one value it holds has nothing left to give away, so it
does not count.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.proportions import ColumnProportions, Proportions
from hedgerow.values import format_value

__all__ = ["Disclosure", "disclosures"]


@dataclass(frozen=True)
class Disclosure:
    """What the proportions of one quasi-identifier tell, beyond what is published.

    Parameters
    ----------
    posterior : float
        The largest share that one value has in a class whose published value does not tell it: how sure a reader can
        be. 0 if all published values tell it.
    records_told : int
        The records of classes where one value has the whole share, so that it is told though it is not published.
    average : float
        The share of the most frequent value of the class, averaged over the records of the classes that count.
    """

    posterior: float
    records_told: int
    average: float


def disclosures(proportions: Proportions) -> dict[str, Disclosure]:
    """Find the worst posterior of each quasi-identifier. O(entries).

    Examples
    --------
    >>> import pyarrow as pa
    >>> import hedgerow as hr
    >>> people = pa.table({"age": [20, 21, 21, 21, 60, 61]})
    >>> release = hr.anonymize(people, hr.Schema(quasi=["age"]), k=2, publish_proportions=True)
    >>> release.audit.proportions["age"].posterior
    0.75
    """
    return {column.domain.name: _disclosure(column, proportions) for column in proportions.columns}


def _disclosure(column: ColumnProportions, proportions: Proportions) -> Disclosure:
    most = np.maximum.reduceat(column.records, column.starts[:-1])
    hidden = ~_told(column)
    sizes = proportions.sizes[hidden]
    if not len(sizes):
        return Disclosure(0.0, 0, 0.0)
    share = most[hidden] / sizes
    return Disclosure(
        posterior=float(share.max()),
        records_told=int(sizes[most[hidden] == sizes].sum()),
        average=float((share * sizes).sum() / sizes.sum()),
    )


def _told(column: ColumnProportions) -> NDArray[np.bool_]:
    """Whether each class publishes the one value that it holds."""
    written: list[str | None] = [format_value(label) for label in column.domain.labels.tolist()]
    known = {text: code for code, text in enumerate(column.texts)}
    text_of_code = np.array([known.get(text, -1) for text in [*written, None]], dtype=np.int64)
    single = np.diff(column.starts) == 1
    return np.asarray(single & (text_of_code[column.codes[column.starts[:-1]]] == column.published))
