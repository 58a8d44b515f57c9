"""Rows of ordinary values drawn from a release, for tools that cannot read sets, intervals and labels.

They depend on the release alone: on the published table, its proportions, and the meaning of its labels. So they
reveal nothing beyond the release. The meaning of labels comes from the hierarchies that were given, which the release
does not hold: consider that if you keep such a hierarchy secret. Quasi-identifiers are drawn; all other columns keep
their published values, in rows of the same class.

**Randomness** comes from the operating system, never from the seed of the anonymization: a draw that follows from a
seed confirms a guess of it, and the seed decides which of several equal records went to which group. To get the same
rows twice, draw them from the files: ``hr.learning.redraw(hr.Release.load("out.csv"), 3, random_state=0)``. Rows are
shuffled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hedgerow._internal.arrays import random_order
from hedgerow._internal.notebook import NotebookRepr, names_shown
from hedgerow._internal.version import __version__
from hedgerow.core.counts import FrequencyTable, encode_column
from hedgerow.core.proportions import deal_columns, with_drawn
from hedgerow.engines import FrameRows, WriteOptions, open_source
from hedgerow.engines.formulas import formula_warning
from hedgerow.errors import BadInput, is_int, listing, plural, translated
from hedgerow.io.frames import as_arrow, column_types, open_frame
from hedgerow.risk import EqualRows, equal_rows
from hedgerow.schema import Schema

if TYPE_CHECKING:
    from hedgerow.release._release import Release

__all__ = ["Redrawn", "check_holdout", "draw"]

_WHAT: Final = (
    "Rows of ordinary values that were drawn at random from a release: from its published table and its proportions"
)
_TOLD: Final = (
    "alone, and reveal nothing more. They are nobody's rows, even where one equals somebody's: the drawn columns were "
    "put together at random from what the release shows of a whole class."
)
_RANDOMNESS: Final = "the operating system's; it does not depend on the seed of the release, and is not kept"


@dataclass(frozen=True, eq=False, repr=False)
class Redrawn(NotebookRepr):
    """Rows of ordinary values, drawn from a release by :meth:`hedgerow.Release.redraw`.

    Attributes
    ----------
    release : Release
        The release that they were drawn from.
    table : dataframe
        The rows, shuffled, in the type of the release's table and with its columns.
    repeats : int
        How many rows were drawn for each published one.
    """

    release: Release
    table: Any
    repeats: int

    def __repr__(self) -> str:
        return (
            f"Redrawn({plural(self.rows, 'rows')}, {self.repeats} for each published one; drawn "
            f"{names_shown(self.release.quasi)})"
        )

    @property
    def rows(self) -> int:
        """How many rows were drawn."""
        return self.repeats * self.release.classes.rows

    def equal_rows(self, holdout: Any = None) -> EqualRows:
        """How many drawn rows equal an original one, beside the same for people who were not in the table.

        The figures are for you, not for recipients: they are computed from original rows, are rounded, and are written
        to no file (:mod:`hedgerow.risk.equal_rows` says why).

        Parameters
        ----------
        holdout : dataframe, DuckDB relation, path or File, optional
            Rows of people who were not in the table, with the same quasi-identifiers and target. They are read as the
            table was.

        Raises
        ------
        BadInput
            If the release was loaded, so that its original rows are not there, or the holdout does not fit them.

        Examples
        --------
        >>> import pyarrow as pa
        >>> import hedgerow as hr
        >>> towns = pa.table({"town": ["Ulm"] * 6 + ["Bern"] * 6})
        >>> release = hr.anonymize(towns, hr.Schema(quasi=["town"]), k=3, publish_proportions=True)
        >>> release.redraw(2).equal_rows(pa.table({"town": ["Ulm", "Nice"]}))
        about 100% of the drawn rows equal a row of the table; about 100% of the table's rows equal a drawn one, and \
50% of the rows of people who were not in it
        """
        originals = self.release.originals
        if originals is None:
            raise BadInput(
                "The release was loaded, or its tuples did not fit into memory, and the original rows are not in it. "
                "Compare where the table is anonymized, without a memory limit."
            )
        others = None if holdout is None else _count_holdout(holdout, originals, self.release.guarantee.missing)
        return equal_rows(self._count(originals), originals, others)

    def _count(self, originals: FrequencyTable) -> FrequencyTable:
        """Count the drawn rows, in which a column may have no value at all."""
        frame, missing = open_frame(self.table).frame, self.release.guarantee.missing
        schema = _schema(originals, missing)
        roles = schema.resolve(frame.columns)
        encoded = {}
        for name in roles.counted:
            values, kind = as_arrow(frame[name]), schema.kinds.get(name, "valued")
            encoded[name] = encode_column(name, values, missing=missing, kind=kind)
            if originals.domains[name].kind == "number" and encoded[name].domain.kind == "text":
                # The target of a CSV has the characters that it had, also a decimal comma.
                encoded[name] = encode_column(name, values, missing=missing, kind=kind, decimal_point=",")
        return FrequencyTable.from_columns(roles, encoded, None, len(frame))[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """What the release promises and the drawn rows do not."""
        least = self.release.guarantee.min_people
        if least is None:
            return ()
        return (
            f"They do not keep min_people = {least}: fewer than {least:,} of them may have a drawn value of "
            f"{listing(self.release.quasi)}. They are nobody's rows.",
        )

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """Warnings for opening the rows in a spreadsheet."""
        frame = open_frame(self.table).frame
        formulas = FrameRows(self.table).formulas(frame.columns)
        warning = formula_warning(formulas, frame.columns)
        return () if warning is None else (warning,)

    def write(self, target: Path, options: WriteOptions) -> None:
        """Write the rows to a file in the format of its name; with a layout, to a folder."""
        FrameRows(self.table).write(target, options)

    def manifest(self, said: Mapping[str, Any], output: Mapping[str, Any]) -> dict[str, Any]:
        """The manifest of the rows, for their readers; none of its figures was computed from original rows.

        Parameters
        ----------
        said : mapping
            The manifest of the release as it is saved, with its digests.
        output : mapping
            The name of the file or folder that has the rows, and its digest.
        """
        release = self.release
        labelled = [name for name in release.quasi if name in release.label_hierarchies]
        by = f", and by the hierarchies that say what the labels of {listing(labelled)} stand for" if labelled else ""
        source = {name: value for name, value in said["output"].items() if name in ("file", "folder", "sha256")}
        alone = "They are a function of the release and these hierarchies" if labelled else "They are a function of it"
        return {
            "hedgerow": __version__,
            "what": f"{_WHAT}{by}. {alone} {_TOLD}",
            "drawn_from": {**source, "proportions": said["proportions"]},
            "repeats": self.repeats,
            "rows": self.rows,
            "columns": {
                "drawn": list(release.quasi),
                "as_published": [name for name in release.guarantee.columns if name not in release.quasi],
            },
            "randomness": _RANDOMNESS,
            "warnings": [*self.notes, *(() if said.get("formulas_escaped") else self.warnings)],
            **({"formulas_escaped": True} if said.get("formulas_escaped") else {}),
            "types": column_types(self.table),
            "output": dict(output),
        }


def draw(release: Release, repeats: object, *, name: str = "repeats", owner: str = "Release.redraw") -> Redrawn:
    """Draw rows from a release; ``name`` and ``owner`` are used in the message about a wrong number of repeats."""
    if not is_int(repeats, 1):
        raise BadInput.parameter(name, owner, "an int >= 1", repeats)
    if release.proportions is None:
        raise BadInput(
            "Rows are drawn from proportions, and the release has none. Anonymize with publish_proportions=True "
            "(--publish-proportions)."
        )
    opened = open_frame(release.table)
    generator = np.random.default_rng()
    drawn = deal_columns(
        release.proportions, opened.frame, release.quasi, release.label_hierarchies, int(repeats), generator
    )
    rows = random_order(int(repeats) * len(opened.frame))
    return Redrawn(release, with_drawn(opened, drawn, rows), int(repeats))


def check_holdout(columns: Any, needed: Any) -> None:
    """Refuse a holdout that lacks columns to compare it by."""
    lacking = [name for name in needed if name not in columns]
    if lacking:
        raise BadInput(
            f"The holdout lacks {listing(lacking)}. It must have the quasi-identifiers and the target of the table."
        )


def _count_holdout(holdout: Any, originals: FrequencyTable, missing: tuple[str, ...]) -> FrequencyTable:
    """Count people who were not in the table, with columns read as those of the table."""
    with translated(BadInput, into=lambda error: BadInput(f"The holdout cannot be compared. {error}")):
        source = open_source(holdout)
        schema = _schema(originals, missing)
        check_holdout(source.columns, schema.kinds if schema.target is None else (*schema.kinds, schema.target))
        return source.count(schema, schema.resolve(source.columns)).counts


def _schema(originals: FrequencyTable, missing: tuple[str, ...]) -> Schema:
    """The columns that rows are compared by, with their kinds."""
    return Schema(
        quasi=originals.quasi,
        target=originals.roles.target,
        kinds={name: originals.domains[name].kind for name in originals.quasi},
        missing=missing,
        others="drop",
    )
