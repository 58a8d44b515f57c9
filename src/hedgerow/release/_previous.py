"""An earlier release that a new release is made beside, so that both together meet the requirements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow._internal.arrays import Longs
from hedgerow.engines import FrameRows, MemorySource, Published, Source, in_memory
from hedgerow.errors import BadInput, Infeasible, InternalError, listing, plural
from hedgerow.io.frames import open_frame
from hedgerow.io.readers import find_table
from hedgerow.release._guarantee import Guarantee
from hedgerow.requirements import Requirement
from hedgerow.risk._traced import TracedRelease, facts_of
from hedgerow.risk.earlier import Beside, Strata, beside, strata_of
from hedgerow.risk.previous import Stated
from hedgerow.schema import Roles, Schema
from hedgerow.verifier import Finding, verify_both

__all__ = ["Previous", "Republished"]


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
        facts, stated = facts_of(self.table), Stated.of(self.table)
        self._refuse(facts, stated, roles)
        earlier = TracedRelease.open(
            self.table,
            self.original,
            hierarchies=schema.hierarchies,
            missing=schema.missing,
            recoding=self.recoding,
            entity=roles.entity,
            option="previous_original",
        )
        if not earlier.certain:
            raise BadInput(
                "Some people fit several classes of the previous release, or may have been left out of it, and it must "
                "be known in which class they are. Name its private recoding (previous_recoding=, "
                "--previous-recoding). If it does not say either, make the previous release again, from a dataframe or "
                "with --recoding."
            )
        held, rows = in_memory(source, "A release beside an earlier one")
        found = beside(
            earlier,
            rows,
            quasi=roles.quasi,
            clear=_in_clear(roles),
            missing=("", *schema.missing),
            entity=roles.entity,
        )
        strata = strata_of(found, requirements, coded=bool(earlier.coded) or bool(schema.recode))
        held.strata, held.coding = strata.of_row, source.coding
        held.reads = (*source.reads, *_files(self.table), *_files(self.original))
        return Republished(held, found, strata, self._named(facts))

    def _named(self, facts: Mapping[str, Any]) -> dict[str, str]:
        """The name and the digest of the earlier release, for the manifest of the new one."""
        output = facts.get("output", {})
        return {name: str(output[name]) for name in ("file", "folder", "sha256") if name in output}

    def _refuse(self, facts: Mapping[str, Any], stated: Stated, roles: Roles) -> None:
        """Refuse what both releases together could not be verified for."""
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
        frame = open_frame(published.native).frame
        names = [*guarantee.quasi, *guarantee.counted, *guarantee.determined]
        old, new = self.found.releases(
            frame.select(list(dict.fromkeys(names))),
            _places(published),
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


def _files(table: Any) -> tuple[Path, ...]:
    """The files of a table that is named by a path; they are never overwritten."""
    return find_table(table).reads if isinstance(table, str | Path) else ()


def _places(published: Published) -> Longs:
    """Which row of the table each published row is."""
    if not isinstance(published, FrameRows) or published.places is None:
        raise InternalError("it is not known which rows of the table were published")
    return published.places


def _in_clear(roles: Roles) -> tuple[str, ...]:
    return tuple(name for name in roles.published if name not in (*roles.quasi, *roles.pseudonymized))
