"""Counts: a table as distinct tuples and cells of integer codes, which is all that any method needs.

The other packages of ``core``, and all packages above it, may import it.
Start with :class:`FrequencyTable`, then :func:`encode_column`.
"""

from hedgerow._internal.arrays import alike, distinct_pairs, sharing, tabulate
from hedgerow.core.counts._encoding import (
    Asked,
    BadValues,
    EncodedColumn,
    date_label,
    dictionary_of,
    encode_column,
    is_text,
    number_label,
    number_of,
    original_values,
)
from hedgerow.core.counts._people import Links, draw_representatives, first_rows, mark_people
from hedgerow.core.counts._table import (
    Counted,
    FrequencyTable,
    check_bins,
    exact_remarks,
    holds_classes,
    in_bins,
    refuse_many_numbers,
)
from hedgerow.core.counts.large import (
    CodedTuples,
    FirstCuts,
    Grouped,
    LargeTable,
    MemoryLimit,
    Part,
    Sets,
    SpreadTuples,
    Tally,
    ValueTally,
)

__all__ = [
    "Asked",
    "BadValues",
    "CodedTuples",
    "Counted",
    "EncodedColumn",
    "FirstCuts",
    "FrequencyTable",
    "Grouped",
    "LargeTable",
    "Links",
    "MemoryLimit",
    "Part",
    "Sets",
    "SpreadTuples",
    "Tally",
    "ValueTally",
    "alike",
    "check_bins",
    "date_label",
    "dictionary_of",
    "distinct_pairs",
    "draw_representatives",
    "encode_column",
    "exact_remarks",
    "first_rows",
    "holds_classes",
    "in_bins",
    "is_text",
    "mark_people",
    "number_label",
    "number_of",
    "original_values",
    "refuse_many_numbers",
    "sharing",
    "tabulate",
]
