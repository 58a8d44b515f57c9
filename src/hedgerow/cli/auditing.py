"""``hedgerow audit``: the figures of any table, for a person or as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import typer

from hedgerow.cli.demands import hierarchies_used, read_demands
from hedgerow.cli.headerless import watched
from hedgerow.cli.reporting import check_report
from hedgerow.cli.roles import named_quasi
from hedgerow.errors import BadInput
from hedgerow.intake import STANDARD_INPUT, find_table

__all__ = ["run"]


def run(
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
