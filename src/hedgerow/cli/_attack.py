"""``hedgerow attack``: show what attackers find out about the people of a release, on the screen and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hedgerow.cli._job import Job, assemble
from hedgerow.cli._lists import split_names
from hedgerow.cli._report import check_report
from hedgerow.cli._roles import find_hierarchies, read_roles, stated_columns, typed_file
from hedgerow.errors import BadInput
from hedgerow.io.readers import STANDARD_INPUT, find_table

if TYPE_CHECKING:
    from hedgerow.attacks.outcome import Verdict
    from hedgerow.attacks.registry import Attacks

__all__ = ["run", "show_attacks"]


# --------------------------------------------------------------------------------------------------
# What a person reads: two lines for each attack, members and others, and a verdict.


_SHARES: Final = ("precision", "recall", "false_positives")


def show_attacks(console: Console, attacks: Attacks, remarks: Sequence[str] = ()) -> None:
    """Print the attacks, a verdict on each, and why others were not tried."""
    rows: list[dict[str, Any]] = attacks.to_dict()["attacks"]
    if rows:
        console.print(_table(rows))
        console.print(
            Text(
                "Precision: the claims that are right. Recall: the people about whom a right claim is made. False: the "
                "people about whom a wrong claim is made.",
                "dim",
            )
        )
    for row in rows:
        console.print(Text.assemble((f"{row['attack']} ", "bold"), _verdict(row)), soft_wrap=True)
        for remark in row["remarks"]:
            console.print(Text(f"  {remark}"), soft_wrap=True)
    for skipped in attacks.skipped:
        console.print(Text.assemble((f"{skipped.attack} ", "bold"), f"was not tried. {skipped.reason}"), soft_wrap=True)
    for remark in (*attacks.remarks, *remarks):
        console.print(Text(remark, "yellow"), soft_wrap=True)


def _verdict(row: Mapping[str, Any]) -> tuple[str, str]:
    """The verdict on an attack in words, and its style."""
    if row["verdict"] == "works":
        return "finds out more about the table's people than about others.", "bold yellow"
    excess = f"an excess of {max(100 * row['detectable'], 0.1):.3g} points"
    if row["verdict"] == "finds nothing":
        return f"finds out nothing beyond chance: {excess} would have been detected.", "bold"
    return f"has too few people to say anything: even {excess} might not be detected.", "bold yellow"


def _table(rows: Sequence[dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="cyan")
    for name in ("attack", "claim", "of"):
        table.add_column(name)
    for name in ("people", "precision", "recall", "false", "excess in points"):
        table.add_column(name, justify="right")
    for row in rows:
        for people, label in (("members", "members"), ("control", "others")):
            first = people == "members"
            table.add_row(
                Text(row["attack"] if first else ""),
                Text(row["claim"] if first else ""),
                label,
                f"{row[f'{people}_people']:,}",
                *(_share(row[f"{people}_{name}"]) for name in _SHARES),
                _excess(row) if first else "",
            )
    return table


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.3g} %"


def _excess(row: dict[str, Any]) -> str:
    value, low, high = (f"{100 * row[name] + 0.0:.3g}" for name in ("excess", "excess_low", "excess_high"))
    return f"{value} ({low} to {high})"


_OF_READING: Final = ("encoding", "delimiter", "decimal", "sheet", "missing", "kinds", "hierarchies", "hierarchy")
"""What the command takes from a job file, besides its input."""
_HOLD_BACK: Final = (
    "Members are the people of the table. Non-members are other people of the same population. Both files hold the "
    "original values. If you have no others, hold some back: put a random half of the rows aside, anonymize the other "
    "half as you would the whole, and attack that release."
)
_RANGES: Final[Mapping[str, tuple[Callable[[float], bool], str]]] = {
    "sure": (lambda share: 0 < share <= 1, "a number above 0 and up to 1"),
    "seed": (lambda seed: seed >= 0, "a whole number >= 0"),
}
"""The options with a range: whether a number is in it, and how a message describes it."""


def run(given: Mapping[str, Any]) -> Verdict:
    """Attack, and return the verdict. What can be refused without reading a table is refused first."""
    job = _reading(given)
    given = {**given, "release": _attacked(given, job)}
    people = _people(given, job)
    for name, (allowed, range_) in _RANGES.items():
        if not allowed(given[name]):
            raise BadInput.parameter(f"--{name}", "hedgerow attack", range_, given[name])
    if STANDARD_INPUT in people:
        raise BadInput("The people are read several times, but standard input can be read only once. Name files.")
    names = split_names(given["attack"], "--attack")
    find_table(given["release"])
    releases = map(Path, filter(None, (given["release"], given["previous"])))
    reads = [*(path for file in people for path in find_table(file).reads), *releases]
    check_report(given["report"], None, force=given["force"], reads=reads)

    from hedgerow.attacks.registry import ATTACKS

    unknown = next((name for name in names or () if name not in ATTACKS), None)
    if unknown is not None:
        raise BadInput.unknown("attack", unknown, ATTACKS)
    found, attacked, remarks = _attack(given, job, people, names)
    if given["as_json"]:
        typer.echo(json.dumps({"release": attacked, **found.to_dict()}, indent=2, ensure_ascii=False))
    else:
        from hedgerow.cli._screen import screen

        show_attacks(screen(), found, remarks)
    return found.verdict


def _attacked(given: Mapping[str, Any], job: Job) -> str:
    """The release that was typed, or the output of the job."""
    release: str | None = given["release"] or job.output
    if not release:
        raise BadInput("No release is named. Type hedgerow attack RELEASE …, or name a job file that wrote it (--job).")
    return release


def _people(given: Mapping[str, Any], job: Job) -> list[str]:
    """The files of members and non-members."""
    files = {"members": given["members"] or job.input, "non-members": given["non_members"]}
    for name, file in files.items():
        if file is None:
            raise BadInput(f"No {name} are given (--{name}). {_HOLD_BACK}")
    return list(files.values())


def _attack(
    given: Mapping[str, Any], job: Job, people: Sequence[str], names: Sequence[str] | None
) -> tuple[Attacks, Mapping[str, str], Sequence[str]]:
    """Attack the release, and write the report.

    Returns the attacks, the file and the digest of the release, and remarks on hierarchies that were found.
    """
    from hedgerow.attacks.registry import attack
    from hedgerow.release import Release

    place = Path(given["release"])
    folder = find_hierarchies(job.hierarchies, stated_columns(place))
    hierarchies = {**folder.files, **job.hierarchy} or None
    release = Release.load(place, hierarchies, require=given["require"] or None)
    previous = None if given["previous"] is None else Release.load(given["previous"], hierarchies)
    members, others = (typed_file(path, dict(job)) for path in people)
    attacks = attack(
        release,
        members,
        others,
        names,
        previous=previous,
        sure=given["sure"],
        random_state=given["seed"],
        kinds=job.kinds,
        missing=job.missing,
    )
    if given["report"] is not None:
        release.report(given["report"], attacks=attacks, overwrite=given["force"])
    return attacks, {"file": place.name, "sha256": release.digests["output"]}, folder.remarks


def _reading(given: Mapping[str, Any]) -> Job:
    """How the people are read: as typed, or else as the job file says."""
    named = {**given, **read_roles({name: given[name] for name in ("missing", "kind", "hierarchy")})}
    typed = {name: value for name in _OF_READING if (value := named[name]) not in (None, [])}
    return assemble(typed, given["job"], "hedgerow attack")
