"""The line from a table to a verified release: nothing that fails is handed out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

import hedgerow as hr
from hedgerow import BadInput, Infeasible, KAnonymity, LDiversity, Mondrian, NotAnonymous, Schema, TCloseness
from hedgerow.core.recoding import Pieces, Recoding, publish_groups, shown_as
from hedgerow.engines import CountedSource, MemorySource, Source
from hedgerow.errors import InternalError, required
from hedgerow.release import pipeline
from hedgerow.release.pipeline import check_proportions
from hedgerow.verifier import count_classes

PEOPLE = pa.table(
    {"age": [20, 23, 27, 25, 27, 29], "disease": ["flu", "flu", "cold", "ulcer", "cold", "flu"], "row": list(range(6))}
)
SCHEMA = Schema(quasi=["age"], sensitive=["disease"], insensitive=["row"], accept=["row"])


def prepared(*requirements: Any, random_state: Any = None, **options: Any) -> pipeline.Prepared:
    asked = requirements or [KAnonymity(3)]
    return pipeline.prepare(PEOPLE, SCHEMA, asked, pipeline.Options(**options), random_state=random_state)


def groups_of(counts: Any, group: list[int]) -> Recoding:
    pieces = Pieces.whole(np.array(group, dtype=np.int32), counts.cell_sizes)
    number = max(group) + 1
    columns, values = publish_groups(counts, pieces, number, shown_as(counts, "set"))
    kept = np.array(group) >= 0
    sizes = np.bincount(np.array(group)[kept], counts.cell_sizes[kept], number).astype(np.int64)
    return Recoding("by hand", counts.quasi, columns, values, sizes, pieces)


def test_prepare_counts_and_encodes() -> None:
    ready = prepared()
    assert ready.counts.rows == 6
    assert ready.counts.tuple_sizes.tolist() == [1, 1, 1, 2, 1]
    assert list(ready.counts.hierarchies) == ["age"]


def test_finish_hands_out_what_the_recoding_says() -> None:
    ready = prepared()
    release = pipeline.finish(ready, groups_of(ready.counts, [0, 0, 0, 1, 1]), {"parameters": {}})
    ages = {row["row"]: row["age"] for row in release.table.to_pylist()}
    assert ages == dict.fromkeys((0, 1, 3), "{20|23|25}") | dict.fromkeys((2, 4, 5), "{27|29}")
    assert (release.facts["rows_in"], release.facts["rows_lost"]) == (6, 0)
    assert release.audit.verdict is not None


def test_finish_counts_lost_rows() -> None:
    ready = prepared(KAnonymity(2))
    release = pipeline.finish(ready, groups_of(ready.counts, [0, 0, 0, 0, -1]), {})
    assert sorted(release.table["row"].to_pylist()) == [0, 1, 2, 3, 4]
    assert (release.recoding.lost, release.facts["rows_lost"]) == (1, 1)


def test_finish_refuses_groups_that_are_too_small() -> None:
    ready = prepared()
    with pytest.raises(NotAnonymous) as refusal:
        pipeline.finish(ready, groups_of(ready.counts, [0, 0, 0, 1, 2]), {})
    assert "29" not in str(refusal.value)


def test_finish_refuses_groups_that_are_not_diverse() -> None:
    ready = prepared(KAnonymity(2), LDiversity(2, "disease"))
    with pytest.raises(NotAnonymous, match="2-diversity of disease"):
        pipeline.finish(ready, groups_of(ready.counts, [0, 0, 1, 1, 1]), {})


def test_finish_refuses_an_original_table_passed_off_as_recoded() -> None:
    """A recoding whose sizes lie: the published rows are counted, not believed."""
    ready = prepared()
    honest = groups_of(ready.counts, [0, 1, 2, 3, 4])
    lying = replace(honest, sizes=np.full(5, 3))
    with pytest.raises(NotAnonymous):
        pipeline.finish(ready, lying, {})


def test_the_recoding_knows_what_counts_as_missing() -> None:
    table = pa.table({"zip": ["a1", "a2", "?", "?", "a1", "a2"]})
    release = Mondrian(k=2).anonymize(table, Schema(quasi=["zip"], missing=["?", "-"]))
    assert release.recoding.missing == ("?", "-")
    recoded = release.recoding.transform(pa.table({"zip": ["-", None, "?"]}))
    assert recoded["zip"].to_pylist() == [None, None, None]


LACKING = r"does not cover 2 of its 4 different values \(5 records\), first at {}s {}\. Add them"


@pytest.mark.parametrize("role", ["quasi", "sensitive"])
@pytest.mark.parametrize(
    ("form", "places"), [("frame", "1, 3 and 4"), ("out.parquet", "1, 3 and 4"), ("out.csv", "2, 4 and 6")]
)
def test_values_that_a_hierarchy_lacks_are_found(role: str, form: str, places: str, tmp_path: Path) -> None:
    towns = ["Zebulon", "Bonn", "Zebulon2", "Zebulon", "Lyon", "Zebulon", "Zebulon2"]
    table = pa.table({"age": [20, 20, 20, 20, 21, 20, 20], "note": ["a", "b", "two\nlines", "c", "d", "e", "f"]})
    table = table.append_column("town", [towns])
    data: Any = table
    if form != "frame":
        data = tmp_path / form
        (pq.write_table if form.endswith("parquet") else pa_csv.write_csv)(table, data)
    hierarchies = {"town": {"*": {"Germany": ["Bonn"], "France": ["Lyon"]}}}
    if role == "quasi":
        schema = Schema(quasi=["age", "town"], insensitive=["note"], hierarchies=hierarchies)
        require = []
    else:
        schema = Schema(quasi=["age"], sensitive=["town"], insensitive=["note"], hierarchies=hierarchies)
        require = [TCloseness(0.9, "town", "hierarchical")]
    word = "line" if form.endswith("csv") else "row"
    with pytest.raises(BadInput, match=LACKING.format(word, places)) as caught:
        Mondrian(k=2).anonymize(data, schema, require=require)
    assert "Zebulon" not in str(caught.value)
    assert caught.value.__context__ is None


class Elsewhere(Source):
    """A source that cannot say where values stand."""

    def __init__(self, table: pa.Table) -> None:
        self._source = MemorySource(table)
        self.columns = self._source.columns

    def count(self, schema: Schema, roles: Any, random_state: int | None = None) -> CountedSource:
        return CountedElsewhere(self, self._source.count(schema, roles, random_state).counts)


class CountedElsewhere(CountedSource):
    def apply(self, *_: Any) -> Any:
        raise NotImplementedError


def test_a_source_need_not_say_where_values_stand() -> None:
    source = Elsewhere(pa.table({"town": ["Zebulon", "Bonn", "Zebulon"]}))
    schema = Schema(quasi=["town"], hierarchies={"town": {"*": {"Germany": ["Bonn"], "France": ["Lyon"]}}})
    with pytest.raises(BadInput, match=r"does not cover 1 of its 2 different values \(2 records\)\. Add"):
        pipeline.prepare(source, schema, [KAnonymity(1)], random_state=None)


def test_new_rows_that_name_a_person_are_not_recoded(tmp_path: Path) -> None:
    names = [f"Zebulon{at}" for at in range(6)]
    table = PEOPLE.select(["age"]).append_column("name", [names]).append_column("card", [names])
    schema = Schema(quasi=["age"], identifying=["name"], pseudonymize=["card"])
    recoding = Mondrian(k=2).anonymize(table, schema).recoding
    for public in (False, True):
        kept = recoding.save(tmp_path / "recoding.json", public=public)
        assert "Zebulon" not in kept.read_text(encoding="utf-8")
        for one in (recoding, Recoding.load(kept)):
            with pytest.raises(BadInput, match=r"still have columns that name a person: 'name', 'card'\. Drop them"):
                one.transform(table)
            with pytest.raises(BadInput, match=r"name a person: 'card'\. Drop"):
                one.transform(table.drop_columns(["name"]))
            assert one.transform(table.select(["age"])).column_names == ["age"]


def test_a_recoding_of_an_earlier_version_names_no_such_columns() -> None:
    recoding = Mondrian(k=3).anonymize(PEOPLE, SCHEMA).recoding
    stored = {name: part for name, part in recoding.to_dict().items() if name != "identifying"}
    assert Recoding.from_dict(stored).transform(PEOPLE).num_rows == 6


def test_columns_are_checked_before_the_table_is_counted() -> None:
    with pytest.raises(BadInput, match="There is no column 'sex'"):
        prepared(KAnonymity(2, shield=["sex"]))
    with pytest.raises(BadInput, match="'row' of 2-diversity of row is not sensitive"):
        prepared(LDiversity(2, "row"))


def test_what_no_method_can_meet_is_refused_at_once() -> None:
    with pytest.raises(
        Infeasible, match=r"all 6 records as one class reach only an entropy l of [0-9.]+\. Lower the requirement\."
    ):
        prepared(LDiversity(2.9, "disease", "entropy"))


def test_a_hierarchy_of_a_sensitive_column_serves_the_distance() -> None:
    schema = replace(SCHEMA, hierarchies={"disease": {"any": {"lung": ["flu", "cold"], "stomach": ["ulcer"]}}})
    ready = pipeline.prepare(PEOPLE, schema, [TCloseness(0.4, "disease", "hierarchical")], random_state=None)
    (requirement,) = ready.requirements
    assert isinstance(requirement, TCloseness)
    assert requirement.tree is not None
    with pytest.raises(BadInput, match="needs a tree"):
        prepared(TCloseness(0.4, "disease", "hierarchical"))


def test_a_file_is_staged_beside_its_destination_and_nothing_stays(tmp_path: Path) -> None:
    source = tmp_path / "people.csv"
    source.write_text("age\n20\n23\n27\n25\n27\n29\n", encoding="utf-8")
    destination = tmp_path / "out.csv"
    release = Mondrian(k=3).anonymize(source, Schema(quasi=["age"]), destination=destination)
    release.save(destination)
    assert sorted(destination.read_text(encoding="utf-8").split()) == [*['"[20,26)"'] * 3, *['"[27,29]"'] * 3, "age"]
    del release
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_file_without_a_destination_is_staged_elsewhere(tmp_path: Path) -> None:
    source = tmp_path / "people.csv"
    source.write_text("age\n20\n23\n27\n25\n27\n29\n", encoding="utf-8")
    release = Mondrian(k=3).anonymize(source, Schema(quasi=["age"]))
    assert sorted(release.table.fetchall()) == [("[20,26)",)] * 3 + [("[27,29]",)] * 3
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_a_destination_that_cannot_be_written_is_refused_first(tmp_path: Path) -> None:
    stages: list[str] = []
    with pytest.raises(BadInput):
        prepared(destination=tmp_path / "nowhere" / "out.csv", progress=stages.append)
    assert stages == []


@pytest.mark.parametrize(
    "requirement",
    [
        TCloseness(0.5, "ill", "hierarchical", tree={"any": ["cold", "flu"]}),
        TCloseness(0.5, "ill", "ordered", order=["cold", "flu"]),
    ],
    ids=str,
)
def test_a_sensitive_value_that_is_marked_as_missing_needs_no_place_in_a_tree_or_order(
    requirement: TCloseness,
) -> None:
    table = pa.table({"age": [1, 1, 2, 2, 3, 3], "ill": ["flu", "cold", "?", "flu", "cold", "?"]})
    schema = Schema(quasi=["age"], sensitive=["ill"], missing=("?",))
    verdict = Mondrian(require=[requirement]).anonymize(table, schema).audit.verdict
    assert verdict is not None
    assert verdict.holds


@pytest.mark.parametrize("kinds", [{}, {"ill": "text"}, {"ill": ["1.50", "1.5"]}], ids=str)
def test_a_sensitive_value_is_not_diverse_for_being_spelled_in_two_ways(kinds: dict[str, Any]) -> None:
    """The method counts as the verifier does, whatever the column is called: it refuses before it publishes."""
    table = pa.table({"age": [1, 1, 2, 2], "ill": ["1.5", "1.50"] * 2})
    schema = Schema(quasi=["age"], sensitive=["ill"], kinds=kinds)
    with pytest.raises(Infeasible, match="2-diversity of ill"):
        Mondrian(k=2, require=[LDiversity(2, "ill")]).anonymize(table, schema)


def test_the_order_of_a_sensitive_column_is_the_scale_of_its_closeness() -> None:
    """Green and yellow are the ends of the scale by name, and neighbours by urgency: 1/6 and 1/3 from all four."""
    table = pa.table({"age": [1, 1, 2, 2], "triage": ["green", "yellow", "orange", "red"]})
    order = ["green", "yellow", "orange", "red"]
    schema = Schema(quasi=["age"], sensitive=["triage"], kinds={"triage": order})
    required = [TCloseness(0.2, "triage", "ordered")]
    ready = pipeline.prepare(table, schema, required, random_state=None)
    assert ready.requirements == (TCloseness(0.2, "triage", "ordered", order=order),)
    (kept,) = pipeline.prepare(table, schema, [TCloseness(0.2, "triage", "equal")], random_state=None).requirements
    assert kept == TCloseness(0.2, "triage", "equal")
    by_urgency = Mondrian(require=required).anonymize(table, schema)
    by_name = Mondrian(require=required).anonymize(table, Schema(quasi=["age"], sensitive=["triage"]))
    assert (len(set(by_urgency.table["age"].to_pylist())), len(set(by_name.table["age"].to_pylist()))) == (1, 2)


@pytest.mark.parametrize("saved", [False, True])
def test_new_rows_lose_the_columns_that_the_table_lost(saved: bool) -> None:
    """Also those that it never had: only what the schema publishes comes out."""
    table = pa.table({"age": [20, 21, 30, 31], "ill": ["a", "b"] * 2, "note": ["x"] * 4, "secret": ["s"] * 4})
    schema = Schema(quasi=["age"], sensitive=["ill"], insensitive=["note"], others="drop")
    recoding: Recoding = Mondrian(k=2).anonymize(table, schema).recoding
    if saved:
        recoding = Recoding.from_dict(json.loads(json.dumps(recoding.to_dict())))
    new = table.append_column("unknown", pa.array(["u"] * 4))
    assert recoding.transform(new).column_names == ["age", "ill", "note"]
    assert recoding.transform(new.select(["secret", "note", "age"])).column_names == ["note", "age"]


def test_a_recoding_of_an_earlier_version_hands_out_quasi_identifiers_alone() -> None:
    table = pa.table({"age": [20, 21, 30, 31], "note": ["x"] * 4})
    stored = Mondrian(k=2).anonymize(table, Schema(quasi=["age"], insensitive=["note"])).recoding.to_dict()
    del stored["in_clear"]
    assert Recoding.from_dict(stored).transform(table).column_names == ["age"]


def test_proportions_are_compared_class_by_class() -> None:
    """The same sizes are not enough: each must be that of the class with these published values."""
    towns = ["Ulm"] * 4 + ["Bern"] * 6 + ["Kiel"] * 4
    table = pa.table({"town": towns, "born": [1980] * 4 + [1990] * 10})
    release = hr.anonymize(table, Schema(), k=4, publish_proportions=True, random_state=0)
    told = required(release.proportions, "the proportions")
    classes = count_classes(release.table, ["town", "born"])
    prepared: Any = SimpleNamespace(roles=SimpleNamespace(entity=None, linked=False))
    check_proportions(prepared, told, classes)
    check_proportions(prepared, told, classes.project(["born", "town"]))
    assert sorted(told.sizes.tolist()) == [4, 4, 6]
    order = np.roll(np.arange(3), 1)
    town = told.columns[0]
    for other in (
        replace(told, sizes=told.sizes[order]),
        replace(told, columns=(replace(town, published=town.published[order]), told.columns[1])),
        replace(told, columns=(replace(town, texts=tuple(f"{text} " for text in town.texts)), told.columns[1])),
        replace(told, columns=told.columns[::-1], sizes=told.sizes[order]),
    ):
        with pytest.raises(InternalError, match="speak of other classes"):
            check_proportions(prepared, other, classes)
    by_people = replace(classes, entity="id")
    prepared = SimpleNamespace(roles=SimpleNamespace(entity="id", linked=False))
    check_proportions(prepared, replace(told, sizes=told.sizes - 1), by_people)
    with pytest.raises(InternalError, match="speak of other classes"):
        check_proportions(prepared, replace(told, sizes=told.sizes + (told.sizes == 6)), by_people)


def test_nothing_is_released_with_proportions_of_other_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    made = pipeline.proportions_of

    def of_others(prepared: pipeline.Prepared, recoding: Recoding) -> Any:
        proportions = required(made(prepared, recoding), "the proportions")
        return replace(proportions, sizes=proportions.sizes[::-1])

    monkeypatch.setattr(pipeline, "proportions_of", of_others)
    table = pa.table({"town": ["Ulm"] * 4 + ["Bern"] * 6})
    with pytest.raises(InternalError, match="speak of other classes"):
        hr.anonymize(table, Schema(), k=4, publish_proportions=True, random_state=0)


def test_sets_that_no_table_can_hold_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the 60 rows would list 20 towns."""
    people = pa.table({"town": [f"town {number}" for number in range(20)] * 3})
    monkeypatch.setattr("hedgerow.release.pipeline._MOST_TEXT", 60 * 20 * 7)
    monkeypatch.setattr("hedgerow.release.pipeline._LONG_CELL", 20 * 7)
    with pytest.raises(Infeasible, match=r"The sets of 'town' would take 2 GB .* Give the column a hierarchy"):
        hr.anonymize(people, Schema(quasi=["town"]), k=60)
    assert hr.anonymize(people, Schema(quasi=["town"], hierarchies={"town": "flat"}), k=60).audit.k == 60
