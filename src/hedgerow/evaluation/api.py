"""``hr.evaluate``: what learners still know, by method and k."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.registry import find_method
from hedgerow.errors import BadInput, is_int
from hedgerow.evaluation.cells import Cell, Design, Treatment, Trial
from hedgerow.evaluation.learners import Learner, learner
from hedgerow.evaluation.results import MAJORITY, Evaluation
from hedgerow.evaluation.running import Advance, TrialOf, finished, run
from hedgerow.evaluation.splits import Protocol, read_protocol, splits_of
from hedgerow.evaluation.store import Store
from hedgerow.evaluation.tables import EvaluatedTable, Task, open_table
from hedgerow.evaluation.ways import RAW, Way
from hedgerow.requirements import Requirement
from hedgerow.schema import Schema

__all__ = [
    "backend_of",
    "check_numbers",
    "each_k",
    "evaluate",
    "named_learners",
    "named_methods",
    "protocol_shown",
    "requirements_of",
    "trials_of",
]

_LEARNERS: Mapping[Task, tuple[str, ...]] = {
    "classes": ("c45", "naive-bayes", "logistic", "boosting"),
    "numbers": ("linear", "boosting"),
}


def evaluate(
    data: Any,
    schema: Schema,
    *,
    methods: Any = ("mondrian", "kactus"),
    k: int | Iterable[int] | None = (5, 10, 50, 100),
    require: Any = (),
    learners: Iterable[Any] | None = None,
    protocol: Any = "5x2cv",
    train: Any = "redrawn",
    test: Any = "raw",
    suppression_limit: float | None = None,
    publish_proportions: bool | None = None,
    target_bins: int | None = None,
    random_state: int = 0,
    workers: int | None = None,
    cache: str | Path | None = None,
    advance: Callable[[Advance], None] | None = None,
) -> Evaluation:
    """Measure what learners still know of a target after a table was anonymized.

    The methods see only training rows, and all of them the same ones. Learners are also trained on the rows as they
    are, and "majority" knows nothing but how often each class occurs: what a method costs lies between the two.

    Parameters
    ----------
    data : dataframe, DuckDB relation, path or File
    schema : Schema
        With a target: text or few whole numbers are classes, other numbers are predicted as such.
    methods : sequence of str or Anonymizer, or mapping of name to these
        The first one is the control of :meth:`Evaluation.tests`.
    k : int or sequence of int, optional
    require : requirement or sequence of requirements
        Further ones, in all cells.
    learners : sequence of str, Learner or estimator, optional
        Ours (``"c45"``, ``"id3"``, ``"kadet"``), scikit-learn's (``"naive-bayes"``, ``"logistic"``, ``"mlp"``,
        ``"boosting"``, ``"linear"``, or an estimator) and Weka's (``"j48"``, ``"part"``, ``"weka-naive-bayes"``,
        ``"weka-logistic"``; they need the extra ``weka`` and Java).
    protocol : {"5x2cv", "holdout"}, ("cv", folds) or ("holdout", repetitions)
        Five times two halves, each of which trains and tests; or two thirds train. Where people are told apart
        (``entity``), no person is in both parts.
    train : {"redrawn", "published"} or encoder
        How training rows are written for learners: as original values drawn from the release, as it shows them, or as
        features.
    test : {"raw", "recoded"} or encoder
        How test rows reach learners: as they are, or as the release would show them, for which one needs the private
        recoding.
    suppression_limit : float or int, optional
        How many training rows may be lost.
    publish_proportions : bool, optional
        Whether releases tell how people are divided among values. If not given they do where that is made use of: where
        rows are redrawn, and by :class:`~hedgerow.learning.ProportionalEncoder`.
    target_bins : int, optional
        Into how many bins a target of numbers is cut for methods that learn from classes.
    random_state : int
        Decides the parts and all else that is left to chance.
    workers : int, optional
        How many processes; one for each core if not given.
    cache : path, optional
        A file of finished cells: what stands in it is not computed again. It is private, as the results
        are: whoever knows all rows but one could find that row by trying.
    advance : callable, optional
        Told how far it is.

    Examples
    --------
    >>> import hedgerow as hr
    >>> people = hr.datasets.make_census(300, random_state=1)
    >>> schema = hr.Schema(quasi=["age", "sex", "education"], target="income", others="drop")
    >>> found = evaluate(people, schema, methods=["mondrian"], k=5, learners=["c45"], protocol="holdout", workers=1)
    >>> found.table().column_names
    ['learner', 'train', 'test', 'method', 'majority', 'unanonymized', 'k=5']
    """
    table = open_table(data, schema)
    way = Way(train, test)
    wanted = named_learners(_LEARNERS[table.task] if learners is None else learners, table.task)
    chosen = named_methods(methods)
    reading = read_protocol(protocol)
    check_numbers(random_state, workers, "evaluate")
    parameters = {
        "suppression_limit": suppression_limit,
        "publish_proportions": way.needs_proportions if publish_proportions is None else publish_proportions,
        "target_bins": target_bins,
    }
    treatments = [
        Treatment(label, method, one, requirements_of(require), parameters)
        for label, method in chosen.items()
        for one in each_k(k, require)
    ]
    trials = trials_of(table, reading, random_state, treatments, [way], wanted)
    store = Store(None if cache is None else Path(cache))
    jobs = [TrialOf(table, random_state, trial) for trial in trials]
    run(jobs, store, workers=workers, advance=advance)
    return Evaluation(
        tuple(finished(store, trials)),
        table.task,
        protocol_shown(reading),
        tuple(chosen),
        backend_of(data),
    )


def trials_of(
    table: EvaluatedTable,
    protocol: Protocol,
    random_state: int,
    treatments: Sequence[Treatment],
    ways: Sequence[Way],
    learners: Sequence[Learner],
    about: Mapping[str, Any] | None = None,
) -> list[Trial]:
    """All trials of an evaluation, with the baselines: every learner on original rows, and the majority."""
    design = Design(table, protocol, random_state, about)
    baselines = [(RAW, one) for one in (learner(MAJORITY), *learners)]
    pairs = [(way, one) for way in ways for one in learners]
    trials = []
    for split in splits_of(table, protocol, random_state):
        for treatment in (Treatment(), *treatments):
            tried = baselines if treatment.method is None else pairs
            cells = tuple(Cell.of(design, treatment, split, way, one) for way, one in tried)
            trials.append(Trial(treatment, split, cells))
    return trials


def check_numbers(random_state: object, workers: object, owner: str) -> None:
    """Say what is wrong with a seed or a number of processes, if something is."""
    if not is_int(random_state, 0):
        raise BadInput.parameter("random_state", owner, "an int >= 0", random_state)
    if workers is not None and not is_int(workers, 1):
        raise BadInput.parameter("workers", owner, "an int >= 1", workers)


def named_methods(given: Any, owner: str = "evaluate") -> dict[str, Anonymizer]:
    """Methods by what tables call them: their names, with what differs from the defaults.

    >>> list(named_methods(["mondrian", find_method("kactus")(numbers="mean")]))
    ['mondrian', "kactus(numbers='mean')"]
    """
    if isinstance(given, str | Anonymizer):
        given = [given]
    if isinstance(given, Mapping):
        found = {str(name): _method(one, owner) for name, one in given.items()}
    else:
        made = [_method(one, owner) for one in given]
        found = {_label(one): one for one in made}
        if len(found) < len(made):
            raise BadInput("The same method is given twice. Leave one out, or name them: methods={'a': …, 'b': …}.")
    if not found:
        raise BadInput("No method is given. Name at least one; see hedgerow methods.")
    return found


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
    """The learners that are meant, each of which can learn what there is to learn."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        given = [given]
    found = [learner(one) for one in given]
    if not found:
        raise BadInput("No learner is given. Name at least one, such as 'c45'.")
    for one in found:
        if task not in one.tasks:
            what = "numbers, and learns classes" if task == "numbers" else "classes, and learns numbers"
            raise BadInput(f"The learner {one.name!r} cannot be used: the target holds {what}. Leave it out.")
    if len({one.name for one in found}) < len(found):
        raise BadInput("Two learners have the same name. Leave one out.")
    return found


def each_k(k: Any, require: Any, owner: str = "evaluate") -> list[int | None]:
    """Every k that is asked for, once; none where other requirements stand alone."""
    if k is None:
        if not requirements_of(require):
            raise BadInput("No k is given, and nothing else is required. Give k=[5, 10].")
        return [None]
    found: list[Any] = [k] if not isinstance(k, Iterable) or isinstance(k, str) else list(k)
    for one in found:
        if not is_int(one, 1):
            raise BadInput.parameter("k", owner, "an int >= 1, or a list of these", k)
    if not found:
        raise BadInput("No k is given. Give k=[5, 10].")
    return list(dict.fromkeys(found))


def requirements_of(require: Any) -> tuple[Requirement | str, ...]:
    """Requirements as they were given, one or several."""
    return (require,) if isinstance(require, Requirement | str) else tuple(require)


def protocol_shown(protocol: Protocol) -> str:
    """What tables call a protocol.

    >>> protocol_shown(("cv", 10)), protocol_shown(("holdout", 3)), protocol_shown("5x2cv")
    ('10-fold cv', '3 × holdout', '5x2cv')
    """
    if isinstance(protocol, str):
        return protocol
    name, number = protocol
    return f"{number}-fold cv" if name == "cv" else f"{number} × holdout"


def backend_of(data: Any) -> Literal["pandas", "polars", "pyarrow"]:
    """The kind of dataframe that came in; Arrow tables for files and relations."""
    name = type(data).__module__.split(".")[0]
    return "pandas" if name == "pandas" else "polars" if name == "polars" else "pyarrow"
