"""The release: the published table with its audit and its manifest."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pyarrow.parquet as pq

from hedgerow._internal.late_binding import Reported
from hedgerow._internal.notebook import names_shown
from hedgerow._internal.rounding import digits_shown, significant
from hedgerow._internal.version import __version__
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.proportions import Proportions
from hedgerow.core.recoding import Recoding
from hedgerow.engines import Published
from hedgerow.errors import BadInput, check_int, plural
from hedgerow.hierarchies import EncodedHierarchy, Hierarchy
from hedgerow.io.destinations import Destination
from hedgerow.io.frames import column_types, first_rows
from hedgerow.io.readers import SparkFiles
from hedgerow.release._guarantee import Guarantee
from hedgerow.requirements import Requirement
from hedgerow.risk import Audit, Auditable, Described
from hedgerow.verifier import ClassCounts

if TYPE_CHECKING:
    from hedgerow.release._explaining import Explanation, Reasons
    from hedgerow.release._redrawn import Redrawn
    from hedgerow.release.saving import Beside

__all__ = ["Release", "public_facts", "versions"]


# --------------------------------------------------------------------------------------------------
# The manifest shows a reader how the release was made.
#
# It rounds figures that were computed from original values to few digits (see :mod:`hedgerow._internal.rounding`), and
# replaces lists by their lengths. Exact figures stay in Python (``release.losses``, ``release.facts``,
# ``hedgerow.metrics``).


def public_facts(fact: Any, digits: int) -> Any:
    """A method's facts in the form in which they may be published.

    >>> public_facts({"proved": True, "evaluated": 12_838, "value": 0.76131, "minimal": [{"age": 1}, {"age": 2}]}, 3)
    {'proved': True, 'evaluated': 12800, 'value': 0.761, 'minimal': 2}
    """
    if isinstance(fact, Mapping):
        return {name: public_facts(value, digits) for name, value in fact.items()}
    if isinstance(fact, list | tuple):
        return list(fact) if all(isinstance(item, str) for item in fact) else len(fact)
    if isinstance(fact, bool) or not isinstance(fact, int | float):
        return fact
    return significant(fact, digits)


def versions() -> dict[str, str]:
    """The versions that the release was made with."""
    packages = ("numpy", "numba", "pyarrow", "duckdb", "narwhals")
    return {"python": platform.python_version(), **{name: importlib.metadata.version(name) for name in packages}}


@dataclass(frozen=True, eq=False, repr=False)
class Release(Auditable, Reported):
    """A verified release.

    Attributes
    ----------
    private : Recoding, optional
        How original values became published values: a secret, available as :attr:`recoding`. A loaded release has
        none.
    audit : Audit
        The risks of the table, and its losses.
    facts : mapping
        How it was made: roles, requirements, parameters, and the method's own facts. They are exact; the manifest
        rounds those that were computed from original values.
    markers : mapping of column to str
        How a missing value of a quasi-identifier is written in a CSV.
    proportions : Proportions, optional
        How the people of every class are divided among the values of each column, if you asked for it.
    hierarchies : mapping of column to EncodedHierarchy
        How the quasi-identifiers generalize.
    reads : tuple of Path
        The files that the table came from. They are never overwritten.
    losses : mapping of metric name to float
        Exact losses. Do not publish them: an attacker who knows all rows but one could find that row by trying, which
        is why the audit shows fewer digits.
    labels : mapping of column to Hierarchy
        The hierarchies that :meth:`load` was given, for the labels of a loaded release.
    originals : FrequencyTable, optional
        The counts of the original rows: a secret, like the recoding, and never written. Drawn rows are compared with
        them. A loaded release has none.
    digests : mapping of str to str
        The SHA-256 of the files of a loaded release: ``"output"`` is the table, ``"proportions"`` and ``"redrawn"`` are
        the files beside it.
    """

    rows: Published
    classes: ClassCounts
    guarantee: Guarantee
    private: Recoding | None
    audit: Audit
    facts: Mapping[str, Any]
    markers: Mapping[str, str] = field(default_factory=dict)
    proportions: Proportions | None = None
    hierarchies: Mapping[str, EncodedHierarchy] = field(default_factory=dict)
    reads: tuple[Path, ...] = ()
    losses: Mapping[str, float] = field(default_factory=dict)
    labels: Mapping[str, Hierarchy] = field(default_factory=dict)
    originals: FrequencyTable | None = None
    digests: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def load(
        cls,
        path: str | Path,
        hierarchies: Mapping[str, Any] | None = None,
        *,
        require: Iterable[Requirement | str] | None = None,
        as_: Literal["arrow", "pandas", "polars"] | None = None,
    ) -> Release:
        """Read a release that :meth:`save` wrote: the table, its manifest and its proportions.

        Each file is compared with its digest in the manifest, and the table is counted and verified again. The result
        can be used like any release, except for its recoding, which is never saved beside the table.

        Parameters
        ----------
        path : str or Path
            The table: ``.csv``, ``.csv.gz``, ``.parquet``, or a folder.
        hierarchies : mapping of column to hierarchy, optional
            As in a :class:`~hedgerow.Schema`, for columns whose cells are labels. For a sensitive column, the tree of
            a hierarchical t-closeness, which the manifest does not hold.
        require : sequence of requirements, optional
            All requirements of the release, if one of them names values: an order, or a single limited value. The
            manifest does not hold values.
        as_ : {"arrow", "pandas", "polars"}, optional
            The library whose dataframe :attr:`table` is; by default it is a DuckDB relation over the file. A dataframe
            holds all rows in memory.

        Raises
        ------
        BadInput
            If a file is missing or differs from its digest in the manifest.
        NotAnonymous
            If the table does not meet the requirements.

        Examples
        --------
        >>> import tempfile
        >>> import pyarrow as pa
        >>> import hedgerow as hr
        >>> people = pa.table({"age": [20, 23, 27, 25, 27, 29], "sex": ["M", "M", "F", "F", "F", "M"]})
        >>> release = hr.anonymize(people, hr.Schema(quasi=["age"], target="sex"), k=3)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     hr.Release.load(release.save(f"{folder}/out.csv"))
        Release(mondrian, 3-anonymity)
          6 rows in 2 classes, k = 3
          quasi-identifiers: 'age'
          target: 'sex'
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     hr.Release.load(release.save(f"{folder}/out.csv"), as_="polars").table.shape
        (6, 2)
        """
        from hedgerow.release._loading import load

        return load(path, hierarchies, require, as_)

    def __repr__(self) -> str:
        made = ", ".join((self.facts["method"], *self.facts["requirements"]))
        lines = [
            f"Release({made}{'' if self.guarantee.enforced else ', NOT guaranteed'})",
            f"{plural(self.classes.rows, 'rows')} in {plural(len(self.classes.sizes), 'classes')}, "
            f"k = {self.audit.k:,}",
            f"quasi-identifiers: {names_shown(self.quasi)}",
        ]
        if self.target is not None:
            lines.append(f"target: {self.target!r}")
        if self.proportions is not None:
            lines.append(f"proportions of at least {plural(self.proportions.min_support, 'people')}")
        return "\n  ".join(lines)

    @property
    def recoding(self) -> Recoding:
        """How original values became published values: a secret."""
        if self.private is None:
            raise BadInput(
                "The release was loaded, and its recoding is a secret that is not saved beside it. Where it was saved "
                "by itself, hr.Recoding.load reads it."
            )
        return self.private

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return self.guarantee.quasi

    @property
    def given_hierarchies(self) -> dict[str, EncodedHierarchy | Hierarchy]:
        """The hierarchies given in the schema or to :meth:`load`, by which learners may read labels."""
        made = {name: hierarchy for name, hierarchy in self.hierarchies.items() if not hierarchy.automatic}
        return {**made, **self.labels}

    @property
    def label_hierarchies(self) -> dict[str, Hierarchy]:
        """The same hierarchies without the original values they were encoded for; rows are drawn by them."""
        sources = {
            name: hierarchy.source if isinstance(hierarchy, EncodedHierarchy) else hierarchy
            for name, hierarchy in self.given_hierarchies.items()
        }
        return {name: source for name, source in sources.items() if source is not None}

    @property
    def described(self) -> Described:
        """The table with its roles, as an audit needs them."""
        return Described(
            artefact=self.rows.native,
            quasi=self.quasi,
            sensitive=tuple(self.facts["columns"]["sensitive"]),
            target=self.target,
            requirements=self.guarantee.requirements,
            missing=self.guarantee.missing,
            audit=self.audit,
            proportions=self.proportions,
            # Without an entity, the pseudonyms in the table identify people.
            entity=self.classes.entity if self.guarantee.entity is None else self.guarantee.entity,
            people=None if self.guarantee.entity is None else self.rows.people,
            facts=self.facts,
            determined=self.guarantee.determined,
        )

    @property
    def target(self) -> str | None:
        """The target, if the schema names one."""
        name: str | None = self.facts["columns"]["target"]
        return name

    @property
    def table(self) -> Any:
        """The published rows: the dataframe type that came in; for a file, a DuckDB relation over the release.

        It is a copy: your changes to it are not saved. A table of Spark reads files in a hidden folder, which goes when
        its session or this program ends: write what you want to keep.
        """
        return self.rows.table

    @property
    def manifest(self) -> dict[str, Any]:
        """How the release was made, for its readers; no value of the input is in it."""
        # A loaded manifest is public already, and names the version that made it.
        facts = {} if self.private is None else self.private.facts
        own = {**public_facts(facts, digits_shown(self.facts["rows_in"])), "audit": self.audit.to_dict()}
        return {"hedgerow": __version__, "versions": versions(), **self.facts, **own}

    @property
    def reasons(self) -> Reasons:
        """Why classes show no more than they do: a secret, like the recoding; :meth:`explain` describes one row."""
        from hedgerow.release._explaining import reasons_of

        return reasons_of(self.private, self.originals, self.guarantee.requirements, enforced=self.guarantee.enforced)

    def explain(self, row: Mapping[str, Any]) -> Explanation:
        """Explain why a record is published as it is, or left out: which requirement forbids to show more.

        The answer reveals original values and parts of classes. It is for you alone. Only a fresh release knows it.

        Parameters
        ----------
        row : mapping of column to value
            The quasi-identifiers of a record as they stand in the original table. Other columns are ignored.

        Examples
        --------
        >>> import pyarrow as pa
        >>> import hedgerow as hr
        >>> people = pa.table({"age": [20, 23, 27, 25, 27, 29], "sex": ["M", "M", "F", "F", "F", "M"]})
        >>> schema = hr.Schema(quasi=["age", "sex"], hierarchies={"age": "intervals:5,10"})
        >>> release = hr.anonymize(people, schema, k=3)
        >>> print(release.explain({"age": 27, "sex": "F"}))  # doctest: +ELLIPSIS
        2 of 2 records in a class of ...
        """
        from hedgerow.release._explaining import explain

        return explain(self.reasons, row)

    def preview(self, rows: int = 5) -> Any:
        """Some published rows, in the type of :attr:`table`.

        The rows of a release are shuffled, so the first rows are as good as any.

        Parameters
        ----------
        rows : int
            How many rows, at most.

        Examples
        --------
        >>> import pyarrow as pa
        >>> import hedgerow as hr
        >>> people = pa.table({"age": [20, 23, 27, 25, 27, 29], "sex": ["M", "M", "F", "F", "F", "M"]})
        >>> release = hr.anonymize(people, hr.Schema(quasi=["age"], target="sex"), k=3)
        >>> release.preview(2).num_rows
        2
        """
        return first_rows(self.table, check_int("rows", "Release.preview", rows, 1))

    def redraw(self, repeats: int = 1) -> Redrawn:
        """Draw rows of ordinary values from the proportions, for tools that cannot read sets, intervals and labels.

        They depend on the release alone, so they reveal nothing beyond it, and they are nobody's rows. Randomness comes
        from the operating system; :func:`hedgerow.learning.redraw` takes a seed.

        Parameters
        ----------
        repeats : int
            How many rows to draw for each published row.

        Raises
        ------
        BadInput
            If the release has no proportions.

        Examples
        --------
        >>> import pyarrow as pa
        >>> import hedgerow as hr
        >>> towns = pa.table({"town": ["Ulm"] * 6 + ["Bern"] * 3 + ["Bonn", "Kiel", "Nice"]})
        >>> schema = hr.Schema(quasi=["town"], hierarchies={"town": "flat"})
        >>> release = hr.anonymize(towns, schema, method="datafly", k=3, publish_proportions=True)
        >>> drawn = release.redraw(2)
        >>> drawn
        Redrawn(24 rows, 2 for each published one; drawn 'town')
        >>> drawn.table["town"].to_pylist().count("Ulm")
        12
        """
        from hedgerow.release._redrawn import draw

        return draw(self, repeats)

    def save(
        self,
        path: str | Path | Destination,
        *,
        escape_formulas: bool = False,
        overwrite: bool = False,
        redrawn: int | Redrawn | None = None,
        rows_per_file: int | None = None,
        partition_by: str | Sequence[str] | None = None,
        beside: Beside | None = None,
    ) -> Path:
        """Write the table and, beside it, its manifest and its proportions.

        Parameters
        ----------
        path : str or Path
            A file (``.csv``, ``.csv.gz`` or ``.parquet``), or a folder of Parquet files. It is a folder if it ends in a
            slash (``"out/"``), if it is an empty folder already, or if the rows are divided.
        escape_formulas : bool
            Whether to put an apostrophe before cells of a CSV that a spreadsheet would take for formulas.
        overwrite : bool
            Whether to replace a release that exists there. Rows that were drawn from it are then removed, unless new
            rows take their place.
        redrawn : int or Redrawn, optional
            Also write rows of ordinary values: so many for each row, or the result of :meth:`redraw`. Beside
            ``out.csv`` they are ``out.redrawn.csv``, with a manifest of their own.
        rows_per_file : int, optional
            The most rows that a file of a folder may have. By default the folder has one file.
        partition_by : str or sequence of str, optional
            Published columns whose values become names of folders, as Hive, Spark and DuckDB read them:
            ``out/sex=F/part-00000.parquet``. Every folder must have at least as many rows as a class, because its name
            is visible even to people who cannot read the table.
        beside : callable, optional
            Writes further files that take their names together with the release. It is called with the manifest, and
            returns for each file a hidden path where it is and the path that it takes. If it fails, nothing is written.

        Notes
        -----
        Every file is counted again before it takes its name. All files are staged first and then renamed, the table
        last. So even if the program is interrupted, a table is never half written, never without its manifest, and
        never beside a manifest that ``hedgerow audit`` would mistake for its own. A folder takes its name as a whole.
        """
        from hedgerow.release.saving import save

        destination = Destination.of(path, rows_per_file, partition_by)
        save(
            self,
            destination,
            escape_formulas=escape_formulas,
            overwrite=overwrite,
            redrawn=redrawn,
            beside=beside,
        )
        return path.path if isinstance(path, Destination) else Path(path)

    @property
    def column_types(self) -> dict[str, str]:
        """The types of the columns, which a CSV does not record."""
        native = self.rows.native
        if isinstance(native, SparkFiles):
            # Only the table that is returned keeps its files; reading a schema needs none of that.
            return column_types(pq.read_schema(native.parts[0]).empty_table())
        return column_types(self.rows.table if isinstance(native, Path) else native)
