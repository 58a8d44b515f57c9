"""The options that several commands have, each declared once, and what a shell completes.

Where commands give the same option another meaning, they declare it with `option`, `column` or `columns`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any, Final

import typer

__all__ = [
    "Accept",
    "Analysis",
    "AsJson",
    "Columns",
    "Decimal",
    "Delimiter",
    "EachK",
    "Encoding",
    "Engine",
    "Hierarchies",
    "HierarchyWords",
    "Identifying",
    "Input",
    "JobFile",
    "Insensitive",
    "K",
    "Kind",
    "Level",
    "Master",
    "Method",
    "MinPeople",
    "Missing",
    "Others",
    "Panel",
    "Preset",
    "Quasi",
    "Quiet",
    "Recode",
    "Report",
    "ReportEdition",
    "Require",
    "RowsArePeople",
    "SameFigures",
    "Sensitive",
    "Sheet",
    "SuppressionLimit",
    "TargetBins",
    "Test",
    "Texts",
    "Train",
    "Weights",
    "Workers",
    "attacks",
    "column",
    "columns",
    "complete_learners",
    "complete_methods",
    "editions",
    "engines",
    "listed",
    "metrics",
    "option",
    "protocols",
]


# --------------------------------------------------------------------------------------------------
# What a shell completes: names of methods, metrics, learners and the like.
#
# The shell runs the command itself (``hedgerow --install-completion`` sets this up). Modules that know the names are
# imported only then.


def complete_methods() -> Iterable[str]:
    """The names of all methods."""
    from hedgerow.anonymizers.registry import all_methods

    return all_methods()


def metrics() -> Iterable[str]:
    """The names of all metrics."""
    from hedgerow.core.metrics import METRICS

    return METRICS


def complete_learners() -> Iterable[str]:
    """The names of all learners."""
    from hedgerow.evaluation.learners import LEARNERS

    return LEARNERS


def attacks() -> Iterable[str]:
    """The names of all attacks."""
    from hedgerow.attacks.registry import ATTACKS

    return ATTACKS


def editions() -> Iterable[str]:
    """The editions of a report."""
    return ("internal", "public")


def engines() -> Iterable[str]:
    """The engines."""
    return ("duckdb", "spark")


def tasks() -> Iterable[str]:
    """The tasks of an evaluation."""
    return ("classification", "clustering", "association", "queries", "estimates")


def protocols() -> Iterable[str]:
    """The protocols of an evaluation."""
    return ("5x2cv", "holdout", "cv:10")


def listed(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Complete the last name of a list with commas.

    >>> listed(editions)("p"), listed(editions)("internal,p")
    (['public'], ['internal,public'])
    """

    def complete(incomplete: str) -> list[str]:
        before, comma, start = incomplete.rpartition(",")
        return [f"{before}{comma}{name}" for name in names() if name.startswith(start)]

    return complete


Columns = list[str] | None
Texts = list[str] | None


class Panel:
    """The headings under which ``--help`` shows options."""

    COLUMNS: Final = "Columns"
    GUARANTEE: Final = "Guarantee"
    METHOD: Final = "Method"
    LEARNERS: Final = "Learners"
    ATTACK: Final = "Attack"
    RISK: Final = "Risk"
    EARLIER: Final = "Earlier release"
    EVIDENCE: Final = "Evidence"
    INPUT: Final = "Input"
    OUTPUT: Final = "Output"
    PROPORTIONS: Final = "Proportions"
    REPORT: Final = "Report"
    SCALE: Final = "Scale"


def option(
    panel: str, metavar: str | None, meaning: str, *names: str, offers: Callable[[], Iterable[str]] | None = None
) -> Any:
    """An option in a panel of the help; a shell completes the names that it offers."""
    complete = None if offers is None else listed(offers)
    return typer.Option(*names, metavar=metavar, help=meaning, rich_help_panel=panel, autocompletion=complete)


def column(meaning: str) -> Any:
    """An option that names one column."""
    return option(Panel.COLUMNS, "COLUMN", meaning)


def columns(meaning: str, *names: str) -> Any:
    """An option that names columns."""
    return option(Panel.COLUMNS, "COLUMNS", meaning, *names)


# The table, and how it is read.
_TABLE = (
    "A .csv, .tsv, .txt (also .gz, .zst), .parquet, .zip or .xlsx file; a folder or 'pattern*' of files; - for stdin."
)
Input = Annotated[str | None, typer.Argument(metavar="INPUT", help=_TABLE)]
"""The table, unless a job file names it."""
Encoding = Annotated[
    str | None, option(Panel.INPUT, "NAME", "Encoding of a text file.  [default: by its first bytes, else utf-8]")
]
Delimiter = Annotated[
    str | None, option(Panel.INPUT, "SIGN", "Sign between columns in a text file.  [default: found in the header]")
]
Decimal = Annotated[str | None, option(Panel.INPUT, "SIGN", "Sign before decimals in text.  [default: .]")]
Sheet = Annotated[str | None, option(Panel.INPUT, "NAME", "Sheet to read from a workbook that has several.")]
JobFile = Annotated[
    str | None, option(Panel.INPUT, "FILE", "Take table, columns and requirements from a job file. Typed options win.")
]
Missing = Annotated[Texts, option(Panel.INPUT, "TEXT", "A text that means 'no value'. Repeatable.")]

# The roles of its columns.
Quasi = Annotated[Columns, columns("Columns by which a person could be found.")]
TargetBins = Annotated[
    int | None, option(Panel.COLUMNS, "N", "Cut a numeric target into N bins for methods that learn from it.")
]
Sensitive = Annotated[Columns, columns("Columns whose values must not become known.")]
Insensitive = Annotated[Columns, columns("Columns to publish unchanged.")]
Accept = Annotated[Columns, columns("Publish these columns unchanged, even if they are disclosive.")]
Identifying = Annotated[Columns, columns("Columns to leave out.", "--identifying", "--drop")]
RowsArePeople = Annotated[
    bool | None,
    option(
        Panel.COLUMNS, None, "Every row is another person, even if a column suggests otherwise.", "--rows-are-people"
    ),
]
Others = Annotated[
    str | None, option(Panel.COLUMNS, "FATE", "Columns without a role: error, insensitive or drop.  [default: error]")
]
Kind = Annotated[
    Texts,
    option(
        Panel.COLUMNS,
        "COLUMN=KIND",
        "What a column holds: number, date, text, or its values in order, as triage=low,high. Repeatable.",
    ),
]
Weights = Annotated[
    Texts, option(Panel.COLUMNS, "COLUMN=NUMBER", "How much the loss of a column counts: zip=2,age=1.  [default: 1]")
]
Hierarchies = Annotated[
    str | None,
    option(Panel.COLUMNS, "DIR", "Folder of COLUMN.csv (ARX) or COLUMN.toml files. Files of no column are reported."),
]
HierarchyWords = Annotated[
    Texts,
    option(
        Panel.COLUMNS,
        "COLUMN=WORDS",
        "How values generalize: masking:2,3  prefix:1,3  dates:month,year  dates:year,%d.%m.%Y (their format)  "
        "icd10:3,chapter  intervals:5,10  "
        "'intervals:5,10,<18,>=90' (open ends)  flat  or a file. Repeatable.",
    ),
]
Level = Annotated[
    Texts,
    option(
        Panel.COLUMNS,
        "COLUMN=FROM:TO",
        "The finest and the coarsest level of its hierarchy to publish: zip=2:3, zip=2:, zip=:3, or zip=2. Level 0 are "
        "the values as they are. Repeatable.",
    ),
]

Recode = Annotated[
    Texts,
    option(
        Panel.COLUMNS,
        "COLUMN=WORDS",
        "Make numbers in clear coarser: income=round:1000  days=top:30,round:5  weight=microaggregate:11. Repeatable.",
    ),
]

# What is required of a release, and how the work is done.
K = Annotated[int | None, option(Panel.GUARANTEE, "K", "Every class has at least K rows.", "-k")]
EachK = Annotated[Texts, option(Panel.GUARANTEE, "K,K,…", "Every k to try.  [default: 5,10,50,100]", "-k")]
Require = Annotated[
    Texts,
    option(Panel.GUARANTEE, "RULE", "A requirement: k=4@education,sex  l=3@disease  t=0.2@disease  … Repeatable."),
]
SuppressionLimit = Annotated[
    str | None, option(Panel.GUARANTEE, "LIMIT", "Rows that may be lost: 2%, 0.02 or 200.  [default: none]")
]
MinPeople = Annotated[
    int | None,
    option(Panel.GUARANTEE, "N", "At least N people (rows, without --entity) hold every value of every column."),
]
Method = Annotated[
    str | None,
    option(Panel.METHOD, "NAME", "The method. hedgerow methods lists them.", offers=complete_methods),
]
Preset = Annotated[
    str | None, option(Panel.METHOD, "NAME", "paper: the method as its authors have it. Parameters that you give win.")
]
Engine = Annotated[
    str | None,
    option(Panel.SCALE, "NAME", "What counts and writes the rows: duckdb or spark.  [default: duckdb]", offers=engines),
]
Master = Annotated[str | None, option(Panel.SCALE, "URL", "Where Spark runs: local[2], spark://host:7077, yarn, …")]
Workers = Annotated[int | None, option(Panel.SCALE, "N", "Number of processes.  [default: one per core]")]
Report = Annotated[
    str | None, option(Panel.REPORT, "FILE", "Also write a report: one page (.html) that opens offline.")
]
ReportEdition = Annotated[
    str | None,
    option(Panel.REPORT, "NAME", "internal, or public: what recipients may see.  [default: internal]", offers=editions),
]
Analysis = Annotated[
    Texts,
    option(
        Panel.REPORT,
        "TEXT",
        "An analysis that recipients plan: 'mean days by ward', 'crosstab sex, ward', 'linear days ~ age + sex', "
        "'logistic readmitted ~ age'. Repeatable.",
        "--analysis",
    ),
]
Task = Annotated[
    str,
    option(
        Panel.LEARNERS,
        "NAME",
        "What the release is used for: classification, clustering, association, queries or estimates (of --analysis).",
        offers=tasks,
    ),
]
Train = Annotated[str, option(Panel.LEARNERS, "HOW", "Training rows: redrawn, or published as in the release.")]
Test = Annotated[str, option(Panel.LEARNERS, "HOW", "Test rows: raw, or recoded as the release would show them.")]
SameFigures = Annotated[
    int | None, option(Panel.METHOD, "N", "The same seed gives the same figures.  [default: 0]", "--seed")
]
AsJson = Annotated[bool, option(Panel.OUTPUT, None, "Print JSON.", "--json")]
Quiet = Annotated[bool, option(Panel.OUTPUT, None, "Print only errors.", "--quiet", "-q")]
