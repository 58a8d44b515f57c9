"""What was kept of the table, and what was left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hedgerow.report.facts.figures import Bar, Figure

__all__ = ["Association", "ColumnFacts", "Columns", "LabelShare", "Pair", "Score", "Suppression", "Utility"]


@dataclass(frozen=True)
class ColumnFacts:
    """What was kept of one column.

    Attributes
    ----------
    name : str
    role : {"quasi-identifier", "target", "sensitive"}
    kind : str or None
        ``"text"``, ``"number"``, ``"date"`` or ``"order"``, where it is known.
    hierarchy : str or None
        How it generalizes, in words.
    published_as : str
        What its cells are: ranges, sets, labels, values, ``*``; in words with shares.
    bars : tuple of Bar
        The distribution over groups of at least k records, before and after where that may be told.
    bars_note : str
        How the bars were made, or why there are none.
    ncp : Figure or None
        How wide the published cells are.
    entropy_kept : Figure or None
        How many of the bits of the column are left.
    suppressed : Figure or None
        The share of ``*``.
    distinction, separation : Figure or None
        Of the published column: how many different cells, and how many pairs of records it tells apart.
    distinction_before, separation_before : Figure or None
        The same of the original column.
    """

    name: str
    role: Literal["quasi-identifier", "target", "sensitive"]
    kind: str | None
    hierarchy: str | None
    published_as: str
    bars: tuple[Bar, ...]
    bars_note: str
    ncp: Figure | None = None
    entropy_kept: Figure | None = None
    suppressed: Figure | None = None
    distinction: Figure | None = None
    separation: Figure | None = None
    distinction_before: Figure | None = None
    separation_before: Figure | None = None


@dataclass(frozen=True)
class Columns:
    """What was kept, column by column.

    Attributes
    ----------
    columns : tuple of ColumnFacts
        Quasi-identifiers first, then target and sensitive columns.
    identifies_most : str or None
        The quasi-identifier that tells most people apart, as published.
    identified_most : str or None
        The same in the original table, where that may be told.
    pooled_to : int
        Every bar has at least so many records.
    counted : {"rows", "people"}
        What is counted there.
    """

    columns: tuple[ColumnFacts, ...]
    identifies_most: str | None
    identified_most: str | None
    pooled_to: int
    counted: Literal["rows", "people"]


@dataclass(frozen=True)
class Pair:
    """How strongly two columns go together, 0 to 1: before, after, and the change (after less before)."""

    first: str
    second: str
    before: float | None
    after: float
    change: float | None


@dataclass(frozen=True)
class Association:
    """Whether columns still go together as they did.

    Attributes
    ----------
    columns : tuple of str
        In the order of the heatmap.
    pairs : tuple of Pair
        Each pair once, ``first`` before ``second`` in ``columns``.
    mean_change : Figure or None
        The mean of the absolute changes.
    measure : str
        How it is measured, in a sentence.
    """

    columns: tuple[str, ...]
    pairs: tuple[Pair, ...]
    mean_change: Figure | None
    measure: str


@dataclass(frozen=True)
class LabelShare:
    """What was suppressed of the records with one label of the target.

    Attributes
    ----------
    label : str
        A label of at least k records, or that of all others together.
    kind : {"value", "others", "missing"}
    share : float
        Its share of the published records.
    cells : float
        The share of their quasi-identifier cells that are ``*``.
    rows : float or None
        The share of its original records that were left out; ``None`` where it may not be told.
    """

    label: str
    kind: Literal["value", "others", "missing"]
    share: float
    cells: float
    rows: float | None


@dataclass(frozen=True)
class Suppression:
    """What was left out, overall and by label of the target."""

    rows: Figure | None
    cells: Figure
    labels: tuple[LabelShare, ...]
    labels_note: str


@dataclass(frozen=True)
class Score:
    """What one learner reaches: on the rows as they are, on the release, and by always taking the majority.

    Attributes
    ----------
    learner, method : str
    k : int or None
    raw, published, majority : float or None
    kept : float or None
        What of the way from the majority to the raw rows is left: 0 to 1, and beyond where it is better.
    """

    learner: str
    method: str
    k: int | None
    raw: float | None
    published: float | None
    majority: float | None
    kept: float | None


@dataclass(frozen=True)
class Utility:
    """What learners still know of the target.

    Attributes
    ----------
    score : str
        What is measured: ``accuracy``, ``rmse``, …
    higher_is_better : bool
    protocol : str
    rows : tuple of Score
    meaning : str
    """

    score: str
    higher_is_better: bool
    protocol: str
    rows: tuple[Score, ...]
    meaning: str
