"""What ``--help`` shows: options grouped in panels, commands in groups, and examples to copy.

It is printed as plain text, because importing rich would take longer than all the rest.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Final

from typer.core import TyperCommand, TyperGroup

__all__ = ["EXAMPLES", "CommandHelp", "GroupHelp"]

_FEW_OPTIONS: Final = 7  # so many are easy to read without panels
_LISTS: Final = "Separate the items of a list with commas. Put a name that holds a comma in double quotes."


class CommandHelp(TyperCommand):
    """A command with many options, whose help shows them in their panels (``rich_help_panel``)."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write one section for each panel, in the order of the options."""
        options = self.get_params(ctx)
        many = sum(getattr(option, "rich_help_panel", None) is not None for option in options) > _FEW_OPTIONS
        panels = defaultdict(list)
        for option in options:
            if (record := option.get_help_record(ctx)) is not None:
                panel = getattr(option, "rich_help_panel", None) if many else None
                usual = "Arguments" if option.param_type_name == "argument" else "Options"
                panels[panel or usual].append(record)
        for panel, records in panels.items():
            with formatter.section(panel):
                formatter.write_dl(records)


class GroupHelp(TyperGroup):
    """The program, whose help shows its commands in groups, without a line between them."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the groups below one heading."""
        names = self.list_commands(ctx)
        groups = defaultdict(list)
        for name in names:
            command: Any = self.get_command(ctx, name)
            groups[command.rich_help_panel].append((name, command.get_short_help_str(formatter.width)))
        width = max(map(len, names))
        with formatter.section("Commands"):
            for group, commands in groups.items():
                formatter.write(f"  {group}:\n")
                for name, summary in commands:
                    formatter.write(f"    {name:<{width}}  {summary}\n")


def _examples(*commands: str, note: str = "") -> str:
    """Examples, line by line; the sign in front keeps them from being wrapped."""
    lines = ["\b", "Example:" if len(commands) == 1 else "Examples:", *(f"  {command}" for command in commands)]
    return "\n".join(lines) + (f"\n\n{note}" if note else "")


EXAMPLES: Final = {
    "hedgerow": _examples(
        "hedgerow demo",
        "hedgerow anonymize people.csv --quasi age,sex,zip --drop name -k 10 -o out.csv",
    ),
    "anonymize": _examples(
        "hedgerow anonymize people.csv --quasi age,sex,zip --drop name -k 10 -o out.csv",
        "hedgerow anonymize people.csv --quasi age,sex,zip --target income \\\n"
        "    --drop name --method kactus -k 10 -o out.csv --report out.html",
        "hedgerow anonymize visits.parquet --quasi age,zip --sensitive disease \\\n"
        "    --entity patient --others drop -k 5 --require l=3@disease \\\n    --hierarchy zip=masking:2,3 -o out/",
        "hedgerow anonymize --job job.toml",
        note=_LISTS,
    ),
    "attack": _examples(
        "hedgerow attack out.csv --members half.csv --non-members others.csv",
        "hedgerow attack out.csv --members half.csv --non-members others.csv \\\n"
        "    --attack membership,label --report attacks.html --fail-if-works",
        note="If all your people are in the table, anonymize a random half of it, and attack that release.",
    ),
    "audit": _examples(
        "hedgerow audit out.csv --quasi age,sex,zip",
        "hedgerow audit out.csv --quasi age,sex,zip --sensitive disease -k 10 \\\n"
        "    --require l=3@disease --report audit.html",
        "hedgerow audit out.csv --quasi age,zip --population voters.csv --json",
        "hedgerow audit out.csv --quasi age,sex,zip -k 10 --previous old.csv \\\n    --original people.csv",
        note="The report is written even if the requirements do not hold.",
    ),
    "advise": _examples(
        "hedgerow advise people.csv",
        "hedgerow advise people.csv --target income -k 20 -o people.toml",
        note="Read the job file, change it, then type: hedgerow anonymize --job job.toml",
    ),
    "check": _examples("hedgerow check people.csv --quasi age,sex,zip -k 10", "hedgerow check --job job.toml"),
    "report": _examples(
        "hedgerow report out.csv",
        "hedgerow report --job job.toml --attack attacks.json --previous old.csv",
        "hedgerow report --job job.toml --edition public -o for-recipients.html",
        note="Save the attacks first: hedgerow attack out.csv … --json > attacks.json",
    ),
    "methods": _examples("hedgerow methods"),
    "demo": _examples("hedgerow demo", "hedgerow demo --rows 5000 -k 20 --method hedge --folder try"),
    "evaluate": _examples(
        "hedgerow evaluate people.csv --quasi age,sex,zip --target income \\\n"
        "    --methods mondrian,kactus -k 5,10,50 --learners c45,boosting",
        note=f"{_LISTS} Finished cells are kept beside the results and are not computed again.",
    ),
    "compare": _examples(
        "hedgerow compare people.csv --quasi age,sex,zip --target income --drop name \\\n"
        "    --methods kactus,mondrian,hedge -k 5,20,100 --time-limit 10m",
        "hedgerow compare visits.csv --quasi age,zip --entity patient --others drop \\\n"
        "    -k 5,11,20 --suppression-limit 0,2% --risk-threshold 0.09",
        note=f"{_LISTS} Finished cells are kept beside the page: after a stop, the same command continues.",
    ),
}
"""What stands below the options of each command."""
