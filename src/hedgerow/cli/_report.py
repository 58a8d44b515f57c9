"""``--report``: the checks before any work, and a report that appears together with its release."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.cli._job import Job
from hedgerow.errors import BadInput
from hedgerow.io.paths import absolute, is_same_file, refuse_overwriting

if TYPE_CHECKING:
    from hedgerow.release import Release
    from hedgerow.release.saving import Beside
    from hedgerow.report.facts.figures import Edition

__all__ = ["check_job_report", "check_report", "staged_report"]


def check_report(
    report: str | None, edition: str | None, *, force: bool, reads: Iterable[Path], outputs: Iterable[Path] = ()
) -> Edition:
    """Return the edition. Refuse a report that cannot be written, or an edition without a report."""
    if report is None:
        if edition is not None:
            raise BadInput("--report-edition needs a report. Add --report out.html.")
        return "internal"

    from hedgerow.report.facts.context import read_edition
    from hedgerow.report.page import check_page

    wanted = read_edition(edition or "internal")
    place = check_page(report, overwrite=force)
    refuse_overwriting(place, reads, "--report")
    if any(is_same_file(place, output) for output in outputs):
        raise BadInput(f"--report names another output, {report!r}. Name another file for the report.")
    return wanted


def check_job_report(job: Job, reads: Iterable[Path], outputs: Iterable[Path]) -> None:
    """Check the report of a job, with its tables about context and governance."""
    check_report(job.report, job.report_edition, force=job.force, reads=reads, outputs=outputs)
    if job.context or job.governance or job.reasons:
        from hedgerow.report.facts.context import read_context, read_governance, read_reasons

        read_context(job.context)
        read_governance(job.governance)
        read_reasons(job.reasons)


@contextmanager
def staged_report(
    report: str | Path | None, release: Release, progress: Callable[[str], None], **options: Any
) -> Iterator[Beside | None]:
    """A function that writes the report to a hidden name when the release is saved, so that both appear or neither.

    Parameters
    ----------
    report : str or Path, optional
        The file. If not given, nothing is written.
    release : Release
    progress : callable
    **options
        Its edition, context and governance.
    """
    if report is None:
        yield None
        return

    from hedgerow.io.scratch import Scratch
    from hedgerow.report.document import ReportOptions, make_report

    place = absolute(report)
    with Scratch(place) as folder:

        def stage(manifest: Mapping[str, Any]) -> list[tuple[Path, Path]]:
            progress("Drawing the report")
            staged = folder / place.name
            staged.write_text(make_report(release, ReportOptions(**options), written=manifest), encoding="utf-8")
            return [(staged, place)]

        yield stage
