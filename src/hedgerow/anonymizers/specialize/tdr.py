"""Top-down refinement (TDR): TDS that also discloses, value by value, categories without a taxonomy.

B. Fung, K. Wang, P. Yu: Anonymizing Classification Data for Privacy Preservation, IEEE TKDE 19(5), 2007. A disclosed
value is published unchanged in all records; the other values of its column stay ``*``. Disclosing a value splits the
records of ``*`` in two. The score is that of :mod:`hedgerow.anonymizers.specialize.tds`.

Deviations
----------
- A column has no taxonomy if its values are directly below ``*``: no hierarchy was given, or a flat one.
- A missing value of such a column is suppressed and disclosed like any other value.
- The last value below ``*`` is not disclosed, because that would not split anything.
- For all else, see :mod:`hedgerow.anonymizers.specialize.tds`.
"""

from __future__ import annotations

from hedgerow.anonymizers.specialize.tds import TDS

__all__ = ["TDR"]


class TDR(TDS):
    """Top-down refinement: TDS that also discloses categories without a taxonomy, value by value. Needs a target.

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
