"""An earlier release that a new release is made beside, so that both together meet the requirements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Ints, Longs
from hedgerow.core.cells import Leaves, PublishedColumn
from hedgerow.core.recoding import Recoding
from hedgerow.engines import FrameRows, MemorySource, Published, Source, coded_values, in_memory, open_source
from hedgerow.errors import BadInput, Infeasible, InternalError, listing, plural
from hedgerow.io.frames import open_frame
from hedgerow.release._guarantee import Guarantee
from hedgerow.requirements import Requirement
from hedgerow.risk import Auditable
from hedgerow.risk._inputs import Reading, artefact_of
from hedgerow.risk.earlier import Beside, EarlierRelease, Strata, beside, strata_of
from hedgerow.risk.manifest import determined_columns, manifest_fit, read_manifest
from hedgerow.risk.previous import BY_VALUES, Stated
from hedgerow.schema import Roles, Schema
from hedgerow.verifier import ClassCounts, Finding, count_classes, verify_both
from hedgerow.verifier.classes import LabelIndex, distinct

__all__ = ["Previous", "Republished"]

_WHAT = "A release beside an earlier one"


@dataclass(frozen=True, eq=False)
class Previous:
    """What is known of an earlier release.

    Parameters
    ----------
    table : dataframe, DuckDB relation, path or Release
        As it was published, with its manifest.
    original : dataframe, DuckDB relation, path or File
        The table that it was made from.
    recoding : Recoding or path, optional
        Its private recoding, which explains its labels.
    """

    table: Any
    original: Any
    recoding: Any = None

    @classmethod
    def of(cls, table: Any, original: Any, recoding: Any) -> Previous | None:
        """What was given; ``None`` if nothing was."""
        if table is None:
            for value, name in ((original, "original"), (recoding, "recoding")):
                if value is not None:
                    raise BadInput(
                        f"previous_{name} (--previous-{name}) requires previous (--previous): name the earlier release."
                    )
            return None
        if original is None:
            raise BadInput(
                "Who joined and who left shows only in the table that the previous release was made from. Name that "
                "table (previous_original=, --previous-original)."
            )
        return cls(table, original, recoding)

    def read(self, source: Source, schema: Schema, roles: Roles, requirements: Sequence[Requirement]) -> Republished:
        """Find the records that are in both tables, and divide the new table into strata."""
        facts, stated = self._facts(), Stated.of(self.table)
        if stated.quasi is None:
            raise BadInput(
                "The previous release has no manifest that fits it, so its quasi-identifiers are not known. Name it as "
                "it was saved, with its manifest beside it, or make it again."
            )
        coded = bool({"recode", "min_people"} & facts.keys() or schema.recode)
        self._refuse(facts, stated, roles)
        held, rows = in_memory(source, _WHAT)
        earlier = self._opened(facts, stated, schema, () if roles.entity is None else (roles.entity,))
        found = beside(
            earlier,
            rows,
            quasi=roles.quasi,
            clear=_in_clear(roles),
            missing=("", *schema.missing),
            entity=roles.entity,
        )
        strata = strata_of(found, requirements, coded=coded)
        held.strata, held.coding = strata.of_row, source.coding
        return Republished(held, found, strata, self._named(facts))

    def _facts(self) -> Mapping[str, Any]:
        if isinstance(self.table, Auditable):
            return self.table.described.facts
        if not isinstance(self.table, str | Path) or manifest_fit(self.table)[0] != "fits":
            return {}
        return read_manifest(Path(self.table).absolute()) or {}

    def _named(self, facts: Mapping[str, Any]) -> dict[str, str]:
        """The name and the digest of the earlier release, for the manifest of the new one."""
        output = facts.get("output", {})
        return {name: str(output[name]) for name in ("file", "folder", "sha256") if name in output}

    def _refuse(self, facts: Mapping[str, Any], stated: Stated, roles: Roles) -> None:
        """Refuse what both releases together could not be verified for."""
        if stated.method not in BY_VALUES:
            raise BadInput(
                f"The previous release was made by {stated.method!r}, which may publish means of groups, so it is not "
                "certain who is in which class. Publish beside a release by another method."
            )
        if "proportions" in facts or "min_support" in facts:
            raise BadInput(
                "The previous release has proportions beside it, and these reveal more than its table. Nothing can be "
                "promised for it together with another release."
            )
        linked = [*roles.pseudonymized, *stated.pseudonymized]
        if roles.names_people or linked:
            named = listing(list(dict.fromkeys(linked or [str(roles.entity)])))
            raise BadInput(
                f"The column {named} names people, also by pseudonyms, and would link their rows in both releases. "
                "Drop it (identifying=, --drop) from the new release; a previous release with it cannot be followed."
            )
        if stated.entity is not None and roles.entity is None:
            raise BadInput(
                f"The previous release counted people, by {stated.entity!r}. Name the column of the person as entity "
                "(entity=, --entity)."
            )

    def _opened(
        self, facts: Mapping[str, Any], stated: Stated, schema: Schema, entity: Sequence[str]
    ) -> EarlierRelease:
        """Read the earlier release and the table it was made from."""
        _, original = in_memory(open_source(self.original), _WHAT)
        missing = tuple(dict.fromkeys(("", *stated.missing, *schema.missing)))
        opened = Reading().open(artefact_of(self.table))
        quasi = stated.quasi or ()
        lacking = [name for name in (*quasi, *entity) if name not in original.column_names]
        if lacking:
            raise BadInput(
                f"The table in previous_original (--previous-original) lacks {listing(lacking)}. Name the table that "
                "the previous release was made from."
            )
        clear = tuple(name for name in opened.columns if name not in quasi and name in original.column_names)
        counts = count_classes(opened, quasi, sensitive=clear, missing=missing)
        if (stated.rows, stated.lost) != (original.num_rows, original.num_rows - counts.rows):
            raise BadInput(
                f"The previous release was made from {plural(stated.rows, 'rows')}, and the table in previous_original "
                f"(--previous-original) has {original.num_rows:,}. Name the table that it was made from."
            )
        recoding = self._recoding()
        return EarlierRelease(
            counts,
            original,
            clear,
            bool({"recode", "min_people"} & facts.keys()),
            {name: schema.hierarchies[name] for name in quasi if name in schema.hierarchies},
            {} if recoding is None else {column.domain.name: _labels_of(column) for column in recoding.columns},
            missing,
            determined_columns(facts) if "columns" in facts else {},
            None if recoding is None else _known_classes(recoding, counts, original),
        )

    def _recoding(self) -> Recoding | None:
        """The recoding, if it is given or the release still has it."""
        if self.recoding is None:
            held = getattr(self.table, "private", None)
            return held if isinstance(held, Recoding) else None
        return self.recoding if isinstance(self.recoding, Recoding) else Recoding.load(self.recoding)


@dataclass(frozen=True, eq=False)
class Republished:
    """A table that is published beside an earlier release.

    Attributes
    ----------
    source : MemorySource
        The table, in strata.
    found : Beside
    strata : Strata
    named : mapping
        The name and the digest of the earlier release.
    """

    source: MemorySource
    found: Beside
    strata: Strata
    named: Mapping[str, str]

    @property
    def people(self) -> int:
        """The number of people in the table; of rows, if people are not counted."""
        people = self.found.people
        return len(self.strata.of_row) if people is None else len(np.unique(people[1]))

    def groups(self, published: Published) -> Ints:
        """The group of each row of the table, -1 for rows that were not published: a secret of the recoding."""
        places, of_published = _places(published)
        groups = np.full(len(self.strata.of_row), -1, dtype=np.int32)
        groups[places] = of_published
        return groups

    def verify(self, published: Published, guarantee: Guarantee) -> tuple[Finding, ...]:
        """Verify both releases together, as they were published; refused if they do not meet the requirements."""
        frame = open_frame(published.native).frame
        names = [*guarantee.quasi, *guarantee.counted, *guarantee.determined]
        old, new = self.found.releases(
            frame.select(list(dict.fromkeys(names))),
            _places(published)[0],
            self.strata.partner,
            quasi=guarantee.quasi,
            missing=guarantee.missing,
            determined=guarantee.determined,
        )
        findings = verify_both(old, new, guarantee.requirements)
        for finding in findings:
            if not finding.holds:
                raise Infeasible(
                    f"Both releases together do not meet the {finding.requirement}: {finding.measure} is "
                    f"{finding.reached:.4g} where {finding.required:.4g} is required, and "
                    f"{plural(finding.classes_violating, 'classes')} with {plural(finding.rows_violating, 'records')} "
                    "violate it. Let more records be lost (suppression_limit=, --suppression-limit), or lower the "
                    "requirement."
                )
        return findings


def _places(published: Published) -> tuple[Longs, Longs]:
    """Which row of the table each published row is, and its group."""
    if not isinstance(published, FrameRows) or published.places is None or published.groups is None:
        raise InternalError("it is not known which rows of the table were published")
    return published.places, published.groups


def _labels_of(column: PublishedColumn) -> Leaves:
    """The original values below each label of a column."""
    values = column.domain.labels
    found: dict[str, tuple[str, ...]] = {}
    for at, (text, kind) in enumerate(zip(column.texts, column.kinds, strict=True)):
        if kind == "label" and text is not None:
            codes = column.covered.codes(at)
            found[text] = (*found.get(text, ()), *values[codes[codes < len(values)]].tolist())
    return found


def _known_classes(recoding: Recoding, counts: ClassCounts, original: pa.Table) -> Longs | None:
    """The class of each original row as the recoding has it: -1 if it does not say, -2 if the row was left out."""
    if set(recoding.quasi) != set(counts.columns):
        return None
    if recoding.rows is not None:
        if len(recoding.rows) != original.num_rows:
            return None
        cells = [
            np.array(column.texts, dtype=object)[recoding.groups[:, at]] for at, column in enumerate(recoding.columns)
        ]
        classes = _classes_of(dict(zip(recoding.quasi, cells, strict=True)), counts)
        return np.append(classes, -2)[recoding.rows]
    if recoding.router is None:
        return None
    published = recoding.transform(original.select(list(recoding.quasi)))
    coded = {name: coded_values(name, published[name]) for name in recoding.quasi}
    texts = {name: np.array(values.to_pylist(), dtype=object)[codes] for name, (codes, values) in coded.items()}
    return _classes_of(texts, counts)


def _classes_of(cells: Mapping[str, Any], counts: ClassCounts) -> Longs:
    """The class that shows these cells; -1 if there is none."""
    codes = []
    for at, name in enumerate(counts.columns):
        index = LabelIndex(counts.labels[at])
        distinct_cells, place = np.unique([repr(cell) for cell in cells[name]], return_index=True, return_inverse=True)[
            1:
        ]
        found = [index.find(cells[name][first]) for first in distinct_cells.tolist()]
        codes.append(np.array([-1 if code is None else code for code in found], dtype=np.int64)[place])
    rows = np.stack(codes, axis=1)
    both = np.concatenate([counts.codes.astype(np.int64), rows])
    number, _ = distinct([(column + 1, int(column.max()) + 2) for column in both.T])
    class_of = np.full(int(number.max()) + 1, -1, dtype=np.int64)
    class_of[number[: len(counts.codes)]] = np.arange(len(counts.codes))
    return class_of[number[len(counts.codes) :]]


def _in_clear(roles: Roles) -> tuple[str, ...]:
    return tuple(name for name in roles.published if name not in (*roles.quasi, *roles.pseudonymized))
