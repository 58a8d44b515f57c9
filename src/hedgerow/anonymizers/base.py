"""The base of all methods: a template method around ``_fit``, and a step of an imbalanced-learn pipeline."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import InitVar, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Self

from hedgerow.anonymizers.parameters import (
    Declared,
    Presets,
    check_limit,
    records_allowed,
    refuse_losses,
    remarks_on_limit,
    shared,
)
from hedgerow.core.counts import LargeTable, in_bins, refuse_many_numbers
from hedgerow.errors import BadInput, InternalError, listing
from hedgerow.requirements import Requirement
from hedgerow.requirements import resolve as resolve_requirements
from hedgerow.schema import Schema

if TYPE_CHECKING:
    from pathlib import Path

    from hedgerow.core.counts import FrequencyTable
    from hedgerow.core.recoding import Recoding, Shown
    from hedgerow.io.destinations import Destination
    from hedgerow.release import Release
    from hedgerow.release.pipeline import Options, Prepared, Progress
    from hedgerow.schema import Roles

__all__ = ["Anonymizer", "CELLS_TELL", "FITTING"]


FITTING: Final = "Fitting"
"""The progress label of the fit, before the name of the method."""

CELLS_TELL: Final = (
    "Sets and intervals name what the people of their class hold. Attackers can find out more by it than k says, such "
    "as who is in the table: hedgerow attack measures it. Mondrian and Hedge tell less with cells='region' (--set "
    "cells=region), and keep less."
)
"""A warning on releases for which attacks are known to succeed (:mod:`hedgerow.attacks`)."""
_SEVERAL: Final = frozenset({"interval", "set"})


class Anonymizer(Declared):
    """An anonymization method, as a scikit-learn estimator.

    A subclass names its ``name``, ``family``, ``paper`` and ``guarantees``, declares its parameters as fields and
    implements ``_fit``. This class does the rest: reading, counting, hierarchies, requirements, verification, writing.
    :func:`hedgerow.anonymizers.checks.check_anonymizer` checks whether a subclass keeps the contract.
    """

    name: ClassVar[str]
    family: ClassVar[str] = "others"
    paper: ClassVar[str] = ""
    uses_target: ClassVar[bool] = False
    """Whether the method learns from the classes of the target."""
    learns_numbers: ClassVar[bool] = False
    """Whether it also learns from a target of numbers."""
    guarantees: ClassVar[str] = "k-anonymity, l-diversity, t-closeness, p-sensitive, (alpha,k)"
    results_version: ClassVar[int] = 1
    """Raise it when the method makes other releases of a table than before: stored evaluations are then stale."""
    presets: ClassVar[Presets] = {"paper": {}}
    """What ``preset=…`` sets; "paper" is the method as its authors have it, where it differs from the defaults."""
    tight: ClassVar[bool] = False
    """Whether sets and intervals of a group hold only values of its records, unless its ``cells`` are regions."""
    suppression_by: ClassVar[Literal["itself", "outliers", "classes"]] = "outliers"
    """What chooses the records that are lost within the suppression limit: the method itself in its search; or this
    class, which fits it again without outliers, or with smaller classes, and suppresses those that are too small."""

    keeps_levels: ClassVar[bool] = False
    """Whether its own search keeps the limits on levels; if not, this class fits it to parts of the table."""
    keeps_levels_in_parts: ClassVar[bool] = False
    """Whether it keeps the limits on levels out of core."""

    k: int | None = shared(
        "int, optional",
        "Every record shares its quasi-identifiers with at least ``k - 1`` others. It may be given to ``anonymize`` "
        "instead.",
    )
    require: Sequence[Requirement | str] = shared("sequence of requirements", "Further requirements.", default=())
    suppression_limit: float = shared(
        "float or int",
        "How many records may be lost so that the others lose less: a share of them (a float; with 1.0 as many as it "
        "takes) or a number (an int). A lost record counts fully in every metric.",
        default=0,
    )
    publish_proportions: bool = shared(
        "bool",
        "Whether the release also says how the people of every class are divided among the values.",
        default=False,
    )
    min_support: int | None = shared(
        "int, optional",
        "The least number of people behind a published proportion; by default the largest k that is required.",
    )
    target_bins: int | None = shared(
        "int, optional",
        "Into how many bins with about equally many people a target of numbers is cut, for methods that learn from its "
        "classes. The numbers are published as they are.",
    )
    schema: Schema | None = shared(
        "Schema, optional", "For use in a pipeline; all columns are quasi-identifiers without it."
    )
    random_state: int | None = shared("int, optional", "Decides what the method leaves to chance, if anything.")
    preset: InitVar[str | None] = None

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        """Find groups that satisfy all requirements, from counts alone."""
        raise BadInput(f"{type(self).__name__} has no '_fit'. Write one.")

    def not_in_parts(self) -> str | None:
        """Why the method cannot work out of core, in a sentence after "Above that"; ``None`` if it can."""
        return f"{type(self).__name__} cannot be used, only methods that work part by part (Mondrian, KActus)"

    def _fit_in_parts(self, large: LargeTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        """Find the groups that :meth:`_fit` would find, of a table whose tuples do not fit into memory."""
        raise InternalError("a method that works part by part does not say how")

    @classmethod
    def reveals_values(cls, parameters: Mapping[str, Any]) -> bool:
        """Whether a release with these parameters reveals which values the records of a group hold."""
        return cls.tight and parameters.get("cells", "held") == "held"

    def uses_weights(self) -> bool:
        """Whether its choices follow the weights of columns; if not, the release warns that weights have no effect."""
        return False

    def _shown(self, counts: FrequencyTable) -> Sequence[Shown] | None:
        """How columns are shown, if groups show only values of their records: a group then shrinks with its records."""
        return None

    def fit_counts(
        self, counts: FrequencyTable | LargeTable, requirements: Sequence[Requirement], *, seed: int | None = None
    ) -> Recoding:
        """Fit on a table that was counted. Nothing is published, so nothing is verified.

        This is the only way to ``_fit``: it refuses what the method cannot learn from, and enforces the suppression
        limit.
        """
        self._own_parameters()
        if isinstance(counts, LargeTable):
            self._refuse_large(counts)
        elif self.target_bins is not None:
            counts = in_bins(counts, self.target_bins)
        if (self.uses_target and not self.learns_numbers) or getattr(self, "metric", None) == "classification":
            refuse_many_numbers(counts, type(self).__name__)
        if isinstance(counts, LargeTable):
            return self._fit_in_parts(counts, requirements, seed)
        if not self.keeps_levels and _limited(counts):
            from hedgerow.anonymizers.limits import fit_within_levels

            def fit(some: FrequencyTable, required: Sequence[Requirement], budget: int) -> Recoding:
                return self._with(suppression_limit=budget)._fitted(some, required, seed)

            return fit_within_levels(fit, counts, requirements, self._may_lose(counts), seed)
        return self._fitted(counts, requirements, seed)

    def _fitted(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        """Fit a table in memory, within the suppression limit."""
        recoding = self._fit(counts, requirements, seed)
        return recoding if self._limits_itself() else self._within_limit(recoding, counts, requirements, seed)

    def _refuse_large(self, counts: LargeTable) -> None:
        """Refuse a table that does not fit into memory if the method needs it there."""
        reason = self.not_in_parts()
        if reason is None and self.target_bins is not None:
            reason = "the target cannot be cut into bins: leave target_bins (--target-bins) out"
        if reason is None and not self.keeps_levels_in_parts and _limited(counts):
            reason = (
                "levels cannot be limited, except by Mondrian: leave levels (--level) out, or take Mondrian "
                "(method='mondrian', --method mondrian)"
            )
        if reason is None and self.suppression_limit:
            reason = "no record can be given up: leave suppression_limit (--suppression-limit) out"
        if reason is not None:
            raise counts.exceeds(reason)

    def _may_lose(self, counts: FrequencyTable) -> int:
        """How many records of a table may be lost; where people are counted, it is a share of these."""
        return records_allowed(self.suppression_limit, counts.people)

    def _limits_itself(self) -> bool:
        """Whether ``_fit`` enforces the suppression limit by itself."""
        return False

    def _with(self, **values: object) -> Self:
        """The same method with other values for some parameters; ``None`` leaves a parameter unchanged."""
        other = copy.copy(self)
        for name, value in values.items():
            if value is not None:
                setattr(other, name, value)
        return other

    def _within_limit(
        self, recoding: Recoding, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None
    ) -> Recoding:
        """Refuse a recoding that loses too many records; if it may lose more, try to lower the loss of the others."""
        allowed = self._may_lose(counts)
        if recoding.lost > allowed:
            raise refuse_losses(type(self).__name__, recoding.lost, counts.rows, allowed)
        if recoding.lost == allowed or self.suppression_by == "itself" or recoding.weak is not None:
            return recoding
        from hedgerow.anonymizers.budget import Spending

        def fit(some: FrequencyTable, required: Sequence[Requirement], budget: int) -> Recoding:
            return self._with(suppression_limit=budget)._fit(some, required, seed)

        spending = Spending(fit, counts, requirements, allowed)
        if self.suppression_by == "classes":
            return spending.on_classes(recoding)
        return spending.on_outliers(recoding, self._shown(counts))

    def _own_parameters(self) -> dict[str, Any]:
        """The parameters that not every method has, checked."""
        given = self.get_params(deep=False)
        own = {name: value for name, value in given.items() if name not in self.fields or not self.fields[name].shared}
        self.check({name: value for name, value in own.items() if name in self.fields})
        check_limit(self.suppression_limit, type(self).__name__)
        return own

    def _requirements(self, k: int | None = None, require: Any = ()) -> tuple[Requirement, ...]:
        if k is not None and self.k is not None:
            raise BadInput(f"k is given twice, to {type(self).__name__} and to anonymize. Give it once.")
        both: list[Any] = []
        for given, owner in ((self.require, type(self).__name__), (require, "anonymize")):
            if isinstance(given, Requirement | str):
                both.append(given)
            elif isinstance(given, Iterable):
                both.extend(given)
            else:
                raise BadInput.parameter("require", owner, "a list of requirements", type(given).__name__)
        return resolve_requirements(self.k if k is None else k, both)

    def anonymize(
        self,
        data: Any,
        schema: Schema | None = None,
        *,
        k: int | None = None,
        require: Any = (),
        suppression_limit: float | None = None,
        random_state: int | None = None,
        publish_proportions: bool | None = None,
        min_support: int | None = None,
        target_bins: int | None = None,
        progress: Progress | None = None,
        destination: str | Path | Destination | None = None,
        min_people: int | None = None,
        previous: Any = None,
        previous_original: Any = None,
        previous_recoding: Any = None,
    ) -> Release:
        """Anonymize a table and return the verified release.

        Parameters
        ----------
        data : dataframe, DuckDB relation, path or File
        schema : Schema, optional
            The estimator's own if not given.
        k : int, optional
            Only if the estimator has none.
        require : requirement or sequence of requirements
            Added to the estimator's own.
        suppression_limit : float or int, optional
            Instead of the estimator's own.
        random_state : int, optional
            Instead of the estimator's own.
        publish_proportions : bool, optional
            Instead of the estimator's own.
        min_support : int, optional
            Instead of the estimator's own.
        target_bins : int, optional
            Instead of the estimator's own.
        progress : callable, optional
            Called with the name of each stage.
        destination : path, optional
            Where you will save the release: its rows are then written only once.
        min_people : int, optional
            How many people must hold every value of every column that names nobody.
        previous : dataframe, DuckDB relation, path or Release, optional
            An earlier release, with which the new one must meet all requirements too.
        previous_original : dataframe, DuckDB relation, path or File, optional
            The table that it was made from, which shows who joined and who left.
        previous_recoding : Recoding or path, optional
            Its private recoding, which explains its labels if no hierarchy does.
        """
        from hedgerow.release.pipeline import Options, Previous

        options = Options(
            k,
            require,
            suppression_limit,
            publish_proportions,
            min_support,
            target_bins,
            progress,
            destination,
            min_people,
            remarks=remarks_on_limit(self.suppression_limit if suppression_limit is None else suppression_limit),
            previous=Previous.of(previous, previous_original, previous_recoding),
        )
        return self.anonymize_with(data, schema, options, random_state)

    def anonymize_with(
        self, data: Any, schema: Schema | None, options: Options, random_state: int | None = None
    ) -> Release:
        """Anonymize a table as :meth:`anonymize` does, whose keywords are the fields of ``options``."""
        from hedgerow.release import NotOfPeople, SmallCounts, pipeline

        own = ("suppression_limit", "publish_proportions", "min_support", "target_bins")
        if options.previous is not None and options.publish_proportions is None:
            options = replace(options, publish_proportions=False)
        fitting = self._with(**{name: getattr(options, name) for name in own})
        options = replace(options, **{name: getattr(fitting, name) for name in own})
        parameters = {**fitting._own_parameters(), "suppression_limit": fitting.suppression_limit}
        schema = self.schema if schema is None else schema
        seed = self.random_state if random_state is None else random_state
        requirements = self._requirements(options.k, options.require)
        bounds, margins = pipeline.Bounds(options.min_people), pipeline.Margins()
        while True:
            with margins.explaining():
                prepared = pipeline.prepare(
                    data,
                    Schema() if schema is None else schema,
                    requirements,
                    options,
                    random_state=seed,
                    bounds=bounds,
                    margins=margins,
                )
                options.report(f"{FITTING} {type(self).__name__}")
                recoding = fitting._fit_prepared(prepared)
            recoding = self._remarked(recoding, prepared.roles, parameters)
            try:
                return pipeline.finish(prepared, recoding, parameters)
            except SmallCounts as few:
                # Suppression took people from values that had just enough.
                bounds = bounds.raised(few, prepared.codings, recoding.lost)
            except NotOfPeople as unmet:
                margins = margins.raised(unmet)
            data = prepared.source.source

    def _fit_prepared(self, prepared: Prepared) -> Recoding:
        """Fit a prepared table: as a whole, or in the strata that an earlier release divides it into."""
        if prepared.beside is None:
            return self.fit_counts(prepared.counted, prepared.asked, seed=prepared.random_state)
        from hedgerow.anonymizers.strata import fit_in_strata
        from hedgerow.core.recoding import shown_as

        counts, without = prepared.counts, self._with(suppression_limit=0)

        def fit(part: FrequencyTable, requirements: Sequence[Requirement]) -> Recoding:
            return without.fit_counts(part, requirements, seed=prepared.random_state)

        return fit_in_strata(
            fit,
            counts,
            prepared.beside.strata,
            prepared.asked,
            allowed=records_allowed(self.suppression_limit, prepared.beside.people),
            shown=self._shown(counts) or shown_as(counts, "auto"),
            method=self.name,
        )

    def _remarked(self, recoding: Recoding, roles: Roles, parameters: Mapping[str, Any]) -> Recoding:
        """Add warnings about cells that reveal values, and about weights without effect."""
        remarks = list(recoding.warnings)
        if not self.uses_weights() and len(set(roles.column_weights)) > 1:
            remarks.append(
                f"With these parameters, {type(self).__name__} does not choose by the losses of columns: their weights "
                "change only the reported losses."
            )
        if self.reveals_values(parameters) and any(_SEVERAL.intersection(column.kinds) for column in recoding.columns):
            remarks.append(CELLS_TELL)
        return replace(recoding, warnings=tuple(remarks))

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Anonymize training data as a step of an imbalanced-learn pipeline.

        Parameters
        ----------
        X : dataframe or array
            All columns are quasi-identifiers unless the estimator has a schema; those of an array are called ``x0``,
            ``x1``, ….
        y : array or series
            The labels; they become the schema's target.

        Returns
        -------
        X, y
            The published rows, shuffled, and their labels, in the types that they came in; an array holds objects if
            texts are published. With ``publish_proportions`` X has further columns such as ``age=[20,30)``: the share
            of each part of a quasi-identifier among the people of the row's class, which
            :class:`hedgerow.learning.ProportionalEncoder` reads.
        """
        from hedgerow.core.proportions import shares_of_parts
        from hedgerow.io.ndarray import open_labelled

        labelled = open_labelled(X, y, self.schema, type(self).__name__)
        asked_for = self.publish_proportions and not self.fields["publish_proportions"].default
        if labelled.from_array and asked_for:
            raise BadInput(
                "The columns of an array have no names, so that none could be added for proportions. Give a dataframe, "
                "or take hr.learning.Redraw, which adds none."
            )
        opened = labelled.opened
        self.release_ = release = self.anonymize(labelled.table, labelled.schema)
        features, classes = labelled.parted(release.table)
        if release.proportions is not None and not labelled.from_array:
            names, shares = shares_of_parts(release.proportions, release.hierarchies)
            of_row = shares[release.proportions.classes_of(features)]
            _refuse_names(names, features.columns)
            features = features.with_columns(*(opened.series(name, of_row[:, at]) for at, name in enumerate(names)))
        return opened.back(features), labelled.as_given(classes)


def _limited(counts: FrequencyTable | LargeTable) -> bool:
    """Whether the levels of some column are limited."""
    return any(tree.limits is not None for tree in counts.hierarchies.values())


def _refuse_names(names: Sequence[str], columns: Sequence[str]) -> None:
    taken = [name for name in names if name in columns]
    if taken:
        raise BadInput(f"Proportions would be called {listing(taken)}, as columns of X are. Rename these.")
