"""``hedgerow audit``: the figures of any table, for a person or as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

from hedgerow.cli._headerless import watched
from hedgerow.cli._job import Job
from hedgerow.cli._lists import read_delimiter
from hedgerow.cli._reporting import check_report
from hedgerow.cli._roles import find_hierarchies, named_quasi, needing_trees
from hedgerow.errors import BadInput
from hedgerow.io.readers import STANDARD_INPUT, find_table

if TYPE_CHECKING:
    from hedgerow.requirements import Requirement

__all__ = ["hierarchies_used", "read_demands", "run_audit", "run_check"]


# --------------------------------------------------------------------------------------------------
# What is demanded of a table that is only looked at, by ``hedgerow audit`` and ``hedgerow check``.


def read_demands(k: int | None, require: Sequence[str], quasi: Sequence[str]) -> tuple[Requirement, ...]:
    """Read the requirements; every shield is one of quasi-identifiers."""
    from hedgerow.requirements import resolve as resolve_requirements

    requirements = resolve_requirements(k, require)
    for one in requirements:
        for name in one.shield or ():
            if name not in quasi:
                raise BadInput.unknown("quasi-identifier", name, quasi, f"It is in the shield of {one}.")
    return requirements


def hierarchies_used(
    requirements: Sequence[Requirement],
    folder: str | None,
    typed: Mapping[str, str],
    columns: Sequence[str],
    *,
    population: bool | None = None,
) -> dict[str, Any]:
    """Find the hierarchies that were named; refuse them where nothing would use them.

    Parameters
    ----------
    requirements : sequence of Requirement
    folder : str, optional
        With one file for each column.
    typed : mapping of column to str
        These win.
    columns : sequence of str
        That a hierarchy would be used for, beside those of requirements that measure distances.
    population : bool
        Whether labels are compared with people elsewhere, which needs them too; ``None`` if the command cannot.
    """
    needed = needing_trees(requirements)
    if (folder is not None or typed) and not needed and not population:
        alone = population is None
        nothing, way_out = ("no", "") if alone else ("neither a population nor a", ", or name the --population")
        raise BadInput(
            f"A hierarchy is given (--hierarchies, --hierarchy), but {nothing} requirement such as "
            f"t=0.2:hierarchical@disease uses it. Leave it out{way_out}."
        )
    found = find_hierarchies(folder, (*columns, *needed))
    for remark in found.remarks:
        typer.echo(f"hedgerow: {remark}", err=True)
    return {**found.files, **typed}


def run_audit(
    table: str,
    *,
    quasi: Sequence[str],
    sensitive: Sequence[str],
    target: str | None,
    population: str | None,
    entity: str | None,
    k: int | None,
    require: Sequence[str],
    missing: Sequence[str],
    hierarchies: str | None,
    hierarchy: Mapping[str, str],
    threshold: float | None,
    encoding: str | None,
    delimiter: str | None,
    sheet: str | None,
    as_json: bool,
    previous: str | None = None,
    original: str | None = None,
    changed: Sequence[str] = (),
    previous_quasi: Sequence[str] = (),
    report: str | None = None,
    report_edition: str | None = None,
    force: bool = False,
) -> bool:
    """Print the audit and return whether the requirements hold; without requirements they do.

    A report is written whatever it finds: that requirements do not hold is worth a page, too.
    """
    named_quasi(quasi)
    others = {"population": population, "previous release": previous, "original": original}
    twice = [name for name, one in {"table": table, **others}.items() if one == STANDARD_INPUT]
    if len(twice) > 1:
        told = f"{twice[0].capitalize()} and {twice[1]}"
        raise BadInput(f"{told} are both standard input, which can be read once. Name a file.")
    for name, one in (("original", original), ("changed", changed), ("previous-quasi", previous_quasi)):
        if one and previous is None:
            raise BadInput(f"--{name} is of use only beside an earlier release. Name that one with --previous.")

    requirements = read_demands(k, require, quasi) if k is not None or require else ()
    named = () if report is None else (table, *(one for one in others.values() if one is not None))
    reads = [path for one in named for path in find_table(one).reads]
    edition = check_report(report, report_edition, force=force, reads=reads)
    earlier: Sequence[str] = previous_quasi
    if previous is not None and hierarchies is not None:
        from hedgerow.risk.previous import quasi_of

        earlier = quasi_of(previous, previous_quasi)
    given = hierarchies_used(
        requirements,
        hierarchies,
        hierarchy,
        tuple(dict.fromkeys((*quasi, *sensitive, *earlier))),
        population=population is not None or previous is not None,
    )

    from hedgerow.risk import audit

    with watched(table, encoding=encoding, delimiter=delimiter, typed=(*quasi, *sensitive, target, entity)):
        result = audit(
            table,
            quasi=quasi,
            sensitive=sensitive,
            target=target,
            population=population,
            entity=entity,
            # The k that stands for itself comes first: the audit reads it apart, since 1/k is its threshold.
            k=k,
            require=requirements if k is None else requirements[1:],
            missing=tuple(dict.fromkeys((*missing, ""))),
            hierarchies=given,
            threshold=threshold,
            encoding=encoding,
            delimiter=delimiter,
            sheet=sheet,
            previous=previous,
            original=original,
            changed=changed,
            previous_quasi=previous_quasi,
        )
    if report is not None:
        result.report(report, edition=edition, overwrite=force)
    if as_json:
        typer.echo(json.dumps(result.to_dict(), indent=2, ensure_ascii=False))
    else:
        typer.echo(result.render(), nl=False)
    return result.verdict is None or result.verdict.holds


# --------------------------------------------------------------------------------------------------
# ``hedgerow check``: yes or no, and how many.


def run_check(asked: Job, *, typed_hierarchies: bool, as_json: bool, quiet: bool) -> bool:
    """Print the answer and return it.

    Parameters
    ----------
    asked : Job
        The table, its columns and what is required: typed, or from a job file. The rest of the job is not looked at.
    typed_hierarchies : bool
        Whether hierarchies were typed. Those of a job are left alone where no requirement uses them.
    as_json : bool
    quiet : bool
        Print nothing: the exit status is the answer.
    """
    if not asked.input:
        raise BadInput("No table is named. Name it: hedgerow check TABLE …, or in a job file.")
    quasi = named_quasi(asked.quasi)
    requirements = read_demands(asked.k, asked.require, quasi)
    needed = needing_trees(requirements)
    folder, words = asked.hierarchies, asked.hierarchy
    if not typed_hierarchies:
        folder, words = folder if needed else None, {name: words[name] for name in needed if name in words}
    given = hierarchies_used(requirements, folder, words, asked.sensitive)

    from hedgerow.risk import check

    delimiter = read_delimiter(asked.delimiter)
    typed = (*quasi, *asked.sensitive, asked.entity)
    with watched(asked.input, encoding=asked.encoding, delimiter=delimiter, typed=typed):
        answer = check(
            asked.input,
            quasi=quasi,
            require=requirements,
            sensitive=asked.sensitive,
            entity=asked.entity,
            missing=tuple(dict.fromkeys((*asked.missing, ""))),
            hierarchies=given,
            encoding=asked.encoding,
            delimiter=delimiter,
            sheet=asked.sheet,
        )
    if as_json:
        typer.echo(json.dumps(answer.to_dict(), indent=2, ensure_ascii=False))
    elif not quiet:
        typer.echo(answer.render(), nl=False)
    return answer.holds
