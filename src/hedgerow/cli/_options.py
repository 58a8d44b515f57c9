"""The options that several commands have, each declared once.

Where commands say different things of the same option, they give their words to `column` or `columns`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any

import typer

__all__ = [
    "Accept",
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
    "Insensitive",
    "Kind",
    "Master",
    "Method",
    "Metric",
    "Missing",
    "Others",
    "Pseudonymize",
    "Quasi",
    "Quiet",
    "Report",
    "ReportEdition",
    "Require",
    "RowsArePeople",
    "SameFigures",
    "Sensitive",
    "Sheet",
    "SuppressionLimit",
    "Table",
    "Target",
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
    "learners",
    "listed",
    "methods",
    "metrics",
    "protocol",
    "protocols",
]


# --------------------------------------------------------------------------------------------------
# What a shell offers after the tabulator key: names of methods, metrics, learners and the like.
#
# A shell asks the command itself (``hedgerow --install-completion`` tells it how). What knows the names is imported
# then.


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


def protocols() -> Iterable[str]:
    """The protocols of an evaluation."""
    return ("5x2cv", "holdout", "cv:10")


def listed(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Complete the last name of a list with commas, or the only one.

    >>> listed(editions)("p"), listed(editions)("internal,p")
    (['public'], ['internal,public'])
    """

    def complete(incomplete: str) -> list[str]:
        before, comma, begun = incomplete.rpartition(",")
        return [f"{before}{comma}{name}" for name in names() if name.startswith(begun)]

    return complete


Columns = list[str] | None
Texts = list[str] | None


def column(says: str) -> Any:
    """An option that names one column."""
    return typer.Option(metavar="COLUMN", help=says)


def columns(says: str) -> Any:
    """An option that names columns."""
    return typer.Option(metavar="COLUMNS", help=says)


def methods(says: str) -> Any:
    """An option that names methods."""
    return typer.Option(metavar="NAMES", help=says, autocompletion=listed(complete_methods))


def learners(says: str) -> Any:
    """An option that names learners."""
    return typer.Option(metavar="NAMES", help=says, autocompletion=listed(complete_learners))


def protocol(says: str) -> Any:
    """An option that says how rows are parted for learners."""
    return typer.Option(metavar="NAME", help=says, autocompletion=listed(protocols))


# The table, and how it is read.
_TABLE = (
    "A .csv, .tsv, .txt (also .gz, .zst), .parquet, .zip or .xlsx file; a folder or 'pattern*' of files; - for stdin."
)
Table = Annotated[str, typer.Argument(metavar="TABLE", help=_TABLE)]
Input = Annotated[str | None, typer.Argument(metavar="INPUT", help=_TABLE)]
"""The table where a job file may name it."""
Encoding = Annotated[
    str | None, typer.Option(metavar="NAME", help="Encoding of text; by its first bytes, or utf-8, if not given.")
]
Delimiter = Annotated[
    str | None, typer.Option(metavar="SIGN", help="Between columns of text; found in the header if not given.")
]
Decimal = Annotated[str, typer.Option(metavar="SIGN", help="Before decimals in text.")]
Sheet = Annotated[str | None, typer.Option(metavar="NAME", help="Of a workbook with several sheets.")]

# The roles of its columns.
Quasi = Annotated[Columns, columns("By which a person could be found.")]
Target = Annotated[str | None, column("The class to be learnt.")]
TargetBins = Annotated[
    int | None,
    typer.Option(metavar="N", help="Cuts a target of numbers into N bins for methods that learn from it."),
]
Sensitive = Annotated[Columns, columns("What must not become known.")]
Insensitive = Annotated[Columns, columns("Published as they are.")]
Accept = Annotated[Columns, columns("Published as they are though they single people out or tell too much.")]
Identifying = Annotated[Columns, typer.Option("--identifying", "--drop", metavar="COLUMNS", help="Left out.")]
Pseudonymize = Annotated[Columns, columns("Replaced by random pseudonyms.")]
RowsArePeople = Annotated[
    bool | None,
    typer.Option("--rows-are-people", help="Every row is a person of its own, though a column looks otherwise."),
]
Others = Annotated[
    str | None,
    typer.Option(metavar="FATE", help="Columns without a role: error (if not given), insensitive or drop."),
]
Kind = Annotated[
    Texts,
    typer.Option(
        metavar="COLUMN=KIND", help="number, date, text, or its values in order: triage=low,high; repeatable."
    ),
]
Weights = Annotated[
    Texts,
    typer.Option(metavar="COLUMN=NUMBER", help="How much the loss of columns counts: zip=2,age=1; others 1."),
]
Missing = Annotated[Texts, typer.Option(metavar="TEXT", help="A text that means 'no value'; repeatable.")]
Hierarchies = Annotated[
    str | None, typer.Option(metavar="DIR", help="Folder with COLUMN.csv (ARX) or COLUMN.toml files; others are named.")
]
HierarchyWords = Annotated[
    Texts,
    typer.Option(
        metavar="COLUMN=WORDS",
        help="masking:2,3  prefix:1,3  dates:month,year  intervals:5,10  'intervals:5,10,<18,>=90' (open ends)  flat  "
        "or a file; repeatable.",
    ),
]

# What is asked of a release, and how the work is done.
Require = Annotated[
    Texts,
    typer.Option(metavar="RULE", help="k=4@education,sex  l=3@disease  t=0.2@disease  …; repeatable."),
]
SuppressionLimit = Annotated[
    str | None, typer.Option(metavar="LIMIT", help="Rows that may be lost: 2%, 0.02 or 200; none if not given.")
]
Engine = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="What counts and writes the rows: duckdb (if not given) or spark.",
        autocompletion=listed(engines),
    ),
]
Master = Annotated[
    str | None, typer.Option(metavar="URL", help="Where Spark runs: local[2], spark://host:7077, yarn, …")
]
Method = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="See hedgerow methods.", autocompletion=listed(complete_methods)),
]
Metric = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="What a search makes best: loss, ncp, prec, …",
        autocompletion=listed(metrics),
    ),
]
Report = Annotated[
    str | None, typer.Option(metavar="FILE", help="Also write a report: one page (.html) that opens offline.")
]
ReportEdition = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="internal (if not given), or public: what recipients may see.",
        autocompletion=listed(editions),
    ),
]
EachK = Annotated[Texts, typer.Option("-k", metavar="K,K,…", help="5,10,50,100 if not given.")]
Train = Annotated[
    str, typer.Option(metavar="HOW", help="Training rows: redrawn, or published as the release shows them.")
]
Test = Annotated[str, typer.Option(metavar="HOW", help="Test rows: raw, or recoded as the release would show them.")]
SameFigures = Annotated[int, typer.Option("--seed", metavar="N", help="The same seed, the same figures.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
Workers = Annotated[int | None, typer.Option(metavar="N", help="Processes; one for each core.")]
