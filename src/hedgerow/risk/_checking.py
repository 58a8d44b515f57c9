"""Check any table: does it hold as it is, and how many of its records do not. Only an answer, no figures beside it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hedgerow._internal.notebook import NotebookRepr, names_shown
from hedgerow.errors import BadInput, plural
from hedgerow.risk._inputs import check_columns, read_demands, with_trees
from hedgerow.verifier import ClassCounts, Finding, Verdict, count_classes, verify
from hedgerow.verifier.formulas import distinct_values

__all__ = ["Check", "Told", "check"]


class Told(NamedTuple):
    """The records of classes in which all have one value of a column, and how many classes these are."""

    records: int
    classes: int


@dataclass(frozen=True, repr=False)
class Check(NotebookRepr):
    """Whether a table holds, and how much of it does not; never which records.

    Parameters
    ----------
    rows : int
        The rows of the table.
    people : int or None
        How many people they are of, where people are counted and not rows.
    columns : tuple of str
        The quasi-identifiers.
    classes : int
        Into how many classes they divide the table.
    verdict : Verdict
        What was found for each requirement.
    told : mapping of column to Told
        For each sensitive column: of how many records the value is known to whoever finds their class. It decides
        nothing; a requirement such as ``l=2@disease`` does.
    """

    rows: int
    people: int | None
    columns: tuple[str, ...]
    classes: int
    verdict: Verdict
    told: Mapping[str, Told] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether all requirements hold."""
        return self.verdict.holds

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found for each requirement."""
        return self.verdict.findings

    @property
    def counted(self) -> str:
        """What is counted: rows, or people."""
        return "rows" if self.people is None else "people"

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        people = "" if self.people is None else f" of {plural(self.people, 'people')}"
        size = f"{plural(self.rows, 'rows')}{people}"
        judged = "holds" if self.holds else "DOES NOT HOLD"
        return f"Check({judged}: {size} in {plural(self.classes, 'classes')} of {names_shown(self.columns)})"

    def __str__(self) -> str:
        return self.render()

    def render(self) -> str:
        """Return the answer as a few lines of text."""
        from hedgerow.risk.rendering import render_check

        return render_check(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain values for JSON."""
        plain = dataclasses.asdict(self)
        told = {name: one._asdict() for name, one in self.told.items()}
        return {"holds": self.holds, **plain, "columns": list(self.columns), "told": told}


def check(
    table: Any,
    *,
    quasi: Sequence[str],
    k: int | None = None,
    require: Iterable[Any] = (),
    sensitive: Sequence[str] = (),
    entity: str | None = None,
    missing: Sequence[str] = (),
    hierarchies: Mapping[str, Any] | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
) -> Check:
    """Answer whether a table holds as it is, raw or anonymized. Nothing is written.

    Parameters
    ----------
    table : dataframe, DuckDB relation, table of Spark or path
        Whatever :func:`hedgerow.audit` takes.
    quasi : sequence of str
        The columns by which a person could be found.
    k : int, optional
        Short for k-anonymity over all quasi-identifiers.
    require : iterable of requirements
        As objects or as text such as ``"l=3@disease"``. Either ``k`` or one of these is needed.
    sensitive : sequence of str
        Columns of which the answer also tells how many people's value is known to whoever finds their class.
    entity : str, optional
        The column that tells people apart, where a person may have several rows.
    missing : sequence of str
        Texts that mean "no value".
    hierarchies : mapping of column to hierarchy, optional
        Of sensitive columns, for requirements that measure distances in them.
    encoding, delimiter, sheet : str, optional
        Of files, as for :class:`hedgerow.File`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["12", "12", "13"], "illness": ["flu", "cold", "flu"]})
    >>> answer = check(table, quasi=["zip"], k=2)
    >>> answer.holds, answer.findings[0].rows_violating
    (False, 1)
    """
    demands = read_demands(k, require, "check")
    if not demands:
        raise BadInput("No requirement is given. Say k=10 (-k 10) or name some with require= (--require).")
    for name, given in (("quasi", quasi), ("sensitive", sensitive)):
        if isinstance(given, str):
            raise BadInput.parameter(name, "check", "a list of column names", given)
    protected = [column for one in demands if (column := getattr(one, "column", None)) is not None]
    counted = tuple(dict.fromkeys((*sensitive, *protected)))
    trees = {} if hierarchies is None else hierarchies
    check_columns(trees, counted, "check")
    counts = count_classes(
        table,
        quasi,
        sensitive=counted,
        entity=entity,
        missing=missing,
        encoding=encoding,
        delimiter=delimiter,
        sheet=sheet,
    )
    return Check(
        rows=counts.rows,
        people=None if counts.entity is None else counts.people,
        columns=counts.columns,
        classes=len(counts.sizes),
        verdict=verify(counts, with_trees(demands, trees, counts)),
        told={name: _told(counts, name) for name in sensitive},
    )


def _told(counts: ClassCounts, column: str) -> Told:
    alike = distinct_values(counts.histogram(column)) == 1
    return Told(int(counts.sizes[alike].sum()), int(alike.sum()))
