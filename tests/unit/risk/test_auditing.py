"""The audit of a table small enough to do by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.errors import BadInput
from hedgerow.risk import ReleaseFacts, SizeBucket, audit, audit_counts
from hedgerow.verifier import count_classes


class Demand:
    def __init__(self, name: str, **parameters: Any) -> None:
        self.name = name
        self.__dict__.update(parameters)

    def __str__(self) -> str:
        return f"the {self.name} demanded"


# Classes: (young, F) 1 record, (young, M) 2, (old, F) 5.
TABLE = pl.DataFrame(
    {
        "age": ["young"] + ["young"] * 2 + ["old"] * 5,
        "sex": ["F"] + ["M"] * 2 + ["F"] * 5,
        "ill": ["rare"] + ["flu", "cold"] + ["flu"] * 3 + ["cold"] * 2,
        "wage": ["high"] + ["high", "high"] + ["low"] * 4 + ["high"],
    }
)
QUASI = ["age", "sex"]


def test_sizes() -> None:
    result = audit(TABLE, quasi=QUASI)
    assert (result.rows, result.columns, result.k, result.wildcard_k) == (8, ("age", "sex"), 1, 1)
    assert (result.l, result.t, result.sensitive, result.verdict) == (None, None, {}, None)
    classes = result.classes
    assert (classes.number, classes.smallest, classes.median, classes.largest) == (3, 1, 2.0, 5)
    assert classes.mean == pytest.approx(8 / 3)
    assert classes.histogram == (SizeBucket(1, 1, 1, 1), SizeBucket(2, 3, 1, 2), SizeBucket(4, 7, 1, 5))


def test_sensitive_columns() -> None:
    result = audit(TABLE, quasi=QUASI, sensitive=["ill", "wage"], target="wage")
    ill = result.sensitive["ill"]
    assert (ill.distinct_l, ill.p, ill.entropy_l, ill.recursive_c, ill.alpha) == (1, 1, 1.0, None, 1.0)
    # The class of the one rare record: its value has 1/8 in the table.
    assert ill.t_equal == pytest.approx(7 / 8)
    # Scale cold 3/8, flu 4/8, rare 1/8: the distance to rare alone is (3/8 + 7/8) / 2.
    assert ill.t_ordered == pytest.approx(5 / 8)
    assert result.l == 1
    assert result.t == pytest.approx(7 / 8)
    assert result.label_homogeneity == {"ill": 1 / 8, "wage": 3 / 8}
    older = audit(TABLE.filter(pl.col("age") == "old"), quasi=QUASI, sensitive=["ill"]).sensitive["ill"]
    assert (older.distinct_l, older.recursive_c, older.alpha, older.t_equal) == (2, 1.5, 0.6, 0.0)
    assert older.entropy_l == pytest.approx(math.exp(-0.6 * math.log(0.6) - 0.4 * math.log(0.4)))


def test_target_and_required_columns_are_counted_but_not_sensitive() -> None:
    demand = Demand("l-diversity", l=2, column="ill", kind="distinct")
    result = audit(TABLE, quasi=QUASI, target="wage", require=[demand])
    assert result.sensitive == {}
    assert list(result.label_homogeneity) == ["wage"]
    assert result.verdict is not None
    assert not result.verdict.holds


def test_requirements_and_shields() -> None:
    by_age = Demand("k-anonymity", k=3, shield=("age",))
    result = audit(TABLE, quasi=QUASI, k=2, require=[by_age])
    assert result.shields == {"age": 3}
    assert result.verdict is not None
    assert [one.holds for one in result.verdict.findings] == [False, True]
    assert [one.requirement for one in result.verdict.findings] == ["2-anonymity", "the k-anonymity demanded"]


def test_warnings() -> None:
    (plain,) = audit(TABLE, quasi=QUASI).warnings
    assert "entity=" in plain
    people = TABLE.with_columns(who=pl.lit("ann"))
    with_entity = audit(people, quasi=QUASI, entity="who")
    assert with_entity.warnings == ()
    assert (with_entity.k, with_entity.rows, with_entity.classes.largest) == (1, 8, 1)
    starred = audit(pa.table({"a": ["*", "x"], "b": [None, "1"], "c": ["1", "1"]}), quasi=["a", "b", "c"])
    assert "'a', 'b'" in starred.warnings[1]
    assert "any value, k is 2" in starred.warnings[1]
    assert (starred.k, starred.wildcard_k) == (1, 2)
    absent = Demand("alpha-k", alpha=0.5, k=1, column="ill", value="plague")
    warning = audit(TABLE, quasi=QUASI, require=[absent]).warnings[-1]
    assert "does not occur in ill" in warning
    assert "plague" not in warning


@pytest.mark.parametrize("demand", [{"k": 1}, {"require": ["k=1@age"]}, {"require": "k=1", "sensitive": ["ill"]}])
def test_1_anonymity_is_called_what_it_is_before_anything_else(demand: dict[str, Any]) -> None:
    result = audit(TABLE, quasi=QUASI, **demand)
    assert result.warnings[0].startswith("1-anonymity promises nothing: ")
    assert result.grave == result.warnings[:1]
    assert result.render().startswith("1-anonymity promises nothing: ")
    assert result.render().count("promises nothing") == 1
    assert audit(TABLE, quasi=QUASI, k=2).grave == ()


def test_a_table_that_keeps_nothing_says_so_first() -> None:
    hidden = audit(pa.table({"a": ["*", "*"], "b": [None, None]}), quasi=["a", "b"])
    assert hidden.warnings[0].startswith("The table keeps nothing of its quasi-identifiers: every cell")
    assert audit(pa.table({"a": ["*", "*"], "b": [None, "1"]}), quasi=["a", "b"]).grave == ()
    counts = count_classes(TABLE, QUASI)
    (said,) = audit_counts(counts, release=ReleaseFacts(loss=0.95)).grave
    assert "keeps next to nothing of its quasi-identifiers: 95% or more of it is lost. Lower" in said
    assert audit_counts(counts, release=ReleaseFacts(loss=0.987)).grave == (said,)
    assert audit_counts(counts, release=ReleaseFacts(loss=0.9499)).grave == ()


def test_missing_texts_and_files(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,s\n?,1\n?,1\nx,1\n", encoding="utf-8")
    assert sorted(audit(path, quasi=["a"], missing=["?"]).classes.histogram) == [(1, 1, 1, 1), (2, 3, 1, 2)]
    assert audit(path, quasi=["a"], missing=["?"]).wildcard_k == 3
    path.write_text("a,s\nsecret\n", encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        audit(path, quasi=["a"])
    assert "secret" not in str(caught.value)


def test_counts_are_enough() -> None:
    counts = count_classes(TABLE, QUASI, sensitive=["ill", "wage"])
    direct = audit(TABLE, quasi=QUASI, sensitive=["ill"], target="wage", k=2)
    assert audit_counts(counts, sensitive=["ill"], target="wage", require=[hr.KAnonymity(2)], threshold=1 / 2) == direct
    assert list(audit_counts(counts, target="wage").sensitive) == ["ill"]
    assert audit_counts(counts, release=ReleaseFacts(losses={"ncp": 0.5})).losses == {"ncp": 0.5}


def test_neither_json_nor_text_holds_a_cell() -> None:
    table = TABLE.with_columns(pl.all().replace_strict({}, default="SECRET" + pl.concat_str(pl.all())))
    absent = Demand("alpha-k", alpha=0.5, k=1, column="ill", value="SECRETwage")
    result = audit(table, quasi=QUASI, sensitive=["ill"], target="wage", population=table, k=2, require=[absent])
    plain = json.dumps(result.to_dict(), allow_nan=False)
    assert "SECRET" not in plain
    assert "SECRET" not in result.render()
    assert json.loads(plain)["classes"]["histogram"][0]["low"] == 1
    assert json.loads(plain)["sensitive"]["ill"]["recursive_c"] is None


def test_an_infinite_figure_is_null_in_json() -> None:
    demand = Demand("l-diversity", l=3, column="ill", kind="recursive", c=2)
    plain = audit(TABLE, quasi=QUASI, require=[demand]).to_dict()
    assert plain["verdict"]["findings"][0]["reached"] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"quasi": ["nobody"]}, "no column 'nobody'"),
        ({"quasi": []}, "No quasi-identifier"),
        ({"quasi": ["age"], "sensitive": ["age"]}, "as quasi and as sensitive"),
        ({"quasi": ["age"], "target": "age"}, "as quasi and as sensitive"),
        ({"quasi": ["age"], "entity": "age"}, "as quasi and as identifying"),
        ({"quasi": ["age"], "sensitive": "ill"}, "list of column names"),
        ({"quasi": ["age"], "k": 0}, "int >= 1"),
        ({"quasi": ["age"], "k": True}, "int >= 1"),
        ({"quasi": ["age"], "k": 2.5}, "int >= 1"),
        ({"quasi": ["age"], "threshold": 2}, "from 0 to 1"),
        ({"quasi": ["age"], "threshold": float("nan")}, "from 0 to 1"),
        ({"quasi": ["age"], "require": "k=two"}, "k=two"),
        ({"quasi": ["age"], "require": [3]}, "'require' parameter"),
        ({"quasi": ["age"], "population": pl.DataFrame({"sex": ["F"]})}, "no column 'age'"),
    ],
)
def test_bad_input(options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        audit(TABLE, **options)


def test_no_rows() -> None:
    with pytest.raises(BadInput, match="no rows"):
        audit(TABLE.head(0), quasi=QUASI)


def test_requirements_may_be_text() -> None:
    table = pa.table({"zip": ["12*", "12*", "13*", "13*"], "illness": ["flu", "cold", "flu", "flu"]})
    result = audit(table, quasi=["zip"], sensitive=["illness"], require=["k=2@zip", "l=2@illness"])
    assert result.verdict is not None
    assert [finding.holds for finding in result.verdict.findings] == [True, False]
    assert (
        audit(table, quasi=["zip"], require="k=2@zip").verdict
        == audit(table, quasi=["zip"], require=["k=2@zip"]).verdict
    )
