"""``hr.compare``: methods, k and suppression on one table, risk and utility side by side."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, TypeGuard

from hedgerow.anonymizers.parameters import check_limit
from hedgerow.comparison.choices import Choice
from hedgerow.comparison.planning import Learning, Plan
from hedgerow.comparison.results import Comparison
from hedgerow.errors import BadInput
from hedgerow.evaluation.api import backend_of, check_numbers, each_k, named_learners, named_methods, requirements_of
from hedgerow.evaluation.cells import Treatment
from hedgerow.evaluation.jobs import Advance
from hedgerow.evaluation.splits import read_protocol
from hedgerow.evaluation.store import Store
from hedgerow.evaluation.tables import EvaluatedTable, OpenedTable, Task, check_schema, open_rows, open_table
from hedgerow.evaluation.ways import Way
from hedgerow.schema import Schema

__all__ = ["check_seconds", "compare", "planned"]

_OWNER: Final = "compare"
_METHODS: Final = ("kactus", "mondrian", "hedge")
_METHODS_WITHOUT_TARGET: Final = ("mondrian", "datafly")
# One learner of each task, the quickest that reads every kind of column well.
_LEARNER: Final[Mapping[Task, str]] = {"classes": "c45", "numbers": "linear"}
_PROTOCOL: Final = ("cv", 5)
# One chance in twenty, which is asked of data that anybody may download (El Emam & Arbuckle 2013).
_THRESHOLD: Final = 0.05


def compare(
    data: Any,
    schema: Schema,
    *,
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
    risk_threshold: float | None = None,
    time_limit: float | None = None,
    random_state: int = 0,
    workers: int | None = None,
    cache: str | Path | None = None,
    advance: Callable[[Advance], None] | None = None,
) -> Comparison:
    """Compare methods, k and suppression on a table: what each choice risks, beside what it keeps.

    Each choice is released once as a whole, for its risk and its losses, and where there is a target, learners are
    trained on what it makes of training parts and asked about the other rows, as :func:`hedgerow.evaluate` does. A run
    that ends early, by its time limit or because it was interrupted, tells what is finished: every release comes before
    the first part, and the first part of all choices before the second.

    Parameters
    ----------
    data : dataframe, DuckDB relation, path or File
    schema : Schema
        With a target, utility is how well learners predict it; without one, how much detail is kept (``1 - ncp``).
    methods : sequence of str or Anonymizer, or mapping of name to these
        kACTUS, Mondrian and Hedge if not given; Mondrian and Datafly where there is no target.
    k : int or sequence of int, optional
    suppression_limit : float, int or sequence of these, optional
        How many rows may be lost: shares (floats) or numbers of rows (ints).
    require : requirement or sequence of requirements
        Further ones, of all choices.
    learners : sequence of str, Learner or estimator, optional
        As in :func:`hedgerow.evaluate`; one that is quick (C4.5, or a linear one for numbers) if not given.
    protocol : str or tuple, optional
        As in :func:`hedgerow.evaluate`; ``("cv", 5)`` if not given.
    train, test : str or encoder
        As in :func:`hedgerow.evaluate`.
    publish_proportions : bool, optional
        Whether releases tell how people are divided among values; where rows are redrawn, they do.
    target_bins : int, optional
        Into how many bins a target of numbers is cut for methods that learn from classes.
    risk_threshold : float, optional
        The highest risk of a person that may be recommended. If not given 0.05, or 1/k where no k that is asked for is
        large enough for that.
    time_limit : float, optional
        Seconds, after which nothing is begun any more. What runs then is stopped and is not told; it is finished where
        a process cannot be woken: on Windows, and outside the main thread.
    random_state : int
        Decides the parts and all else that is left to chance.
    workers : int, optional
        How many processes; one for each core if not given.
    cache : path, optional
        A file of finished cells: what stands in it is not computed again. It is private.
    advance : callable, optional
        Told how far it is.

    Examples
    --------
    >>> import hedgerow as hr
    >>> people = hr.datasets.make_census(300, random_state=1)
    >>> schema = hr.Schema(quasi=["age", "sex", "education"], others="drop")
    >>> found = compare(people, schema, methods=["mondrian"], k=[5, 20], workers=1)
    >>> [(one.label, one.k_reached) for one in found.frontier()]
    [('mondrian with k = 20', 20), ('mondrian with k = 5', 5)]
    >>> found.recommendation.choice.label
    'mondrian with k = 20'
    """
    check_seconds(time_limit, "time_limit")
    plan = planned(
        data,
        schema,
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
        risk_threshold=risk_threshold,
        random_state=random_state,
    )
    check_numbers(random_state, workers, _OWNER)
    store = Store(None if cache is None else Path(cache))
    try:
        whole = plan.run(store, workers=workers, seconds=time_limit, advance=advance)
    except KeyboardInterrupt:
        return plan.found(store, stopped="interrupted")
    return plan.found(store, stopped="" if whole else "time")


def planned(
    data: Any,
    schema: Schema,
    *,
    methods: Any = None,
    k: Any = (5, 10, 50, 100),
    suppression_limit: Any = None,
    require: Any = (),
    learners: Any = None,
    protocol: Any = None,
    train: Any = "redrawn",
    test: Any = "raw",
    publish_proportions: bool | None = None,
    target_bins: int | None = None,
    risk_threshold: float | None = None,
    random_state: int = 0,
) -> Plan:
    """Read the table and refuse whatever is wrong; parameters are those of :func:`compare`."""
    check_schema(schema, _OWNER)
    check_numbers(random_state, None, _OWNER)
    chosen = named_methods(_default_methods(schema) if methods is None else methods, _OWNER)
    ks, limits = each_k(k, require, _OWNER), _limits(suppression_limit)
    threshold = _threshold(risk_threshold, ks)
    way = Way(train, test, _OWNER)
    reading = read_protocol(_PROTOCOL if protocol is None else protocol, _OWNER)
    if schema.target is None and learners is not None:
        raise BadInput("Learners are named, but no target for them to predict. Name it (target=, --target).")
    table = open_rows(data, schema) if schema.target is None else open_table(data, schema)
    _refuse_large(table, ks)
    learning = None
    if isinstance(table, EvaluatedTable):
        named = named_learners(_LEARNER[table.task] if learners is None else learners, table.task)
        learning = Learning(table, named, reading, way)
    told = way.needs_proportions if publish_proportions is None and learning is not None else publish_proportions
    parameters = {"publish_proportions": told, "target_bins": target_bins}
    choices = [Choice(name, one, limit) for one in ks for name in chosen for limit in limits]
    treatments = [
        Treatment(
            one.treatment_label,
            chosen[one.method],
            one.k,
            requirements_of(require),
            {**parameters, "suppression_limit": one.suppression_limit},
        )
        for one in choices
    ]
    return Plan(table, choices, treatments, threshold, random_state, backend_of(data), learning)


def _default_methods(schema: Schema) -> tuple[str, ...]:
    return _METHODS_WITHOUT_TARGET if schema.target is None else _METHODS


def _limits(given: Any) -> list[float | None]:
    found: list[Any] = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    for one in found:
        if one is not None:
            check_limit(one, _OWNER)
    if not found:
        raise BadInput("No suppression limit is given. Leave suppression_limit out, or give numbers.")
    # None of the rows, and nothing said of them, are the same.
    return list(dict.fromkeys(one or None for one in found))


def _threshold(given: object, ks: list[int | None]) -> float:
    if given is None:
        return max(_THRESHOLD, 1 / max((k for k in ks if k is not None), default=math.inf))
    if not (_is_real(given) and 0 < float(given) <= 1):
        raise BadInput.parameter("risk_threshold", _OWNER, "a number above 0, and 1 at most", given)
    return float(given)


def check_seconds(given: object, name: str) -> None:
    """Say what is wrong with a time limit, if something is."""
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
        what = "rows" if table.people is None else "people"
        raise BadInput(f"k is {largest:,}, and the table has {units:,} {what}. Leave it out, or choose a smaller one.")
