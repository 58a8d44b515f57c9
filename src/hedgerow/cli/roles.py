"""The roles of columns as they are typed, and the schema that they make: the same for every command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hedgerow.cli.lists import assignments, read_kinds, read_weights, split_names
from hedgerow.errors import BadInput
from hedgerow.schema import Schema

__all__ = ["named_quasi", "read_roles", "schema_of"]

_LISTS = ("quasi", "sensitive", "insensitive", "accept", "identifying", "pseudonymize")
_AS_TYPED = ("target", "entity", "rows_are_people", "others", "missing")


def read_roles(given: Mapping[str, Any]) -> dict[str, Any]:
    """Read the options about columns, under the names of a job's fields.

    An option that was not typed, or that the command does not have, is ``None``.

    >>> told = read_roles({"quasi": ["age,sex"], "kind": ["age=number"]})
    >>> {name: value for name, value in told.items() if value is not None}
    {'quasi': ['age', 'sex'], 'kinds': {'age': 'number'}}
    """
    return {
        **{name: split_names(given.get(name), f"--{name}") for name in _LISTS},
        **{name: given.get(name) for name in _AS_TYPED},
        "kinds": read_kinds(given.get("kind")),
        "weights": read_weights(given.get("weights")),
        "hierarchy": assignments(given.get("hierarchy"), "--hierarchy"),
    }


def named_quasi(names: Sequence[str] | None) -> Sequence[str]:
    """The quasi-identifiers; without any there is nothing to be done."""
    if not names:
        raise BadInput("No quasi-identifier is named. Name the columns by which a person could be found (--quasi).")
    return names


def schema_of(roles: Mapping[str, Any], files: Mapping[str, Path]) -> Schema:
    """Make the schema.

    Parameters
    ----------
    roles : mapping
        What `read_roles` returned, or the fields of a job.
    files : mapping of column to Path
        Hierarchies from a folder; those that were typed win.
    """
    return Schema(
        **{name: roles[name] or () for name in _LISTS},
        target=roles["target"],
        entity=roles["entity"],
        rows_are_people=bool(roles["rows_are_people"]),
        others=roles["others"] or "error",
        kinds=roles["kinds"] or {},
        weights=roles["weights"] or {},
        hierarchies={**files, **(roles["hierarchy"] or {})},
        # An empty cell is missing whatever else is; the first text is how a release marks it.
        missing=tuple(dict.fromkeys((*(roles["missing"] or ()), ""))),
    )
