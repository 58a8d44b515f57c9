"""An earlier release that a new release is made beside, so that both together meet the requirements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from hedgerow.core.cells import Leaves, PublishedColumn
from hedgerow.core.recoding import Recoding
from hedgerow.engines import FrameRows, MemorySource, Published, Source, in_memory, open_source
from hedgerow.errors import BadInput, Infeasible, InternalError, listing, plural, required
from hedgerow.io.frames import as_arrow, open_frame
from hedgerow.release._guarantee import Guarantee
from hedgerow.requirements import Requirement
from hedgerow.risk import Auditable
from hedgerow.risk._inputs import Reading, artefact_of
from hedgerow.risk.earlier import Beside, EarlierRelease, Strata, beside, strata_of
from hedgerow.risk.manifest import determined_columns, manifest_fit, read_manifest
from hedgerow.risk.previous import BY_VALUES, Stated
from hedgerow.schema import Roles, Schema
from hedgerow.verifier import Finding, count_classes, verify_both

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
        return EarlierRelease(
            count_classes(opened, quasi, sensitive=clear, missing=missing),
            original,
            clear,
            bool({"recode", "min_people"} & facts.keys()),
            {name: schema.hierarchies[name] for name in quasi if name in schema.hierarchies},
            self._listed(),
            missing,
            determined_columns(facts) if "columns" in facts else {},
        )

    def _listed(self) -> dict[str, Leaves]:
        """The values that labels stand for, as the recoding lists them."""
        if self.recoding is None:
            return {}
        recoding = self.recoding if isinstance(self.recoding, Recoding) else Recoding.load(self.recoding)
        return {column.domain.name: _labels_of(column) for column in recoding.columns}


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

    def verify(self, published: Published, guarantee: Guarantee) -> tuple[Finding, ...]:
        """Verify both releases together, as they were published; refused if they do not meet the requirements."""
        if not isinstance(published, FrameRows):
            raise InternalError("rows in memory were published in another form")
        frame = open_frame(published.native).frame
        names = [*guarantee.quasi, *guarantee.counted, *guarantee.determined]
        table = _table(frame, names)
        old, new = self.found.releases(
            table,
            required(published.places, "the rows of the table that were published"),
            self.strata.partner,
            quasi=guarantee.quasi,
            missing=guarantee.missing,
            determined=guarantee.determined,
        )
        findings = verify_both(old, new, guarantee.requirements)
        for finding in findings:
            if not finding.holds:
                raise Infeasible(
                    f"Both releases together do not meet {finding.requirement}: {finding.measure} is "
                    f"{finding.reached:.4g} where {finding.required:.4g} is required, and "
                    f"{plural(finding.classes_violating, 'classes')} with {plural(finding.rows_violating, 'records')} "
                    "violate it. Let more records be lost (suppression_limit=, --suppression-limit), or lower the "
                    "requirement."
                )
        return findings


def _labels_of(column: PublishedColumn) -> Leaves:
    """The original values below each label of a column."""
    values = column.domain.labels
    found: dict[str, tuple[str, ...]] = {}
    for at, (text, kind) in enumerate(zip(column.texts, column.kinds, strict=True)):
        if kind == "label" and text is not None:
            codes = column.covered.codes(at)
            found[text] = (*found.get(text, ()), *values[codes[codes < len(values)]].tolist())
    return found


def _table(frame: Any, names: Sequence[str]) -> pa.Table:
    return pa.table({name: as_arrow(frame[name]) for name in dict.fromkeys(names)})


def _in_clear(roles: Roles) -> tuple[str, ...]:
    return tuple(name for name in roles.published if name not in (*roles.quasi, *roles.pseudonymized))
