"""What was done, in a few lines: figures and names of columns, never a cell."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

from hedgerow.errors import amount
from hedgerow.places import manifest_path, proportions_path, redrawn_path
from hedgerow.release import Redrawn, Release
from hedgerow.risk import EqualRows
from hedgerow.risk.over_all import beyond_quasi
from hedgerow.risk.rendering import figure
from hedgerow.verifier import Finding

__all__ = ["show_redrawn", "show_release"]

_MAIN_LOSSES: Final = ("ncp_published", "ncp", "loss", "prec", "c_avg", "classification", "suppression")


def show_release(
    console: Console,
    release: Release,
    output: Path,
    *,
    given: Collection[str],
    recoding: str | None = None,
    report: str | None = None,
    remarks: Sequence[str] = (),
) -> None:
    """Print what was released and where it is.

    Parameters
    ----------
    console : Console
    release : Release
    output : Path
        Where the table was saved.
    given : collection of str
        The columns whose hierarchy was given; the others have automatic ones, which are named.
    recoding : str, optional
        Where the recoding was saved.
    report : str, optional
        Where the report was written.
    remarks : sequence of str
        What the user should know of the options; nothing of it is published.
    """
    facts, audit = release.facts, release.audit
    for warning in audit.grave:
        console.print(Text(warning, "bold yellow"), soft_wrap=True)
    people = "" if audit.people is None else f" of {audit.people_told} people"
    first = f"Released {audit.rows:,} of {amount(facts['rows_in'], 'rows')}{people}, anonymized by {facts['method']}."
    linking = facts["columns"]["pseudonymized"]
    if linking and facts.get("rows_are_people"):
        first = (
            f"Rows with the same pseudonym ({', '.join(linking)}) can be linked, and rows were counted, because you "
            f"say that every row is a person. {first}"
        )
    console.print(Text(first, "bold"), soft_wrap=True)
    for label, value in _lines(release, output, given, recoding, report):
        console.print(Text.assemble((f"  {label:<13}", "cyan"), value), soft_wrap=True)
    for warning in (*audit.warnings[len(audit.grave) :], *remarks):
        console.print(Text.assemble((f"  {'note':<13}", "yellow"), warning), soft_wrap=True)


def show_redrawn(console: Console, drawn: Redrawn, equal: EqualRows, output: Path, *, escaped: bool) -> None:
    """Print where drawn rows are, and how many equal original ones: rounded, and in no file.

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
    rows = f"{redrawn_path(output)}: {amount(drawn.rows, 'rows')} of ordinary values, drawn from the proportions"
    for label, value in (("redrawn", rows), ("equal rows", f"{equal!r} (for you: written nowhere)")):
        console.print(Text.assemble((f"  {label:<13}", "cyan"), value), soft_wrap=True)
    for warning in () if escaped else drawn.warnings:
        console.print(Text.assemble((f"  {'note':<13}", "yellow"), f"of the drawn rows, {warning}"), soft_wrap=True)


def _judged(finding: Finding) -> str:
    """Whether a requirement holds; what every table meets is not called verified."""
    if finding.measure == "k" and finding.required <= 1:
        return "promises nothing"
    return "verified" if finding.holds else "NOT MET"


def _lines(
    release: Release, output: Path, given: Collection[str], recoding: str | None, report: str | None
) -> Iterator[tuple[str, str]]:
    audit, facts = release.audit, release.facts
    for finding in audit.verdict.findings if audit.verdict is not None else ():
        reached = f"{finding.measure} is {figure(finding.reached)}"
        yield "requirement", f"{finding.requirement}: {_judged(finding)}, {reached}"
    sizes = audit.classes
    yield (
        "classes",
        f"{sizes.number:,} of {sizes.smallest:,} to {sizes.largest:,} {sizes.counted}, median {figure(sizes.median)}; "
        f"k reached: {audit.k:,}",
    )
    for name, by in audit.determined.items():
        yield "counted", f"{name}, too: whoever knows {' or '.join(by)} knows it. k with it: {audit.k_determined:,}"
    beyond = beyond_quasi(audit)
    if beyond:
        yield "not covered", beyond
    for name, one in audit.clear.items():
        if one.excused:
            other, share = one.most
            told = f", and {share:.0%} of {other} is told by it" if share else ""
            told += f"; whoever knows {' or '.join(one.determined_by)} knows it" if one.determined_by else ""
            yield "ACCEPTED", f"{name}: {one.alone:.0%} of the people have a value that nobody else has{told}"
    for link in audit.links:
        if link.accepted:
            yield "ACCEPTED", f"{', '.join(link.columns)}: links the rows of a person; k of linked rows: {link.k:,}"
    losses = [f"{name} {figure(audit.losses[name])}" for name in _MAIN_LOSSES if name in audit.losses]
    if losses:
        yield "losses", " · ".join(losses)
    automatic = [
        f"{column} ({description.removeprefix('automatic: ')})"
        for column, description in facts["hierarchies"].items()
        if column not in given
    ]
    if automatic:
        yield "automatic", f"hierarchies of {', '.join(automatic)}"
    yield "table", str(output)
    yield "manifest", str(manifest_path(output))
    if audit.proportions:
        name, worst = max(audit.proportions.items(), key=lambda one: one[1].posterior)
        singled_out = audit.singled_out or 0
        are = "is" if singled_out == 1 else "are"
        alone = f"{amount(singled_out, 'people')} {are}" if singled_out else "nobody is"
        yield (
            "proportions",
            f"{proportions_path(output)}; {alone} singled out; the surest guess of a hidden value: "
            f"{worst.posterior:.0%} ({name})",
        )
    if recoding is not None:
        yield "recoding", f"{recoding} (private: do not publish it)"
    if report is not None:
        yield "report", report
