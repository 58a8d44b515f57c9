"""The commands and their options. The work is done in modules that are imported only by their command."""

from __future__ import annotations

from typing import Annotated

import typer

from hedgerow._internal.version import __version__
from hedgerow.cli import _examples, _options
from hedgerow.cli._attack_command import attack
from hedgerow.cli._compare_command import compare
from hedgerow.cli._look_commands import advise, check
from hedgerow.cli._options import (
    Accept,
    Columns,
    Decimal,
    Delimiter,
    EachK,
    Encoding,
    Engine,
    Hierarchies,
    HierarchyWords,
    Identifying,
    Input,
    Insensitive,
    Kind,
    Master,
    Method,
    Metric,
    Missing,
    Others,
    Pseudonymize,
    Quasi,
    Quiet,
    Report,
    ReportEdition,
    Require,
    RowsArePeople,
    SameFigures,
    Sensitive,
    Sheet,
    SuppressionLimit,
    Table,
    Target,
    TargetBins,
    Test,
    Texts,
    Train,
    Weights,
    Workers,
    column,
    columns,
)

__all__ = ["app"]

app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


_OUTPUT = "The release: .csv, .csv.gz, .parquet, or a folder of Parquet files."


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hedgerow {__version__}")
        raise typer.Exit


@app.callback(epilog=_examples.HEDGEROW)
def hedgerow(
    *,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Show the version.")
    ] = False,
) -> None:
    """Publish a table about people, with a verified guarantee and its machine-learning value kept."""


@app.command(epilog=_examples.ANONYMIZE)
def anonymize(
    *,
    input: Input = None,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE|DIR/", help=_OUTPUT)] = None,
    rows_per_file: Annotated[
        int | None, typer.Option(metavar="N", help="A folder of Parquet files with at most N rows each.")
    ] = None,
    partition_by: Annotated[Columns, columns("A folder of Parquet files, in folders by the values of these.")] = None,
    quasi: Annotated[Columns, columns("By which a person could be found: generalized.")] = None,
    target: Target = None,
    target_bins: TargetBins = None,
    sensitive: Annotated[Columns, columns("What l-diversity and the like protect.")] = None,
    insensitive: Insensitive = None,
    accept: Accept = None,
    identifying: Identifying = None,
    pseudonymize: Pseudonymize = None,
    entity: Annotated[str | None, column("Tells people apart: k and l count people, not rows.")] = None,
    rows_are_people: RowsArePeople = None,
    others: Others = None,
    kind: Kind = None,
    weights: Weights = None,
    missing: Missing = None,
    hierarchies: Hierarchies = None,
    hierarchy: HierarchyWords = None,
    method: Method = None,
    k: Annotated[int | None, typer.Option("-k", metavar="K", help="Every class has at least K rows.")] = None,
    require: Require = None,
    suppression_limit: SuppressionLimit = None,
    parameters: Annotated[
        Texts, typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the method; repeatable.")
    ] = None,
    metric: Metric = None,
    time_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="A search stops then with the best it has found.")
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="The same seed, the same release.")] = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    decimal: Annotated[
        str | None, typer.Option(metavar="SIGN", help="Before decimals in text; a point if not given.")
    ] = None,
    memory_limit: Annotated[
        str | None, typer.Option(metavar="SIZE", help="What the whole process may hold, such as 2GB; 1GB at least.")
    ] = None,
    engine: Engine = None,
    master: Master = None,
    temp: Annotated[
        str | None, typer.Option(metavar="DIR", help="Where temporary files go; the system's folder if not given.")
    ] = None,
    job: Annotated[
        str | None, typer.Option(metavar="FILE", help="A TOML file with these options; those typed here win.")
    ] = None,
    recoding: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also save the recoding: private, never publish it.")
    ] = None,
    report: Report = None,
    report_edition: ReportEdition = None,
    publish_proportions: Annotated[
        bool | None,
        typer.Option("--publish-proportions", help="Also save how the people of each class are divided among values."),
    ] = None,
    min_support: Annotated[
        int | None, typer.Option(metavar="N", help="Every proportion is of at least N people; k if not given.")
    ] = None,
    redraw: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Also save rows of ordinary values, N for each row, drawn from the proportions."
        ),
    ] = None,
    holdout: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="People who are not in INPUT: how many of their rows --redraw draws too."),
    ] = None,
    escape_formulas: Annotated[
        bool | None,
        typer.Option("--escape-formulas", help="Put an apostrophe before cells that spreadsheets compute."),
    ] = None,
    allow_weak: Annotated[
        bool | None, typer.Option("--allow-weak", help="Write a release that does not keep its guarantee.")
    ] = None,
    force: Annotated[bool | None, typer.Option("--force", help="Write over a release that is there already.")] = None,
    quiet: Annotated[bool | None, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = None,
) -> None:
    """Anonymize a table, verify the result, and write it with its manifest."""
    given = dict(locals())  # every option under its name

    from hedgerow.cli._anonymizing import run
    from hedgerow.cli._job import Job, assemble
    from hedgerow.cli._lists import assignments, split_names
    from hedgerow.cli._roles import read_roles

    given |= {**read_roles(given), "set": assignments(parameters, "--set")}
    given["partition_by"] = split_names(partition_by, "--partition-by")
    # A list that was not typed is empty.
    typed = {name: value for name in Job.model_fields if (value := given.get(name)) not in (None, [])}
    run(assemble(typed, job), job)


@app.command(epilog=_examples.AUDIT)
def audit(
    *,
    table: Table,
    quasi: Quasi = None,
    sensitive: Sensitive = None,
    target: Target = None,
    population: Annotated[
        str | None, typer.Option(metavar="FILE", help="The people among whom a journalist would search.")
    ] = None,
    entity: Annotated[str | None, column("Tells people apart, where one may have several rows.")] = None,
    k: Annotated[int | None, typer.Option("-k", metavar="K", help="Exit with 3 if a class is smaller.")] = None,
    require: Require = None,
    missing: Missing = None,
    hierarchies: Hierarchies = None,
    hierarchy: HierarchyWords = None,
    threshold: Annotated[
        float | None, typer.Option(metavar="RISK", help="A record is at risk above it; 1/k or 0.2.")
    ] = None,
    previous: Annotated[
        str | None, typer.Option(metavar="FILE", help="An earlier release: what both give away together.")
    ] = None,
    original: Annotated[
        str | None, typer.Option(metavar="FILE", help="What both were made from: people are counted, not bounded.")
    ] = None,
    previous_quasi: Annotated[
        Columns, columns("The earlier release's quasi-identifiers, if no manifest beside it names them.")
    ] = None,
    changed: Annotated[Columns, columns("Maybe other values than in the earlier release.")] = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    report: Report = None,
    report_edition: ReportEdition = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a report that is there already.")] = False,
) -> None:
    """Measure what a table gives away. Exit 0 if the requirements hold or none is given, else 3."""
    from hedgerow.cli._auditing import run_audit
    from hedgerow.cli._lists import assignments, read_delimiter, split_names

    holds = run_audit(
        table,
        quasi=split_names(quasi, "--quasi") or [],
        sensitive=split_names(sensitive, "--sensitive") or [],
        target=target,
        population=population,
        entity=entity,
        k=k,
        require=require or [],
        missing=missing or [],
        hierarchies=hierarchies,
        hierarchy=assignments(hierarchy, "--hierarchy") or {},
        threshold=threshold,
        previous=previous,
        original=original,
        changed=split_names(changed, "--changed") or [],
        previous_quasi=split_names(previous_quasi, "--previous-quasi") or [],
        encoding=encoding,
        delimiter=read_delimiter(delimiter),
        sheet=sheet,
        as_json=as_json,
        report=report,
        report_edition=report_edition,
        force=force,
    )
    if not holds:
        raise typer.Exit(3)


app.command(epilog=_examples.ATTACK)(attack)
app.command(epilog=_examples.ADVISE)(advise)
app.command(epilog=_examples.CHECK)(check)


@app.command(epilog=_examples.METHODS)
def methods() -> None:
    """Show the methods: family, guarantees, parameters, paper."""
    from hedgerow.cli._catalogue import show_methods

    show_methods()


@app.command(epilog=_examples.DEMO)
def demo(
    *,
    rows: Annotated[int, typer.Option(metavar="N", help="How many people.")] = 20_000,
    k: Annotated[int, typer.Option("-k", metavar="K", help="Every class has at least K rows.")] = 10,
    method: Method = "mondrian",
    seed: Annotated[int, typer.Option(metavar="N", help="The same seed, the same table.")] = 7,
    folder: Annotated[str, typer.Option(metavar="DIR", help="Where the files go.")] = "demo",
    engine: Engine = None,
    master: Master = None,
) -> None:
    """See the main job on a synthetic census: before, after, audit, losses."""
    from hedgerow.cli._demonstration import run

    run(rows=rows, k=k, method=method or "mondrian", seed=seed, folder=folder, engine=engine, master=master)


@app.command(epilog=_examples.EVALUATE)
def evaluate(
    *,
    table: Table,
    quasi: Quasi = None,
    target: Annotated[str | None, column("What learners predict.")] = None,
    target_bins: TargetBins = None,
    sensitive: Sensitive = None,
    insensitive: Insensitive = None,
    accept: Accept = None,
    identifying: Identifying = None,
    entity: Annotated[str | None, column("Tells people apart: nobody trains and tests.")] = None,
    rows_are_people: RowsArePeople = None,
    others: Others = None,
    kind: Kind = None,
    missing: Missing = None,
    hierarchies: Hierarchies = None,
    hierarchy: HierarchyWords = None,
    methods: Annotated[
        Columns,
        _options.methods("See hedgerow methods; mondrian,kactus."),
    ] = None,
    k: EachK = None,
    require: Require = None,
    suppression_limit: SuppressionLimit = None,
    learners: Annotated[
        Columns,
        _options.learners(
            "c45, id3, kadet, naive-bayes, logistic, mlp, boosting, linear; with Weka: j48, part, "
            "weka-naive-bayes, weka-logistic."
        ),
    ] = None,
    protocol: Annotated[
        str,
        _options.protocol("5x2cv, holdout, holdout:REPETITIONS or cv:FOLDS."),
    ] = "5x2cv",
    train: Train = "redrawn",
    test: Test = "raw",
    score: Annotated[
        str | None, typer.Option(metavar="NAME", help="Shown: accuracy, auc, f1, log_loss; of numbers r2, mae.")
    ] = None,
    seed: SameFigures = 0,
    workers: Workers = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The cells as .csv; the chart stands beside it.")
    ] = "evaluation.csv",
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    decimal: Decimal = ".",
    force: Annotated[bool, typer.Option("--force", help="Write over results that are there already.")] = False,
    quiet: Quiet = False,
) -> None:
    """Measure what learners still know of a target, by method and k."""
    given = dict(locals())  # every option under its name

    from hedgerow.cli._evaluating import run

    run(**given)


app.command(epilog=_examples.COMPARE)(compare)
