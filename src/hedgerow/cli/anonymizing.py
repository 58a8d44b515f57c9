"""``hedgerow anonymize``: from a job to a release on disk."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hedgerow.cli.engine import check_engine
from hedgerow.cli.headerless import watched
from hedgerow.cli.hierarchy_files import find_hierarchies, needing_trees
from hedgerow.cli.job import Job
from hedgerow.cli.lists import read_delimiter, read_suppression_limit
from hedgerow.cli.reporting import check_job_report, staged_report
from hedgerow.cli.roles import named_quasi, schema_of
from hedgerow.destinations import Destination
from hedgerow.errors import BadInput, translated
from hedgerow.intake import STANDARD_INPUT, find_table
from hedgerow.paths import absolute, is_same_file, refuse_overwriting
from hedgerow.places import manifest_path, proportions_path, refuse_existing, temporary_folder

if TYPE_CHECKING:
    from hedgerow.anonymizers.base import Anonymizer
    from hedgerow.engines import File, Source
    from hedgerow.privacy import Requirement
    from hedgerow.release import Release
    from hedgerow.release.saving import Beside

__all__ = ["held_to", "run"]

# Libraries ask for more memory than they write to: Arrow for a gigabyte at once, each thread for its stack and buffers.
_SET_ASIDE: Final = 2 << 30
_SET_ASIDE_PER_CORE: Final = 64 << 20


def run(job: Job, job_file: str | None = None) -> None:
    """Do the job, with temporary files where it says, and with no more memory."""
    with held_to(None if job.engine == "spark" else job.memory_limit):
        if job.temp is None:
            _run(job, job_file)
            return
        # For all of this process: what the verifier spills goes there too.
        before, tempfile.tempdir = tempfile.tempdir, str(temporary_folder(job.temp))
        try:
            _run(job, job_file)
        finally:
            tempfile.tempdir = before


@contextmanager
def held_to(limit: str | None) -> Iterator[None]:
    """Make a memory limit one of the process: whatever would take far more fails with an error of ours.

    Without it the system would end this process, or another one. Counted is what the process may write to
    (``RLIMIT_DATA``). Address space (``RLIMIT_AS``) would not do: allocators and stacks reserve gigabytes of it that
    they never use. Allocators write to less than they ask for, and each thread has a stack; so some room is added.
    """
    resource = _limits() if limit is not None and sys.platform == "linux" else None
    if limit is None or resource is None:
        yield
        return

    from hedgerow.engines.shares import limit_in_bytes

    too_small = BadInput(
        "The memory limit is too small for this table. Raise it (--memory-limit), or name fewer columns."
    )
    held = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5]) * resource.getpagesize()
    most = held + limit_in_bytes(limit) + _SET_ASIDE + _SET_ASIDE_PER_CORE * (os.cpu_count() or 1)
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    given = [one for one in (soft, hard) if one != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min([most, sys.maxsize, *given]), hard))
    try:
        with translated(MemoryError, into=too_small):
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _limits() -> Any:
    """The module that limits a process, where the system has one."""
    try:
        return importlib.import_module("resource")
    except ImportError:
        return None


def _run(job: Job, job_file: str | None) -> None:
    """Do the job: everything that can be refused without reading the table is refused first."""
    source, typed_output = _named(job.input, "input", "INPUT"), _named(job.output, "output", "--output out.csv")
    output = Destination.of(typed_output, job.rows_per_file, job.partition_by, owner="hedgerow anonymize")
    quasi = named_quasi(job.quasi)
    typed = _with_options(job)
    lost = job.suppression_limit
    limit = None if lost is None else read_suppression_limit(lost, "hedgerow anonymize")

    from hedgerow import privacy

    requirements = privacy.resolve(job.k, job.require)
    _refuse_weak_proportions(job, requirements)
    _refuse_vain_holdout(job)
    check_engine(job.engine, job.master)
    _refuse_of_spark(job)
    found = find_hierarchies(job.hierarchies, (*quasi, *needing_trees(requirements)))
    schema = schema_of(dict(job), found.files)
    files = [one for one in schema.hierarchies.values() if isinstance(one, Path) or Path(one).suffix]
    reads = (*find_table(source).reads, *map(Path, files), *(() if job_file is None else (Path(job_file),)))
    if job.holdout is not None:
        reads = (*reads, *find_table(job.holdout).reads)
    _check_places(reads, job, output)

    # Last, because a method knows of Arrow, which takes longer to import than all of the above.
    from hedgerow.anonymizers.registry import DEFAULT_METHOD, check_parameters, find_method

    method = find_method(DEFAULT_METHOD if job.method is None else job.method)
    parameters = _read(method, typed)
    check_parameters(method, parameters)
    _refuse_weak(method, parameters, allowed=job.allow_weak)
    _refuse_drawing_from_nothing(job, method)

    file, others = _file(job, source), None if job.holdout is None else _opened_holdout(job, job.holdout)

    from hedgerow.anonymizers.api import anonymize
    from hedgerow.cli.screen import progress_bar, screen
    from hedgerow.cli.summary import show_redrawn, show_release
    from hedgerow.release.saving import save

    watch = watched(source, encoding=job.encoding, delimiter=file.delimiter, typed=_names_typed(job))
    opened, private = _opened(job, file, output), _place_for_recoding(job)
    with watch, private as recoding, opened as table, progress_bar(quiet=job.quiet) as progress:
        release: Release = anonymize(
            table,
            schema,
            method=method.name,
            require=requirements,
            suppression_limit=limit,
            random_state=job.seed,
            publish_proportions=job.publish_proportions or None,
            min_support=job.min_support,
            target_bins=job.target_bins,
            progress=progress,
            destination=output,
            **parameters,
        )
        drawn = equal = None
        if job.redraw is not None:
            progress("Drawing rows")
            drawn = release.redraw(job.redraw)
            equal = drawn.equal_rows(others)
        progress("Saving")
        told = {"edition": job.report_edition or "internal", "context": job.context, "governance": job.governance}
        with staged_report(job.report, release, progress, **told) as report:
            save(
                release,
                output,
                escape_formulas=job.escape_formulas,
                overwrite=job.force,
                redrawn=drawn,
                beside=_with_recoding(report, release, recoding),
            )
    if not job.quiet:
        given = set(schema.hierarchies)
        also = {"recoding": job.recoding, "report": _said_of_report(job)}
        show_release(screen(), release, Path(output.shown), given=given, remarks=found.remarks, **also)
        if drawn is not None and equal is not None:
            show_redrawn(screen(), drawn, equal, Path(output.shown), escaped=job.escape_formulas)


def _names_typed(job: Job) -> tuple[str | None, ...]:
    """The columns that somebody has named."""
    listed = (job.quasi, job.sensitive, job.insensitive, job.identifying, job.pseudonymize, job.accept)
    return (*(name for names in listed for name in names), job.target, job.entity)


@contextmanager
def _place_for_recoding(job: Job) -> Iterator[tuple[Path, Path] | None]:
    """A hidden place for the recoding beside the name that it will take: made before the work, so that it can be."""
    if job.recoding is None:
        yield None
        return
    from hedgerow.scratch import Scratch

    place = absolute(job.recoding)
    refused = BadInput(f"The recoding cannot be written to {job.recoding!r}. Name a file in a folder of yours.")
    with translated(OSError, into=refused):
        folder = Scratch(place)
        (folder.path / place.name).touch()
        (folder.path / place.name).unlink()
    with folder as hidden:
        yield hidden / place.name, place


def _with_recoding(report: Beside | None, release: Release, recoding: tuple[Path, Path] | None) -> Beside | None:
    """What stages the report, the recoding or both, so that all take their names together with the release."""
    if recoding is None:
        return report

    def stage(manifest: Mapping[str, Any]) -> list[tuple[Path, Path]]:
        release.recoding.save(recoding[0])
        return [recoding, *(() if report is None else report(manifest))]

    return stage


def _said_of_report(job: Job) -> str | None:
    """Where the report is, and for whom."""
    if job.report is None:
        return None
    told = "what recipients may see" if job.report_edition == "public" else "internal: not for recipients"
    return f"{job.report} ({told})"


def _named(path: str | None, what: str, how: str) -> str:
    if not path:
        raise BadInput(f"No {what} file is named. Name it: hedgerow anonymize … {how}, or in a job file.")
    return path


def _file(job: Job, path: str) -> File:
    """A table as the job says that tables are written."""
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
    """Refuse what Spark does not do, before it is started."""
    if job.engine != "spark":
        return
    if job.memory_limit is not None:
        raise BadInput(
            "--memory-limit is for work on one machine without Spark, which has limits of its own: set "
            "spark.driver.memory and spark.executor.memory. Leave it out."
        )
    if job.entity is not None:
        raise BadInput(
            "Spark counts rows, not people. Leave --entity out, or anonymize the table without --engine spark."
        )
    if job.redraw is not None:
        raise BadInput(
            "Rows are drawn in memory, not by Spark. Leave --redraw out, and draw them from the release when it is "
            "written: hr.Release.load(…).redraw(…)."
        )


def _opened_holdout(job: Job, path: str) -> Source:
    """The people who are not in the table, with all columns that are needed: seen before any work is done."""
    from hedgerow.engines import open_source
    from hedgerow.release import check_holdout

    source = open_source(_file(job, path))
    check_holdout(source.columns, job.quasi if job.target is None else (*job.quasi, job.target))
    return source


def _with_options(job: Job) -> dict[str, str | bool | int | float]:
    """The parameters that were set, together with those that have an option of their own."""
    options = {"metric": job.metric, "time_limit": job.time_limit}
    for name, value in options.items():
        if value is not None and name in job.set:
            raise BadInput(f"{name!r} is given twice, as an option and with --set. Give it once.")
    return {**job.set, **{name: value for name, value in options.items() if value is not None}}


def _refuse_weak(method: type[Anonymizer], parameters: Mapping[str, Any], *, allowed: bool) -> None:
    weak = method.weak(parameters)
    if weak is not None and not allowed:
        raise BadInput(
            f"With {weak}, {method.__name__} does not keep its guarantee. Leave it out, or say --allow-weak to write "
            "a release that is marked as weak."
        )


def _refuse_weak_proportions(job: Job, requirements: tuple[Requirement, ...]) -> None:
    if job.min_support is None:
        return
    if not job.publish_proportions:
        raise BadInput("--min-support is that of proportions, which are not published. Say --publish-proportions too.")
    demanded = max(one.minimal_size for one in requirements)
    if job.min_support < demanded and not job.allow_weak:
        raise BadInput(
            f"With --min-support {job.min_support}, below the {demanded} records that are required of a class, the "
            "proportions may single people out. Leave it out, or say --allow-weak to write proportions that are marked "
            "as weak."
        )


def _refuse_vain_holdout(job: Job) -> None:
    if job.holdout is None:
        return
    if job.redraw is None:
        raise BadInput("--holdout is compared with drawn rows, and none are drawn. Say --redraw 3 too.")
    if job.holdout == job.input == STANDARD_INPUT:
        raise BadInput("Input and holdout are both standard input, which can be read once. Name a file.")


def _refuse_drawing_from_nothing(job: Job, method: type[Anonymizer]) -> None:
    if job.redraw is not None and not (job.publish_proportions or method.fields["publish_proportions"].default):
        raise BadInput(
            "Rows are drawn from proportions (--redraw), which are not published. Say --publish-proportions too."
        )


def _read(method: type[Anonymizer], typed: Mapping[str, str | bool | int | float]) -> dict[str, Any]:
    """Read the method's parameters as it declares them; what it does not know stays as it is."""
    known = method.parameters()
    return {
        name: known[name].read(value) if name in known and isinstance(value, str) else value
        for name, value in typed.items()
    }


def _check_places(reads: Sequence[Path], job: Job, output: Destination) -> None:
    """Refuse to write over what is read, one output over the other, or over what is there unless that is meant."""
    tables = [output] if job.redraw is None else [output, output.redrawn]
    for table in tables:
        table.refuse_overwriting(reads, "--output")
        table.refuse_existing(overwrite=job.force)
    paths = [table.path for table in tables]
    published = [*paths, *map(manifest_path, paths), proportions_path(output.path)]
    check_job_report(job, reads, published if job.recoding is None else [*published, Path(job.recoding)])
    if job.recoding is None:
        return
    private = Path(job.recoding)
    if private.is_dir() or not private.parent.is_dir():
        raise BadInput(f"The recoding cannot be written to {job.recoding!r}. Name a file in a folder that exists.")
    if any(is_same_file(place, path) for path in published for place in (private, *private.absolute().parents)):
        raise BadInput(
            "--recoding names the release, its manifest, its proportions or its drawn rows. The recoding is private: "
            "name another file."
        )
    refuse_overwriting(private, reads, "--recoding")
    if not job.force:
        refuse_existing(private)
