"""Top-down refinement (TDR): TDS that discloses the values of a category without a taxonomy one at a time.

B. Fung, K. Wang, P. Yu: Anonymizing Classification Data for Privacy Preservation, IEEE TKDE 19(5), 2007. A disclosed
value is published as it is, wherever it stands; the others of its column stay ``*`` together. Disclosing a value splits
the records of ``*`` in two, and the score is that of :mod:`hedgerow.anonymizers.specialize.tds`.

Deviations
----------
- A column is without a taxonomy where its values stand directly below ``*``: none was given, or a flat one.
- A missing value of such a column is suppressed with the others, and disclosed like any of them.
- The last value below ``*`` is not disclosed: that would split nothing.
- For the rest see :mod:`hedgerow.anonymizers.specialize.tds`.
"""

from __future__ import annotations

from hedgerow.anonymizers.specialize.tds import TDS

__all__ = ["TDR"]


class TDR(TDS):
    """Top-down refinement: TDS that discloses the values of a category without a taxonomy one by one. Needs a target.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import Schema
    >>> people = pa.table({"town": ["A", "A", "B", "C"], "drink": ["milk", "milk", "wine", "wine"]})
    >>> release = TDR(k=2).anonymize(people, Schema(quasi=["town"], target="drink"))
    >>> sorted(release.table["town"].to_pylist())
    ['*', '*', 'A', 'A']
    """

    name = "tdr"
    paper = "Fung, Wang, Yu (IEEE TKDE 2007)"

    _disclose = True
