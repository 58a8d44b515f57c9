"""The options about columns and the table: roles, the schema, hierarchies in a folder, and the file to read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.cli._lists import (
    assignments,
    read_delimiter,
    read_kinds,
    read_level,
    read_levels,
    read_weights,
    split_names,
)
from hedgerow.errors import BadInput, listing
from hedgerow.schema import Schema

if TYPE_CHECKING:
    from hedgerow.cli._job import Job
    from hedgerow.engines import File
    from hedgerow.requirements import Requirement

__all__ = [
    "HierarchyFiles",
    "completed_schema",
    "find_hierarchies",
    "hierarchies_of",
    "missing_texts",
    "named_quasi",
    "needing_trees",
    "read_roles",
    "schema_of",
    "stated_columns",
    "typed_file",
]


# --------------------------------------------------------------------------------------------------
# Hierarchies from a folder: one file per column, named after it.


_ENDINGS = (".csv", ".toml")


@dataclass(frozen=True)
class HierarchyFiles:
    """The hierarchies of a folder.

    Attributes
    ----------
    files : mapping of column to Path
    others : mapping of str to Path
        Files of columns that were not named, if the table has these columns.
    folder : Path
    unnamed : bool
        Whether columns that were not named use their hierarchies too.
    """

    files: Mapping[str, Path] = field(default_factory=dict)
    others: Mapping[str, Path] = field(default_factory=dict)
    folder: Path = Path()
    unnamed: bool = False

    @property
    def undecided(self) -> bool:
        """Whether only the columns of the table show which files are used."""
        return self.unnamed and bool(self.others)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Notes for the user: files that belong to no column."""
        if not self.others:
            return ()
        names = [path.name for path in self.others.values()]
        return (
            f"In the folder {str(self.folder)!r}, {listing(names)} belong{'s' if len(names) == 1 else ''} to no column "
            "whose hierarchy is used. Check the names: a file has the name of its column.",
        )

    def completed(self, columns: Iterable[str]) -> HierarchyFiles:
        """The same with the files of further columns."""
        more = {name: self.others[name] for name in columns if name in self.others}
        others = {name: path for name, path in self.others.items() if name not in more}
        return HierarchyFiles({**self.files, **more}, others, self.folder)


def hierarchies_of(job: Job, requirements: Iterable[Requirement] = ()) -> HierarchyFiles:
    """The hierarchies in the folder of a job for the columns that it names and that use one."""
    return find_hierarchies(
        job.hierarchies,
        (*job.quasi, *needing_trees(requirements), *_coded(job)),
        unnamed=job.min_people is not None and job.others == "insensitive",
    )


def _coded(job: Job) -> tuple[str, ...]:
    """The named columns in clear whose rare values generalize by their hierarchies."""
    return () if job.min_people is None else (*job.sensitive, *job.insensitive, *([job.target] if job.target else []))


def completed_schema(schema: Schema, found: HierarchyFiles, columns: Iterable[str]) -> tuple[Schema, HierarchyFiles]:
    """Add the hierarchies of columns that no option names, once the columns of the table are known."""
    named = {*schema.identifying, *schema.pseudonymize, schema.entity}
    complete = found.completed(name for name in columns if name not in named)
    return replace(schema, hierarchies={**complete.files, **schema.hierarchies}), complete


def find_hierarchies(folder: str | Path | None, columns: Iterable[str], *, unnamed: bool = False) -> HierarchyFiles:
    """Find the files ``COLUMN.csv`` and ``COLUMN.toml`` of the columns, and those of no column.

    Parameters
    ----------
    folder : str or Path, optional
        Without a folder nothing is found.
    columns : iterable of str
        The columns that may have a hierarchy.
    unnamed : bool
        Whether columns that are not known yet may have one too.
    """
    if folder is None:
        return HierarchyFiles()
    folder = Path(folder)
    if not folder.is_dir():
        if folder.exists():
            raise BadInput(f"{str(folder)!r} is a file. For one column, type --hierarchy COLUMN={folder}.")
        raise BadInput(f"There is no folder {str(folder)!r}. Name the folder of your hierarchies: --hierarchies DIR.")
    wanted = set(columns)
    files: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() not in _ENDINGS or not path.is_file():
            continue
        if path.stem in files and (unnamed or path.stem in wanted):
            raise BadInput(
                f"The folder {str(folder)!r} has two hierarchies of the column {path.stem!r}, "
                f"{files[path.stem].name!r} and {path.name!r}. Keep one."
            )
        files[path.stem] = path
    of_columns = {name: path for name, path in files.items() if name in wanted}
    if not of_columns and not (unnamed and files):
        raise BadInput(
            f"The folder {str(folder)!r} has no hierarchy for any of the columns. "
            "Name the files after the columns, such as age.csv or age.toml."
        )
    return HierarchyFiles(
        of_columns, {name: path for name, path in files.items() if name not in wanted}, folder, unnamed
    )


def needing_trees(requirements: Iterable[Requirement]) -> list[str]:
    """The sensitive columns in whose hierarchies requirements measure distances."""
    return [rule.column for rule in requirements if rule.column is not None and rule.needs_tree]


def stated_columns(release: Path) -> list[str]:
    """The columns of a saved release that may have a hierarchy. Without a manifest there are none."""
    from hedgerow.io.paths import absolute
    from hedgerow.risk.manifest import read_manifest

    roles: Mapping[str, Any] = (read_manifest(absolute(release)) or {}).get("columns", {})
    return [*roles.get("quasi", ()), *roles.get("sensitive", ())]


_LISTS = ("quasi", "sensitive", "insensitive", "accept", "identifying", "pseudonymize")
_AS_TYPED = ("target", "entity", "rows_are_people", "others", "missing")


def read_roles(given: Mapping[str, Any]) -> dict[str, Any]:
    """Read the options about columns. The keys are the fields of a job.

    An option that was not typed, or that the command does not have, is ``None``.

    >>> roles = read_roles({"quasi": ["age,sex"], "kind": ["age=number"]})
    >>> {name: value for name, value in roles.items() if value is not None}
    {'quasi': ['age', 'sex'], 'kinds': {'age': 'number'}}
    """
    return {
        **{name: split_names(given.get(name), f"--{name}") for name in _LISTS},
        **{name: given.get(name) for name in _AS_TYPED},
        "kinds": read_kinds(given.get("kind")),
        "weights": read_weights(given.get("weights")),
        "levels": read_levels(given.get("level")),
        "hierarchy": assignments(given.get("hierarchy"), "--hierarchy"),
        "recode": assignments(given.get("recode"), "--recode"),
    }


def named_quasi(names: Sequence[str] | None) -> Sequence[str]:
    """The quasi-identifiers. There must be at least one."""
    if not names:
        raise BadInput(
            "No quasi-identifier is named. Name the columns by which a person could be found: --quasi age,sex."
        )
    return names


def schema_of(roles: Mapping[str, Any], files: Mapping[str, Path]) -> Schema:
    """Make the schema.

    Parameters
    ----------
    roles : mapping
        What `read_roles` returned, or the fields of a job.
    files : mapping of column to Path
        Hierarchies from a folder. Typed hierarchies win.
    """
    named: dict[str, Any] = {name: roles[name] or () for name in _LISTS}
    return Schema(
        **named,
        target=roles["target"],
        entity=roles["entity"],
        rows_are_people=bool(roles["rows_are_people"]),
        others=roles["others"] or "error",
        kinds=roles["kinds"] or {},
        weights=roles["weights"] or {},
        levels={name: read_level(name, typed) for name, typed in (roles["levels"] or {}).items()},
        recode=roles["recode"] or {},
        hierarchies={**files, **(roles["hierarchy"] or {})},
        missing=missing_texts(roles["missing"]),
    )


def missing_texts(typed: Sequence[str] | None) -> tuple[str, ...]:
    """The texts that mean "no value". An empty cell is always missing; a release marks a missing value by the first."""
    return tuple(dict.fromkeys((*(typed or ()), "")))


def typed_file(path: str, reading: Mapping[str, Any]) -> File:
    """The table at a path, with the reading options of a job."""
    from hedgerow.engines import File

    return File(
        path,
        encoding=reading["encoding"],
        delimiter=read_delimiter(reading["delimiter"]),
        decimal=reading["decimal"],
        sheet=reading["sheet"],
    )
