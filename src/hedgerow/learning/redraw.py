"""From a release back to a table in the original domain: any learner trains on it, and predicts raw rows.

Where a release publishes proportions, they are dealt out to its rows (:mod:`hedgerow.proportions.dealing`). Without
them a value is drawn from what the cell says (:mod:`hedgerow.learning.drawing`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args

import narwhals as nw
import numpy as np

from hedgerow.errors import BadInput, is_whole
from hedgerow.frames import OpenFrame, open_frame
from hedgerow.hierarchies import Hierarchy, hierarchy_of
from hedgerow.learning.drawing import draw, possible_values
from hedgerow.learning.estimators import generator_of, refuse_unknown_columns
from hedgerow.learning.inputs import loaded
from hedgerow.learning.published import proportions_given
from hedgerow.proportions import Drawn, Proportions, deal_columns, with_drawn
from hedgerow.release import Release

__all__ = ["Seed", "Shares", "check_shares", "redraw"]

Shares = Literal["auto", "proportions", "uniform", "frequency"]
Seed = int | np.random.Generator | None

_SHARES: Final = get_args(Shares)


def redraw(
    release: Any,
    repeats: int = 1,
    random_state: Seed = None,
    *,
    shares: Shares = "auto",
    proportions: Proportions | str | Path | None = None,
    quasi: Iterable[str] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
) -> Any:
    """Turn a release back into a table in the original domain.

    Parameters
    ----------
    release : Release, path or dataframe
        A dataframe (pandas, polars, pyarrow or a DuckDB relation) as it was published; a path is that of a saved
        release.
    repeats : int
        How many times to draw each record, independently.
    random_state : int, numpy Generator or None
        The same number gives the same table of the same release. Rows of a release are shuffled whenever it is made, so
        that one made anew gives another table.
    shares : {"auto", "proportions", "uniform", "frequency"}
        How probable the values are that a cell may stand for. ``"proportions"``: each bin exactly as often as the class
        has people in it, and values in it by the marginal. ``"uniform"``: equally. ``"frequency"``: as often as the
        column publishes each of them alone, and equally where it publishes none of them alone. ``"auto"``: proportions
        if there are any, else frequency.
    proportions : Proportions or path, optional
        For a dataframe, or instead of those of the release.
    quasi : sequence of str, optional
        The columns to draw; by default the quasi-identifiers of the release or of the proportions.
    hierarchies : mapping of column to hierarchy, optional
        Whatever a :class:`~hedgerow.Schema` takes, for labels that are to be drawn; by default those that the release
        was made with.

    Returns
    -------
    table
        Of the same type, with the same columns: ``repeats`` times all rows in their order. Drawn columns hold whole
        numbers, numbers, dates or text, and null where a value is missing; the others are as they were.

    Notes
    -----
    Without proportions nothing is known but what the table publishes: ``*`` may stand for any value that the column
    publishes alone or in a set or that a hierarchy lists; an interval for those of them that it holds, or, if there
    are none, for any number of the column's grid; a label without a known value below it stays as it is, and a column
    that publishes nothing at all stays missing.

    Examples
    --------
    Three people live in towns of their own. The files name none of these towns, so they are drawn as missing:

    >>> import pyarrow as pa
    >>> import hedgerow as hr
    >>> people = pa.table({"town": ["Ulm"] * 6 + ["Bern"] * 3 + ["Bonn", "Kiel", "Nice"]})
    >>> schema = hr.Schema(quasi=["town"], hierarchies={"town": "flat"})
    >>> release = hr.anonymize(people, schema, method="datafly", k=3, publish_proportions=True)
    >>> towns = redraw(release, random_state=0)["town"].to_pylist()
    >>> towns.count("Ulm"), towns.count("Bern"), towns.count(None)
    (6, 3, 3)
    >>> published = pa.table({"age": ["{20|21}", "20", "*"], "ill": ["n", "n", "y"]})
    >>> redraw(published, 2, random_state=0, quasi=["age"], shares="frequency")["age"].to_pylist()
    [20, 20, 20, 20, 20, 20]
    """
    if not is_whole(repeats, 1):
        raise BadInput.parameter("repeats", "redraw", "an int >= 1", repeats)
    generator = generator_of(random_state, "redraw")
    check_shares(shares, "redraw")
    source = _open(loaded(release), proportions_given(proportions, "redraw"), quasi, hierarchies)
    if shares == "proportions" and source.proportions is None:
        raise BadInput(
            "There are no proportions to redraw from. Anonymize with publish_proportions=True, or say "
            "shares='frequency'."
        )
    if source.proportions is not None and shares in ("auto", "proportions"):
        drawn = deal_columns(
            source.proportions, source.opened.frame, source.quasi, source.hierarchies, repeats, generator
        )
    else:
        drawn = _draw(source, "uniform" if shares == "uniform" else "frequency", repeats, generator)
    return with_drawn(source.opened, drawn, np.arange(repeats * len(source.opened.frame)))


def check_shares(shares: object, owner: str) -> None:
    """Refuse what is no way to share."""
    if shares not in _SHARES:
        raise BadInput.parameter("shares", owner, f"one of {', '.join(map(repr, _SHARES))}", shares)


@dataclass(frozen=True, eq=False)
class _Source:
    """A published table, and what is known of it."""

    opened: OpenFrame
    quasi: tuple[str, ...]
    proportions: Proportions | None
    hierarchies: Mapping[str, Hierarchy]


def _draw(
    source: _Source, shares: Literal["uniform", "frequency"], repeats: int, generator: np.random.Generator
) -> dict[str, Drawn]:
    """Draw from what each cell says; a column of numbers, dates or truth values says all."""
    missing = ("",) if source.proportions is None else source.proportions.missing
    drawn: dict[str, Drawn] = {}
    for name, own in zip(source.quasi, generator.spawn(len(source.quasi)), strict=True):
        column = source.opened.frame[name]
        if not (column.dtype.is_numeric() or column.dtype.is_temporal() or column.dtype == nw.Boolean):
            possible = possible_values(column, source.hierarchies.get(name), missing)
            drawn[name] = draw(possible, shares, repeats, own)
    return drawn


def _open(
    release: Any,
    proportions: Proportions | None,
    quasi: Iterable[str] | None,
    hierarchies: Mapping[str, Any] | None,
) -> _Source:
    """Open a release or a published table, and check what is said of it."""
    if hierarchies is not None and not isinstance(hierarchies, Mapping):
        raise BadInput.parameter("hierarchies", "redraw", "a mapping of columns", type(hierarchies).__name__)
    if isinstance(quasi, str):
        raise BadInput.parameter("quasi", "redraw", "a list of column names", quasi)
    known: dict[str, Hierarchy] = {}
    if isinstance(release, Release):
        opened = open_frame(release.table)
        proportions = release.proportions if proportions is None else proportions
        quasi = release.quasi if quasi is None else quasi
        known = dict(release.label_hierarchies)
    else:
        opened = open_frame(release)
        if quasi is None and proportions is not None:
            quasi = proportions.quasi
        if quasi is None:
            raise BadInput("A published table does not tell its quasi-identifiers. Name them in quasi=.")
    names = tuple(quasi)
    refuse_unknown_columns((*names, *(hierarchies or ())), opened.frame.columns)
    known |= {name: hierarchy_of(spec, name) for name, spec in (hierarchies or {}).items()}
    return _Source(opened, names, proportions, known)
