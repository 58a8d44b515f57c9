"""``hr.evaluate``: how well learners predict, by method and k."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from hedgerow._internal.keywords import suggesting
from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.registry import find_method
from hedgerow.errors import BadInput, check_int, is_int, required
from hedgerow.evaluation.analyses import Analysis, analysis_task, named_analyses, with_planned
from hedgerow.evaluation.cells import NO_INFORMATION, Cell, Design, Treatment, Trial
from hedgerow.evaluation.jobs import Advance, TrialOf, finished, run
from hedgerow.evaluation.learners import Learner, learner
from hedgerow.evaluation.results import MAJORITY, Evaluation
from hedgerow.evaluation.splits import Protocol, read_protocol, splits_of
from hedgerow.evaluation.store import Store
from hedgerow.evaluation.tables import (
    AnyTask,
    EvaluatedTable,
    OpenedTable,
    Task,
    backend_of,
    check_schema,
    open_rows,
    open_table,
)
from hedgerow.evaluation.ways import RAW, Way
from hedgerow.release.pipeline import Options
from hedgerow.requirements import Requirement
from hedgerow.schema import Schema

__all__ = [
    "check_least",
    "check_numbers",
    "check_way",
    "each_k",
    "evaluate",
    "named_learners",
    "named_methods",
    "protocol_shown",
    "requirements_of",
    "task_of",
    "trials_of",
]

_LEARNERS: Mapping[Task, tuple[str, ...]] = {
    "classes": ("c45", "naive-bayes", "logistic", "boosting"),
    "numbers": ("linear", "boosting"),
}
_METHODS: Final = ("mondrian", "kactus")
_METHODS_WITHOUT_TARGET: Final = ("mondrian", "datafly")


@suggesting
def evaluate(
    data: Any,
    schema: Schema,
    *,
    task: str = "classification",
    analyses: Iterable[str] | str | None = None,
    methods: Any = None,
    k: int | Iterable[int] | None = (5, 10, 50, 100),
    require: Any = (),
    learners: Iterable[Any] | None = None,
    protocol: Any = "5x2cv",
    train: Any = "redrawn",
    test: Any = "raw",
    suppression_limit: float | None = None,
    publish_proportions: bool | None = None,
    target_bins: int | None = None,
    min_people: int | None = None,
    random_state: int = 0,
    workers: int | None = None,
    cache: str | Path | None = None,
    advance: Callable[[Advance], None] | None = None,
) -> Evaluation:
    """Measure what a table is still good for after it was anonymized: to predict a target, or for other tasks.

    All methods see the same training rows and nothing else. There are two baselines: learners trained on the original
    rows, and "majority", which knows only the class frequencies. The cost of a method lies between the two. For other
    tasks the baselines are the original rows, and rows whose quasi-identifiers are all suppressed ("no-information").

    Parameters
    ----------
    data : dataframe, DuckDB relation, path or File
    schema : Schema
        With a target, which only ``task="classification"`` needs. Text and few whole numbers are classes; other numbers
        are predicted as numbers.
    task : {"classification", "clustering", "association", "queries", "estimates"}
        What the release is used for. ``"classification"``: learners predict the target of the test rows, whether it
        holds classes or numbers. ``"clustering"``: clusters learnt from the release and from the original rows divide
        the test rows; their agreement is the adjusted Rand index. ``"association"``: how many of the association rules
        and frequent itemsets of the original rows the release shows, and how many of its own are invented.
        ``"queries"``: the relative error of random COUNT queries with one to four conditions. ``"estimates"``: the
        overlap of confidence intervals and the relative error of ``analyses``. The last three compare the release with
        the training rows, and do not use the test rows.
    analyses : sequence of str, optional
        The analyses that recipients plan, as in :func:`hedgerow.analyses`; the task is then ``"estimates"``.
    methods : sequence of str or Anonymizer, or mapping of name to these, optional
        The first method is the control of :meth:`Evaluation.tests`. By default Mondrian and kACTUS; Mondrian and
        Datafly if there is no target.
    k : int or sequence of int, optional
    require : requirement or sequence of requirements
        Further requirements, in all cells.
    learners : sequence of str, Learner or estimator, optional
        Hedgerow's (``"c45"``, ``"id3"``, ``"kadet"``), scikit-learn's (``"naive-bayes"``, ``"logistic"``, ``"knn"``,
        ``"mlp"``, ``"boosting"``, ``"linear"``, or an estimator) and Weka's (``"j48"``, ``"part"``,
        ``"weka-naive-bayes"``, ``"weka-logistic"``; they need the extra ``weka`` and Java). For another task its
        analyses: ``"k-means"`` and ``"agglomerative"``, ``"apriori"``, ``"counts"``, or one of them with parameters
        (:class:`hedgerow.evaluation.Counts` and others).
    protocol : {"5x2cv", "holdout"}, ("cv", folds) or ("holdout", repetitions)
        Five times two halves, each of which trains and tests; or two thirds train. With an ``entity``, no person is in
        both parts.
    train : {"redrawn", "published"} or encoder
        How training rows are written for learners: as redrawn original values, as published cells, or as features.
        Rules and queries read ``"published"`` cells by uniform spread, and ``"redrawn"`` rows by the published
        proportions; they read no encoders.
    test : {"raw", "recoded"} or encoder
        How test rows are written for learners: unchanged, or recoded like the release, which needs the private
        recoding.
    suppression_limit : float or int, optional
        How many training rows may be lost.
    publish_proportions : bool, optional
        Whether releases publish proportions. By default they do if they are used: to redraw rows, and for
        :class:`~hedgerow.learning.ProportionalEncoder`.
    target_bins : int, optional
        The number of bins of a numeric target for methods that learn from classes.
    min_people : int, optional
        How many people of the training rows must hold every value of every column.
    random_state : int
        Seed of the parts and of everything else that is random.
    workers : int, optional
        The number of processes; by default one for each core.
    cache : path, optional
        A file of finished cells, which are not computed again. It is private, like the results: an attacker who knows
        all rows except one could find that row by trying.
    advance : callable, optional
        Called with the progress.

    Examples
    --------
    >>> import hedgerow as hr
    >>> people = hr.datasets.make_census(300, random_state=1)
    >>> schema = hr.Schema(quasi=["age", "sex", "education"], target="income", others="drop")
    >>> found = hr.evaluate(people, schema, methods=["mondrian"], k=5, learners=["c45"], protocol="holdout", workers=1)
    >>> found.table().column_names
    ['learner', 'train', 'test', 'method', 'majority', 'unanonymized', 'k=5']
    """
    task, learners = with_planned(task, learners, analyses)
    table, chosen_learners = _table_and_learners(data, schema, task, learners)
    way = Way(train, test)
    check_way(way, chosen_learners)
    default = _METHODS_WITHOUT_TARGET if schema.target is None else _METHODS
    chosen = named_methods(default if methods is None else methods)
    checked_protocol = read_protocol(protocol)
    check_numbers(random_state, workers, "evaluate")
    parameters = {
        "suppression_limit": suppression_limit,
        "publish_proportions": way.needs_proportions if publish_proportions is None else publish_proportions,
        "target_bins": target_bins,
        "min_people": check_least(min_people, schema, "evaluate"),
    }
    treatments = [
        Treatment(label, method, size, requirements_of(require), parameters)
        for label, method in chosen.items()
        for size in each_k(k, require)
    ]
    trials = trials_of(table, checked_protocol, random_state, treatments, [way], chosen_learners)
    store = Store(None if cache is None else Path(cache))
    jobs = [TrialOf(table, random_state, trial) for trial in trials]
    run(jobs, store, workers=workers, advance=advance)
    return Evaluation(
        tuple(finished(store, trials)),
        task_of(table, chosen_learners),
        protocol_shown(checked_protocol),
        tuple(chosen),
        backend_of(data),
    )


def trials_of(
    table: OpenedTable,
    protocol: Protocol,
    random_state: int,
    treatments: Sequence[Treatment],
    ways: Sequence[Way],
    learners: Sequence[Learner] | Sequence[Analysis],
    about: Mapping[str, Any] | None = None,
) -> list[Trial]:
    """All trials of an evaluation, with the baselines: every learner on original rows, and the majority.

    Analyses have rows without information in the place of the majority.
    """
    design = Design(table, protocol, random_state, about)
    analysing = any(isinstance(each, Analysis) for each in learners)
    lowest = [] if analysing else [learner(MAJORITY)]
    untreated = [Treatment(), Treatment(NO_INFORMATION, suppressed=True)] if analysing else [Treatment()]
    baselines = [(RAW, each) for each in (*lowest, *learners)]
    pairs = [(way, each) for way in ways for each in learners]
    trials = []
    for split in splits_of(table, protocol, random_state):
        for treatment in (*untreated, *treatments):
            tried = baselines if treatment.method is None else pairs
            cells = tuple(Cell.of(design, treatment, split, way, each) for way, each in tried)
            trials.append(Trial(treatment, split, cells))
    return trials


def _table_and_learners(
    data: Any, schema: Schema, task: object, learners: Any
) -> tuple[OpenedTable, list[Learner] | list[Analysis]]:
    """Open the table of a task, and name its learners or analyses."""
    wanted = analysis_task(task)
    if wanted is not None:
        check_schema(schema, "evaluate")
        named, rows = named_analyses(learners, wanted), open_rows(data, schema)
        for analysis in named:
            analysis.check_table(rows)
        return rows, named
    table = open_table(data, schema)
    return table, named_learners(_LEARNERS[table.task] if learners is None else learners, table.task)


def check_way(way: Way, learners: Sequence[Learner] | Sequence[Analysis]) -> None:
    """Refuse a way of writing rows that an analysis cannot read."""
    for one in learners:
        if isinstance(one, Analysis):
            one.check(way)


def task_of(table: OpenedTable, learners: Sequence[Learner] | Sequence[Analysis]) -> AnyTask:
    """The task of learners, which the target decides, or of analyses."""
    first = learners[0]
    if isinstance(first, Analysis):
        return first.task
    return required(table.task if isinstance(table, EvaluatedTable) else None, "the task of learners")


def check_numbers(random_state: object, workers: object, owner: str) -> None:
    """Refuse an invalid seed or number of processes."""
    if not is_int(random_state, 0):
        raise BadInput.parameter("random_state", owner, "an int >= 0", random_state)
    if workers is not None and not is_int(workers, 1):
        raise BadInput.parameter("workers", owner, "an int >= 1", workers)


def check_least(min_people: Any, schema: Schema, owner: str) -> int | None:
    """Refuse a wrong number of people, and a schema whose columns in clear cannot be coded."""
    least = None if min_people is None else check_int("min_people", owner, min_people, 1, must="None or an int >= 1")
    Options(min_people=least).check(schema)
    return least


def named_methods(given: Any, owner: str = "evaluate") -> dict[str, Anonymizer]:
    """Methods by their labels in tables: their names with the parameters that differ from the defaults.

    >>> list(named_methods(["mondrian", find_method("kactus")(numbers="mean")]))
    ['mondrian', "kactus(numbers='mean')"]
    """
    if isinstance(given, str | Anonymizer):
        given = [given]
    if isinstance(given, Mapping):
        methods = {str(name): _method(method, owner) for name, method in given.items()}
    else:
        listed = [_method(method, owner) for method in given]
        methods = {_label(method): method for method in listed}
        if len(methods) < len(listed):
            raise BadInput("The same method is given twice. Leave one out, or name them: methods={'a': …, 'b': …}.")
    if not methods:
        raise BadInput("No method is given. Name at least one; see hedgerow methods.")
    return methods


def _method(given: Any, owner: str) -> Anonymizer:
    if isinstance(given, str):
        return find_method(given)()
    if not isinstance(given, Anonymizer):
        got = f"the class {given.__name__}" if isinstance(given, type) else type(given).__name__
        raise BadInput.parameter("methods", owner, "names of methods, or Anonymizers", got)
    return given


def _label(method: Anonymizer) -> str:
    return method.name + repr(method).removeprefix(type(method).__name__).removesuffix("()")


def named_learners(given: Any, task: Task) -> list[Learner]:
    """The learners of a parameter; a learner that does not fit the task is refused."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        given = [given]
    learners = [learner(name) for name in given]
    if not learners:
        raise BadInput("No learner is given. Name at least one, such as 'c45'.")
    for each in learners:
        if task not in each.tasks:
            held, learnt = ("numbers", "classes") if task == "numbers" else ("classes", "numbers")
            raise BadInput(
                f"The learner {each.name!r} cannot be used: the target holds {held}, and it learns {learnt}. Leave it "
                "out."
            )
    if len({each.name for each in learners}) < len(learners):
        raise BadInput("Two learners have the same name. Leave one out.")
    return learners


def each_k(k: Any, require: Any, owner: str = "evaluate") -> list[int | None]:
    """The distinct values of k; ``None`` alone if there are only other requirements."""
    if k is None:
        if not requirements_of(require):
            raise BadInput("No k is given, and nothing else is required. Give k=[5, 10].")
        return [None]
    sizes: list[Any] = [k] if not isinstance(k, Iterable) or isinstance(k, str) else list(k)
    for size in sizes:
        if not is_int(size, 1):
            raise BadInput.parameter("k", owner, "an int >= 1, or a list of these", k)
    if not sizes:
        raise BadInput("No k is given. Give k=[5, 10].")
    return list(dict.fromkeys(sizes))


def requirements_of(require: Any) -> tuple[Requirement | str, ...]:
    """One or several requirements as a tuple."""
    return (require,) if isinstance(require, Requirement | str) else tuple(require)


def protocol_shown(protocol: Protocol) -> str:
    """The name of a protocol in tables.

    >>> protocol_shown(("cv", 10)), protocol_shown(("holdout", 3)), protocol_shown("5x2cv")
    ('10-fold cv', '3 × holdout', '5x2cv')
    """
    if isinstance(protocol, str):
        return protocol
    name, number = protocol
    return f"{number}-fold cv" if name == "cv" else f"{number} × holdout"
