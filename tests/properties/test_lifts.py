"""What is told by label, on random tables: nobody is singled out by it, every bin has its support, files keep it.

The attacker lists, for every class, all ways to give its people tuples, label by label, that agree with its cells, its
bins, and whether it counts. They are joined with those of the other classes by the marginals and by the sums of each
region, of all its people and of each label. What is fixed then, though it was not without lifts, is singled out by
these.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache, partial
from itertools import chain, combinations_with_replacement, product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from attacker_view import QUASI, Sums, View, World, added
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from telling_by_label import all_columns, telling_by_label

import hedgerow as hr
from hedgerow.core.proportions import Lifts, Proportions
from hedgerow.core.proportions import label_margins as lifting
from hedgerow.core.proportions._exact import ExactLabels
from hedgerow.core.proportions._margins import ANYONE
from hedgerow.io.frames import open_frame

Tuple = tuple[int, ...]
Labelled = tuple[tuple[Tuple, ...], ...]
"""The tuples of a class's people, label by label."""

METHODS: list[tuple[type[Any], dict[str, Any]]] = [
    (hr.Mondrian, {"publish": "set"}),
    (hr.Mondrian, {"publish": "interval"}),
    (hr.KActus, {}),
    (hr.APT, {"min_objects": 1}),
    (hr.Datafly, {}),
    (hr.MuArgus, {}),
]


class LabelledView(View):
    """A release as an attacker sees it who also knows how many people of each class have which label."""

    def __init__(self, table: pa.Table, release: hr.Release) -> None:
        super().__init__(table, release)
        assert self.told.lifts is not None
        self.lifts: Lifts = self.told.lifts
        frame = open_frame(release.table).frame
        label = self.lifts.labels_of(frame, self.told.missing)
        self.people = np.zeros((len(self.told.sizes), len(self.lifts.labels)), dtype=np.int64)
        np.add.at(self.people, (self.told.classes_of(frame), label), 1)
        self.counting = np.isin(np.arange(len(self.people)), self.lifts.class_of_pair)
        self.bins_by_label = {
            name: column.bin_of_pool(len(self.told.column(name).pools)) for name, column in self.lifts.columns.items()
        }

    def labelled(self, one: int) -> Iterator[tuple[Labelled, World]]:
        """All ways to fill a class that agree with its cells and bins, with the counts of its columns."""
        covered = [cell.covered if cell.kind != "number" else range(len(values)) for cell, values in self._cells(one)]
        tuples = list(product(*covered))

        @cache
        def agrees(world: World) -> bool:
            for at, counts in enumerate(world):
                if not self.cells[one][at].allows(counts, self.values[at], computed=True):
                    return False
                if not all(each.allows(self.by_pool(at, counts)) for each in self.bins(one, at)):
                    return False
            return True

        choices = [combinations_with_replacement(tuples, int(number)) for number in self.people[one]]
        for world in product(*choices):
            counts = self._counts(person for people in world for person in people)
            if agrees(counts):
                yield world, counts

    def _cells(self, one: int) -> Iterator[tuple[Any, list[Any]]]:
        return zip(self.cells[one], self.values, strict=True)

    def _counts(self, people: Iterator[Tuple]) -> World:
        columns = zip(*people, strict=True)
        return tuple(
            tuple(Counter(column)[code] for code in range(len(values)))
            for column, values in zip(columns, self.values, strict=True)
        )

    def counts_by_rule(self, world: Labelled) -> bool:
        """Whether the people of each label hold several values in two columns."""
        return all(sum(len(set(column)) > 1 for column in zip(*people, strict=True)) >= 2 for people in world if people)

    def by_label(self, one: int, world: Labelled) -> Sums:
        """What a class adds to the bins of its region."""
        sums = []
        for name, column in self.lifts.columns.items():
            at = QUASI.index(name)
            own = np.zeros(len(column.records), dtype=np.int64)
            if self.counting[one] and self.told.columns[at].varying[one]:
                for place, (region, label) in enumerate(zip(column.region, column.label, strict=True)):
                    if region in self.lifts.regions[:, one]:
                        for person in chain(*world) if label == ANYONE else world[label]:
                            own[self.bins_by_label[name][place, self.pool_of[at][person[at]]]] += 1
            sums.append(own)
        return tuple(np.concatenate(sums).tolist())

    @property
    def told_by_label(self) -> Sums:
        return tuple(np.concatenate([column.records for column in self.lifts.columns.values()]).tolist())


def consistent(view: LabelledView, *, with_lifts: bool) -> list[list[Labelled]]:
    """The worlds of each class that agree with all that is published, or with all but lifts."""
    worlds: list[dict[Sums, list[Labelled]]] = []
    for one in range(len(view.people)):
        by_sums: dict[Sums, list[Labelled]] = {}
        for world, counts in view.labelled(one):
            if not with_lifts:
                by_sums.setdefault(view.contribution(one, counts), []).append(world)
            elif view.counts_by_rule(world) == view.counting[one]:
                by_sums.setdefault(view.contribution(one, counts) + view.by_label(one, world), []).append(world)
        worlds.append(by_sums)
    marginals = sum(len(column.pools) for column in view.told.columns)

    def agrees(sums: Sums) -> bool:
        return view.agrees(sums[:marginals]) and (not with_lifts or sums[marginals:] == view.told_by_label)

    width = marginals + (len(view.told_by_label) if with_lifts else 0)
    agreeing = []
    for one, some in enumerate(worlds):
        others: set[Sums] = {(0,) * width}
        for other in (*worlds[:one], *worlds[one + 1 :]):
            others = added(others, set(other))
        fits = [s for s in some if any(agrees(tuple(map(sum, zip(s, rest, strict=True)))) for rest in others)]
        agreeing.append([world for sums in fits for world in some[sums]])
    return agreeing


def fixed(worlds: list[Labelled]) -> dict[Any, int]:
    """The tuples, alone and with their labels, that as many people have in all worlds, and more than none."""
    found: dict[Any, int] | None = None
    for world in worlds:
        counts: Counter[Any] = Counter((label, person) for label, people in enumerate(world) for person in people)
        counts += Counter((None, person) for people in world for person in people)
        found = dict(counts) if found is None else {one: n for one, n in found.items() if counts[one] == n}
    assert found is not None, "the truth is possible"
    return found


def singled_out(view: LabelledView, k: int) -> int:
    alone, told = consistent(view, with_lifts=False), consistent(view, with_lifts=True)
    return sum(
        number
        for before, after in zip(alone, told, strict=True)
        for one, number in fixed(after).items()
        if number < k and one not in fixed(before)
    )


def released(rows: list[Any], method: type[Any], regions: int, **parameters: Any) -> tuple[pa.Table, hr.Release]:
    columns = dict(zip([*QUASI, "ill"], map(list, zip(*rows, strict=True)), strict=True))
    table = pa.table({**columns, "row": list(range(len(rows)))})
    schema = hr.Schema(quasi=QUASI, target="ill", insensitive=["row"], accept=["row"])
    telling = telling_by_label(method, partial(all_columns, regions=regions))
    return table, telling(random_state=0, publish_proportions=True, **parameters).anonymize(table, schema)


def people(most: int) -> st.SearchStrategy[list[Any]]:
    person = st.tuples(
        st.sampled_from([20, 21]), st.sampled_from(["F", "M"]), st.sampled_from(["Bern", "Ulm"]), st.sampled_from("ny")
    )
    return st.lists(person, min_size=4, max_size=most)


@examples(60)
@pytest.mark.parametrize(("method", "parameters"), METHODS)
@given(rows=people(7), k=st.integers(2, 3), regions=st.integers(1, 2), support=st.none() | st.integers(1, 2))
def test_nobody_is_singled_out(
    method: type[Any], parameters: dict[str, Any], rows: list[Any], k: int, regions: int, support: int | None
) -> None:
    table, release = released(rows, method, regions, k=k, min_support=support, **parameters)
    assert release.proportions is not None
    if release.proportions.lifts is not None:
        assert singled_out(LabelledView(table, release), k) == 0


def everybody(labels: ExactLabels) -> Any:
    return np.ones(labels.regions.shape[1], dtype=bool)


def test_one_person_with_a_label_would_be_if_the_others_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the three others with their label hold, taken from what all four do, is the row of the fourth."""
    rows = [(20, "F", "Bern", "n"), (20, "M", "Ulm", "n"), (21, "M", "Bern", "n"), (21, "F", "Ulm", "y")]
    _, release = released(rows, hr.Datafly, 1, k=4, min_support=1)
    assert release.proportions is not None
    assert release.proportions.lifts is None
    monkeypatch.setattr(lifting, "counting_classes", everybody)
    monkeypatch.setattr(LabelledView, "counts_by_rule", lambda *_: True)
    table, release = released(rows, hr.Datafly, 1, k=4, min_support=1)
    assert singled_out(LabelledView(table, release), 4) > 0
    # The audit takes it for the worse.
    assert release.audit.singled_out == 4


@examples(100)
@given(rows=people(60), k=st.integers(2, 8), regions=st.integers(1, 3), least=st.none() | st.integers(1, 12))
def test_bins_have_their_support_and_files_keep_them(rows: list[Any], k: int, regions: int, least: int | None) -> None:
    k = min(k, len(rows))
    support = None if least is None else min(least, len(rows))
    _, release = released(rows, hr.Mondrian, regions, k=k, min_support=support)
    told = release.proportions
    assert told is not None
    assert release.audit.singled_out == 0 or told.min_support < k
    if told.lifts is None:
        assert "lifts" not in told.to_dict()
        return
    for name, column in told.lifts.columns.items():
        assert column.records.min() >= told.min_support
        bins = column.bin_of_pool(len(told.column(name).pools))
        assert (np.diff(bins, axis=1) >= 0).all()
        assert bins[:, 0].tolist() == column.starts[:-1].tolist()
        assert bins[:, -1].tolist() == (column.starts[1:] - 1).tolist()
        counted = told.column(name).varying[told.lifts.class_of_pair]
        of_pair, labels = told.lifts.regions[:, told.lifts.class_of_pair], told.lifts.label_of_pair
        for place, (region, label) in enumerate(zip(column.region, column.label, strict=True)):
            mine = counted & (of_pair == region).any(axis=0) & ((labels == label) | (label == ANYONE))
            assert (
                told.lifts.people[mine].sum() == column.records[column.starts[place] : column.starts[place + 1]].sum()
            )
    stored = json.loads(json.dumps(told.to_dict(), allow_nan=False))
    assert Proportions.from_dict(stored).to_dict() == told.to_dict()
