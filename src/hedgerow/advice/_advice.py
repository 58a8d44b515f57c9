"""Advice: what is suggested for a table, column by column, with its reasons. It holds no value that few rows have."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hedgerow._internal.notebook import NotebookRepr, preformatted
from hedgerow.advice._requirements import Choice
from hedgerow.advice._roles import Role
from hedgerow.advice._separation import Combination
from hedgerow.advice._trial import Trial
from hedgerow.errors import Infeasible, plural
from hedgerow.schema import Schema

__all__ = ["Advice", "ColumnAdvice"]


@dataclass(frozen=True)
class ColumnAdvice:
    """What is suggested for one column.

    Attributes
    ----------
    name : str
    role : str
        ``identifying`` and ``redundant`` columns are left out, and so is the ``entity``, by which people are counted;
        ``quasi``, ``sensitive``, ``target`` and ``insensitive`` ones are published.
    reason : str
        Why, in one sentence.
    holds : {"number", "date", "text"}
    distinct : int
        How many different values it has.
    distinction : float
        The share of different values among the rows that have one.
    separation : float
        The share of pairs of rows that it tells apart.
    kind : str or tuple of str, optional
        What must be said of what it holds: a kind, or its values in their order, each of which at least k rows have.
    kind_reason : str
    hierarchy : str, optional
        How it could generalize.
    given : bool
        Whether the job gives the hierarchy; else it stands there as a comment, since the method keeps more without it.
    """

    name: str
    role: Role
    reason: str
    holds: str
    distinct: int
    distinction: float
    separation: float
    kind: str | tuple[str, ...] | None = None
    kind_reason: str = ""
    hierarchy: str | None = None
    given: bool = False


@dataclass(frozen=True, repr=False)
class Advice(NotebookRepr):
    """What is suggested for a table.

    Attributes
    ----------
    rows : int
    people : int or None
        About how many different values the entity has, if one is suggested.
    columns : tuple of ColumnAdvice
        All columns, in their order.
    combinations : tuple of Combination
        The columns that tell people apart best: one, two, three, four of them.
    k : int
    k_reason : str
    require : mapping of str to str
        Further requirements, and why.
    method : Choice
    missing : tuple of str
        Texts that mean "no value".
    decimal : str
    notes : tuple of str
        What whoever publishes should know.
    sampled : int or None
        On how many rows columns were compared, if not on all.
    trial : Trial or None
        How the suggestion fared, if it was tried.
    hopeless : str
        Why no job can be suggested; empty if one can.
    table : mapping of str to str
        The fields of a job that say where the table is and how it is read; empty for a dataframe.
    """

    rows: int
    people: int | None
    columns: tuple[ColumnAdvice, ...]
    combinations: tuple[Combination, ...]
    k: int
    k_reason: str
    require: Mapping[str, str]
    method: Choice
    missing: tuple[str, ...] = ()
    decimal: str = "."
    notes: tuple[str, ...] = ()
    sampled: int | None = None
    trial: Trial | None = None
    hopeless: str = ""
    table: Mapping[str, str] = field(default_factory=dict)

    def named(self, *roles: Role) -> list[str]:
        """The columns with one of these roles."""
        return [one.name for one in self.columns if one.role in roles]

    @property
    def quasi(self) -> list[ColumnAdvice]:
        """The quasi-identifiers, those first that tell most people apart."""
        return sorted(
            (one for one in self.columns if one.role == "quasi"), key=lambda one: (-one.separation, -one.distinction)
        )

    @property
    def schema(self) -> Schema:
        """The roles, kinds and hierarchies as :func:`hedgerow.anonymize` takes them."""
        quasi = [one for one in self.columns if one.role == "quasi"]
        return Schema(
            quasi=[one.name for one in quasi],
            target=next(iter(self.named("target")), None),
            identifying=self.named("identifying", "redundant"),
            sensitive=self.named("sensitive"),
            insensitive=self.named("insensitive"),
            entity=next(iter(self.named("entity")), None),
            kinds={one.name: _listed(one.kind) for one in quasi if one.kind is not None},
            hierarchies={one.name: one.hierarchy for one in quasi if one.given},
            missing=tuple(dict.fromkeys((*self.missing, ""))),
        )

    def __repr__(self) -> str:
        size = f"{plural(self.rows, 'rows')}, {plural(len(self.columns), 'columns')}"
        if self.hopeless:
            return f"Advice({size}: {self.hopeless})"
        roles: dict[Role, str] = {"quasi": "quasi-identifiers", "sensitive": "sensitive", "insensitive": "in clear"}
        counts = [f"{len(self.named(role))} {words}" for role, words in roles.items()]
        left_out = len(self.named("identifying", "redundant", "entity"))
        return f"Advice({size}: {left_out} left out, {', '.join(counts)}; k = {self.k}, {self.method.value})"

    def __str__(self) -> str:
        return f"{self!r}\n" if self.hopeless else self.job()

    def _repr_html_(self) -> str:
        return preformatted(str(self))

    def job(self, path: str | Path = "job.toml") -> str:
        """The suggestion as the text of a job file: comments say why, and it runs as it is.

        Parameters
        ----------
        path : str or Path
            Where the file will stand: the table is named from there.
        """
        self._refuse_hopeless()
        from hedgerow.advice._writing import job_text

        return job_text(self, Path(path))

    def save(self, path: str | Path = "job.toml", *, overwrite: bool = False) -> Path:
        """Write the job file, and return its path."""
        self._refuse_hopeless()
        from hedgerow.advice._writing import write_job

        return write_job(self, Path(path), overwrite=overwrite)

    def _refuse_hopeless(self) -> None:
        if self.hopeless:
            raise Infeasible(self.hopeless)

    def to_dict(self) -> dict[str, Any]:
        """Return the suggestion as plain values for JSON."""
        plain = {one.name: getattr(self, one.name) for one in dataclasses.fields(self) if one.name != "table"}
        plain |= {
            "columns": [dataclasses.asdict(one) for one in self.columns],
            "combinations": [dataclasses.asdict(one) for one in self.combinations],
            "require": dict(self.require),
            "method": dataclasses.asdict(self.method),
            "trial": None if self.trial is None else dataclasses.asdict(self.trial),
        }
        return plain


def _listed(kind: str | tuple[str, ...]) -> str | list[str]:
    return kind if isinstance(kind, str) else list(kind)
