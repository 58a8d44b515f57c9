r"""Published cells: what a cell may stand for, written and read back in one place.

:func:`write` and :func:`read` are inverse to each other. A cell is one value, or one of several (:class:`ValueSet`, in
which ``None`` is a missing value), a node of a hierarchy (:class:`Node`), a number in a range (:class:`Interval`), or
nothing (``*``). The proportions of a release, if it has any, show how the people of a cell divide among these values.

Ambiguous cells have one meaning:

- **A set under a taxonomy** stands for the union of the values below its members, each of which may be a value or a
  label: ``{Germany|Lyon}`` is every town of Germany, and Lyon. A label that is also a value is the value.
- **Kinds.** A column that is stored as text holds numbers, or ISO dates, if all its published values do, alone or in
  sets; else it holds text (:func:`domain_of`). A text is a number if :func:`hedgerow.core.counts.number_of` reads it:
  not ``007``, not ``1_000``, not ``nan``.
- **In a column of numbers** any spelling of a number counts: there ``007`` is 7. ``1_000`` and ``nan`` are no numbers.
- **Intervals** occur in columns of numbers and dates; in a column of text such a cell is a label or a value like any
  other. Open intervals, ``<18`` and ``≥90``, are of numbers only. They reach as far as their column (:class:`Reach`).
- **Missing** is null in a cell, and ``\N`` where it needs a name.
"""

from hedgerow.core.cells._columns import PublishedColumn, PublishedKind, PublishedValues, describe_codes
from hedgerow.core.cells._notation import (
    MISSING,
    NO_LABELS,
    SUPPRESSED,
    Interval,
    Leaves,
    Meaning,
    Node,
    Possible,
    PublishedLabels,
    Suppressed,
    ValueSet,
    as_dates,
    canonical,
    covered_values,
    date_of_days,
    days_of,
    domain_of,
    format_set,
    format_value,
    kind_of_texts,
    leaves_below,
    number_in,
    over_leaves,
    parse,
    published_labels,
    read,
    spelled,
    stands_for,
    write,
)
from hedgerow.core.cells._vocabulary import CellKind, Reach, Vocabulary, read_vocabulary

__all__ = [
    "MISSING",
    "NO_LABELS",
    "SUPPRESSED",
    "CellKind",
    "Interval",
    "Leaves",
    "Meaning",
    "Node",
    "Possible",
    "PublishedColumn",
    "PublishedKind",
    "PublishedLabels",
    "PublishedValues",
    "Reach",
    "Suppressed",
    "ValueSet",
    "Vocabulary",
    "as_dates",
    "canonical",
    "covered_values",
    "date_of_days",
    "days_of",
    "describe_codes",
    "domain_of",
    "format_set",
    "format_value",
    "kind_of_texts",
    "leaves_below",
    "number_in",
    "over_leaves",
    "parse",
    "published_labels",
    "read",
    "read_vocabulary",
    "spelled",
    "stands_for",
    "write",
]
