"""How the table was made, and what to take care of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hedgerow.report.facts.figures import Figure, Judgement

__all__ = ["Caution", "Digest", "Provenance"]


@dataclass(frozen=True)
class Caution:
    """What whoever publishes or reads the table should know.

    Attributes
    ----------
    topic : str
        ``"weak"``, ``"minimality"``, ``"downcoding"``, ``"homogeneity"``, ``"several releases"``, ``"rows"``,
        ``"remark"``, …
    title : str
    text : str
        What can happen, and what helps.
    judgement : {"note", "bad"}
    source : str or None
        The paper that describes it.
    """

    topic: str
    title: str
    text: str
    judgement: Judgement = "note"
    source: str | None = None


@dataclass(frozen=True)
class Digest:
    """The SHA-256 of a file of the release."""

    what: str
    sha256: str


@dataclass(frozen=True)
class Provenance:
    """How the table was made.

    Attributes
    ----------
    method : str or None
    paper : str or None
    requirements : tuple of str
    parameters : mapping of str to str
        As they are written in the manifest; no seed.
    method_facts : mapping of str to str
        What the method says of its result.
    hierarchies : mapping of column to str
    losses : tuple of Figure
        Every metric.
    versions : mapping of str to str
    digests : tuple of Digest
        Empty if the release is not saved, or if nobody said where.
    digests_note : str
    manifest : str or None
        Whether the table is the one that the manifest beside it speaks of.
    """

    method: str | None
    paper: str | None
    requirements: tuple[str, ...]
    parameters: Mapping[str, str]
    method_facts: Mapping[str, str]
    hierarchies: Mapping[str, str]
    losses: tuple[Figure, ...]
    versions: Mapping[str, str]
    digests: tuple[Digest, ...]
    digests_note: str
    manifest: str | None
