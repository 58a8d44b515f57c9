"""What the table is, what was asked, and what holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hedgerow.report.facts.figures import Figure, Judgement

__all__ = ["Asked", "Data", "Evidence", "Role", "Summary"]


@dataclass(frozen=True)
class Summary:
    """What a reader must know who reads nothing else.

    Attributes
    ----------
    sentence : str
        What holds, in one sentence.
    judgement : {"good", "note", "bad", "unknown"}
    grave : tuple of str
        What makes the table or its promise worth nothing; before anything else.
    figures : tuple of Figure
        The four to six figures at the top: records, k, classes, the highest risk, what is lost.
    beyond : str
        What the sentence does not cover: that fewer look alike over all published columns. Shown beside it, as visibly.
    """

    sentence: str
    judgement: Judgement
    grave: tuple[str, ...]
    figures: tuple[Figure, ...]
    beyond: str = ""


@dataclass(frozen=True)
class Role:
    """What the columns of one role are.

    Attributes
    ----------
    name : str
        ``"quasi-identifiers"``, ``"target"``, ``"sensitive"``, ``"published as they are"``, ``"accepted"``,
        ``"pseudonymized"``, ``"dropped"``, ``"person"``.
    columns : tuple of str
    meaning : str
    """

    name: str
    columns: tuple[str, ...]
    meaning: str


@dataclass(frozen=True)
class Data:
    """What the table is.

    Attributes
    ----------
    figures : tuple of Figure
        Rows, people, rows that were left out, columns.
    counted : {"rows", "people"}
        What k counts.
    coverage : str
        Whether it is a sample or a population, in a sentence; also where nobody has said.
    roles : tuple of Role
        Only those that some column has.
    """

    figures: tuple[Figure, ...]
    counted: Literal["rows", "people"]
    coverage: str
    roles: tuple[Role, ...]


@dataclass(frozen=True)
class Evidence:
    """One requirement and what shows that it holds, or that it does not.

    Attributes
    ----------
    requirement : str
    measure : str
        ``k``, ``l``, ``t``, …
    required, reached : Figure
    holds : bool
    promises_nothing : bool
        Whether every table meets it.
    violating : Figure or None
        The records in classes that do not satisfy it; ``None`` where all do.
    evidence : str
        What was counted, in one sentence.
    """

    requirement: str
    measure: str
    required: Figure
    reached: Figure
    holds: bool
    promises_nothing: bool
    violating: Figure | None
    evidence: str


@dataclass(frozen=True)
class Asked:
    """What was asked and what holds."""

    holds: bool
    sentence: str
    requirements: tuple[Evidence, ...]
