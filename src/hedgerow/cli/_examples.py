"""What ``--help`` shows below the options: commands to copy, and a line on what they have in common."""

from __future__ import annotations

from typing import Final

__all__ = [
    "ADVISE",
    "ANONYMIZE",
    "ATTACK",
    "AUDIT",
    "CHECK",
    "COMPARE",
    "DEMO",
    "EVALUATE",
    "HEDGEROW",
    "METHODS",
]

_LISTS: Final = "Lists are separated by commas; a name that holds a comma stands in double quotes."


def _shown(*commands: str, says: str = "") -> str:
    """Examples as they stand, line by line; the sign in front keeps them from being wrapped."""
    lines = ["\b", "Example:" if len(commands) == 1 else "Examples:", *(f"  {command}" for command in commands)]
    return "\n".join(lines) + (f"\n\n{says}" if says else "")


HEDGEROW: Final = _shown(
    "hedgerow demo",
    "hedgerow anonymize people.csv --quasi age,sex,zip --target income \\\n"
    "    --drop name -k 10 --output out.csv --report out.html",
    "hedgerow audit out.csv --quasi age,sex,zip -k 10",
)
ANONYMIZE: Final = _shown(
    "hedgerow anonymize people.csv --quasi age,sex,zip --drop name -k 10 -o out.csv",
    "hedgerow anonymize people.csv --quasi age,sex,zip --target income \\\n"
    "    --drop name --method kactus -k 10 -o out.csv --report out.html",
    "hedgerow anonymize visits.parquet --quasi age,zip --sensitive disease \\\n"
    "    --entity patient --others drop -k 5 --require l=3@disease \\\n    --hierarchy zip=masking:2,3 -o out/",
    "hedgerow anonymize --job job.toml",
    says=_LISTS,
)
ATTACK: Final = _shown(
    "hedgerow attack out.csv --members half.csv --non-members others.csv",
    "hedgerow attack out.csv --members half.csv --non-members others.csv \\\n"
    "    --attack membership,label --report attacks.html --fail-if-works",
    says="To have people who are not in the table, anonymize a random half of it, and attack that release.",
)
AUDIT: Final = _shown(
    "hedgerow audit out.csv --quasi age,sex,zip",
    "hedgerow audit out.csv --quasi age,sex,zip --sensitive disease -k 10 \\\n"
    "    --require l=3@disease --report audit.html",
    "hedgerow audit out.csv --quasi age,zip --population voters.csv --json",
    "hedgerow audit out.csv --quasi age,sex,zip -k 10 --previous old.csv \\\n    --original people.csv",
    says="A report is written also where requirements do not hold.",
)
ADVISE: Final = _shown(
    "hedgerow advise people.csv",
    "hedgerow advise people.csv --target income -k 20 -o people.toml",
    says="Read the job file, change it, then type: hedgerow anonymize --job job.toml",
)
CHECK: Final = _shown("hedgerow check people.csv --quasi age,sex,zip -k 10", "hedgerow check --job job.toml")
METHODS: Final = _shown("hedgerow methods")
DEMO: Final = _shown("hedgerow demo", "hedgerow demo --rows 5000 -k 20 --method hedge --folder try")
EVALUATE: Final = _shown(
    "hedgerow evaluate people.csv --quasi age,sex,zip --target income \\\n"
    "    --methods mondrian,kactus -k 5,10,50 --learners c45,boosting",
    says=f"{_LISTS} A finished cell is kept beside the results, and not run again.",
)
COMPARE: Final = _shown(
    "hedgerow compare people.csv --quasi age,sex,zip --target income --drop name \\\n"
    "    --methods kactus,mondrian,hedge -k 5,20,100 --time-limit 10m",
    "hedgerow compare visits.csv --quasi age,zip --entity patient --others drop \\\n"
    "    -k 5,11,20 --suppression-limit 0,2% --risk-threshold 0.09",
    says=f"{_LISTS} A finished cell is kept beside the page: the same command goes on where it was.",
)
