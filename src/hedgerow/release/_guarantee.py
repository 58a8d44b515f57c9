"""The guarantee that every artefact of a release must meet: the returned table, and each file that is saved.

The verifier counts each artefact once, exactly as it is. A table that fails is never returned, and a file that fails
never takes its name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import BadInput, Infeasible, InternalError, NotAnonymous, listing, plural, translated
from hedgerow.release._margins import NotOfPeople
from hedgerow.risk import refuse_determined
from hedgerow.verifier import (
    ClassCounts,
    Finding,
    Levels,
    Link,
    PeoplePerValue,
    RowOwners,
    Verdict,
    enforce,
    links_of,
    outside_levels,
    people_per_value,
    repeats,
    verify,
    within,
)
from hedgerow.verifier import count_classes as count_published
from hedgerow.verifier import open_table as open_published

__all__ = ["Guarantee", "SmallCounts"]

_DELIMITER, _ENCODING = ",", "utf-8"  # our own files have no others


class SmallCounts(NotAnonymous):
    """Some published values are held by too few people. ``held`` has the columns and how few."""

    def __init__(self, held: PeoplePerValue) -> None:
        parts = [
            f"{plural(rare.values, 'values')} of {name!r} {'is' if rare.values == 1 else 'are'} held by fewer"
            for name, rare in held.failing.items()
        ]
        super().__init__(f"The table does not have {held.promise}: {'; '.join(parts)}.")
        self.held = held

    def __reduce__(self) -> tuple[type[SmallCounts], tuple[PeoplePerValue]]:
        return type(self), (self.held,)


@dataclass(frozen=True)
class Guarantee:
    """What must be true of the published rows, however they are stored.

    Parameters
    ----------
    columns : tuple of str
        The published columns, in order.
    quasi : tuple of str
        The quasi-identifiers.
    counted : tuple of str
        The sensitive columns and the target.
    requirements : sequence of requirements
        Read by the verifier, which has formulas of its own.
    missing : tuple of str
        Texts that mean "no value".
    rows : int
        How many rows there are.
    enforced : bool
        Whether the requirements must hold; not for a release that is marked as weak.
    entity : str, optional
        The column that identifies people, if people are counted instead of rows.
    linked : bool
        Whether that column is published, unchanged or as pseudonyms.
    linking : tuple of str
        The published columns that may link the rows of a person. The verifier finds those that do. If one does, at
        least k people must share all their classes.
    pseudonyms : tuple of str
        The columns of pseudonyms. Without an ``entity`` they identify people, and people are counted by each of them.
    accepted : tuple of str
        Columns that may link rows, because you accept it.
    memory : int, optional
        How many bytes of memory the verifier may use to count, if there is a limit.
    determined : mapping of column to tuple of str
        Columns in clear that quasi-identifiers determine, and by which: requirements must hold over all of them.
    levels : mapping of column to Levels
        The quasi-identifiers whose levels are limited, with the labels that are allowed.
    min_people : int, optional
        How many people must hold every value of every column.
    exempt : tuple of str
        The columns of pseudonyms, of which that is not demanded.
    """

    columns: tuple[str, ...]
    quasi: tuple[str, ...]
    counted: tuple[str, ...]
    requirements: Sequence[Any]
    missing: tuple[str, ...]
    rows: int
    enforced: bool = True
    entity: str | None = None
    linked: bool = False
    linking: tuple[str, ...] = ()
    pseudonyms: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()
    memory: int | None = None
    determined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    levels: Mapping[str, Levels] = field(default_factory=dict)
    min_people: int | None = None
    exempt: tuple[str, ...] = ()

    def count_values(self, artefact: Any, people: NDArray[np.int64] | None = None) -> PeoplePerValue | None:
        """Count who holds each value of an artefact, and refuse it if they are too few; parameters as of :meth:`count`.

        A file does not name the person of a row. Then its rows are counted, which must be at least as many.
        """
        if self.min_people is None:
            return None
        entity = None if people is None or self.entity is None else RowOwners(self.entity, people)
        held = self.holders(artefact, self.min_people, entity)
        if held.failing and self.enforced:
            raise SmallCounts(held)
        return held

    def holders(self, artefact: Any, least: int, entity: str | RowOwners | None = None) -> PeoplePerValue:
        """Count who holds each value of an artefact; ``entity`` as of :func:`people_per_value`."""
        with within(self.memory):
            opened = open_published(artefact, encoding=_ENCODING, delimiter=_DELIMITER)
            return people_per_value(opened, least, entity=entity, exempt=self.exempt, missing=self.missing)

    def count(self, artefact: Any, people: NDArray[np.int64] | None = None) -> ClassCounts:
        """Count an artefact; refuse it if it is not what should be published or violates a requirement.

        Parameters
        ----------
        artefact : dataframe, DuckDB relation or path
        people : array of int, optional
            The person of each row, if people are counted.
        """
        if (people is None) != (self.entity is None):
            raise InternalError("people must be counted, and the persons of the rows are missing")
        if self.entity is None:
            return self._count_by_pseudonyms(artefact)
        classes = self._count(artefact, people)
        if self.enforced:
            self._enforce_of_people(classes)
            self._enforce_requirements(classes)
        return classes

    def _enforce_requirements(self, classes: ClassCounts) -> None:
        """Refuse classes that violate a requirement, over the quasi-identifiers or with the columns they determine."""
        verdict = verify(classes, self.requirements)
        failing = [finding for finding in verdict.findings if not finding.holds]
        if failing and all(finding.determined for finding in failing):
            # Without the columns that quasi-identifiers determine, all requirements hold.
            first = failing[0]
            refuse_determined(
                {name: self.determined[name] for name in first.determined},
                f"{first.requirement.removesuffix(' with ' + listing(first.determined))} does not hold: "
                f"{first.measure} is {first.reached:.4g} where {first.required:.4g} is required, and "
                f"{plural(first.classes_violating, 'classes')} with {plural(first.rows_violating, 'records')} violate "
                "it",
            )
        enforce(verdict)

    def links(self, classes: ClassCounts) -> tuple[Link, ...]:
        """The columns that reveal which rows belong to one person."""
        pseudonyms = {*self.pseudonyms, *((self.entity,) if self.linked and self.entity is not None else ())}
        # An attacker who knows the determined columns can distinguish more classes.
        known = classes if classes.wider is None else classes.wider
        return links_of(known, self._demanded, pseudonyms=pseudonyms, accepted=self.accepted)

    @property
    def _demanded(self) -> int:
        return max((int(getattr(requirement, "k", 1)) for requirement in self.requirements), default=1)

    def _count_by_pseudonyms(self, artefact: Any) -> ClassCounts:
        """Count rows, or people if a pseudonym occurs in several rows: then it identifies a person."""
        with within(self.memory):
            opened = open_published(artefact, encoding=_ENCODING, delimiter=_DELIMITER)
            repeated = [name for name in self.pseudonyms if repeats(opened, name)]
        counted = self._count(artefact, linking=repeated) if repeated else self._count(artefact)
        of_people = [counted.of_people(name) for name in repeated]
        if self.enforced:
            for name, classes in zip(repeated, of_people, strict=True):
                self._enforce_of_pseudonyms(name, classes)
            self._enforce_requirements(counted)
        # Of several columns of pseudonyms, the one that most rows share.
        return min(of_people, key=lambda classes: classes.people, default=counted)

    def _enforce_of_pseudonyms(self, name: str, classes: ClassCounts) -> None:
        """Refuse classes of too few people, as their pseudonyms identify them."""
        way_out = (
            f"Name the column of the person as the entity (entity={name!r}, --entity {name}) to count people, drop the "
            "pseudonyms (--drop), or declare that every row is a person (rows_are_people=True, --rows-are-people)."
        )
        for finding in verify(classes, self.requirements).findings:
            if not finding.holds:
                raise Infeasible(
                    f"{finding.requirement} holds for rows, but not for people: a pseudonym of {name!r} occurs in "
                    f"several rows, and {finding.measure} of people is {finding.reached:.4g} where "
                    f"{finding.required:.4g} is required. {way_out}"
                )
        known = classes if classes.wider is None else classes.wider
        fewest = known.linked_by((name,), 0)[0]
        if fewest < self._demanded:
            raise Infeasible(
                f"The pseudonyms of {name!r} link the rows of a person, and the smallest group of people who share all "
                f"their classes has {plural(fewest, 'people')}, where {self._demanded:,} are required. {way_out}"
            )

    def _enforce_of_people(self, classes: ClassCounts) -> None:
        """Refuse what shows only when people are counted in the release; no method promises it."""
        if self.entity is None:
            return
        for which, requirement in enumerate(self.requirements):
            for finding in verify(classes, [requirement]).findings:
                if not finding.holds and not finding.determined and finding.measure not in ("k", "l", "p"):
                    raise _not_of_people(which, finding)
        for link in self.links(classes):
            if not link.accepted and link.k < self._demanded:
                self._refuse_link(link)

    def _refuse_link(self, link: Link) -> None:
        """Refuse columns that link the rows of a person, if too few people share all their classes."""
        *others, last = map(repr, link.columns)
        named = f"{', '.join(others)} and {last} together" if others else last
        made = set(link.columns) <= {*self.pseudonyms, self.entity}
        acceptable = "" if made else f", or accept it (accept=[…], --accept {','.join(link.columns)})"
        raise Infeasible(
            f"{named} {'link' if others else 'links'} the rows of a person, and the smallest group of people who share "
            f"all their classes has {plural(link.k, 'people')}, where {self._demanded:,} are required. Drop "
            f"{'one of these columns' if others else 'that column'}, or take a method that generalizes whole "
            f"columns (optimal, incognito, datafly){'' if made else ' and name the column as entity'}{acceptable}."
        )

    def count_again(self, path: Path, published: ClassCounts, *, escaped: bool = False) -> None:
        """Count a file that was written from published rows: it must have the same classes.

        If formulas were escaped, values have other texts, which no order or tree knows. Then the file is compared with
        the verified rows: it must have the same classes, with values of the same frequencies. The same holds if people
        are counted.
        """
        # A file does not name the person of a row: if people are counted, it must have the rows that were verified.
        compared = escaped or self.entity is not None
        with self._blanks_translated(path, published):
            if compared and self.enforced and self._blanks_vanish(path, published):
                self._enforce_requirements(published.without_empty_text())
            written = self._count(path, escaped=escaped) if compared else self.count(path)
        published = published.by_rows if compared and published.entity is not None else published
        self.count_values(path)
        same = np.array_equal(np.sort(written.sizes), np.sort(published.sizes))
        if compared:
            same = same and all(
                np.array_equal(_profile(written, name), _profile(published, name)) for name in self.counted
            )
        if not same:
            what = "folder" if path.is_dir() else "file"
            raise NotAnonymous(
                f"The {what} {path.name!r} would differ from the release: {len(written.sizes):,} classes were written "
                f"where {len(published.sizes):,} were published. Save the release as .parquet."
            )

    def _blanks_translated(self, path: Path, published: ClassCounts) -> AbstractContextManager[object]:
        """Name the reason if a requirement fails in a CSV because empty text became missing."""
        if not self._blanks_vanish(path, published):
            return nullcontext()
        return translated(
            NotAnonymous,
            into=BadInput(
                f"The file {path.name!r} cannot show empty text, which a CSV does not tell apart from missing values, "
                "and a requirement does. Save the release as .parquet, or let the schema say that empty text is "
                "missing (missing=['', …])."
            ),
        )

    def _blanks_vanish(self, path: Path, published: ClassCounts) -> bool:
        """Whether a file is a CSV, which shows empty text among the sensitive values as missing."""
        labels = (published.cells.sensitive[name].labels for name in self.counted)
        blanks = "" not in self.missing and any("" in texts for texts in labels)
        return blanks and not path.is_dir() and path.suffix != ".parquet"

    def _count(
        self,
        artefact: Any,
        people: NDArray[np.int64] | None = None,
        linking: Sequence[str] = (),
        *,
        escaped: bool = False,
    ) -> ClassCounts:
        with within(self.memory):
            classes = count_published(
                open_published(artefact, encoding=_ENCODING, delimiter=_DELIMITER),
                self.quasi,
                sensitive=self.counted,
                entity=None if people is None or self.entity is None else RowOwners(self.entity, people),
                linking=linking if people is None else self.linking,
                missing=self.missing,
                determined=self.determined,
            )
        # Columns in the names of folders come after those in the files.
        partitioned = isinstance(artefact, Path) and artefact.is_dir()
        names = (classes.table_columns, self.columns)
        if names[0] != names[1] and not (partitioned and sorted(names[0]) == sorted(names[1])):
            raise InternalError("the published columns are not those that were to be published")
        if classes.rows != self.rows:
            raise InternalError(f"{classes.rows:,} rows came out where {self.rows:,} should have")
        limits = outside_levels(classes, self.levels, escaped=escaped)
        if limits:
            enforce(Verdict(all(finding.holds for finding in limits), limits))
        return classes


def _not_of_people(which: int, finding: Finding) -> NotOfPeople:
    return NotOfPeople(
        f"{finding.requirement} holds for rows, but not for people: {finding.measure} is {finding.reached:.4g} where "
        f"{finding.required:.4g} is required, because some people have many rows in a class. Require more than you "
        "need or distinct l-diversity, or keep one row per person.",
        which,
        abs(finding.reached - finding.required) / finding.required if finding.required else 1.0,
    )


def _profile(classes: ClassCounts, column: str) -> NDArray[np.int64]:
    """How often the values of a column occur in classes of each size, whatever the values and classes are called."""
    histogram = classes.histogram(column)
    rows = np.stack([classes.sizes[histogram.classes], histogram.counts], axis=1)
    return rows[np.lexsort(rows.T)]
