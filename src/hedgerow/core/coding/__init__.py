"""Codings: the values of a column are replaced before its table is counted, by what their holders are counted to be.

Counts, requirements, columns in clear and the verifier then see the coded values only. Start reading at
:func:`code_column`. The engines replace values by a :class:`ValueMap`.
"""

from hedgerow.core.coding._holders import Holders
from hedgerow.core.coding._pools import Pooling, pooled
from hedgerow.core.coding._recodes import Recode, parse_recode
from hedgerow.core.coding._values import Coding, ColumnToCode, ValueMap, code_column

__all__ = [
    "Coding",
    "ColumnToCode",
    "Holders",
    "Pooling",
    "Recode",
    "ValueMap",
    "code_column",
    "parse_recode",
    "pooled",
]
