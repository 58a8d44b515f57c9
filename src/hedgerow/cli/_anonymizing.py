"""``hedgerow anonymize``: from a job to a release on disk."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.text import Text

from hedgerow.cli._headerless import watched
from hedgerow.cli._job import Job
from hedgerow.cli._lists import limit_in_words, read_delimiter, read_suppression_limit
from hedgerow.cli._report import check_job_report, staged_report
from hedgerow.cli._roles import HierarchyFiles, completed_schema, hierarchies_of, named_quasi, schema_of
from hedgerow.errors import BadInput, plural, translated
from hedgerow.io.atomic import manifest_path, proportions_path, redrawn_path, refuse_existing, temporary_folder
from hedgerow.io.destinations import Destination
from hedgerow.io.paths import absolute, is_same_file, refuse_overwriting
from hedgerow.io.readers import STANDARD_INPUT, find_table

# A refusal comes before anything heavy is imported.
if TYPE_CHECKING:
    from hedgerow.anonymizers.base import Anonymizer
    from hedgerow.engines import File, Source
    from hedgerow.evaluation.estimates.api import OriginalRows
    from hedgerow.evaluation.estimates.notation import Analysed
    from hedgerow.evaluation.estimates.results import Analyses
    from hedgerow.release import Redrawn, Release
    from hedgerow.release.pipeline import Options, Previous
    from hedgerow.release.saving import Beside
    from hedgerow.requirements import Requirement
    from hedgerow.risk import Audit, EqualRows
    from hedgerow.schema import Schema
    from hedgerow.verifier import Finding

__all__ = ["check_engine", "held_to", "run", "show_analyses", "show_redrawn", "show_release"]


# --------------------------------------------------------------------------------------------------
# The engines that ``--engine`` names.


_ENGINES = ("duckdb", "spark")


def check_engine(engine: str | None, master: str | None) -> None:
    """Refuse an unknown engine, and a master without Spark."""
    if engine is not None and engine not in _ENGINES:
        raise BadInput.unknown("engine", engine, _ENGINES)
    if master is not None and engine != "spark":
        raise BadInput("--master requires --engine spark: it names where Spark runs.")


# --------------------------------------------------------------------------------------------------
# The summary that is printed: figures and names of columns, never a cell.


_MAIN_LOSSES: Final = ("ncp_published", "ncp", "loss", "prec", "c_avg", "classification", "suppression")


def show_release(
    console: Console,
    release: Release,
    output: Path,
    *,
    given: Collection[str],
    recoding: str | None = None,
    explain: str | None = None,
    report: str | None = None,
    remarks: Sequence[str] = (),
) -> None:
    """Print a summary of a release and where it is.

    Parameters
    ----------
    console : Console
    release : Release
    output : Path
        Where the table was saved.
    given : collection of str
        The columns whose hierarchy was given; the automatic hierarchies of the others are printed.
    recoding, explain : str, optional
        Where the recoding and the reasons were saved.
    report : str, optional
        Where the report was written.
    remarks : sequence of str
        Notes on the options; they are not published.
    """
    facts, audit = release.facts, release.audit
    exact = _exact_remarks(release)
    for warning in (*exact.values(), *audit.grave):
        console.print(Text(warning, "bold yellow"), soft_wrap=True)
    people = "" if audit.people is None else f" of {audit.people_told} people"
    first = f"Released {audit.rows:,} of {plural(facts['rows_in'], 'rows')}{people}, anonymized by {facts['method']}."
    linking = facts["columns"]["pseudonymized"]
    if linking and facts.get("rows_are_people"):
        first = (
            f"Rows with the same pseudonym ({', '.join(linking)}) can be linked, and rows were counted, because you "
            f"declared every row a person. {first}"
        )
    console.print(Text(first, "bold"), soft_wrap=True)
    secrets = {"recoding": recoding, "explanation": explain}
    for label, value in _lines(release, output, given, secrets, report):
        console.print(Text.assemble((f"  {label:<13}", "cyan"), value), soft_wrap=True)
    notes = [warning for warning in audit.warnings[len(audit.grave) :] if warning not in exact]
    for warning in (*notes, *remarks):
        console.print(Text.assemble((f"  {'note':<13}", "yellow"), warning), soft_wrap=True)


def _exact_remarks(release: Release) -> Mapping[str, str]:
    """Remarks on columns that are read as text because of a few cells, as they are published and with exact numbers."""
    from hedgerow.core.counts import exact_remarks

    return {} if release.originals is None else exact_remarks(release.originals)


def show_redrawn(console: Console, drawn: Redrawn, equal: EqualRows, output: Path, *, escaped: bool) -> None:
    """Print where drawn rows are, and how many equal original rows, rounded: this is written to no file.

    Parameters
    ----------
    console : Console
    drawn : Redrawn
    equal : EqualRows
    output : Path
        Where the release was saved.
    escaped : bool
        Whether formulas were escaped.
    """
    rows = f"{redrawn_path(output)}: {plural(drawn.rows, 'rows')} of ordinary values, drawn from the proportions"
    for label, value in (("redrawn", rows), ("equal rows", f"{equal!r} (for you: written nowhere)")):
        console.print(Text.assemble((f"  {label:<13}", "cyan"), value), soft_wrap=True)
    formulas = () if escaped else (f"of the drawn rows, {warning}" for warning in drawn.warnings)
    for note in (*formulas, *(f"of the drawn rows: {note}" for note in drawn.notes)):
        console.print(Text.assemble((f"  {'note':<13}", "yellow"), note), soft_wrap=True)


def show_analyses(console: Console, analyses: Analyses) -> None:
    """Print how far analyses hold, in a word each: the figures of the original rows are for an internal report."""
    words: dict[str, list[str]] = {}
    for result in analyses.results:
        reading = " on redrawn rows" if result.reading == "redrawn" else ""
        words.setdefault(result.analysis, []).append(f"{result.agreement or 'not comparable'}{reading}")
    for text, found in words.items():
        console.print(Text.assemble((f"  {'analysis':<13}", "cyan"), f"{text}: {', '.join(found)}"), soft_wrap=True)


def _judged(finding: Finding) -> str:
    """Whether a requirement holds; a requirement that every table meets is not called verified."""
    if finding.measure == "k" and finding.required <= 1:
        return "promises nothing"
    return "verified" if finding.holds else "NOT MET"


def _lines(
    release: Release, output: Path, given: Collection[str], secrets: Mapping[str, str | None], report: str | None
) -> Iterator[tuple[str, str]]:
    """What is printed of a release: a label and a text for each line."""
    from hedgerow.risk.rendering import figure

    yield from _counted_lines(release.audit)
    if (earlier := release.facts.get("previous")) is not None:
        yield "previous", f"{earlier.get('file') or earlier.get('folder')}: all requirements hold for both together"
    yield from _accepted_lines(release.audit)
    losses = [f"{name} {figure(release.audit.losses[name])}" for name in _MAIN_LOSSES if name in release.audit.losses]
    if losses:
        yield "losses", " · ".join(losses)
    automatic = [
        f"{column} ({description.removeprefix('automatic: ')})"
        for column, description in release.facts["hierarchies"].items()
        if column not in given
    ]
    if automatic:
        yield "automatic", f"hierarchies of {', '.join(automatic)}"
    yield "table", str(output)
    yield "manifest", str(manifest_path(output))
    if release.audit.proportions:
        yield "proportions", f"{proportions_path(output)}; {_singled_out(release.audit)}"
    for label, place in secrets.items():
        if place is not None:
            yield label, f"{place} (private: do not publish it)"
    if report is not None:
        yield "report", report


def _counted_lines(audit: Audit) -> Iterator[tuple[str, str]]:
    """Requirements and classes, as they were counted."""
    from hedgerow.risk.rendering import figure

    for finding in audit.verdict.findings if audit.verdict is not None else ():
        reached = f"{finding.measure} is {figure(finding.reached)}"
        yield "requirement", f"{finding.requirement}: {_judged(finding)}, {reached}"
    sizes = audit.classes
    yield (
        "classes",
        f"{sizes.number:,} of {sizes.smallest:,} to {sizes.largest:,} {sizes.counted}, median {figure(sizes.median)}; "
        f"k reached: {audit.k:,}",
    )
    for name, coded in audit.coded.items():
        yield "coded", f"{name}: {coded.told}"
    for name, by in audit.determined.items():
        yield "counted", f"{name}, too, because {' or '.join(by)} determines it. k with it: {audit.k_determined:,}"


def _accepted_lines(audit: Audit) -> Iterator[tuple[str, str]]:
    """What k does not cover: columns published unchanged, and what you accept of them."""
    from hedgerow.risk.audit import beyond_quasi

    beyond = beyond_quasi(audit)
    if beyond:
        yield "not covered", beyond
    for name, column in audit.clear.items():
        if column.excused:
            other, share = column.most
            more = f", and it reveals {share:.0%} of {other}" if share else ""
            more += f"; {' or '.join(column.determined_by)} determines it" if column.determined_by else ""
            yield "ACCEPTED", f"{name}: {column.alone:.0%} of the people have a value that nobody else has{more}"
    for link in audit.links:
        if link.accepted:
            yield "ACCEPTED", f"{', '.join(link.columns)}: links the rows of a person; k of linked rows: {link.k:,}"


def _singled_out(audit: Audit) -> str:
    """How many people the proportions single out, and how sure a guess from them can be."""
    name, worst = max(audit.proportions.items(), key=lambda column: column[1].posterior)
    alone = audit.singled_out or 0
    people = f"{plural(alone, 'people')} {'is' if alone == 1 else 'are'}" if alone else "nobody is"
    return f"{people} singled out; the surest guess of a hidden value: {worst.posterior:.0%} ({name})"


# Libraries reserve more memory than they write to: Arrow a gigabyte at once, each thread its stack and buffers.
_SET_ASIDE: Final = 2 << 30
_SET_ASIDE_PER_CORE: Final = 64 << 20


def run(job: Job, job_file: str | None = None) -> None:
    """Do the job, within its memory limit and with its folder for temporary files."""
    with held_to(None if job.engine == "spark" else job.memory_limit):
        if job.temp is None:
            _run(_Task.of(job, job_file))
            return
        # For all of this process: the verifier spills there too.
        before, tempfile.tempdir = tempfile.tempdir, str(temporary_folder(job.temp))
        try:
            _run(_Task.of(job, job_file))
        finally:
            tempfile.tempdir = before


@contextmanager
def held_to(limit: str | None) -> Iterator[None]:
    """Enforce a memory limit on the process: work that needs far more memory fails with an error of ours.

    Without it the system would kill this process, or another. The limit is on writable memory (``RLIMIT_DATA``), not on
    address space (``RLIMIT_AS``), of which allocators and stacks reserve gigabytes that they never use. Since they
    reserve more than they write to, some room is added.
    """
    resource = _limits() if limit is not None and sys.platform == "linux" else None
    if limit is None or resource is None:
        yield
        return

    from hedgerow.engines.workspace import limit_in_bytes

    too_small = BadInput(
        "The memory limit is too small for this table. Raise it (--memory-limit), or name fewer columns."
    )
    held = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5]) * resource.getpagesize()
    most = held + limit_in_bytes(limit) + _SET_ASIDE + _SET_ASIDE_PER_CORE * (os.cpu_count() or 1)
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    given = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min([most, sys.maxsize, *given]), hard))
    try:
        with translated(MemoryError, into=too_small):
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _limits() -> Any:
    """The module that limits a process, if the system has it."""
    try:
        return importlib.import_module("resource")
    except ImportError:
        return None


@dataclass(frozen=True)
class _Task:
    """A job that was checked, as far as that is possible without reading the table."""

    job: Job
    output: Destination
    schema: Schema
    anonymizer: Anonymizer
    options: Options
    file: File
    holdout: Source | None
    remarks: Sequence[str]
    hierarchies: HierarchyFiles
    analyses: Sequence[Analysed] = ()

    @classmethod
    def of(cls, job: Job, job_file: str | None) -> _Task:
        """Refuse everything that can be refused without reading the table."""
        source, typed_output = _named(job.input, "input", "INPUT"), _named(job.output, "output", "--output out.csv")
        output = Destination.of(typed_output, job.rows_per_file, job.partition_by, owner="hedgerow anonymize")
        named_quasi(job.quasi)
        analyses = _parsed(job)
        parameters = _with_options(job)
        limit = job.suppression_limit
        limit = None if limit is None else read_suppression_limit(limit, "hedgerow anonymize")

        from hedgerow.requirements import resolve as resolve_requirements

        requirements = resolve_requirements(job.k, job.require)
        _refuse_weak_proportions(job, requirements)
        _refuse_vain_holdout(job)
        check_engine(job.engine, job.master)
        _refuse_of_spark(job)
        hierarchies = hierarchies_of(job, requirements)
        schema = schema_of(dict(job), hierarchies.files)
        reads = (*_files_read(job, source, job_file, schema), *hierarchies.others.values())
        _check_places(reads, job, output)

        # Late, because a method knows of Arrow, which takes longer to import than all of the above.
        anonymizer = _anonymizer(job, parameters)

        from hedgerow.release.pipeline import Options

        options = Options(
            keep_rows=job.recoding is not None,
            require=requirements,
            suppression_limit=limit,
            publish_proportions=job.publish_proportions or None,
            min_support=job.min_support,
            target_bins=job.target_bins,
            destination=output,
            min_people=job.min_people,
            previous=_previous(job),
        )
        holdout = None if job.holdout is None else _opened_holdout(job, job.holdout)
        file, remarks = _file(job, source), limit_in_words(limit)
        return cls(job, output, schema, anonymizer, options, file, holdout, remarks, hierarchies, analyses)


def _run(task: _Task) -> None:
    """Anonymize the table and save the release, with everything that stands beside it."""
    from hedgerow.cli._screen import progress_bar, screen

    job, output = task.job, task.output
    watch = watched(str(task.file.path), encoding=job.encoding, delimiter=task.file.delimiter, typed=_names_typed(job))
    opened, private = _opened(job, task.file, output), _places_for_secrets(job)
    with watch, private as secrets, opened as table, progress_bar(quiet=job.quiet) as progress:
        options = replace(task.options, progress=progress)
        table, original = _with_original(task, table)
        task, table = _completed(task, table)
        release = task.anonymizer.anonymize_with(table, task.schema, options, job.seed)
        drawn = equal = None
        if job.redraw is not None:
            progress("Drawing rows")
            drawn = release.redraw(job.redraw)
            equal = drawn.equal_rows(task.holdout)
        analyses = _analysed(task, original, release, progress)
        progress("Saving")
        about: dict[str, Any] = {"edition": job.report_edition or "internal", "analyses": analyses}
        about |= {"context": job.context, "governance": job.governance, "reasons": job.reasons}
        with staged_report(job.report, release, progress, **about) as report:
            release.save(
                output,
                escape_formulas=job.escape_formulas,
                overwrite=job.force,
                redrawn=drawn,
                beside=_with_secrets(report, release, secrets),
            )
    if job.quiet:
        return
    given = set(task.schema.hierarchies)
    also = {"recoding": job.recoding, "explain": job.explain, "report": _place_of_report(job)}
    show_release(screen(), release, Path(output.shown), given=given, remarks=task.remarks, **also)
    if analyses is not None:
        show_analyses(screen(), analyses)
    if drawn is not None and equal is not None:
        show_redrawn(screen(), drawn, equal, Path(output.shown), escaped=job.escape_formulas)


def _completed(task: _Task, table: File | Source) -> tuple[_Task, File | Source]:
    """The task with the hierarchies of columns that no option names; the table is then opened."""
    if not task.hierarchies.undecided:
        return replace(task, remarks=(*task.remarks, *task.hierarchies.remarks)), table
    from hedgerow.engines import File, open_source

    source = open_source(table) if isinstance(table, File) else table
    schema, found = completed_schema(task.schema, task.hierarchies, source.columns)
    return replace(task, schema=schema, hierarchies=found, remarks=(*task.remarks, *found.remarks)), source


def _parsed(job: Job) -> Sequence[Analysed]:
    """The analyses of the job, read."""
    if not job.analyses:
        return ()
    from hedgerow.evaluation.estimates.notation import parse_all

    return parse_all(job.analyses, "hedgerow anonymize")


def _with_original(task: _Task, table: File | Source) -> tuple[File | Source, OriginalRows | None]:
    """The table, opened once, and its columns for the analyses; an analysis that does not fit it is refused."""
    if not task.analyses:
        return table, None
    from hedgerow.engines import File, open_source
    from hedgerow.evaluation.estimates.api import open_original, refuse_unpublished

    # Standard input can be read only once.
    source = open_source(table) if isinstance(table, File) else table
    held = source if isinstance(table, File) else open_source(task.file)
    schema = task.schema
    original = open_original(
        held, task.analyses, missing=tuple(schema.missing), kinds=schema.kinds, entity=schema.entity
    )
    roles = schema.resolve(source.columns, coded=task.job.min_people is not None)
    refuse_unpublished(task.analyses, roles.published)
    return source, original


def _analysed(
    task: _Task, original: OriginalRows | None, release: Release, progress: Callable[[str], None]
) -> Analyses | None:
    """What the analyses find on the original rows and on the release."""
    if original is None:
        return None
    from hedgerow.evaluation.estimates.api import run as run_analyses

    progress("Running analyses")
    return run_analyses(original, release, task.analyses, random_state=task.job.seed or 0)


def _files_read(job: Job, source: str, job_file: str | None, schema: Schema) -> tuple[Path, ...]:
    """All files that are read, which must not be written over."""
    given = schema.hierarchies.values()
    files = [Path(hierarchy) for hierarchy in given if isinstance(hierarchy, Path) or Path(hierarchy).suffix]
    named = () if job_file is None else (Path(job_file),)
    tables = [path for path in (job.holdout, job.previous, job.previous_original) if path is not None]
    others = [file for path in tables for file in find_table(path).reads]
    private = () if job.previous_recoding is None else (Path(job.previous_recoding),)
    return (*find_table(source).reads, *files, *named, *others, *private)


def _previous(job: Job) -> Previous | None:
    """The earlier release, with the table that it was made from, read as the table of the job is."""
    from hedgerow.release.pipeline import Previous

    original = None if job.previous_original is None else _file(job, job.previous_original)
    return Previous.of(job.previous, original, job.previous_recoding)


def _anonymizer(job: Job, typed: Mapping[str, str | bool | int | float]) -> Anonymizer:
    """The method with its parameters, read as it declares them; unknown parameters are refused."""
    from hedgerow.anonymizers.registry import DEFAULT_METHOD, find_method, make_anonymizer

    method = find_method(DEFAULT_METHOD if job.method is None else job.method)
    known = method.parameters()
    _refuse_options_as_parameters(job, method)
    parameters = {
        name: known[name].read(value) if name in known and isinstance(value, str) else value
        for name, value in typed.items()
    }
    anonymizer = make_anonymizer(method.name, parameters, job.preset)
    _refuse_weak(method, anonymizer.get_params(deep=False), job)
    _refuse_drawing_from_nothing(job, method)
    return anonymizer


def _refuse_options_as_parameters(job: Job, method: type[Anonymizer]) -> None:
    """Refuse options of the command that are given by --set, unless they are parameters of other methods."""
    for name in job.set:
        if name not in (*method.parameters(), "metric", "time_limit") and name in Job.model_fields:
            option = "-k" if name == "k" else f"--{name.replace('_', '-')}"
            raise BadInput(f"There is no parameter of {method.__name__} called {name!r}. It is an option: {option}.")


def _names_typed(job: Job) -> tuple[str | None, ...]:
    """All columns that the job names."""
    listed = (job.quasi, job.sensitive, job.insensitive, job.identifying, job.pseudonymize, job.accept)
    return (*(name for names in listed for name in names), job.target, job.entity)


_SECRETS: Final = {"recoding": "recoding", "explain": "explanation"}
"""The options that name a private file, and what messages call it."""


def _secret_files(job: Job) -> dict[str, str]:
    """The private files that are wanted, by their options."""
    return {option: typed for option in _SECRETS if (typed := getattr(job, option)) is not None}


@contextmanager
def _places_for_secrets(job: Job) -> Iterator[dict[str, tuple[Path, Path]]]:
    """Hidden paths for private files beside their names, tried before the work so that writing cannot fail later."""
    with ExitStack() as stack:
        yield {
            option: stack.enter_context(_hidden_place(typed, _SECRETS[option]))
            for option, typed in _secret_files(job).items()
        }


@contextmanager
def _hidden_place(typed: str, what: str) -> Iterator[tuple[Path, Path]]:
    from hedgerow.io.scratch import Scratch

    place = absolute(typed)
    refused = BadInput(f"The {what} cannot be written to {typed!r}. Name a file in a folder of yours.")
    with translated(OSError, into=refused):
        folder = Scratch(place)
        (folder.path / place.name).touch()
        (folder.path / place.name).unlink()
    with folder as hidden:
        yield hidden / place.name, place


def _with_secrets(report: Beside | None, release: Release, secrets: Mapping[str, tuple[Path, Path]]) -> Beside | None:
    """A function that stages the report and private files, to take their names together with the release."""
    if not secrets:
        return report

    def stage(manifest: Mapping[str, Any]) -> list[tuple[Path, Path]]:
        for option, (hidden, _) in secrets.items():
            (release.recoding if option == "recoding" else release.reasons).save(hidden)
        return [*secrets.values(), *(() if report is None else report(manifest))]

    return stage


def _place_of_report(job: Job) -> str | None:
    """Where the report is, and its readers."""
    if job.report is None:
        return None
    readers = "what recipients may see" if job.report_edition == "public" else "internal: not for recipients"
    return f"{job.report} ({readers})"


def _named(path: str | None, what: str, how: str) -> str:
    if not path:
        raise BadInput(f"No {what} file is named. Type hedgerow anonymize … {how}, or name it in a job file (--job).")
    return path


def _file(job: Job, path: str) -> File:
    """A table in a file, read with the options of the job."""
    from hedgerow.engines import File

    return File(
        path,
        encoding=job.encoding,
        delimiter=read_delimiter(job.delimiter),
        decimal=job.decimal,
        memory_limit=job.memory_limit,
        sheet=job.sheet,
        temp=job.temp,
    )


@contextmanager
def _opened(job: Job, file: File, output: Destination) -> Iterator[File | Source]:
    """The table, as the engine of the job reads it."""
    if job.engine != "spark":
        yield file
        return

    from hedgerow.engines.spark import SparkFileSource, open_session

    with open_session(job.master, file.temp) as session:
        yield SparkFileSource(file, session, destination=output.path)


def _refuse_of_spark(job: Job) -> None:
    """Refuse options that Spark does not support, before it is started."""
    if job.engine != "spark":
        return
    if job.memory_limit is not None:
        raise BadInput(
            "--memory-limit does not apply to Spark. Leave it out, and set spark.driver.memory and "
            "spark.executor.memory."
        )
    if job.entity is not None:
        raise BadInput(
            "Spark counts rows, not people. Leave --entity out, or anonymize the table without --engine spark."
        )
    if job.redraw is not None:
        raise BadInput(
            "Rows are drawn in memory, not by Spark. Leave --redraw out, and draw them from the written release: "
            "hr.Release.load(…).redraw(…)."
        )


def _opened_holdout(job: Job, path: str) -> Source:
    """The people who are not in the table, opened before any work is done, to check their columns."""
    from hedgerow.engines import open_source
    from hedgerow.release import check_holdout

    source = open_source(_file(job, path))
    check_holdout(source.columns, job.quasi if job.target is None else (*job.quasi, job.target))
    return source


def _with_options(job: Job) -> dict[str, str | bool | int | float]:
    """The parameters given with --set, and those with options of their own."""
    options = {"metric": job.metric, "time_limit": job.time_limit}
    for name, value in options.items():
        if value is not None and name in job.set:
            raise BadInput(f"{name!r} is given twice, as an option and with --set. Give it once.")
    return {**job.set, **{name: value for name, value in options.items() if value is not None}}


def _refuse_weak(method: type[Anonymizer], parameters: Mapping[str, Any], job: Job) -> None:
    weak = method.weak(parameters)
    if weak is not None and not job.allow_weak:
        cause = weak if weak in job.set else f"--preset {job.preset}"
        raise BadInput(
            f"With {cause}, {method.__name__} does not keep its guarantee. Leave it out, or add --allow-weak to write "
            "a release that is marked as weak."
        )


def _refuse_weak_proportions(job: Job, requirements: tuple[Requirement, ...]) -> None:
    if job.min_support is None:
        return
    if not job.publish_proportions:
        raise BadInput("--min-support requires --publish-proportions.")
    demanded = max(requirement.minimal_size for requirement in requirements)
    if job.min_support < demanded and not job.allow_weak:
        raise BadInput(
            f"With --min-support {job.min_support}, below the {demanded} records that are required of a class, the "
            "proportions may single people out. Leave it out, or add --allow-weak to write proportions that are marked "
            "as weak."
        )


def _refuse_vain_holdout(job: Job) -> None:
    if job.holdout is None:
        return
    if job.redraw is None:
        raise BadInput("--holdout requires --redraw, such as --redraw 3.")
    if job.holdout == job.input == STANDARD_INPUT:
        raise BadInput(
            "Input and holdout are both standard input, which can be read only once. Name a file for one of them."
        )


def _refuse_drawing_from_nothing(job: Job, method: type[Anonymizer]) -> None:
    if job.redraw is not None and not (job.publish_proportions or method.fields["publish_proportions"].default):
        raise BadInput("--redraw requires --publish-proportions: rows are drawn from proportions.")


def _check_places(reads: Sequence[Path], job: Job, output: Destination) -> None:
    """Refuse to overwrite input files, other outputs, or existing files unless --force is given."""
    tables = [output] if job.redraw is None else [output, output.redrawn]
    for table in tables:
        table.refuse_overwriting(reads, "--output")
        table.refuse_existing(overwrite=job.force)
    paths = [table.path for table in tables]
    published = [*paths, *map(manifest_path, paths), proportions_path(output.path)]
    secrets = _secret_files(job)
    check_job_report(job, reads, [*published, *map(Path, secrets.values())])
    for option, typed in secrets.items():
        _check_place_for_secret(option, typed, reads, published)
        refuse_existing(Path(typed), overwrite=job.force)
    if len(secrets) > 1 and is_same_file(*map(Path, secrets.values())):
        raise BadInput("--recoding and --explain name the same file. Name another one for one of them.")


def _check_place_for_secret(option: str, typed: str, reads: Sequence[Path], published: Sequence[Path]) -> None:
    """Refuse a path for a private file that cannot be written, or that is an input or a published file."""
    private, what = Path(typed), _SECRETS[option]
    if private.is_dir() or not private.parent.is_dir():
        raise BadInput(f"The {what} cannot be written to {typed!r}. Name a file in a folder that exists.")
    if any(is_same_file(place, path) for path in published for place in (private, *private.absolute().parents)):
        raise BadInput(
            f"--{option} names the release, its manifest, its proportions or its drawn rows. The {what} is private: "
            "name another file."
        )
    refuse_overwriting(private, reads, f"--{option}")
    if option == "explain" and private.suffix.lower() != ".json":
        raise BadInput(f"An explanation is written as JSON. Name a file that ends in .json, not {typed!r} (--explain).")
