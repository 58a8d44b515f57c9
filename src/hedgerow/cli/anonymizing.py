"""``hedgerow anonymize``: from a job to a release on disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.cli.hierarchy_files import find_hierarchies, needing_trees
from hedgerow.cli.job import Job
from hedgerow.cli.lists import read_delimiter, read_suppression_limit
from hedgerow.cli.roles import named_quasi, schema_of
from hedgerow.errors import BadInput
from hedgerow.intake import find_table
from hedgerow.paths import is_same_file, refuse_overwriting
from hedgerow.places import manifest_path, proportions_path, refuse_existing

if TYPE_CHECKING:
    from hedgerow.anonymizers.base import Anonymizer
    from hedgerow.privacy import Requirement
    from hedgerow.release import Release

__all__ = ["run"]


def run(job: Job, job_file: str | None = None) -> None:
    """Do the job: everything that can be refused without reading the table is refused first."""
    source, output = _named(job.input, "input", "INPUT"), Path(_named(job.output, "output", "--output out.csv"))
    quasi = named_quasi(job.quasi)
    typed = _with_options(job)
    lost = 0 if job.suppression_limit is None else job.suppression_limit
    limit = read_suppression_limit(lost, "hedgerow anonymize")

    from hedgerow import privacy

    requirements = privacy.resolve(job.k, job.require)
    _refuse_weak_proportions(job, requirements)
    found = find_hierarchies(job.hierarchies, (*quasi, *needing_trees(requirements)))
    schema = schema_of(dict(job), found.files)
    files = [one for one in schema.hierarchies.values() if isinstance(one, Path) or Path(one).suffix]
    reads = (*find_table(source).reads, *map(Path, files), *(() if job_file is None else (Path(job_file),)))
    _check_places(reads, output, job.recoding, force=job.force)

    # Last, because a method knows of Arrow, which takes longer to import than all of the above.
    from hedgerow.anonymizers.registry import DEFAULT_METHOD, check_parameters, find_method

    method = find_method(DEFAULT_METHOD if job.method is None else job.method)
    parameters = _read(method, typed)
    check_parameters(method, parameters)
    _refuse_weak(method, parameters, allowed=job.allow_weak)

    from hedgerow.engines import File

    file = File(
        source,
        encoding=job.encoding,
        delimiter=read_delimiter(job.delimiter),
        decimal=job.decimal,
        memory_limit=job.memory_limit,
        sheet=job.sheet,
    )

    from hedgerow.anonymizers.api import anonymize
    from hedgerow.cli.screen import progress_bar, screen
    from hedgerow.cli.summary import show_release

    with progress_bar(quiet=job.quiet) as progress:
        release: Release = anonymize(
            file,
            schema,
            method=method.name,
            require=requirements,
            suppression_limit=limit,
            random_state=job.seed,
            publish_proportions=job.publish_proportions,
            min_support=job.min_support,
            target_bins=job.target_bins,
            progress=progress,
            destination=output,
            **parameters,
        )
        progress("Saving")
        release.save(output, escape_formulas=job.escape_formulas, overwrite=job.force)
        if job.recoding is not None:
            release.recoding.save(job.recoding)
    if not job.quiet:
        given = set(schema.hierarchies)
        show_release(screen(), release, output, given=given, recoding=job.recoding, remarks=found.remarks)


def _named(path: str | None, what: str, how: str) -> str:
    if not path:
        raise BadInput(f"No {what} file is named. Name it: hedgerow anonymize … {how}, or in a job file.")
    return path


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


def _read(method: type[Anonymizer], typed: Mapping[str, str | bool | int | float]) -> dict[str, Any]:
    """Read the method's parameters as it declares them; what it does not know stays as it is."""
    known = method.parameters()
    return {
        name: known[name].read(value) if name in known and isinstance(value, str) else value
        for name, value in typed.items()
    }


def _check_places(reads: Sequence[Path], output: Path, recoding: str | None, *, force: bool) -> None:
    """Refuse to write over what is read, one output over the other, or over what is there unless that is meant."""
    published = [output, manifest_path(output), proportions_path(output)]
    for path in published:
        refuse_overwriting(path, reads, "--output")
    if not force:
        refuse_existing(output)
    if recoding is None:
        return
    private = Path(recoding)
    if private.is_dir() or not private.parent.is_dir():
        raise BadInput(f"The recoding cannot be written to {recoding!r}. Name a file in a folder that exists.")
    if any(is_same_file(private, path) for path in published):
        raise BadInput(
            "--recoding names the release, its manifest or its proportions. The recoding is private: name another file."
        )
    refuse_overwriting(private, reads, "--recoding")
    if not force:
        refuse_existing(private)
