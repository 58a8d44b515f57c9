"""``hedgerow audit`` and ``hedgerow check``: measure a table, or answer whether it meets its requirements."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import typer

from hedgerow.cli._headerless import watched
from hedgerow.cli._job import Job
from hedgerow.cli._lists import assignments, read_delimiter, split_names
from hedgerow.cli._report import check_report
from hedgerow.cli._roles import find_hierarchies, missing_texts, named_quasi, needing_trees
from hedgerow.errors import BadInput
from hedgerow.io.readers import STANDARD_INPUT, find_table

if TYPE_CHECKING:
    from hedgerow.report.facts.figures import Edition
    from hedgerow.requirements import Requirement
    from hedgerow.risk import Audit, Check

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
# ``hedgerow audit``.


_COLUMNS: Final = ("quasi", "sensitive", "changed", "previous_quasi")
_TABLES: Final = {"table": "table", "population": "population", "previous": "previous release", "original": "original"}
"""The options that name a table, and what messages call it."""
_AS_TYPED: Final = ("target", "population", "entity", "k", "threshold", "encoding", "sheet", "previous", "original")


def run_audit(given: Mapping[str, Any]) -> bool:
    """Print the audit and return whether the requirements hold. Without requirements they do.

    A report is written even if the requirements do not hold.
    """
    columns = {name: split_names(given[name], f"--{name.replace('_', '-')}") or [] for name in _COLUMNS}
    quasi, k, require = named_quasi(columns["quasi"]), given["k"], given["require"] or ()
    _refuse_conflicts(given)
    requirements = _read_requirements(k, require, quasi) if k is not None or require else ()
    edition = _check_report(given)
    hierarchies = _hierarchies_to_compare(given, columns, requirements)

    from hedgerow.risk import audit

    delimiter = read_delimiter(given["delimiter"])
    typed = (*quasi, *columns["sensitive"], given["target"], given["entity"])
    with watched(given["table"], encoding=given["encoding"], delimiter=delimiter, typed=typed):
        result = audit(
            given["table"],
            **{**columns, **{name: given[name] for name in _AS_TYPED}},
            # The requirement of k comes first. The audit takes k by itself, because 1/k is its threshold.
            require=requirements if k is None else requirements[1:],
            missing=missing_texts(given["missing"]),
            hierarchies=hierarchies,
            delimiter=delimiter,
        )
    if given["report"] is not None:
        result.report(given["report"], edition=edition, overwrite=given["force"])
    _show(result, as_json=given["as_json"])
    return result.verdict is None or result.verdict.holds


def _refuse_conflicts(given: Mapping[str, Any]) -> None:
    """Refuse options that do not go together."""
    from_stdin = [name for option, name in _TABLES.items() if given[option] == STANDARD_INPUT]
    if len(from_stdin) > 1:
        both = f"{from_stdin[0].capitalize()} and {from_stdin[1]}"
        raise BadInput(f"{both} are both standard input, which can be read only once. Name a file for one of them.")
    for name in ("original", "changed", "previous_quasi"):
        if given[name] and given["previous"] is None:
            raise BadInput(f"--{name.replace('_', '-')} needs an earlier release. Add --previous FILE.")


def _check_report(given: Mapping[str, Any]) -> Edition:
    tables = [given[name] for name in _TABLES if given[name] is not None and given["report"] is not None]
    reads = [path for table in tables for path in find_table(table).reads]
    return check_report(given["report"], given["report_edition"], force=given["force"], reads=reads)


def _hierarchies_to_compare(
    given: Mapping[str, Any], columns: Mapping[str, Sequence[str]], requirements: Sequence[Requirement]
) -> dict[str, Any]:
    """The hierarchies that the audit uses."""
    words = assignments(given["hierarchy"], "--hierarchy") or {}
    earlier: Sequence[str] = columns["previous_quasi"]
    if given["previous"] is not None and given["hierarchies"] is not None:
        from hedgerow.risk.previous import quasi_of

        earlier = quasi_of(given["previous"], earlier)
    compared = given["population"] is not None or given["previous"] is not None
    generalized = (*columns["quasi"], *columns["sensitive"], *earlier)
    return _used_hierarchies(requirements, given["hierarchies"], words, generalized, compared=compared)


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
            missing=missing_texts(demands.missing),
            hierarchies=given,
            encoding=demands.encoding,
            delimiter=delimiter,
            sheet=demands.sheet,
        )
    _show(answer, as_json=as_json, quiet=quiet)
    return answer.holds
