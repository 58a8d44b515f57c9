"""``hedgerow audit`` and ``hedgerow check``: measure a table, or answer whether it meets its requirements."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from hedgerow.cli._headerless import watched
from hedgerow.cli._job import Job
from hedgerow.cli._lists import assignments, read_delimiter, split_names
from hedgerow.cli._report import check_report
from hedgerow.cli._roles import find_hierarchies, named_quasi, needing_trees
from hedgerow.errors import BadInput
from hedgerow.io.readers import STANDARD_INPUT, find_table

if TYPE_CHECKING:
    from hedgerow.requirements import Requirement

__all__ = ["AuditOptions", "run_audit", "run_check"]


# --------------------------------------------------------------------------------------------------
# Requirements and hierarchies of a table that is only examined.


def _read_requirements(k: int | None, require: Sequence[str], quasi: Sequence[str]) -> tuple[Requirement, ...]:
    """Read the requirements. Their shields hold quasi-identifiers only."""
    from hedgerow.requirements import resolve as resolve_requirements

    requirements = resolve_requirements(k, require)
    for requirement in requirements:
        for name in requirement.shield or ():
            if name not in quasi:
                raise BadInput.unknown("quasi-identifier", name, quasi, f"It is in the shield of {requirement}.")
    return requirements


def _used_hierarchies(
    requirements: Sequence[Requirement],
    folder: str | None,
    typed: Mapping[str, str],
    columns: Sequence[str],
    *,
    compared: bool | None = None,
) -> dict[str, Any]:
    """Find the hierarchies of a folder. Refuse hierarchies that nothing would use.

    Parameters
    ----------
    requirements : sequence of Requirement
    folder : str, optional
        It has one file for each column.
    typed : mapping of column to str
        Hierarchies that were typed. They win over files.
    columns : sequence of str
        Columns that may have a hierarchy, besides those in which requirements measure distances.
    compared : bool
        Whether labels are compared with those of another table, which needs hierarchies too; ``None`` if the command
        cannot compare.
    """
    needed = needing_trees(requirements)
    if (folder is not None or typed) and not needed and not compared:
        users, way_out = (
            ("no", "Leave it out.")
            if compared is None
            else ("neither a population nor a", "Leave it out, or add --population FILE.")
        )
        raise BadInput(
            f"A hierarchy is given (--hierarchies, --hierarchy), but {users} requirement such as "
            f"t=0.2:hierarchical@disease uses it. {way_out}"
        )
    hierarchies = find_hierarchies(folder, (*columns, *needed))
    for remark in hierarchies.remarks:
        typer.echo(f"hedgerow: {remark}", err=True)
    return {**hierarchies.files, **typed}


# --------------------------------------------------------------------------------------------------
# ``hedgerow audit``.


@dataclass(frozen=True)
class AuditOptions:
    """The options of ``hedgerow audit``, with lists of columns split."""

    table: str
    quasi: Sequence[str]
    sensitive: Sequence[str]
    target: str | None
    population: str | None
    entity: str | None
    k: int | None
    require: Sequence[str]
    missing: Sequence[str]
    hierarchies: str | None
    hierarchy: Mapping[str, str]
    threshold: float | None
    previous: str | None
    original: str | None
    previous_quasi: Sequence[str]
    changed: Sequence[str]
    encoding: str | None
    delimiter: str | None
    sheet: str | None
    as_json: bool
    report: str | None
    report_edition: str | None
    force: bool

    @classmethod
    def of(cls, typed: Mapping[str, Any]) -> AuditOptions:
        """Read the options as they were typed."""
        names = ("quasi", "sensitive", "changed", "previous_quasi")
        read = {name: split_names(typed[name], f"--{name.replace('_', '-')}") or [] for name in names}
        return cls(
            **{
                **typed,
                **read,
                "require": typed["require"] or [],
                "missing": typed["missing"] or [],
                "hierarchy": assignments(typed["hierarchy"], "--hierarchy") or {},
                "delimiter": read_delimiter(typed["delimiter"]),
            }
        )

    @property
    def tables(self) -> dict[str, str]:
        """The tables that are read, under the names by which messages call them."""
        named = {
            "table": self.table,
            "population": self.population,
            "previous release": self.previous,
            "original": self.original,
        }
        return {name: path for name, path in named.items() if path is not None}

    def refuse_conflicts(self) -> None:
        """Refuse options that do not go together."""
        from_stdin = [name for name, path in self.tables.items() if path == STANDARD_INPUT]
        if len(from_stdin) > 1:
            both = f"{from_stdin[0].capitalize()} and {from_stdin[1]}"
            raise BadInput(f"{both} are both standard input, which can be read only once. Name a file for one of them.")
        for name in ("original", "changed", "previous_quasi"):
            if getattr(self, name) and self.previous is None:
                raise BadInput(f"--{name.replace('_', '-')} needs an earlier release. Add --previous FILE.")

    def requirements(self) -> tuple[Requirement, ...]:
        """The requirements, if there are any."""
        return _read_requirements(self.k, self.require, self.quasi) if self.k is not None or self.require else ()

    def used_hierarchies(self, requirements: Sequence[Requirement]) -> dict[str, Any]:
        """The hierarchies that the audit uses."""
        earlier = self.previous_quasi
        if self.previous is not None and self.hierarchies is not None:
            from hedgerow.risk.previous import quasi_of

            earlier = quasi_of(self.previous, self.previous_quasi)
        return _used_hierarchies(
            requirements,
            self.hierarchies,
            self.hierarchy,
            tuple(dict.fromkeys((*self.quasi, *self.sensitive, *earlier))),
            compared=self.population is not None or self.previous is not None,
        )


def run_audit(options: AuditOptions) -> bool:
    """Print the audit and return whether the requirements hold. Without requirements they do.

    A report is written even if the requirements do not hold.
    """
    named_quasi(options.quasi)
    options.refuse_conflicts()
    requirements = options.requirements()
    tables = () if options.report is None else options.tables.values()
    reads = [path for table in tables for path in find_table(table).reads]
    edition = check_report(options.report, options.report_edition, force=options.force, reads=reads)
    hierarchies = options.used_hierarchies(requirements)

    from hedgerow.risk import audit

    columns = (*options.quasi, *options.sensitive, options.target, options.entity)
    with watched(options.table, encoding=options.encoding, delimiter=options.delimiter, typed=columns):
        result = audit(
            options.table,
            quasi=options.quasi,
            sensitive=options.sensitive,
            target=options.target,
            population=options.population,
            entity=options.entity,
            # The requirement of k comes first. The audit takes k by itself, because 1/k is its threshold.
            k=options.k,
            require=requirements if options.k is None else requirements[1:],
            missing=tuple(dict.fromkeys((*options.missing, ""))),
            hierarchies=hierarchies,
            threshold=options.threshold,
            encoding=options.encoding,
            delimiter=options.delimiter,
            sheet=options.sheet,
            previous=options.previous,
            original=options.original,
            changed=options.changed,
            previous_quasi=options.previous_quasi,
        )
    if options.report is not None:
        result.report(options.report, edition=edition, overwrite=options.force)
    if options.as_json:
        typer.echo(json.dumps(result.to_dict(), indent=2, ensure_ascii=False))
    else:
        typer.echo(result.render(), nl=False)
    return result.verdict is None or result.verdict.holds


# --------------------------------------------------------------------------------------------------
# ``hedgerow check``.


def run_check(demands: Job, *, typed_hierarchies: bool, as_json: bool, quiet: bool) -> bool:
    """Print the answer and return it.

    Parameters
    ----------
    demands : Job
        The table, its columns and the requirements, typed or from a job file. The rest of the job is ignored.
    typed_hierarchies : bool
        Whether hierarchies were typed. Hierarchies of a job are ignored if no requirement uses them.
    as_json : bool
    quiet : bool
        Print nothing: the exit status is the answer.
    """
    if not demands.input:
        raise BadInput("No table is named. Type hedgerow check TABLE …, or name it in a job file (--job).")
    quasi = named_quasi(demands.quasi)
    requirements = _read_requirements(demands.k, demands.require, quasi)
    needed = needing_trees(requirements)
    folder, words = demands.hierarchies, demands.hierarchy
    if not typed_hierarchies:
        folder, words = folder if needed else None, {name: words[name] for name in needed if name in words}
    given = _used_hierarchies(requirements, folder, words, demands.sensitive)

    from hedgerow.risk import check

    delimiter = read_delimiter(demands.delimiter)
    typed = (*quasi, *demands.sensitive, demands.entity)
    with watched(demands.input, encoding=demands.encoding, delimiter=delimiter, typed=typed):
        answer = check(
            demands.input,
            quasi=quasi,
            require=requirements,
            sensitive=demands.sensitive,
            entity=demands.entity,
            missing=tuple(dict.fromkeys((*demands.missing, ""))),
            hierarchies=given,
            encoding=demands.encoding,
            delimiter=delimiter,
            sheet=demands.sheet,
        )
    if as_json:
        typer.echo(json.dumps(answer.to_dict(), indent=2, ensure_ascii=False))
    elif not quiet:
        typer.echo(answer.render(), nl=False)
    return answer.holds
