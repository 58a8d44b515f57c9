"""``hr.compare``: methods, k and suppression on one table, risk and utility side by side."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeGuard

from hedgerow._internal.keywords import suggesting
from hedgerow.anonymizers.parameters import check_limit
from hedgerow.comparison.choices import Choice
from hedgerow.comparison.plan import Learning, Plan, Settings, Treatments, find_utility
from hedgerow.comparison.results import Comparison
from hedgerow.errors import BadInput
from hedgerow.evaluation.analyses import Analysis, analysis_task, named_analyses, with_planned
from hedgerow.evaluation.api import (
    check_least,
    check_numbers,
    check_way,
    each_k,
    named_learners,
    named_methods,
    requirements_of,
)
from hedgerow.evaluation.jobs import Advance
from hedgerow.evaluation.learners import Learner
from hedgerow.evaluation.splits import Protocol, read_protocol
from hedgerow.evaluation.store import Store
from hedgerow.evaluation.tables import OpenedTable, Task, backend_of, check_schema, open_rows, open_table
from hedgerow.evaluation.ways import Way
from hedgerow.schema import Schema

__all__ = ["Options", "check_seconds", "compare", "make_plan"]

_OWNER: Final = "compare"
_METHODS: Final = ("kactus", "mondrian", "hedge")
_METHODS_WITHOUT_TARGET: Final = ("mondrian", "datafly")
# For each task the quickest learner that reads every kind of column well.
_LEARNER: Final[Mapping[Task, str]] = {"classes": "c45", "numbers": "linear"}
_PROTOCOL: Final = ("cv", 5)
# One chance in twenty, which is usual for data that anybody may download (El Emam & Arbuckle 2013).
_THRESHOLD: Final = 0.05


@suggesting
def compare(
    data: Any,
    schema: Schema,
    *,
    task: str = "classification",
    analyses: Iterable[str] | str | None = None,
    methods: Any = None,
    k: int | Iterable[int] | None = (5, 10, 50, 100),
    suppression_limit: float | Iterable[float] | None = None,
    require: Any = (),
    learners: Any = None,
    protocol: Any = None,
    train: Any = "redrawn",
    test: Any = "raw",
    publish_proportions: bool | None = None,
    target_bins: int | None = None,
    min_people: int | None = None,
    utility: str | None = None,
    risk_threshold: float | None = None,
    time_limit: float | None = None,
    random_state: int = 0,
    workers: int | None = None,
    cache: str | Path | None = None,
    advance: Callable[[Advance], None] | None = None,
) -> Comparison:
    """Compare methods, k and suppression on a table: what each choice risks, beside what it keeps.

    Each choice releases the whole table once, for its risk and its losses. Where there is a target, learners are also
    trained on released training parts and predict the other rows, as in :func:`hedgerow.evaluate`. A run that ends
    early, by its time limit or an interruption, returns what is finished: all releases come before the first part, and
    the first part of all choices before the second.

    A method that cannot release the table does not end the run. Its choices have a status and a reason, and no figures.

    Parameters
    ----------
    data : dataframe, DuckDB relation, path or File
    schema : Schema
        With a target, utility is how well learners predict it; without one, how much detail is kept (``1 - ncp``).
    task : {"classification", "clustering", "association", "queries", "estimates"}
        What the release is used for, as in :func:`hedgerow.evaluate`. All but the first need no target.
    analyses : sequence of str, optional
        The analyses that recipients plan, as in :func:`hedgerow.analyses`: choices are then compared by how well these
        hold (``task="estimates"``).
    methods : sequence of str or Anonymizer, or mapping of name to these
        kACTUS, Mondrian and Hedge if not given; Mondrian and Datafly where there is no target.
    k : int or sequence of int, optional
    suppression_limit : float, int or sequence of these, optional
        How many rows may be lost: shares (floats) or numbers of rows (ints).
    require : requirement or sequence of requirements
        Further requirements, for all choices.
    learners : sequence of str, Learner or estimator, optional
        As in :func:`hedgerow.evaluate`; a quick learner (C4.5, or a linear model for numbers) if not given.
    protocol : str or tuple, optional
        As in :func:`hedgerow.evaluate`; ``("cv", 5)`` if not given.
    train, test : str or encoder
        As in :func:`hedgerow.evaluate`.
    publish_proportions : bool, optional
        Whether releases publish proportions; by default they do where rows are redrawn.
    target_bins : int, optional
        The number of bins of a numeric target, for methods that learn from classes.
    min_people : int, optional
        How many people must hold every value of every column, in all choices.
    utility : str, optional
        The measure of utility that decides, such as ``"mean_error"`` for ``task="queries"``, or ``"ncp_kept"``. If
        not given, the first score of the task.
    risk_threshold : float, optional
        The highest risk of a person in a recommended choice. If not given, 0.05, or 1/k of the largest k if that is
        more.
    time_limit : float, optional
        Seconds after which no work is begun. Running work is stopped and dropped; where a process cannot be interrupted
        (on Windows, and outside the main thread) it is finished.
    random_state : int
        Decides the parts, and everything else that is random.
    workers : int, optional
        The number of processes; one per core if not given.
    cache : path, optional
        A file of finished cells, which are not computed again. It is private.
    advance : callable, optional
        Called with the progress of the run.

    Examples
    --------
    >>> import hedgerow as hr
    >>> people = hr.datasets.make_census(300, random_state=1)
    >>> schema = hr.Schema(quasi=["age", "sex", "education"], others="drop")
    >>> found = hr.compare(people, schema, methods=["mondrian"], k=[5, 20], workers=1)
    >>> [(choice.label, choice.k_reached) for choice in found.frontier()]
    [('mondrian with k = 20', 20), ('mondrian with k = 5', 5)]
    >>> found.recommendation.choice.label
    'mondrian with k = 20'
    """
    check_seconds(time_limit, "time_limit")
    options = Options(
        task=task,
        analyses=analyses,
        methods=methods,
        k=k,
        suppression_limit=suppression_limit,
        require=require,
        learners=learners,
        protocol=protocol,
        train=train,
        test=test,
        publish_proportions=publish_proportions,
        target_bins=target_bins,
        min_people=min_people,
        utility=utility,
        risk_threshold=risk_threshold,
        random_state=random_state,
    )
    plan = make_plan(data, schema, options)
    check_numbers(random_state, workers, _OWNER)
    store = Store(None if cache is None else Path(cache))
    try:
        finished = plan.run(store, workers=workers, seconds=time_limit, advance=advance)
    except KeyboardInterrupt:
        return plan.result(store, stopped="interrupted")
    return plan.result(store, stopped="" if finished else "time")


@dataclass(frozen=True)
class Options:
    """The parameters of :func:`compare` that decide its result."""

    _: KW_ONLY
    task: str = "classification"
    analyses: Iterable[str] | str | None = None
    methods: Any = None
    k: Any = (5, 10, 50, 100)
    suppression_limit: Any = None
    require: Any = ()
    learners: Any = None
    protocol: Any = None
    train: Any = "redrawn"
    test: Any = "raw"
    publish_proportions: bool | None = None
    target_bins: int | None = None
    min_people: int | None = None
    utility: str | None = None
    risk_threshold: float | None = None
    random_state: int = 0


def make_plan(data: Any, schema: Schema, options: Options) -> Plan:
    """Read the table and plan the comparison, or refuse what is wrong."""
    check_schema(schema, _OWNER)
    task, learners = with_planned(options.task, options.learners, options.analyses, _OWNER)
    options = replace(options, task=task, learners=learners, analyses=None)
    check_numbers(options.random_state, None, _OWNER)
    chosen = named_methods(_default_methods(schema) if options.methods is None else options.methods, _OWNER)
    ks, limits = each_k(options.k, options.require, _OWNER), _limits(options.suppression_limit)
    threshold = _threshold(options.risk_threshold, ks)
    protocol, way = _protocol_and_way(options, schema)
    table, learners = _table_and_learners(data, schema, options)
    check_way(way, learners)
    _refuse_large(table, ks)
    learning = Learning(table, learners, protocol, way) if learners else None
    if options.utility is not None:
        find_utility(learning, options.utility)
    proportions = options.publish_proportions
    if proportions is None and learning is not None:
        proportions = way.needs_proportions
    parameters = {
        "publish_proportions": proportions,
        "target_bins": options.target_bins,
        "min_people": check_least(options.min_people, schema, _OWNER),
    }
    treatments = Treatments(chosen, requirements_of(options.require), parameters)
    choices = [Choice(name, each, limit, "not begun") for each in ks for name in chosen for limit in limits]
    settings = Settings(threshold, options.random_state, backend_of(data), options.utility)
    return Plan(table, choices, treatments, settings, learning)


def _protocol_and_way(options: Options, schema: Schema) -> tuple[Protocol, Way]:
    way = Way(options.train, options.test, _OWNER)
    protocol = read_protocol(_PROTOCOL if options.protocol is None else options.protocol, _OWNER)
    if schema.target is None and options.learners is not None and analysis_task(options.task, _OWNER) is None:
        raise BadInput("Learners are named, but no target for them to predict. Name it (target=, --target).")
    return protocol, way


def _table_and_learners(
    data: Any, schema: Schema, options: Options
) -> tuple[OpenedTable, list[Learner] | list[Analysis]]:
    """The table with its learners or analyses; without a target, learners have nothing to predict."""
    wanted = analysis_task(options.task, _OWNER)
    if wanted is not None:
        analyses, rows = named_analyses(options.learners, wanted, _OWNER), open_rows(data, schema)
        for analysis in analyses:
            analysis.check_table(rows)
        return rows, analyses
    if schema.target is None:
        return open_rows(data, schema), list[Learner]()
    table = open_table(data, schema)
    return table, named_learners(_LEARNER[table.task] if options.learners is None else options.learners, table.task)


def _default_methods(schema: Schema) -> tuple[str, ...]:
    return _METHODS_WITHOUT_TARGET if schema.target is None else _METHODS


def _limits(given: Any) -> list[float | None]:
    limits: list[Any] = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    for limit in limits:
        if limit is not None:
            check_limit(limit, _OWNER)
    if not limits:
        raise BadInput("No suppression limit is given. Leave suppression_limit out, or give numbers.")
    # A limit of 0 and no limit mean the same.
    return list(dict.fromkeys(limit or None for limit in limits))


def _threshold(given: object, ks: list[int | None]) -> float:
    if given is None:
        return max(_THRESHOLD, 1 / max((k for k in ks if k is not None), default=math.inf))
    if not (_is_real(given) and 0 < float(given) <= 1):
        raise BadInput.parameter("risk_threshold", _OWNER, "a number above 0, and 1 at most", given)
    return float(given)


def check_seconds(given: object, name: str) -> None:
    """Refuse a time limit that is not a positive number of seconds."""
    if given is not None and not (_is_real(given) and float(given) > 0):
        raise BadInput.parameter(name, _OWNER, "a number of seconds above 0", given)


def _is_real(given: object) -> TypeGuard[float]:
    return isinstance(given, numbers.Real) and not isinstance(given, bool)


def _refuse_large(table: OpenedTable, ks: list[int | None]) -> None:
    import numpy as np

    rows = table.table.num_rows
    units = rows if table.people is None else len(np.unique(table.people))
    largest = max((k for k in ks if k is not None), default=0)
    if largest > units:
        counted = "rows" if table.people is None else "people"
        raise BadInput(f"k is {largest:,}, and the table has {units:,} {counted}. Leave k out, or choose a smaller k.")
