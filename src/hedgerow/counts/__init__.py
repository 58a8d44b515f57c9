"""Counts: a table as distinct tuples and cells of small integers, which is all that any method needs."""

from hedgerow.counts.encoding import Asked, BadValues, EncodedColumn, date_label, encode_column
from hedgerow.counts.grouping import distinct_pairs, tabulate
from hedgerow.counts.table import FrequencyTable

__all__ = [
    "Asked",
    "BadValues",
    "EncodedColumn",
    "FrequencyTable",
    "date_label",
    "distinct_pairs",
    "encode_column",
    "tabulate",
]
