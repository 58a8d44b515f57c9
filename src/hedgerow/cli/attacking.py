"""``hedgerow attack``: what attackers find out of the people of a release, on the screen, as JSON and in a report."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from hedgerow.cli.hierarchy_files import find_hierarchies
from hedgerow.cli.job import Job, assemble
from hedgerow.cli.lists import read_delimiter, split_names
from hedgerow.cli.reporting import check_report
from hedgerow.cli.roles import read_roles
from hedgerow.errors import BadInput
from hedgerow.intake import STANDARD_INPUT, find_table

if TYPE_CHECKING:
    from hedgerow.attacks.outcome import Verdict

__all__ = ["run"]

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

    from hedgerow.attacks.trying import attack
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
        from hedgerow.cli.attack_board import show_attacks
        from hedgerow.cli.screen import screen

        show_attacks(screen(), found, files.remarks)
    return found.verdict


def _reading(given: Mapping[str, Any]) -> Job:
    """How the people are read: as it is typed, and else as the job file says."""
    named = {**given, **read_roles({name: given[name] for name in ("missing", "kind", "hierarchy")})}
    typed = {name: value for name in _OF_READING if (value := named[name]) not in (None, [])}
    return assemble(typed, given["job"], "hedgerow attack")


def _columns(release: Path) -> list[str]:
    """The columns that a hierarchy may be given for; loading says what is wrong where there is no manifest."""
    from hedgerow.paths import absolute
    from hedgerow.risk.beside import read_manifest

    roles: Mapping[str, Any] = (read_manifest(absolute(release)) or {}).get("columns", {})
    return [*roles.get("quasi", ()), *roles.get("sensitive", ())]
