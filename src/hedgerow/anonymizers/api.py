"""``hr.anonymize``: one function over all methods."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.anonymizers.registry import DEFAULT_METHOD, check_parameters, find_method
from hedgerow.errors import BadInput
from hedgerow.schema import Schema

if TYPE_CHECKING:
    from hedgerow.anonymizers.base import Anonymizer
    from hedgerow.io.destinations import Destination
    from hedgerow.release import Release
    from hedgerow.release.pipeline import Progress

__all__ = ["anonymize"]


def anonymize(
    data: Any,
    schema: Schema | None,
    *,
    method: str | Anonymizer | None = None,
    k: int | None = None,
    require: Any = (),
    suppression_limit: float | None = None,
    random_state: int | None = None,
    publish_proportions: bool | None = None,
    min_support: int | None = None,
    target_bins: int | None = None,
    progress: Progress | None = None,
    destination: str | Path | Destination | None = None,
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
    k : int, optional
        Every record shares its quasi-identifiers with at least ``k - 1`` others.
    require : requirement or sequence of requirements
        Further ones, as objects or as text such as ``"l=3@disease"``.
    suppression_limit : float or int, optional
        How many records may be lost so that the others lose less: a share of them (``0.02``; with ``1.0`` as many as
        it takes) or a number (``200``). A lost record counts fully in every metric. If not given, it is that of the
        estimator, and none by default.
    random_state : int, optional
        Decides which rows of equal records go where; without it the operating system's randomness.
    publish_proportions : bool, optional
        Whether the release also says how the people of every class are divided among the values of each column, so
        that learners can make use of it. Values are pooled so that nobody is singled out; the audit shows what is
        told. If not given, the method decides: only Hedge does so by itself.
    min_support : int, optional
        Every proportion that is told is of at least so many people: the largest k that is required if not given. With
        fewer than that the proportions may single people out, and are marked as weak.
    target_bins : int, optional
        Into how many bins with about equally many people a target of numbers is cut for methods that learn from its
        classes. The numbers are published as they are.
    progress : callable, optional
        Called with the name of each stage.
    destination : path, optional
        Where the release will be saved, if it is known: a file, or a folder, whose rows are then written only once.
    **method_parameters
        Parameters of the method, if it is given by name.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [20, 23, 27, 25, 27, 29], "sex": ["M", "M", "F", "F", "F", "M"]})
    >>> release = anonymize(people, Schema(quasi=["age", "sex"]), k=3)
    >>> release.audit.k
    3
    """
    if method is not None and not isinstance(method, str):
        if isinstance(method, type) or not hasattr(method, "_fit"):
            got = f"the class {method.__name__}" if isinstance(method, type) else type(method).__name__
            raise BadInput.parameter("method", "anonymize", "a method's name or an Anonymizer", got)
        if method_parameters:
            raise BadInput(f"Parameters are given beside {type(method).__name__}. Give them to it.")
        _check_schema(schema if schema is not None else getattr(method, "schema", None))
        return method.anonymize(
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
        )
    _check_schema(schema)
    if publish_proportions is not None and not isinstance(publish_proportions, bool):
        raise BadInput.parameter("publish_proportions", "anonymize", "True or False", publish_proportions)
    chosen = find_method(DEFAULT_METHOD if method is None else method)
    check_parameters(chosen, method_parameters)
    return chosen(**method_parameters).anonymize(
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
    )


def _check_schema(schema: object) -> None:
    if not isinstance(schema, Schema):
        raise BadInput.parameter("schema", "anonymize", "a hedgerow.Schema", type(schema).__name__)
