"""Counts: a table as distinct tuples and cells of integer codes, which is all that any method needs.

Only ``hierarchies``, ``io`` and ``schema`` lie below; everything from ``recoding`` on may import it.
Start with :class:`FrequencyTable`, then :func:`encode_column`.
"""

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
from hedgerow.core.counts._grouping import alike, distinct_pairs, sharing, tabulate
from hedgerow.core.counts._keys import Key, KeyColumn, given_once, keys_of_people, looks_given
from hedgerow.core.counts._table import (
    Counted,
    FrequencyTable,
    Links,
    check_bins,
    draw_representatives,
    holds_classes,
    in_bins,
    refuse_many_numbers,
    representative_rows,
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
    "Key",
    "KeyColumn",
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
    "given_once",
    "holds_classes",
    "in_bins",
    "is_text",
    "keys_of_people",
    "looks_given",
    "number_label",
    "number_of",
    "original_values",
    "refuse_many_numbers",
    "representative_rows",
    "sharing",
    "tabulate",
]
