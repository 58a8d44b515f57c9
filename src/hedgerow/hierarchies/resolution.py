"""From what a schema says about a column (a name, a path, a dict, an object) to its encoded hierarchy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from hedgerow.domains import Domain
from hedgerow.errors import BadInput, translated
from hedgerow.hierarchies.calendars import dates
from hedgerow.hierarchies.defaults import automatic, flat
from hedgerow.hierarchies.encoded import EncodedHierarchy, Hierarchy
from hedgerow.hierarchies.files import read_arx, read_toml
from hedgerow.hierarchies.masks import masking
from hedgerow.hierarchies.numeric import intervals
from hedgerow.hierarchies.taxonomies import taxonomy

__all__ = ["BUILDERS", "hierarchy_of", "resolve"]

BUILDERS: Final[Mapping[str, Callable[[], Hierarchy]]] = {
    "automatic": automatic,
    "flat": flat,
    "masking": masking,
    "dates": dates,
    "intervals": lambda: intervals(quantiles=8),
    "quantiles": lambda: intervals(quantiles=8),
}
"""The hierarchies that have a name, with their default parameters."""

_READERS: Final[Mapping[str, Callable[[Path], Hierarchy]]] = {".csv": read_arx, ".toml": read_toml}


def hierarchy_of(spec: Any, column: str) -> Hierarchy:
    """Find the hierarchy that a schema means; files are read here.

    Parameters
    ----------
    spec : object
        ``None`` (automatic), a builder's name, the path of a ``.csv`` (ARX) or ``.toml`` file, a nested dict
        or list, or an object with a method ``encode``.
    column : str
        The column, for errors.
    """
    if spec is None:
        return automatic()
    if isinstance(spec, str | Path):
        if isinstance(spec, str) and spec in BUILDERS:
            return BUILDERS[spec]()
        reader = _READERS.get(Path(spec).suffix.lower())
        if reader is None:
            raise BadInput.unknown(
                "hierarchy",
                str(spec),
                BUILDERS,
                f"It is given for the column {column!r}; the path of a .csv or .toml file is possible too.",
            )
        return reader(Path(spec))
    if isinstance(spec, Mapping | list | tuple):
        named = f"the hierarchy of the column {column!r}"
        with translated(BadInput, into=lambda error: BadInput(f"In {named}: {error}")):
            return taxonomy(spec)
    if callable(getattr(spec, "encode", None)) and not isinstance(spec, type):
        found: Hierarchy = spec
        return found
    raise BadInput(
        f"The hierarchy of the column {column!r} must be an object of hedgerow.hierarchies, a builder's "
        f"name, a path or a nested dict. Got {type(spec).__name__} instead."
    )


def resolve(spec: Any, domain: Domain, column: str) -> EncodedHierarchy:
    """Find the hierarchy that a schema means, as :func:`hierarchy_of`, and encode it for the column's values.

    Examples
    --------
    >>> import numpy as np
    >>> sex = Domain("sex", "text", np.array(["F", "M"]))
    >>> resolve({"person": ["F", "M"]}, sex, "sex").labels
    ('person', 'F', 'M')
    """
    hierarchy = hierarchy_of(spec, column)
    return replace(hierarchy.encode(domain), source=hierarchy)
