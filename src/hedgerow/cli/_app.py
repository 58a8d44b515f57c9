"""The commands and their options. The work is done in modules named after the commands, imported only when typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from hedgerow._internal.version import __version__
from hedgerow.cli import _options as options
from hedgerow.cli._help import EXAMPLES, CommandHelp, GroupHelp
from hedgerow.cli._options import Columns, Panel, column, columns, option
from hedgerow.errors import BadInput

__all__ = ["app"]

app = typer.Typer(
    cls=GroupHelp,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_NOT_MET = 3  # the exit status if requirements do not hold, or an attack works
_PUBLISH = "Publish a table"
_EXAMINE = "Examine a table or a release"
_CHOOSE = "Choose a method"


def _command(group: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a command: its group in the help, and its examples."""

    def register(command: Callable[..., None]) -> Callable[..., None]:
        return app.command(cls=CommandHelp, rich_help_panel=group, epilog=EXAMPLES[command.__name__])(command)

    return register


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hedgerow {__version__}")
        raise typer.Exit


@app.callback(epilog=EXAMPLES["hedgerow"])
def hedgerow(
    *,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Show the version.")
    ] = False,
) -> None:
    """Publish a table about people, with a verified guarantee."""


@_command(_PUBLISH)
def demo(
    *,
    rows: Annotated[int, option(Panel.METHOD, "N", "Number of people.")] = 20_000,
    k: Annotated[int, option(Panel.GUARANTEE, "K", "Every class has at least K rows.", "-k")] = 10,
    method: options.Method = "mondrian",
    seed: Annotated[int, option(Panel.METHOD, "N", "The same seed gives the same table.")] = 7,
    folder: Annotated[str, option(Panel.OUTPUT, "DIR", "Folder for the files.")] = "demo",
    engine: options.Engine = None,
    master: options.Master = None,
) -> None:
    """Try Hedgerow on a synthetic census: before, after, audit, losses."""
    from hedgerow.cli._demo import run

    run(rows=rows, k=k, method=method or "mondrian", seed=seed, folder=folder, engine=engine, master=master)


@_command(_PUBLISH)
def advise(
    *,
    input: options.Input = None,
    target: Annotated[
        str | None, column("Column that a model will predict.  [default: one whose name suggests a label]")
    ] = None,
    k: Annotated[
        int | None,
        option(Panel.GUARANTEE, "K", "Every class has at least K rows.  [default: 11 for health data, else 5]", "-k"),
    ] = None,
    no_trial: Annotated[
        bool, option(Panel.METHOD, None, "Do not try the suggestion on some rows.", "--no-trial")
    ] = False,
    encoding: options.Encoding = None,
    delimiter: options.Delimiter = None,
    sheet: options.Sheet = None,
    decimal: options.Decimal = None,
    job: Annotated[
        str | None,
        option(Panel.INPUT, "FILE", "Take the table, the target and k from an older job file. Typed options win."),
    ] = None,
    output: Annotated[str, option(Panel.OUTPUT, "FILE", "The job file to write.", "--output", "-o")] = "job.toml",
    as_json: options.AsJson = False,
    force: Annotated[bool, option(Panel.OUTPUT, None, "Overwrite an existing job file.", "--force")] = False,
    quiet: options.Quiet = False,
) -> None:
    """Suggest roles, hierarchies, k and a method, as a job file.

    Every suggestion has its reason. Edit the file before you run it.
    """
    given = dict(locals())  # every option under its name

    from hedgerow.cli._advise import run

    run(given)


@_command(_PUBLISH)
def anonymize(
    *,
    input: options.Input = None,
    quasi: Annotated[Columns, columns("Columns by which a person could be found: they are generalized.")] = None,
    target: Annotated[str | None, column("Column that a model will predict.")] = None,
    target_bins: options.TargetBins = None,
    sensitive: Annotated[Columns, columns("Columns that l-diversity and similar requirements protect.")] = None,
    insensitive: options.Insensitive = None,
    accept: options.Accept = None,
    identifying: options.Identifying = None,
    pseudonymize: Annotated[Columns, columns("Columns to replace by random pseudonyms.")] = None,
    entity: Annotated[str | None, column("Column that identifies a person: k and l count people, not rows.")] = None,
    rows_are_people: options.RowsArePeople = None,
    others: options.Others = None,
    kind: options.Kind = None,
    weights: options.Weights = None,
    hierarchies: options.Hierarchies = None,
    hierarchy: options.HierarchyWords = None,
    level: options.Level = None,
    recode: options.Recode = None,
    k: options.K = None,
    require: options.Require = None,
    min_people: options.MinPeople = None,
    suppression_limit: options.SuppressionLimit = None,
    allow_weak: Annotated[
        bool | None,
        option(Panel.GUARANTEE, None, "Write a release even if it does not keep its guarantee.", "--allow-weak"),
    ] = None,
    previous: Annotated[
        str | None,
        option(Panel.EARLIER, "FILE", "An earlier release: both together then meet all requirements."),
    ] = None,
    previous_original: Annotated[
        str | None, option(Panel.EARLIER, "FILE", "The table that it was made from: it shows who joined and who left.")
    ] = None,
    previous_recoding: Annotated[
        str | None, option(Panel.EARLIER, "FILE", "Its private recoding, if its labels need one.")
    ] = None,
    method: options.Method = None,
    preset: options.Preset = None,
    parameters: Annotated[
        options.Texts, option(Panel.METHOD, "NAME=VALUE", "A parameter of the method. Repeatable.", "--set")
    ] = None,
    metric: Annotated[
        str | None,
        option(Panel.METHOD, "NAME", "What a search optimizes: loss, ncp, prec, …", offers=options.metrics),
    ] = None,
    time_limit: Annotated[
        float | None, option(Panel.METHOD, "SECONDS", "Stop a search after this time with the best result so far.")
    ] = None,
    seed: Annotated[int | None, option(Panel.METHOD, "N", "The same seed gives the same release.")] = None,
    encoding: options.Encoding = None,
    delimiter: options.Delimiter = None,
    sheet: options.Sheet = None,
    decimal: options.Decimal = None,
    missing: options.Missing = None,
    job: Annotated[
        str | None, option(Panel.INPUT, "FILE", "A TOML file with these options. Options typed here win.")
    ] = None,
    output: Annotated[
        str | None,
        option(
            Panel.OUTPUT,
            "FILE|DIR/",
            "The release: .csv, .csv.gz, .parquet, or a folder of Parquet files.",
            "--output",
            "-o",
        ),
    ] = None,
    rows_per_file: Annotated[
        int | None, option(Panel.OUTPUT, "N", "Write a folder of Parquet files with at most N rows each.")
    ] = None,
    partition_by: Annotated[
        Columns, option(Panel.OUTPUT, "COLUMNS", "Write a folder of Parquet files, partitioned by these columns.")
    ] = None,
    recoding: Annotated[
        str | None, option(Panel.OUTPUT, "FILE", "Also save the recoding. It is private: never publish it.")
    ] = None,
    explain: Annotated[
        str | None,
        option(Panel.OUTPUT, "FILE", "Also save why every class shows no more. It is private: never publish it."),
    ] = None,
    escape_formulas: Annotated[
        bool | None,
        option(
            Panel.OUTPUT, None, "Put an apostrophe before cells that a spreadsheet would compute.", "--escape-formulas"
        ),
    ] = None,
    force: Annotated[bool | None, option(Panel.OUTPUT, None, "Overwrite an existing release.", "--force")] = None,
    quiet: Annotated[bool | None, option(Panel.OUTPUT, None, "Print only errors.", "--quiet", "-q")] = None,
    publish_proportions: Annotated[
        bool | None,
        option(
            Panel.PROPORTIONS,
            None,
            "Also save how often each value occurs among the people of each class.",
            "--publish-proportions",
        ),
    ] = None,
    min_support: Annotated[
        int | None, option(Panel.PROPORTIONS, "N", "At least N people stand behind every proportion.  [default: k]")
    ] = None,
    redraw: Annotated[
        int | None,
        option(Panel.PROPORTIONS, "N", "Also save N rows of ordinary values per row, drawn from the proportions."),
    ] = None,
    holdout: Annotated[
        str | None,
        option(
            Panel.PROPORTIONS, "FILE", "People who are not in INPUT: count how many of their rows --redraw draws too."
        ),
    ] = None,
    analysis: options.Analysis = None,
    report: options.Report = None,
    report_edition: options.ReportEdition = None,
    memory_limit: Annotated[
        str | None, option(Panel.SCALE, "SIZE", "Memory that the process may use, such as 2GB. At least 1GB.")
    ] = None,
    engine: options.Engine = None,
    master: options.Master = None,
    temp: Annotated[
        str | None, option(Panel.SCALE, "DIR", "Folder for temporary files.  [default: the system's]")
    ] = None,
) -> None:
    """Anonymize a table, verify the result, and write it.

    The manifest is written beside the release.
    """
    given = dict(locals())  # every option under its name

    from hedgerow.cli._anonymizing import run
    from hedgerow.cli._job import Job, assemble
    from hedgerow.cli._lists import assignments, split_names
    from hedgerow.cli._roles import read_roles

    given |= {**read_roles(given), "set": assignments(parameters, "--set"), "analyses": analysis}
    given["partition_by"] = split_names(partition_by, "--partition-by")
    # A list that was not typed is empty.
    typed = {name: value for name in Job.model_fields if (value := given.get(name)) not in (None, [])}
    run(assemble(typed, job), job)


@_command(_EXAMINE)
def check(
    *,
    input: options.Input = None,
    quasi: options.Quasi = None,
    sensitive: Annotated[
        Columns, columns("Also count the people whose value their class reveals. This decides nothing.")
    ] = None,
    entity: Annotated[str | None, column("Column that identifies a person who may have several rows.")] = None,
    hierarchies: options.Hierarchies = None,
    hierarchy: options.HierarchyWords = None,
    k: options.K = None,
    require: options.Require = None,
    min_people: options.MinPeople = None,
    encoding: options.Encoding = None,
    delimiter: options.Delimiter = None,
    sheet: options.Sheet = None,
    missing: options.Missing = None,
    job: options.JobFile = None,
    as_json: options.AsJson = False,
    quiet: Annotated[
        bool, option(Panel.OUTPUT, None, "Print nothing: the exit status is the answer.", "--quiet", "-q")
    ] = False,
) -> None:
    """Check whether a table meets its requirements as it is.

    The manifest beside a release supplies columns and requirements, unless you name columns. Exits with 0 if the table
    does, else with 3. Writes nothing.
    """
    given = dict(locals())  # every option under its name

    from hedgerow.cli._audit import run_check

    if not run_check(given):
        raise typer.Exit(_NOT_MET)


@_command(_EXAMINE)
def audit(
    *,
    input: options.Input = None,
    quasi: options.Quasi = None,
    sensitive: options.Sensitive = None,
    target: Annotated[str | None, column("Column that a model will predict.")] = None,
    entity: Annotated[str | None, column("Column that identifies a person who may have several rows.")] = None,
    hierarchies: options.Hierarchies = None,
    hierarchy: options.HierarchyWords = None,
    k: Annotated[
        int | None, option(Panel.GUARANTEE, "K", "Exit with 3 if a class has fewer than K rows.", "-k")
    ] = None,
    require: options.Require = None,
    min_people: options.MinPeople = None,
    population: Annotated[
        str | None, option(Panel.RISK, "FILE", "The people among whom a journalist would search.")
    ] = None,
    threshold: Annotated[
        float | None, option(Panel.RISK, "RISK", "A record is at risk above this value.  [default: 1/k or 0.2]")
    ] = None,
    previous: Annotated[
        str | None, option(Panel.EARLIER, "FILE", "An earlier release: measure what both reveal together.")
    ] = None,
    original: Annotated[
        str | None,
        option(Panel.EARLIER, "FILE", "The table behind both releases: people are then counted, not bounded."),
    ] = None,
    previous_original: Annotated[
        str | None,
        option(Panel.EARLIER, "FILE", "The table behind the earlier release alone: all groups are then exact."),
    ] = None,
    recoding: Annotated[
        str | None, option(Panel.EARLIER, "FILE", "The release's private recoding, if people fit several classes.")
    ] = None,
    previous_recoding: Annotated[
        str | None, option(Panel.EARLIER, "FILE", "The earlier release's private recoding, for the same.")
    ] = None,
    previous_quasi: Annotated[
        Columns,
        option(Panel.EARLIER, "COLUMNS", "The earlier release's quasi-identifiers, if no manifest names them."),
    ] = None,
    changed: Annotated[
        Columns, option(Panel.EARLIER, "COLUMNS", "Columns whose values may differ from the earlier release.")
    ] = None,
    encoding: options.Encoding = None,
    delimiter: options.Delimiter = None,
    sheet: options.Sheet = None,
    missing: options.Missing = None,
    job: options.JobFile = None,
    as_json: options.AsJson = False,
    force: Annotated[bool, option(Panel.OUTPUT, None, "Overwrite an existing report.", "--force")] = False,
    report: options.Report = None,
    report_edition: options.ReportEdition = None,
) -> None:
    """Measure what a table reveals about its people.

    The manifest beside a release supplies columns and requirements, unless you name columns. Exits with 0 if the
    requirements hold or none is given, else with 3.
    """
    given = dict(locals())  # every option under its name

    from hedgerow.cli._audit import run_audit

    if not run_audit(given):
        raise typer.Exit(_NOT_MET)


@_command(_EXAMINE)
def attack(
    *,
    release: Annotated[
        str | None,
        typer.Argument(
            metavar="RELEASE", help="A table that was saved with its manifest.  [default: the job's output]"
        ),
    ] = None,
    members: Annotated[
        str | None,
        option(Panel.ATTACK, "FILE", "The original rows of the release's people.  [default: the job's input]"),
    ] = None,
    non_members: Annotated[
        str | None, option(Panel.ATTACK, "FILE", "People of the same population who are not in the table.")
    ] = None,
    attack: Annotated[
        Columns,
        option(Panel.ATTACK, "NAMES", "The attacks to try.  [default: all that apply]", offers=options.attacks),
    ] = None,
    previous: Annotated[
        str | None, option(Panel.ATTACK, "FILE", "An older release of the same people, saved with its manifest.")
    ] = None,
    sure: Annotated[
        float, option(Panel.ATTACK, "SHARE", "How sure an attacker must be before claiming a value.")
    ] = 0.9,
    seed: Annotated[int, option(Panel.ATTACK, "N", "The same seed gives the same figures.")] = 0,
    fail_if_works: Annotated[
        bool,
        option(
            Panel.ATTACK, None, "Exit with 3 if an attack works, with 2 if there are too few people.", "--fail-if-works"
        ),
    ] = False,
    kind: options.Kind = None,
    hierarchies: options.Hierarchies = None,
    hierarchy: options.HierarchyWords = None,
    require: options.Require = None,
    encoding: options.Encoding = None,
    delimiter: options.Delimiter = None,
    sheet: options.Sheet = None,
    decimal: options.Decimal = None,
    missing: options.Missing = None,
    job: Annotated[
        str | None, option(Panel.INPUT, "FILE", "Read the people as this job file says. Options typed here win.")
    ] = None,
    as_json: options.AsJson = False,
    force: Annotated[bool, option(Panel.OUTPUT, None, "Overwrite an existing report.", "--force")] = False,
    report: options.Report = None,
) -> None:
    """Attack a release, and measure what attackers find out.

    Only what they find out of its people beyond what they find out of others counts.
    """
    given = dict(locals())  # every option under its name

    from hedgerow.cli._attack import run

    verdict = run(given)
    if fail_if_works and verdict == "works":
        raise typer.Exit(_NOT_MET)
    if fail_if_works and verdict == "too few to say":
        raise BadInput(
            "There are too few people to say whether an attack works. Give more members and more non-members, or name "
            "the attacks that matter (--attack)."
        )


@_command(_EXAMINE)
def report(
    *,
    release: Annotated[
        str | None,
        typer.Argument(
            metavar="RELEASE", help="A table that was saved with its manifest.  [default: the job's output]"
        ),
    ] = None,
    attack: Annotated[
        str | None, option(Panel.EVIDENCE, "FILE", "What hedgerow attack --json printed, saved in a file.")
    ] = None,
    previous: Annotated[
        str | None,
        option(
            Panel.EVIDENCE,
            "FILE",
            "An earlier release, to audit both together; or what hedgerow audit --previous --json printed (.json).",
        ),
    ] = None,
    analysis: options.Analysis = None,
    original: Annotated[
        str | None,
        option(Panel.EVIDENCE, "FILE", "The original rows of the release, for analyses.  [default: the job's input]"),
    ] = None,
    explanation: Annotated[
        str | None,
        option(Panel.EVIDENCE, "FILE", "What anonymize --explain wrote.  [default: the job's, if it is there]"),
    ] = None,
    threshold: Annotated[
        float | None,
        option(Panel.RISK, "RISK", "The highest risk that is accepted.  [default: that of [context], or 1/k]"),
    ] = None,
    kind: options.Kind = None,
    hierarchies: options.Hierarchies = None,
    hierarchy: options.HierarchyWords = None,
    require: options.Require = None,
    encoding: options.Encoding = None,
    delimiter: options.Delimiter = None,
    sheet: options.Sheet = None,
    decimal: options.Decimal = None,
    missing: options.Missing = None,
    job: Annotated[
        str | None,
        option(
            Panel.INPUT,
            "FILE",
            "The job file that made the release: its reasons for roles, its [context] and [governance], who signs.",
        ),
    ] = None,
    edition: Annotated[
        str | None,
        option(
            Panel.OUTPUT,
            "NAME",
            "internal, or public: what recipients may see.  [default: internal]",
            offers=options.editions,
        ),
    ] = None,
    output: Annotated[str, option(Panel.OUTPUT, "FILE", "The page (.html).", "--output", "-o")] = "report.html",
    force: Annotated[bool, option(Panel.OUTPUT, None, "Overwrite an existing report.", "--force")] = False,
    quiet: options.Quiet = False,
) -> None:
    """Write one document about a release, to be read and signed.

    It holds the audit, what attacks and analyses found, what an earlier release adds, and who decided what. The release
    is verified again. Whoever signs is named in [governance] of the job file.
    """
    given = dict(locals()) | {"analyses": analysis}  # every option under its name

    from hedgerow.cli._document import run

    run(given)


@_command(_CHOOSE)
def methods() -> None:
    """List the methods: family, guarantees, parameters, paper."""
    from hedgerow.cli._methods import show_methods

    show_methods()


@_command(_CHOOSE)
def compare(
    *,
    input: options.Input = None,
    quasi: options.Quasi = None,
    target: Annotated[
        str | None, column("Column that learners predict. Without it, utility is the kept detail.")
    ] = None,
    target_bins: options.TargetBins = None,
    sensitive: options.Sensitive = None,
    insensitive: options.Insensitive = None,
    accept: options.Accept = None,
    identifying: options.Identifying = None,
    entity: Annotated[
        str | None, column("Column that identifies a person: k counts people, and no person both trains and tests.")
    ] = None,
    rows_are_people: options.RowsArePeople = None,
    others: options.Others = None,
    kind: options.Kind = None,
    weights: options.Weights = None,
    hierarchies: options.Hierarchies = None,
    hierarchy: options.HierarchyWords = None,
    level: options.Level = None,
    recode: options.Recode = None,
    k: options.EachK = None,
    min_people: options.MinPeople = None,
    suppression_limit: Annotated[
        str | None,
        option(Panel.GUARANTEE, "LIMITS", "Rows that may be lost, each limit to try: 0,2% or 0,200.  [default: none]"),
    ] = None,
    require: options.Require = None,
    risk_threshold: Annotated[
        float | None,
        option(Panel.GUARANTEE, "RISK", "Highest risk to recommend.  [default: 0.05, or 1/k if no k is large enough]"),
    ] = None,
    methods: Annotated[
        Columns,
        option(
            Panel.METHOD,
            "NAMES",
            "The methods (see hedgerow methods).  [default: kactus,mondrian,hedge with a target]",
            offers=options.complete_methods,
        ),
    ] = None,
    seed: options.SameFigures = None,
    learners: Annotated[
        Columns,
        option(
            Panel.LEARNERS,
            "NAMES",
            "The learners (see hedgerow evaluate --help).  [default: a quick one]",
            offers=options.complete_learners,
        ),
    ] = None,
    task: options.Task = "classification",
    analysis: options.Analysis = None,
    utility: Annotated[
        str | None,
        option(
            Panel.LEARNERS,
            "NAME",
            "The measure that decides: accuracy, ncp_kept, median_error, …  [default: the first score of the task]",
        ),
    ] = None,
    protocol: Annotated[
        str | None,
        option(
            Panel.LEARNERS,
            "NAME",
            "How rows are split: cv:FOLDS, holdout, holdout:REPETITIONS or 5x2cv.  [default: cv:5]",
            offers=options.protocols,
        ),
    ] = None,
    train: options.Train = "redrawn",
    test: options.Test = "raw",
    encoding: options.Encoding = None,
    delimiter: options.Delimiter = None,
    sheet: options.Sheet = None,
    decimal: options.Decimal = None,
    missing: options.Missing = None,
    job: options.JobFile = None,
    output: Annotated[
        str, option(Panel.OUTPUT, "FILE", "The page (.html). Finished cells are kept beside it.", "--output", "-o")
    ] = "compare.html",
    as_json: options.AsJson = False,
    force: Annotated[bool, option(Panel.OUTPUT, None, "Overwrite an existing page.", "--force")] = False,
    quiet: options.Quiet = False,
    time_limit: Annotated[
        str | None, option(Panel.SCALE, "TIME", "Stop after 90 (seconds), 10m or 1h. Finished cells are kept.")
    ] = None,
    workers: options.Workers = None,
) -> None:
    """Compare methods by risk and utility, and recommend one.

    A comparison that was stopped continues when you type the same command again.
    """
    given = dict(locals())  # every option under its name

    from hedgerow.cli._compare import run

    run(given)


@_command(_CHOOSE)
def evaluate(
    *,
    input: options.Input = None,
    quasi: options.Quasi = None,
    target: Annotated[str | None, column("Column that learners predict.")] = None,
    target_bins: options.TargetBins = None,
    sensitive: options.Sensitive = None,
    insensitive: options.Insensitive = None,
    accept: options.Accept = None,
    identifying: options.Identifying = None,
    entity: Annotated[str | None, column("Column that identifies a person: no person both trains and tests.")] = None,
    rows_are_people: options.RowsArePeople = None,
    others: options.Others = None,
    kind: options.Kind = None,
    hierarchies: options.Hierarchies = None,
    hierarchy: options.HierarchyWords = None,
    level: options.Level = None,
    recode: options.Recode = None,
    k: options.EachK = None,
    require: options.Require = None,
    min_people: options.MinPeople = None,
    suppression_limit: options.SuppressionLimit = None,
    methods: Annotated[
        Columns,
        option(
            Panel.METHOD,
            "NAMES",
            "The methods (see hedgerow methods).  [default: mondrian,kactus]",
            offers=options.complete_methods,
        ),
    ] = None,
    seed: options.SameFigures = None,
    learners: Annotated[
        Columns,
        option(
            Panel.LEARNERS,
            "NAMES",
            "c45, id3, kadet, naive-bayes, logistic, knn, mlp, boosting, linear; with Weka j48, part, "
            "weka-naive-bayes, weka-logistic. For other tasks k-means, agglomerative; apriori; counts.",
            offers=options.complete_learners,
        ),
    ] = None,
    task: options.Task = "classification",
    analysis: options.Analysis = None,
    protocol: Annotated[
        str,
        option(
            Panel.LEARNERS,
            "NAME",
            "How rows are split: 5x2cv, holdout, holdout:REPETITIONS or cv:FOLDS.",
            offers=options.protocols,
        ),
    ] = "5x2cv",
    train: options.Train = "redrawn",
    test: options.Test = "raw",
    score: Annotated[
        str | None,
        option(
            Panel.LEARNERS,
            "NAME",
            "The score to show: accuracy, auc, f1, log_loss; for numbers r2, mae; of other tasks adjusted_rand; "
            "rules_f1, rules_kept, rules_invented, itemsets_kept, itemsets_invented; median_error, mean_error; "
            "overlap, estimate_error.",
        ),
    ] = None,
    encoding: options.Encoding = None,
    delimiter: options.Delimiter = None,
    sheet: options.Sheet = None,
    decimal: options.Decimal = None,
    missing: options.Missing = None,
    job: options.JobFile = None,
    output: Annotated[
        str, option(Panel.OUTPUT, "FILE", "The cells as .csv. The chart is written beside it.", "--output", "-o")
    ] = "evaluation.csv",
    force: Annotated[bool, option(Panel.OUTPUT, None, "Overwrite existing results.", "--force")] = False,
    quiet: options.Quiet = False,
    workers: options.Workers = None,
) -> None:
    """Measure what a release is still good for, by method and k."""
    given = dict(locals())  # every option under its name

    from hedgerow.cli._evaluate import run

    run(given)
