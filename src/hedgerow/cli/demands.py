"""What is demanded of a table that is only looked at, by ``hedgerow audit`` and ``hedgerow check``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

from hedgerow.cli.hierarchy_files import find_hierarchies, needing_trees
from hedgerow.errors import BadInput

if TYPE_CHECKING:
    from hedgerow.privacy import Requirement

__all__ = ["hierarchies_used", "read_demands"]


def read_demands(k: int | None, require: Sequence[str], quasi: Sequence[str]) -> tuple[Requirement, ...]:
    """Read the requirements; every shield is one of quasi-identifiers."""
    from hedgerow import privacy

    requirements = privacy.resolve(k, require)
    for one in requirements:
        for name in one.shield or ():
            if name not in quasi:
                raise BadInput.unknown("quasi-identifier", name, quasi, f"It is in the shield of {one}.")
    return requirements


def hierarchies_used(
    requirements: Sequence[Requirement],
    folder: str | None,
    typed: Mapping[str, str],
    columns: Sequence[str],
    *,
    population: bool | None = None,
) -> dict[str, Any]:
    """Find the hierarchies that were named; refuse them where nothing would use them.

    Parameters
    ----------
    requirements : sequence of Requirement
    folder : str, optional
        With one file for each column.
    typed : mapping of column to str
        These win.
    columns : sequence of str
        That a hierarchy would be used for, beside those of requirements that measure distances.
    population : bool
        Whether labels are compared with people elsewhere, which needs them too; ``None`` if the command cannot.
    """
    needed = needing_trees(requirements)
    if (folder is not None or typed) and not needed and not population:
        alone = population is None
        nothing, way_out = ("no", "") if alone else ("neither a population nor a", ", or name the --population")
        raise BadInput(
            f"A hierarchy is given (--hierarchies, --hierarchy), but {nothing} requirement such as "
            f"t=0.2:hierarchical@disease uses it. Leave it out{way_out}."
        )
    found = find_hierarchies(folder, (*columns, *needed))
    for remark in found.remarks:
        typer.echo(f"hedgerow: {remark}", err=True)
    return {**found.files, **typed}
