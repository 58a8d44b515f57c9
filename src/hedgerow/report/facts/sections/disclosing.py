"""What a reader learns of people without finding their rows, and what all columns tell together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hedgerow.report.facts.figures import Figure

__all__ = ["AllColumns", "ClearColumnFacts", "DisclosureFacts", "SensitiveFacts", "ToldColumn", "TogetherFacts"]


@dataclass(frozen=True)
class SensitiveFacts:
    """What the classes tell of one sensitive column or of the target.

    Attributes
    ----------
    name : str
    role : {"target", "sensitive"}
    homogeneity : Figure
        The share of records in classes with a single value.
    figures : tuple of Figure
        Every model's figure of the worst class: distinct l, entropy l, recursive c, t, alpha; none of a target that is
        not sensitive.
    """

    name: str
    role: Literal["target", "sensitive"]
    homogeneity: Figure
    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class ToldColumn:
    """What published proportions tell of one quasi-identifier beyond the table."""

    name: str
    surest: Figure
    average: Figure
    told: Figure


@dataclass(frozen=True)
class DisclosureFacts:
    """What a reader learns of people without finding their rows.

    Attributes
    ----------
    columns : tuple of SensitiveFacts
    proportions : tuple of ToldColumn
        Empty if none are published.
    people_told : tuple of Figure
        How many people the proportions single out, and how many they tell of at all; empty if none are published.
    sentence : str
    """

    columns: tuple[SensitiveFacts, ...]
    proportions: tuple[ToldColumn, ...]
    people_told: tuple[Figure, ...]
    sentence: str


@dataclass(frozen=True)
class ClearColumnFacts:
    """A column that is published as it is.

    Attributes
    ----------
    name : str
    role : str
    alone : Figure
        The share of people whose value nobody else has.
    k : Figure
        The fewest who share a class and a value of it.
    tells_of : str or None
        The quasi-identifier that it gives away most of.
    tells : Figure or None
        How much.
    discloses, accepted : bool
        Whether that is too much, and whether somebody has accepted it by name.
    known_from : tuple of str
        The quasi-identifiers that determine it.
    """

    name: str
    role: str
    alone: Figure
    k: Figure
    tells_of: str | None
    tells: Figure | None
    discloses: bool
    accepted: bool
    known_from: tuple[str, ...] = ()


@dataclass(frozen=True)
class AllColumns:
    """What all published columns tell together.

    Attributes
    ----------
    k_all : Figure
        The fewest records that share the values of all columns.
    wildcard_k : Figure
        The k if missing and suppressed cells may stand for anything.
    linked : tuple of Figure
        Where a person's rows can be linked: how few people share the classes of their rows; empty otherwise.
    columns : tuple of ClearColumnFacts
    accepted : tuple of str
        The columns that disclose and were accepted.
    sentence : str
    determined : tuple of Figure
        The k with the columns that quasi-identifiers determine; empty if they determine none.
    """

    k_all: Figure
    wildcard_k: Figure
    linked: tuple[Figure, ...]
    columns: tuple[ClearColumnFacts, ...]
    accepted: tuple[str, ...]
    sentence: str
    determined: tuple[Figure, ...] = ()


@dataclass(frozen=True)
class TogetherFacts:
    """What the table gives away together with an earlier release.

    Attributes
    ----------
    sentence : str
    compared : str
        By which columns rows of both were compared.
    figures : tuple of Figure
    learnt : tuple of Figure
        For each sensitive column, of how many people one value is left.
    remarks : tuple of str
    """

    sentence: str
    compared: str
    figures: tuple[Figure, ...]
    learnt: tuple[Figure, ...]
    remarks: tuple[str, ...]
