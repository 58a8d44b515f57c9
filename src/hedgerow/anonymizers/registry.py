"""The registry: every method by its name, ours and those that other packages bring; and one function over all of them.

Another package brings a method by an entry point of the group ``hedgerow.methods``, whose value is its class.
Importing this imports neither scikit-learn nor numba.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from hedgerow.anonymizers import _methods as ours
from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.parameters import with_preset
from hedgerow.errors import BadInput, listing
from hedgerow.schema import Schema

if TYPE_CHECKING:
    from hedgerow.io.destinations import Destination
    from hedgerow.release import Release
    from hedgerow.release.pipeline import Progress

__all__ = [
    "DEFAULT_METHOD",
    "METHODS",
    "all_methods",
    "anonymize",
    "check_parameters",
    "find_method",
    "make_anonymizer",
    "methods",
]

_FAMILIES: Final = ("partition", "suppression", "merge", "lattice", "specialize")

METHODS: Final[Mapping[str, type[Anonymizer]]] = MappingProxyType(
    {
        method.name: method
        for method in sorted(
            (member for member in vars(ours).values() if isinstance(member, type) and issubclass(member, Anonymizer)),
            key=lambda method: (_FAMILIES.index(method.family), method.name),
        )
    }
)
"""Our methods by name, family by family."""

DEFAULT_METHOD: Final = "mondrian"


@cache
def all_methods() -> Mapping[str, type[Anonymizer]]:
    """Our methods, and those of other packages whose names are not ours."""
    classes = dict(METHODS)
    for point in entry_points(group="hedgerow.methods"):
        method = point.load()
        if not (isinstance(method, type) and issubclass(method, Anonymizer)):
            raise BadInput(f"The entry point {point.name!r} of hedgerow.methods is not a method. Remove its package.")
        classes.setdefault(method.name, method)
    return MappingProxyType(classes)


def find_method(name: str) -> type[Anonymizer]:
    """Look a method up by its name."""
    known = METHODS if isinstance(name, str) and name in METHODS else all_methods()
    if not isinstance(name, str) or name not in known:
        raise BadInput.unknown("method", str(name), known)
    return known[name]


def make_anonymizer(
    method: str | Anonymizer | None, parameters: Mapping[str, Any], preset: str | None = None
) -> Anonymizer:
    """The given estimator, or a new one of the named method with these parameters; Mondrian by default."""
    if method is None or isinstance(method, str):
        chosen = find_method(DEFAULT_METHOD if method is None else method)
        check_parameters(chosen, parameters)
        return chosen(**parameters) if preset is None else chosen(**with_preset(chosen, preset, parameters))
    if isinstance(method, type) or not hasattr(method, "_fit"):
        got = f"the class {method.__name__}" if isinstance(method, type) else type(method).__name__
        raise BadInput.parameter("method", "anonymize", "a method's name or an Anonymizer", got)
    if parameters or preset is not None:
        raise BadInput(f"Parameters are given beside {type(method).__name__}. Give them to it.")
    return method


def check_parameters(method: type[Anonymizer], given: Mapping[str, Any]) -> None:
    """Refuse unknown parameters and wrong values; for parameters of other methods, the error names these methods."""
    known = method.parameters()
    for name in given:
        having = [] if name in known else [other.name for other in all_methods().values() if name in other.parameters()]
        if having:
            raise BadInput(
                f"{method.__name__} has no parameter {name!r}. Leave it out, or take a method that has it: "
                f"{listing(having)}."
            )
        if name not in known:
            takes = inspect.signature(anonymize).parameters.values()
            keywords = [one.name for one in takes if one.kind is one.KEYWORD_ONLY and one.name != name]
            raise BadInput.unknown(f"parameter of {method.__name__} called", name, [*known, *keywords])
    method.check(given)


def methods() -> list[dict[str, str]]:
    """Every method: name, class, family, paper, guarantees.

    >>> import hedgerow as hr
    >>> [method["name"] for method in hr.methods()][:4]
    ['hedge', 'mondrian', 'apt', 'hybrid-kactus']
    """
    return [
        {
            "name": method.name,
            "class": method.__name__,
            "family": method.family,
            "paper": method.paper,
            "guarantees": method.guarantees,
        }
        for method in all_methods().values()
    ]


def anonymize(
    data: Any,
    schema: Schema | None,
    *,
    method: str | Anonymizer | None = None,
    preset: str | None = None,
    k: int | None = None,
    require: Any = (),
    suppression_limit: float | None = None,
    random_state: int | None = None,
    publish_proportions: bool | None = None,
    min_support: int | None = None,
    target_bins: int | None = None,
    progress: Progress | None = None,
    destination: str | Path | Destination | None = None,
    min_people: int | None = None,
    previous: Any = None,
    previous_original: Any = None,
    previous_recoding: Any = None,
    **method_parameters: Any,
) -> Release:
    """Anonymize a table and return the verified release.

    Parameters
    ----------
    data : dataframe, DuckDB relation, path or File
        pandas, polars, pyarrow or Spark; or whatever files :class:`hedgerow.File` reads.
    schema : Schema
        The roles of the columns. ``None`` only for an estimator that has a schema of its own.
    method : str or Anonymizer, optional
        A name from :func:`hedgerow.methods` or an estimator; Mondrian if not given.
    preset : str, optional
        ``"paper"``: the method as its authors have it, if it is given by name. Parameters that you give win.
    k : int, optional
        Every record shares its quasi-identifiers with at least ``k - 1`` others.
    require : requirement or sequence of requirements
        Further requirements, as objects or as text such as ``"l=3@disease"``.
    suppression_limit : float or int, optional
        How many records may be suppressed to keep more detail in the others: a share of them (``0.02``; ``1.0`` allows
        as many as needed) or a number (``200``). A suppressed record counts fully in every metric. By default that of
        the estimator, which is none.
    random_state : int, optional
        Decides which of several equal records go to which group; by default the operating system's randomness does.
    publish_proportions : bool, optional
        Whether the release also says how the people of every class are divided among the values of each column, for
        learners. Values are pooled so that nobody is singled out; the audit shows what the proportions reveal. By
        default the method decides: only Hedge publishes them.
    min_support : int, optional
        The least number of people behind a published proportion; by default the largest k that is required. With a
        smaller number the proportions may single people out, and are marked as weak.
    target_bins : int, optional
        The number of bins, with about equally many people each, into which a numeric target is cut for methods that
        learn from classes. The numbers themselves are published unchanged.
    progress : callable, optional
        Called with the name of each stage.
    destination : path, optional
        Where you will save the release, a file or a folder: its rows are then written only once.
    min_people : int, optional
        At least so many people (individuals if the schema names an ``entity``, else rows) hold every value of every
        column; cells of a cross-table may hold fewer. Rare values of text and codes are generalized or published
        together, rare numbers need a recode in the schema, and pseudonyms are exempt.
    previous : dataframe, DuckDB relation, path or Release, optional
        An earlier release, as it was saved with its manifest. Both releases together then meet all requirements: the
        people who are in an old class and in a new one, who left an old class, and who are new in a new class. Records
        for whom this is impossible are left out, within the suppression limit.
    previous_original : dataframe, DuckDB relation, path or File, optional
        The table that the earlier release was made from. It shows who joined and who left, so ``previous`` needs it.
    previous_recoding : Recoding or path, optional
        The private recoding of the earlier release. It explains labels of hierarchies that the schema does not have.
    **method_parameters
        Parameters of the method, if it is given by name.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [20, 23, 27, 25, 27, 29], "sex": ["M", "M", "F", "F", "F", "M"]})
    >>> release = hr.anonymize(people, hr.Schema(quasi=["age", "sex"]), k=3)
    >>> release.audit.k
    3
    """
    estimator = make_anonymizer(method, method_parameters, preset)
    named = getattr(estimator, "schema", None) if schema is None else schema
    if not isinstance(named, Schema):
        raise BadInput.parameter("schema", "anonymize", "a hedgerow.Schema", type(named).__name__)
    return estimator.anonymize(
        data,
        schema,
        k=k,
        require=require,
        suppression_limit=suppression_limit,
        random_state=random_state,
        publish_proportions=publish_proportions,
        min_support=min_support,
        target_bins=target_bins,
        progress=progress,
        destination=destination,
        min_people=min_people,
        previous=previous,
        previous_original=previous_original,
        previous_recoding=previous_recoding,
    )
