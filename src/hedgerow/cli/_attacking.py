"""``hedgerow attack``: what attackers find out of the people of a release, on the screen, as JSON and in a report."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hedgerow.attacks.registry import Attacks
from hedgerow.cli._job import Job, assemble
from hedgerow.cli._lists import read_delimiter, split_names
from hedgerow.cli._reporting import check_report
from hedgerow.cli._roles import find_hierarchies, read_roles
from hedgerow.errors import BadInput
from hedgerow.io.readers import STANDARD_INPUT, find_table

if TYPE_CHECKING:
    from hedgerow.attacks.outcome import Verdict

__all__ = ["run", "show_attacks"]


# --------------------------------------------------------------------------------------------------
# What attacks found out, for a person: two lines for each, members and others, and what it comes to.


_SHARES: Final = ("precision", "recall", "false_positives")


def show_attacks(console: Console, found: Attacks, remarks: Sequence[str] = ()) -> None:
    """Print the attacks, a verdict on each, and why others were not tried."""
    rows: list[dict[str, Any]] = found.to_dict()["attacks"]
    if rows:
        console.print(_table(rows))
        console.print(
            Text(
                "Precision: claims that are right. Recall: people of whom something is claimed rightly. False: people "
                "of whom something is claimed wrongly.",
                "dim",
            )
        )
    for row in rows:
        console.print(Text.assemble((f"{row['attack']} ", "bold"), _verdict(row)), soft_wrap=True)
        for remark in row["remarks"]:
            console.print(Text(f"  {remark}"), soft_wrap=True)
    for one in found.skipped:
        console.print(Text.assemble((f"{one.attack} ", "bold"), f"was not tried. {one.reason}"), soft_wrap=True)
    for remark in (*found.remarks, *remarks):
        console.print(Text(remark, "yellow"), soft_wrap=True)


def _verdict(row: Mapping[str, Any]) -> tuple[str, str]:
    """What there is to say of an attack, and how it looks."""
    if row["verdict"] == "works":
        return "finds out more of the table's people than of others.", "bold yellow"
    seen = f"an excess of {max(100 * row['detectable'], 0.1):.3g} points"
    if row["verdict"] == "finds nothing":
        return f"finds out nothing beyond chance: {seen} would have been seen.", "bold"
    return f"has too few people to say anything: not even {seen} is sure to be seen.", "bold yellow"


def _table(rows: Sequence[dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="cyan")
    for name in ("attack", "claim", "of"):
        table.add_column(name)
    for name in ("people", "precision", "recall", "false", "excess in points"):
        table.add_column(name, justify="right")
    for row in rows:
        for who, said in (("members", "members"), ("control", "others")):
            first = who == "members"
            table.add_row(
                Text(row["attack"] if first else ""),
                Text(row["claim"] if first else ""),
                said,
                f"{row[f'{who}_people']:,}",
                *(_share(row[f"{who}_{name}"]) for name in _SHARES),
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
    "Members are the people of the table, non-members others of the same population; both are files with the original "
    "values. If there are no others, hold some back: put a random half of the rows aside, anonymize the other half as "
    "you would the whole, and attack that release."
)


def run(**given: Any) -> Verdict:
    """Attack, and return what the attacks come to; what can be refused without reading a table is refused first."""
    job = _reading(given)
    given["members"] = job.input if given["members"] is None else given["members"]
    for name in ("members", "non_members"):
        if given[name] is None:
            raise BadInput(f"No {name.replace('_', '-')} are given (--{name.replace('_', '-')}). {_HOLD_BACK}")
    if not 0 < given["sure"] <= 1:
        raise BadInput.parameter("--sure", "hedgerow attack", "a number above 0 and up to 1", given["sure"])
    if given["seed"] < 0:
        raise BadInput.parameter("--seed", "hedgerow attack", "a whole number >= 0", given["seed"])
    if STANDARD_INPUT in (given["members"], given["non_members"]):
        raise BadInput("The people are read several times, and standard input only once. Name files.")
    wanted = split_names(given["attack"], "--attack")
    reads = [path for name in ("members", "non_members") for path in find_table(given[name]).reads]
    reads += [Path(given[name]) for name in ("release", "previous") if given[name] is not None]
    check_report(given["report"], None, force=given["force"], reads=reads)

    from hedgerow.attacks.registry import ATTACKS

    for name in wanted or ():
        if name not in ATTACKS:
            raise BadInput.unknown("attack", name, ATTACKS)

    from hedgerow.attacks.registry import attack
    from hedgerow.engines import File
    from hedgerow.release import Release

    place = Path(given["release"])
    files = find_hierarchies(job.hierarchies, _columns(place))
    told = {**files.files, **job.hierarchy} or None
    release = Release.load(place, told, require=given["require"] or None)
    previous = None if given["previous"] is None else Release.load(given["previous"], told)
    members, others = (
        File(
            given[name],
            encoding=job.encoding,
            delimiter=read_delimiter(job.delimiter),
            decimal=job.decimal,
            sheet=job.sheet,
        )
        for name in ("members", "non_members")
    )
    found = attack(
        release,
        members,
        others,
        wanted,
        previous=previous,
        sure=given["sure"],
        random_state=given["seed"],
        kinds=job.kinds,
        missing=job.missing,
    )
    if given["report"] is not None:
        release.report(given["report"], attacks=found, overwrite=given["force"])
    if given["as_json"]:
        typer.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False))
    else:
        from hedgerow.cli._screen import screen

        show_attacks(screen(), found, files.remarks)
    return found.verdict


def _reading(given: Mapping[str, Any]) -> Job:
    """How the people are read: as it is typed, and else as the job file says."""
    named = {**given, **read_roles({name: given[name] for name in ("missing", "kind", "hierarchy")})}
    typed = {name: value for name in _OF_READING if (value := named[name]) not in (None, [])}
    return assemble(typed, given["job"], "hedgerow attack")


def _columns(release: Path) -> list[str]:
    """The columns that a hierarchy may be given for; loading says what is wrong where there is no manifest."""
    from hedgerow.io.paths import absolute
    from hedgerow.risk.manifest import read_manifest

    roles: Mapping[str, Any] = (read_manifest(absolute(release)) or {}).get("columns", {})
    return [*roles.get("quasi", ()), *roles.get("sensitive", ())]
