"""``hedgerow audit`` and ``hedgerow check``: measure a table, or answer whether it meets its requirements."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from hedgerow.cli._headerless import watched
from hedgerow.cli._job import Job, joined, named_table
from hedgerow.cli._lists import read_delimiter, split_names
from hedgerow.cli._report import check_report
from hedgerow.cli._roles import find_hierarchies, missing_texts, named_quasi, needing_trees
from hedgerow.errors import BadInput
from hedgerow.io.atomic import manifest_path
from hedgerow.io.readers import STANDARD_INPUT, find_table

if TYPE_CHECKING:
    from hedgerow.report.facts.figures import Edition
    from hedgerow.requirements import Requirement
    from hedgerow.risk import Audit, Check
    from hedgerow.risk.manifest import StatedRoles

__all__ = ["run_audit", "run_check"]


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


def _show(answer: Audit | Check, *, as_json: bool, quiet: bool = False) -> None:
    if as_json:
        typer.echo(json.dumps(answer.to_dict(), indent=2, ensure_ascii=False))
    elif not quiet:
        typer.echo(answer.render(), nl=False)


# --------------------------------------------------------------------------------------------------
# A table that is examined: what is typed, what its job file says, and what the manifest beside it says.


_READING: Final = ("encoding", "delimiter", "sheet", "decimal")


def _as_written(given: Mapping[str, Any], job: Job, table: str) -> Job:
    """The job without its options of reading, if the table is a release: those are about the table it was made from."""
    if given["job"] is None or table == STANDARD_INPUT or not manifest_path(Path(table)).exists():
        return job
    return job.model_copy(update={name: given.get(name) or ("." if name == "decimal" else None) for name in _READING})


def _stated(table: str, quasi: Sequence[str]) -> StatedRoles | None:
    """What the manifest beside a table says, if no quasi-identifier is named."""
    if quasi or table == STANDARD_INPUT or not manifest_path(Path(table)).exists():
        return None

    from hedgerow.risk.manifest import stated_beside

    return stated_beside(table)


def _entity(given: Mapping[str, Any], job: Job, table: str) -> str | None:
    """The column that identifies people. A job names it for the table it reads; its release may be without it."""
    if given["entity"] is None and job.entity is not None and table != STANDARD_INPUT:
        from hedgerow.risk.manifest import is_dropped

        if is_dropped(table, job.entity):
            return None
    return job.entity


# --------------------------------------------------------------------------------------------------
# ``hedgerow audit``.


_COLUMNS: Final = ("changed", "previous_quasi")
_TABLES: Final = {
    "table": "table",
    "population": "population",
    "previous": "previous release",
    "original": "original",
    "previous_original": "original of the previous release",
}
"""The options that name a table, and what messages call it."""
_PRIVATE: Final = ("previous_original", "recoding", "previous_recoding")
_AS_TYPED: Final = ("population", "threshold", "previous", "original", "min_people", *_PRIVATE)


def run_audit(given: Mapping[str, Any]) -> bool:
    """Print the audit and return whether the requirements hold. Without requirements they do.

    A report is written even if the requirements do not hold.
    """
    job = joined(given, "hedgerow audit", without=("report", "report_edition", "force", "previous", *_PRIVATE))
    table = _audited(given, job)
    given = {**given, "table": table}
    job = _as_written(given, job, table)
    columns = {name: split_names(given[name], f"--{name.replace('_', '-')}") or [] for name in _COLUMNS}
    stated = _stated(table, job.quasi)
    quasi = named_quasi(job.quasi if stated is None else stated.quasi)
    _refuse_conflicts(given)
    demanded = job.k is not None or job.require
    requirements = _read_requirements(job.k, job.require, quasi) if demanded else ()
    edition = _check_report(given)
    used = requirements if demanded or stated is None else stated.requirements
    sensitive = job.sensitive or (() if stated is None else stated.sensitive)
    generalized = (*quasi, *sensitive)
    hierarchies = _hierarchies_to_compare(given, job, generalized, columns["previous_quasi"], used)

    from hedgerow.risk import audit

    delimiter = read_delimiter(job.delimiter)
    entity = _entity(given, job, table)
    with watched(table, encoding=job.encoding, delimiter=delimiter, typed=(*quasi, *sensitive, job.target, entity)):
        result = audit(
            table,
            **{**columns, **{name: given[name] for name in _AS_TYPED}},
            # What a manifest says is left to the audit, which compares it with the table.
            quasi=quasi if stated is None else None,
            sensitive=job.sensitive if job.sensitive or stated is None else None,
            target=job.target,
            entity=entity,
            k=job.k,
            # The requirement of k comes first. The audit takes k by itself, because 1/k is its threshold.
            require=requirements if job.k is None else requirements[1:],
            missing=missing_texts(job.missing) if job.missing or stated is None else None,
            hierarchies=hierarchies,
            encoding=job.encoding,
            delimiter=delimiter,
            sheet=job.sheet,
        )
    if given["report"] is not None:
        result.report(given["report"], edition=edition, overwrite=given["force"])
    _show(result, as_json=given["as_json"])
    return result.verdict is None or result.verdict.holds


def _audited(given: Mapping[str, Any], job: Job) -> str:
    """The table that was typed, or the output of the job."""
    table: str | None = given["input"] or job.output
    if not table:
        raise BadInput("No table is named. Type hedgerow audit TABLE …, or name a job file that wrote it (--job).")
    return table


def _refuse_conflicts(given: Mapping[str, Any]) -> None:
    """Refuse options that do not go together."""
    from_stdin = [name for option, name in _TABLES.items() if given[option] == STANDARD_INPUT]
    if len(from_stdin) > 1:
        both = f"{from_stdin[0].capitalize()} and {from_stdin[1]}"
        raise BadInput(f"{both} are both standard input, which can be read only once. Name a file for one of them.")
    for name in ("original", "changed", "previous_quasi", *_PRIVATE):
        if given[name] and given["previous"] is None:
            raise BadInput(f"--{name.replace('_', '-')} needs an earlier release. Add --previous FILE.")


def _check_report(given: Mapping[str, Any]) -> Edition:
    tables = [given[name] for name in _TABLES if given[name] is not None and given["report"] is not None]
    reads = [path for table in tables for path in find_table(table).reads]
    return check_report(given["report"], given["report_edition"], force=given["force"], reads=reads)


def _hierarchies_to_compare(
    given: Mapping[str, Any],
    job: Job,
    generalized: Sequence[str],
    earlier: Sequence[str],
    requirements: Sequence[Requirement],
) -> dict[str, Any]:
    """The hierarchies that the audit uses.

    Parameters
    ----------
    given : mapping
        The options as typed.
    job : Job
        The same, joined with those of the job file.
    generalized : sequence of str
        The quasi-identifiers and sensitive columns.
    earlier : sequence of str
        The quasi-identifiers of the earlier release, as typed.
    requirements : sequence of Requirement
    """
    compared = given["population"] is not None or given["previous"] is not None
    folder, words = _wanted_hierarchies(given, job, requirements, every=compared)
    if given["previous"] is not None and folder is not None:
        from hedgerow.risk.previous import quasi_of

        earlier = quasi_of(given["previous"], earlier)
    return _used_hierarchies(requirements, folder, words, (*generalized, *earlier), compared=compared)


def _wanted_hierarchies(
    given: Mapping[str, Any], job: Job, requirements: Sequence[Requirement], *, every: bool = False
) -> tuple[str | None, dict[str, str]]:
    """The folder and the words of hierarchies. Those of a job file are ignored if nothing uses them."""
    if given["hierarchies"] or given["hierarchy"] or every:
        return job.hierarchies, job.hierarchy
    needed = needing_trees(requirements)
    return job.hierarchies if needed else None, {name: job.hierarchy[name] for name in needed if name in job.hierarchy}


# --------------------------------------------------------------------------------------------------
# ``hedgerow check``.


def run_check(given: Mapping[str, Any]) -> bool:
    """Print the answer and return it. The job file supplies the table, its columns and the requirements."""
    job = joined(given, "hedgerow check", without=("quiet",))
    table = named_table(job, "hedgerow check")
    job = _as_written(given, job, table)
    stated = _stated(table, job.quasi)
    if stated is not None:
        job = _with_stated(job, stated)
    quasi = named_quasi(job.quasi)
    requirements, least = _demanded(job, stated, quasi)
    folder, words = _wanted_hierarchies(given, job, requirements)
    hierarchies = _used_hierarchies(requirements, folder, words, job.sensitive)

    from hedgerow.risk import check

    delimiter = read_delimiter(job.delimiter)
    entity = _entity(given, job, table)
    with watched(table, encoding=job.encoding, delimiter=delimiter, typed=(*quasi, *job.sensitive, entity)):
        answer = check(
            table,
            quasi=quasi,
            require=requirements,
            sensitive=job.sensitive,
            entity=entity,
            missing=missing_texts(job.missing),
            hierarchies=hierarchies,
            min_people=least,
            encoding=job.encoding,
            delimiter=delimiter,
            sheet=job.sheet,
        )
    _show(answer, as_json=given["as_json"], quiet=given["quiet"])
    return answer.holds


def _demanded(job: Job, stated: StatedRoles | None, quasi: Sequence[str]) -> tuple[Sequence[Requirement], int | None]:
    """The requirements, and how many people must hold every value: as typed, or else as the manifest states them."""
    if job.k is not None or job.require:
        return _read_requirements(job.k, job.require, quasi), job.min_people
    if stated is not None:
        return stated.requirements, stated.min_people if job.min_people is None else job.min_people
    return () if job.min_people is not None else _read_requirements(None, (), quasi), job.min_people


def _with_stated(job: Job, stated: StatedRoles) -> Job:
    """The job with what a manifest states, where the job names nothing: quasi-identifiers, people, missing texts."""
    given = {"entity": job.entity or stated.entity, "missing": job.missing or list(stated.missing)}
    return job.model_copy(update={"quasi": list(stated.quasi), **given})
