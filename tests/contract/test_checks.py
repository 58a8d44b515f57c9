"""The checks fail where they should: for each of them a method that breaks just that promise."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import BadInput, Infeasible, Mondrian, Release, Schema
from hedgerow.anonymizers import checks
from hedgerow.anonymizers.base import Anonymizer
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Pieces, Recoding, publish_groups, shown_as
from hedgerow.engines import FrameRows
from hedgerow.requirements import KAnonymity, Requirement

BY_NAME: dict[str, Callable[..., None]] = {check.__name__.removeprefix("check_"): check for check in checks.CHECKS}
BROKEN: list[tuple[type[Anonymizer], str]] = []


def breaks(*names: str) -> Callable[[type[Anonymizer]], type[Anonymizer]]:
    """Say which checks a method must fail."""

    def register(method: type[Anonymizer]) -> type[Anonymizer]:
        BROKEN.extend((method, name) for name in names)
        return method

    return register


class Tampered(Mondrian):
    """Changes what the verifier has already let pass."""

    def anonymize(self, data: Any, schema: Schema | None = None, **keywords: Any) -> Release:
        release = super().anonymize(data, schema, **keywords)
        return replace(release, rows=FrameRows(self.tamper(release.table, data)))

    def tamper(self, rows: Any, data: Any) -> Any:
        raise NotImplementedError


def swapped(table: pa.Table, names: Sequence[str]) -> pa.Table:
    """Give each row the columns of the row before it."""
    moved = table.select(names).take(np.roll(np.arange(len(table)), 1))
    for name in names:
        table = table.set_column(table.column_names.index(name), name, moved[name])
    return table


@breaks(
    "k", "missing_values", "missing_marker", "k_equals_rows", "constant_column", "unique_column", "shields",
    "l_diversity", "rows_shuffled", "fit_resample", "fit_resample_without_schema",
)  # fmt: skip
class Identity(Tampered):
    def tamper(self, rows: Any, data: Any) -> Any:
        return data


@breaks("levels")
class Unlimited(Tampered):
    """Publishes a ZIP code as it is."""

    def tamper(self, rows: Any, data: Any) -> Any:
        return rows.set_column(rows.column_names.index("zip"), "zip", pa.array(["01234"] * len(rows)))


@breaks("k")
class WrongAudit(Mondrian):
    def anonymize(self, *arguments: Any, **keywords: Any) -> Release:
        release = super().anonymize(*arguments, **keywords)
        return replace(release, audit=replace(release.audit, k=release.audit.k + 1))


@breaks("proportions")
class Invented(Mondrian):
    """Says of one class that its people hold another value."""

    def anonymize(self, *arguments: Any, **keywords: Any) -> Release:
        release = super().anonymize(*arguments, **keywords)
        told = release.proportions
        if told is None:
            return release
        column = told.columns[0]
        first, last = column.first.copy(), column.last.copy()
        first[0] = last[0] = (first[0] + 1) % len(column.pools)
        column = replace(column, first=first, last=last)
        return replace(release, proportions=replace(told, columns=(column, *told.columns[1:])))


@breaks("proportions")
class TooFine(Mondrian):
    """Tells exact proportions."""

    def anonymize(self, *arguments: Any, **keywords: Any) -> Release:
        keywords |= {"min_support": 1} if keywords.get("publish_proportions") else {}
        return super().anonymize(*arguments, **keywords)


@breaks("no_row_invented_or_lost")
class RowTwice(Tampered):
    def tamper(self, rows: Any, data: Any) -> Any:
        return rows.take([0, *range(len(rows) - 1)])


@breaks("no_row_invented_or_lost", "one_row", "all_rows_equal", "k_equals_rows")
class RowLost(Tampered):
    def tamper(self, rows: Any, data: Any) -> Any:
        return rows.slice(1)


@breaks("other_columns_untouched", "fit_resample")
class ClassesMixed(Tampered):
    def tamper(self, rows: Any, data: Any) -> Any:
        target = "income" if "income" in rows.column_names else "target"
        return swapped(rows, [target])


@breaks("other_columns_untouched")
class NumbersWritten(Tampered):
    def tamper(self, rows: Any, data: Any) -> Any:
        if "score" not in rows.column_names:
            return rows
        return rows.set_column(rows.column_names.index("score"), "score", rows["score"].cast(pa.string()))


@breaks("published_values_cover")
class GroupsMixed(Tampered):
    def tamper(self, rows: Any, data: Any) -> Any:
        return swapped(rows, ["age", "sex", "zip"])


@breaks("columns_in_order", "fit_resample")
class ColumnsBackwards(Tampered):
    def tamper(self, rows: Any, data: Any) -> Any:
        return rows.select(rows.column_names[::-1])


@breaks("same_frame_type")
class AnotherType(Tampered):
    def tamper(self, rows: Any, data: Any) -> Any:
        return rows.to_pandas()


@breaks("rows_shuffled")
class OrderKept(Tampered):
    def tamper(self, rows: Any, data: Any) -> Any:
        place = {note: at for at, note in enumerate(data["note"].to_pylist())}
        return rows.take(np.argsort([place[note] for note in rows["note"].to_pylist()]))


@breaks("rows_shuffled")
class OrderFromSeed(Tampered):
    def tamper(self, rows: Any, data: Any) -> Any:
        return rows.sort_by([(name, "descending") for name in rows.column_names])


@breaks("seed")
class SeedIgnored(Mondrian):
    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        group = np.array([random.random() < 0.5 for _ in counts.cell_sizes]).astype(np.int32)
        return two_groups(self, counts, group)


@breaks("seed", "people_and_the_seed")
class OrderMatters(Mondrian):
    def anonymize(self, data: Any, schema: Schema | None = None, **keywords: Any) -> Release:
        k = 4 if data["note"][0].as_py() == "note 0" else 9
        self.set_params(k=k)
        return super().anonymize(data, schema, **keywords)


@breaks("people_are_counted")
class RowsCounted(Mondrian):
    """Does not care whose the rows are."""

    def anonymize(self, data: Any, schema: Schema | None = None, **keywords: Any) -> Release:
        return super().anonymize(data, without_people(schema), **keywords)


@breaks("people_are_counted", "people_are_diverse")
class OnePersonIsEnough(Mondrian):
    """Asks for nothing."""

    def _requirements(self, k: int | None = None, require: Any = ()) -> tuple[Requirement, ...]:
        return (KAnonymity(1),)


@breaks("requirements_with_budget")
class OnlyTheFirst(Mondrian):
    """Forgets all requirements but the first."""

    def _requirements(self, k: int | None = None, require: Any = ()) -> tuple[Requirement, ...]:
        return super()._requirements(k, require)[:1]


@breaks("linked_rows")
class LinksForgotten(Mondrian):
    """Lets pseudonyms link rows of people whom it has not counted."""

    def anonymize(self, data: Any, schema: Schema | None = None, **keywords: Any) -> Release:
        return super().anonymize(
            data, None if schema is None else replace(schema, entity=None, rows_are_people=True), **keywords
        )


@breaks("nothing_lost_without_budget", "budget_is_a_limit")
class LosesHalf(Mondrian):
    """Loses records whatever the budget is."""

    def fit_counts(self, counts: Any, requirements: Sequence[Requirement], *, seed: int | None = None) -> Recoding:
        half = np.where(np.arange(len(counts.cell_sizes)) % 2, 0, -1).astype(np.int32)
        pieces = Pieces.whole(half, counts.cell_sizes)
        columns, values = publish_groups(counts, pieces, 1, shown_as(counts, "set"))
        return Recoding(self.name, counts.quasi, columns, values, pieces.sizes(1), pieces)


@breaks("budget_lowers_the_loss")
class WasteOfBudget(Mondrian):
    """Publishes one class where some records may be lost."""

    def fit_counts(self, counts: Any, requirements: Sequence[Requirement], *, seed: int | None = None) -> Recoding:
        return self._fit(counts, [KAnonymity(counts.rows)] if self._may_lose(counts) else requirements, seed)


@breaks("wrong_limits")
class AnyLimit(Mondrian):
    def anonymize(self, *arguments: Any, suppression_limit: Any = None, **keywords: Any) -> Release:
        return super().anonymize(*arguments, **keywords)


def without_people(schema: Schema | None) -> Schema | None:
    if schema is None or schema.entity is None:
        return schema
    return replace(schema, entity=None, identifying=[*schema.identifying, schema.entity])


def two_groups(method: Anonymizer, counts: FrequencyTable, group: np.ndarray[Any, np.dtype[np.int32]]) -> Recoding:
    pieces = Pieces.whole(group, counts.cell_sizes)
    columns, values = publish_groups(counts, pieces, 2, shown_as(counts, "set"))
    sizes = np.bincount(group, counts.cell_sizes, 2).astype(np.int64)
    return Recoding(method.name, counts.quasi, columns, values, sizes, pieces)


@breaks("input_not_modified")
class InputModified(Mondrian):
    def anonymize(self, data: Any, schema: Schema | None = None, **keywords: Any) -> Release:
        release = super().anonymize(data, schema, **keywords)
        data["age"] = 0
        return release


@breaks("missing_marker")
class MarkerForgotten(Mondrian):
    def anonymize(self, *arguments: Any, **keywords: Any) -> Release:
        release = super().anonymize(*arguments, **keywords)
        return replace(release, private=replace(release.recoding, missing=("",)))


@breaks("weights_are_kept_to")
class WeightsForgotten(Mondrian):
    """Leaves the weights out before anything else."""

    def anonymize(self, data: Any, schema: Schema | None = None, **keywords: Any) -> Release:
        return super().anonymize(data, None if schema is None else replace(schema, weights={}), **keywords)


@breaks("weights_are_kept_to")
class LightColumnsRaw(Tampered):
    """Publishes columns that weigh nothing as they are."""

    def anonymize(self, data: Any, schema: Schema | None = None, **keywords: Any) -> Release:
        self.light = [] if schema is None else [name for name, weight in schema.weights.items() if weight == 0]
        return super().anonymize(data, schema, **keywords)

    def tamper(self, rows: Any, data: Any) -> Any:
        own = dict(zip(data["note"].to_pylist(), range(len(data)), strict=True))
        places = [own[note] for note in rows["note"].to_pylist()]
        for name in self.light:
            rows = rows.set_column(rows.column_names.index(name), name, data[name].take(places))
        return rows


@breaks("multiples_of_weights")
class WeightsAsTheyAre(Mondrian):
    """Reads the size of the weights and not only their ratios."""

    def anonymize(self, data: Any, schema: Schema | None = None, **keywords: Any) -> Release:
        heaviest = 0.0 if schema is None else max(schema.weights.values(), default=0.0)
        self.set_params(cut="widest" if heaviest > 3 else "loss")
        return super().anonymize(data, schema, **keywords)


class Weightless(Mondrian):
    """Fits as if columns weighed the same."""

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        equal = replace(counts.roles, column_weights=(1.0,) * len(counts.quasi))
        return super()._fit(replace(counts, roles=equal), requirements, seed)


@breaks("weights_decide")
class WeighsInVain(Weightless):
    """Says that columns weigh, which is not so."""


@breaks("weights_decide")
class WeighsInSecret(Mondrian):
    """Says that columns do not weigh, which they do."""

    def uses_weights(self) -> bool:
        return False


@breaks("weights_decide")
class NothingRemarked(Weightless):
    """Does not say that weights have no effect."""

    def uses_weights(self) -> bool:
        return False

    def anonymize(self, *arguments: Any, **keywords: Any) -> Release:
        release = super().anonymize(*arguments, **keywords)
        return replace(release, audit=replace(release.audit, warnings=()))


@breaks("infeasible", "k_above_rows")
class NothingReturned(Mondrian):
    def anonymize(self, *arguments: Any, **keywords: Any) -> Any:
        try:
            return super().anonymize(*arguments, **keywords)
        except (BadInput, Infeasible):
            return None


@breaks("infeasible", "k_above_rows")
class SomethingElseReturned(Mondrian):
    """Where what is asked for cannot be met, less is done without a word."""

    def anonymize(self, *arguments: Any, **keywords: Any) -> Release:
        try:
            return super().anonymize(*arguments, **keywords)
        except (BadInput, Infeasible):
            self.set_params(k=2, require=())
            return super().anonymize(*arguments, **keywords)


@breaks("infeasible", "k_above_rows", "errors_hide_cells")
class AnotherError(Mondrian):
    def anonymize(self, *arguments: Any, **keywords: Any) -> Release:
        try:
            return super().anonymize(*arguments, **keywords)
        except (BadInput, Infeasible) as error:
            raise ValueError(str(error)) from None


@breaks("infeasible", "k_above_rows", "errors_hide_cells")
class CellsQuoted(Mondrian):
    def anonymize(self, data: Any, *arguments: Any, **keywords: Any) -> Release:
        try:
            return super().anonymize(data, *arguments, **keywords)
        except (BadInput, Infeasible) as error:
            raise type(error)(f"{error} Look at {data['zip'][5]} and {data['age'][5]} of {data['note'][5]}.") from None


@breaks("errors_hide_cells")
class CellsInTheCause(Mondrian):
    def anonymize(self, data: Any, *arguments: Any, **keywords: Any) -> Release:
        try:
            return super().anonymize(data, *arguments, **keywords)
        except BadInput as error:
            raise BadInput("Something is wrong.") from KeyError(f"{error} {data['note'][5]}")


class Routed(Mondrian):
    """A recoding whose way with unseen rows is replaced."""

    wrong: ClassVar[type[Recoding]]

    def anonymize(self, *arguments: Any, **keywords: Any) -> Release:
        release = super().anonymize(*arguments, **keywords)
        return replace(release, private=self.wrong(**vars(release.recoding)))


class Backwards(Recoding):
    def transform(self, rows: Any) -> Any:
        return super().transform(rows.take(list(range(len(rows) - 1, -1, -1))))


class Unchanged(Recoding):
    def transform(self, rows: Any) -> Any:
        return rows


@breaks("unseen_rows")
class UnseenBackwards(Routed):
    wrong = Backwards


@breaks("unseen_rows")
class UnseenRaw(Routed):
    wrong = Unchanged


@breaks("keyword_only_parameters")
class Positional(Mondrian):
    def __init__(self, k: int | None = None) -> None:
        super().__init__(k=k)


@breaks("init_only_assigns")
class Converting(Mondrian):
    def __init__(self, *, k: int | None = None, random_state: int | None = None, **others: Any) -> None:
        super().__init__(k=k, random_state=random_state)
        self.random_state = None if random_state is None else hash(random_state)


@breaks("init_only_assigns")
class Counting(Mondrian):
    def __init__(
        self, *, k: int | None = None, require: Any = (), schema: Any = None, random_state: Any = None
    ) -> None:
        super().__init__(k=k, require=require, schema=schema, random_state=random_state)
        self.calls = 0


@breaks("parameters_round_trip")
class Stubborn(Mondrian):
    def set_params(self, **parameters: Any) -> Any:
        return super().set_params(**{name: value for name, value in parameters.items() if name != "k"})


@breaks("clone")
class FittedClone(Mondrian):
    def __sklearn_clone__(self) -> Any:
        copy = type(self)(**self.get_params())
        copy.__dict__.update(self.__dict__)
        return copy


@breaks("pickle")
class Forgetful(Mondrian):
    def __reduce__(self) -> Any:
        return type(self), ()


@breaks("repr")
class Nameless(Mondrian):
    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        return "an anonymizer"


def pandas_frame(table: pa.Table) -> Any:
    return table.to_pandas()


@pytest.mark.parametrize(("method", "name"), BROKEN, ids=lambda one: one if isinstance(one, str) else one.__name__)
def test_a_broken_method_fails_its_check(method: type[Anonymizer], name: str) -> None:
    check = BY_NAME[name]
    arguments = [pandas_frame] if name == "input_not_modified" else []
    with pytest.raises(AssertionError) as failure:
        check(method(), *arguments)
    assert str(failure.value).endswith("."), "a failure says in one sentence what is wrong"


def test_every_check_has_a_method_that_fails_it() -> None:
    assert {name for _, name in BROKEN} == set(BY_NAME)


class OneGroup(Anonymizer):
    """A user's own method, which no registry knows: everything in one class."""

    name: ClassVar[str] = "one-group"

    def __init__(
        self,
        *,
        k: int | None = None,
        require: Sequence[Requirement | str] = (),
        publish: str = "set",
        schema: Schema | None = None,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.require = require
        self.publish = publish
        self.schema = schema
        self.random_state = random_state

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        pieces = Pieces.whole(np.zeros(len(counts.cell_sizes), dtype=np.int32), counts.cell_sizes)
        columns, values = publish_groups(
            counts, pieces, 1, shown_as(counts, "label" if self.publish == "label" else "set")
        )
        return Recoding(self.name, counts.quasi, columns, values, np.array([counts.rows]), pieces)


@pytest.mark.parametrize("publish", ["set", "label"])
def test_a_method_of_the_users_own_can_be_checked(publish: str) -> None:
    checks.check_anonymizer(OneGroup(publish=publish))
