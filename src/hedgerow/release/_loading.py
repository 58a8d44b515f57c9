"""Load a release from its files: compare them with their digests, count and verify them again."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from hedgerow.core.cells import domain_of
from hedgerow.core.proportions import Proportions
from hedgerow.engines import SavedTable, StagedRows
from hedgerow.errors import BadInput, InternalError, listing, translated
from hedgerow.hierarchies import Hierarchy, hierarchy_of
from hedgerow.io.atomic import manifest_path, proportions_path
from hedgerow.io.frames import check_form
from hedgerow.io.paths import absolute
from hedgerow.release._guarantee import Guarantee
from hedgerow.release._release import Release
from hedgerow.requirements import Requirement, with_trees
from hedgerow.requirements import resolve as resolve_requirements
from hedgerow.requirements import restored as restored_requirements
from hedgerow.requirements import withheld as withheld_parameters
from hedgerow.risk import Audit, ClearColumn, CodedColumn, ReleaseFacts, audit_counts
from hedgerow.risk.manifest import determined_columns, levels_in, mismatches, read_manifest
from hedgerow.verifier import ClassCounts, Levels, PeoplePerValue

__all__ = ["load"]

# The fields of a manifest about its files, not about how the release was made.
_OF_FILES: Final = ("audit", "output", "proportions", "redrawn", "types", "formulas_escaped")


def load(
    path: str | Path,
    hierarchies: Mapping[str, Any] | None = None,
    require: Iterable[Requirement | str] | None = None,
    as_: str | None = None,
) -> Release:
    """Read a release; see :meth:`hedgerow.Release.load`."""
    form = check_form(as_, "Release.load")
    place = absolute(path)
    table = SavedTable(place)
    manifest = _Manifest.of(place)
    proportions = proportions_path(table.copy)
    if proportions_path(place).exists():
        with translated(OSError, into=BadInput(f"The file {proportions_path(place).name!r} cannot be read.")):
            shutil.copyfile(proportions_path(place), proportions)
    wrong = mismatches(place, manifest.content, table.copy, proportions)
    if wrong:
        raise BadInput(" ".join(wrong))
    given = _given(hierarchies, manifest)
    rows = replace(table.rows(manifest.types, manifest.quasi, manifest.missing, manifest.in_folders), form=form)
    guarantee = Guarantee(
        columns=manifest.columns_in(rows),
        quasi=manifest.quasi,
        counted=manifest.counted,
        requirements=_with_trees(manifest.requirements(require), given, rows),
        missing=manifest.missing,
        rows=manifest.rows,
        enforced=manifest.enforced,
        determined=manifest.determined,
        pseudonyms=manifest.pseudonyms,
        levels=manifest.levels,
        min_people=manifest.min_people,
        exempt=manifest.exempt,
    )
    with translated(InternalError, into=manifest.unfit):
        classes = guarantee.count(table.copy)
        held = guarantee.count_values(table.copy)
    shares = Proportions.load(proportions) if proportions.exists() else None
    return Release(
        rows,
        classes,
        guarantee,
        None,
        _audit(manifest, guarantee, classes, shares, held),
        manifest.facts,
        dict.fromkeys(manifest.quasi, manifest.missing[0]) if manifest.missing and manifest.missing[0] else {},
        shares,
        labels={name: hierarchy for name, hierarchy in given.items() if name in manifest.quasi},
        digests=manifest.digests,
    )


@dataclass(frozen=True, eq=False)
class _Manifest:
    """A manifest, read and checked."""

    name: str
    content: Mapping[str, Any]
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    target: str | None
    others: tuple[str, ...]
    pseudonyms: tuple[str, ...]
    missing: tuple[str, ...]
    types: Mapping[str, str]
    rows: int
    enforced: bool
    determined: Mapping[str, tuple[str, ...]]
    levels: Mapping[str, Levels]
    min_people: int | None
    exempt: tuple[str, ...]

    @classmethod
    def of(cls, path: Path) -> _Manifest:
        """Read the manifest beside a table."""
        content = read_manifest(path)
        if content is None:
            raise BadInput(
                f"There is no manifest {manifest_path(path).name!r} beside the table. Only what Release.save wrote can "
                "be loaded; hr.audit takes any table."
            )
        if "drawn_from" in content:
            raise BadInput(
                f"The rows of {path.name!r} were drawn from a release and are not a release. Load the one that their "
                "manifest names."
            )
        if "require" not in content:
            raise BadInput(
                f"An older version of Hedgerow wrote the manifest beside {path.name!r}, which lacks facts that loading "
                "needs. Save the release again."
            )
        unreadable = BadInput(f"The manifest beside {path.name!r} cannot be read.")
        with translated(KeyError, TypeError, AttributeError, ValueError, into=unreadable):
            roles = content["columns"]
            return cls(
                name=path.name,
                content=content,
                quasi=tuple(roles["quasi"]),
                sensitive=tuple(roles["sensitive"]),
                target=roles["target"],
                others=(*roles["insensitive"], *roles["pseudonymized"]),
                # Unless people or rows were counted by choice, pseudonyms identify the persons of the rows.
                pseudonyms=() if roles["entity"] or content.get("rows_are_people") else tuple(roles["pseudonymized"]),
                missing=tuple(content["missing"]),
                types=dict(content["types"]),
                rows=int(content["rows_in"]) - int(content["rows_lost"]),
                enforced=bool(content["guaranteed"]),
                determined=determined_columns(content),
                levels=levels_in(content),
                min_people=None if content.get("min_people") is None else int(content["min_people"]),
                exempt=tuple(roles["pseudonymized"]),
            )

    @property
    def unfit(self) -> BadInput:
        """The error for a table with the right digest that its manifest does not describe."""
        return BadInput(
            f"The columns or rows of {self.name!r} are not those that its manifest names. Save the release again."
        )

    @property
    def in_folders(self) -> tuple[str, ...]:
        """All columns in order, if the names of folders hold some of them."""
        return tuple(self.content["output"].get("columns", ()))

    @property
    def counted(self) -> tuple[str, ...]:
        """The sensitive columns and the target."""
        return tuple(dict.fromkeys((*self.sensitive, *(() if self.target is None else (self.target,)))))

    @property
    def facts(self) -> dict[str, Any]:
        """How the release was made."""
        return {name: fact for name, fact in self.content.items() if name not in _OF_FILES}

    @property
    def digests(self) -> dict[str, str]:
        """The digests of the files, from the manifest."""
        named = {name: self.content.get(name, {}) for name in ("output", "proportions", "redrawn")}
        return {name: str(file["sha256"]) for name, file in named.items() if "sha256" in file}

    def columns_in(self, rows: StagedRows) -> tuple[str, ...]:
        """The columns of the table, which must be those that the manifest names."""
        columns = tuple(replace(rows, form=None).table.columns)
        if set(columns) != {*self.quasi, *self.counted, *self.others}:
            raise self.unfit
        return columns

    def requirements(self, given: Iterable[Requirement | str] | None) -> tuple[Requirement, ...]:
        """The requirements of the release: from the manifest, or those given if the manifest withholds parameters."""
        if given is not None:
            named = resolve_requirements(None, given)
            if sorted(map(str, named)) != sorted(self.content["requirements"]):
                raise BadInput(
                    f"The given requirements are not those of {self.name!r}. Give these: "
                    f"{'; '.join(self.content['requirements'])}."
                )
            return named
        unreadable = BadInput(f"The requirements in the manifest beside {self.name!r} cannot be read.")
        with translated(KeyError, TypeError, AttributeError, into=unreadable):
            read = [(restored_requirements(stored), withheld_parameters(stored)) for stored in self.content["require"]]
        for requirement, kept in read:
            if set(kept) - {"tree"}:
                raise BadInput(
                    f"The manifest does not hold the {listing(kept)} of {requirement}, because it names values. Give "
                    "all requirements of the release in require=."
                )
        return tuple(requirement for requirement, _ in read)


def _given(hierarchies: Any, manifest: _Manifest) -> dict[str, Hierarchy]:
    """The hierarchies that are given, each for a column that may have one."""
    if hierarchies is None:
        return {}
    if not isinstance(hierarchies, Mapping):
        must = "a mapping of column to hierarchy"
        raise BadInput.parameter("hierarchies", "Release.load", must, type(hierarchies).__name__)
    known = (*manifest.quasi, *manifest.counted)
    for name in hierarchies:
        if name not in known:
            raise BadInput.unknown("column", str(name), known, "A hierarchy is given for it.")
    return {name: hierarchy_of(spec, name) for name, spec in hierarchies.items()}


def _with_trees(
    requirements: Sequence[Requirement], given: Mapping[str, Hierarchy], rows: StagedRows
) -> tuple[Requirement, ...]:
    """Give requirements the trees of their columns, or say which one lacks its own."""
    trees = {}
    for requirement in requirements:
        if not requirement.needs_tree or requirement.column is None:
            continue
        if requirement.column not in given:
            raise BadInput(
                f"The manifest does not hold the tree of {requirement}. Give the hierarchy of {requirement.column!r} "
                "in hierarchies=."
            )
        (cells,) = rows.group([requirement.column]).cells
        values = domain_of(requirement.column, [str(cell) for cell in cells.to_pylist() if cell is not None])
        trees[requirement.column] = given[requirement.column].encode(values).to_tree()
    return with_trees(requirements, trees)


def _audit(
    manifest: _Manifest,
    guarantee: Guarantee,
    classes: ClassCounts,
    proportions: Proportions | None,
    held: PeoplePerValue | None,
) -> Audit:
    """The audit of what was counted, completed by the manifest: losses, warnings, and who is singled out."""
    unreadable = BadInput(f"The audit in the manifest beside {manifest.name!r} cannot be read.")
    with translated(KeyError, TypeError, AttributeError, ValueError, into=unreadable):
        content = manifest.content["audit"]
        warnings, grave, losses = tuple(content["warnings"]), tuple(content.get("grave", ())), dict(content["losses"])
        alone, known = content["singled_out"], content["fully_known"]
        clear = {
            name: ClearColumn(**{**column, "determined_by": tuple(column.get("determined_by", ()))})
            for name, column in content["clear"].items()
        }
        coded = {name: CodedColumn(**column) for name, column in content.get("coded", {}).items()}
    fresh = audit_counts(
        classes,
        sensitive=manifest.sensitive,
        target=manifest.target,
        require=guarantee.requirements,
        release=ReleaseFacts(
            losses=losses,
            proportions=proportions,
            rows_are_people=bool(manifest.content.get("rows_are_people")),
            held=held,
            coded=coded,
        ),
    )
    # A file does not show which numbers are shared by a whole class, and which are medians.
    return replace(
        fresh,
        warnings=tuple(dict.fromkeys((*warnings, *fresh.warnings))),
        grave=tuple(dict.fromkeys((*grave, *fresh.grave))),
        manifest="fits",
        k_all=content["k_all"],
        clear=clear,
        singled_out=alone,
        fully_known=known,
    )
