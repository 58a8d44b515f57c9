"""``hedgerow report``: one document about a saved release, with all that was found out about it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer
from rich.console import Console
from rich.text import Text

from hedgerow.cli._job import Job, joined
from hedgerow.cli._report import check_report
from hedgerow.cli._roles import find_hierarchies, stated_columns, typed_file
from hedgerow.errors import BadInput, plural, translated
from hedgerow.io.atomic import manifest_path
from hedgerow.io.paths import absolute
from hedgerow.io.readers import STANDARD_INPUT, find_table
from hedgerow.io.readers.sizes import read_at_most

if TYPE_CHECKING:
    from hedgerow.evaluation.estimates.results import Analyses
    from hedgerow.release import Release
    from hedgerow.report.facts.figures import Edition

__all__ = ["run"]

_COMMAND: Final = "hedgerow report"
_OWN: Final = ("output", "force", "quiet", "require")
_LARGEST: Final = 1 << 26  # bytes of a file of results


def run(given: Mapping[str, Any]) -> None:
    """Write the report. What can be refused without reading a table is refused first."""
    job = joined(given, _COMMAND, without=_OWN)
    given = {**given, "explanation": given["explanation"] or _written(job.explain)}
    place = _reported(given, job)
    attacks = None if given["attack"] is None else _attacks(given["attack"])
    original = given["original"] or _input_of(job)
    edition = _check(given, place, original)
    if job.analyses and original is None:
        raise BadInput(
            "Analyses need the original rows. Name them (--original FILE), or a job that reads them (--job)."
        )
    stated = _stated(job, given["threshold"])

    from hedgerow.release import Release
    from hedgerow.report.document import ReportOptions, write_report
    from hedgerow.risk.manifest import read_manifest

    columns = stated_columns(place)
    folder = find_hierarchies(job.hierarchies, columns)
    # A job may have hierarchies of further columns, which were coded before anything was counted.
    words = {name: spec for name, spec in job.hierarchy.items() if name in columns or given["hierarchy"]}
    release = Release.load(place, {**folder.files, **words} or None, require=given["require"] or None)
    held = ReportOptions(
        edition=edition,
        **stated,
        attacks=attacks,
        analyses=_analysed(job, release, original),
        previous=_earlier(given["previous"]),
        original=None if original is None or not _counts_people(release) else typed_file(original, dict(job)),
        explanation=given["explanation"],
    )
    write_report(release, given["output"], held, overwrite=given["force"], written=read_manifest(absolute(place)))
    if not given["quiet"]:
        from hedgerow.cli._screen import screen

        _show(screen(), given, job, edition)
        for remark in folder.remarks:
            typer.echo(f"hedgerow: {remark}", err=True)


def _input_of(job: Job) -> str | None:
    """The input of the job; a document that needs no original rows does without, if it is not there any more."""
    if job.input is None or job.analyses:
        return job.input
    return job.input if job.input != STANDARD_INPUT and Path(job.input).exists() else None


def _written(explanation: str | None) -> str | None:
    """The explanation that the job wrote, if it is still there."""
    return explanation if explanation is not None and Path(explanation).is_file() else None


def _reported(given: Mapping[str, Any], job: Job) -> Path:
    """The release that was typed, or the output of the job."""
    named: str | None = given["release"] or job.output
    if not named:
        raise BadInput("No release is named. Type hedgerow report RELEASE …, or name a job file that wrote it (--job).")
    if named == STANDARD_INPUT:
        raise BadInput("A release is read with its manifest, so it cannot be standard input. Name its file.")
    find_table(named)
    return Path(named)


def _check(given: Mapping[str, Any], release: Path, original: str | None) -> Edition:
    """Check the edition and the place of the report, which must not be a file that is read."""
    if original == STANDARD_INPUT:
        raise BadInput(
            "The original is read more than once, so it cannot be standard input. Name its file (--original)."
        )
    tables = [path for path in (original, _table_of(given["previous"])) if path is not None]
    others = [given[name] for name in ("attack", "explanation", "job") if given[name] is not None]
    reads = [release, manifest_path(release), *map(Path, others)]
    reads += [path for table in tables for path in find_table(table).reads]
    return check_report(given["output"], given["edition"], force=given["force"], reads=reads)


def _stated(job: Job, threshold: float | None) -> dict[str, Any]:
    """What only a person can state, checked."""
    from hedgerow.report.facts.context import read_context, read_governance, read_reasons

    named = {} if threshold is None else {"threshold": threshold}
    return {
        "context": read_context({**job.context, **named}),
        "governance": read_governance(job.governance),
        "reasons": read_reasons(job.reasons or None),
    }


def _counts_people(release: Release) -> bool:
    """Whether the release counts people, whose rows may be counted in the original."""
    return release.facts["columns"].get("entity") is not None


# --------------------------------------------------------------------------------------------------
# Results that were saved, and those that are found now.


def _attacks(path: str) -> Mapping[str, Any]:
    """Read what ``hedgerow attack --json`` printed."""
    found = _json(path, "--attack", "hedgerow attack --json")
    if not {"attacks", "skipped", "remarks"} <= found.keys():
        raise _no_result(path, "--attack", "hedgerow attack --json")
    return found


def _json(path: str, option: str, command: str) -> Mapping[str, Any]:
    """Read a file of results."""
    unreadable = _no_result(path, option, command)
    missing = BadInput(f"There is no file {path!r} ({option}). Check the path.")
    with translated(OSError, ValueError, RecursionError, into=unreadable), translated(FileNotFoundError, into=missing):
        content = read_at_most(Path(path), _LARGEST)
        if content is None:
            raise unreadable
        # PowerShell writes a byte order mark, and UTF-16 by default.
        found = json.loads(content)
    if not isinstance(found, Mapping):
        raise unreadable
    return found


def _no_result(path: str, option: str, command: str) -> BadInput:
    return BadInput(f"{path!r} is not a result that {option} can read. Save one: {command} > {Path(path).name}")


def _table_of(previous: str | None) -> str | None:
    """The table of an earlier release, unless a file of results stands for it."""
    return None if previous is None or Path(previous).suffix.lower() == ".json" else previous


def _earlier(previous: str | None) -> str | Mapping[str, Any] | None:
    """The earlier release, or what an audit of both found."""
    if previous is None or _table_of(previous) is not None:
        return previous
    return _json(previous, "--previous", "hedgerow audit TABLE --previous FILE --json")


def _analysed(job: Job, release: Release, original: str | None) -> Analyses | None:
    """Run the analyses on the original rows and on the release."""
    if not job.analyses or original is None:
        return None
    from hedgerow.evaluation.estimates.api import analyses

    return analyses(typed_file(original, dict(job)), release, job.analyses, kinds=job.kinds, random_state=job.seed or 0)


# --------------------------------------------------------------------------------------------------
# What a person reads: where the report is, what it holds, and what is missing before it can be signed.


def _show(console: Console, given: Mapping[str, Any], job: Job, edition: Edition) -> None:
    """Print where the report is, and what is in it."""
    readers = "what recipients may see" if edition == "public" else "internal: not for recipients"
    for label, value in (("report", f"{given['output']} ({readers})"), *_lines(given, job, edition)):
        console.print(Text.assemble((f"  {label:<13}", "cyan"), value), soft_wrap=True)


def _lines(given: Mapping[str, Any], job: Job, edition: Edition) -> Iterator[tuple[str, str]]:
    public = edition == "public"
    held = [words for option, words in _HELD.items() if given[option] is not None]
    private = [words for option, words in _PRIVATE.items() if given[option] is not None]
    if job.analyses:
        held.append(plural(len(job.analyses), "analyses"))
    if job.reasons:
        private.append("why each column has its role")
    yield "holds", ", ".join(["the audit", *held, *(() if public else private)])
    if public and private:
        yield "without", f"{', '.join(private)}: for the internal edition only"
    governance = job.governance
    if governance.get("signatory") and governance.get("date"):
        yield "signed by", f"{governance['signatory']}, {governance['date']}"
    else:
        yield "not signed", "name a signatory and a date in [governance] of a job file (--job)"


_HELD: Final = {"previous": "an earlier release"}
_PRIVATE: Final = {"attack": "attacks", "explanation": "why cells are not finer"}
"""What each option adds to a report: to both editions, or to the internal one."""
