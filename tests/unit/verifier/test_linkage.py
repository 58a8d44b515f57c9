"""Which columns link the rows of a person, found by the verifier in what is published."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from hedgerow.verifier import Link, RowOwners, count_classes, links_of

PEOPLE, EACH, K = 150, 3, 5
DRAW = np.random.default_rng(7)
WHO = np.repeat(np.arange(PEOPLE), EACH)


def of_person(values: Any) -> Any:
    return np.asarray(values)[WHO]


ROWS = {
    "town": of_person(DRAW.choice(list("abc"), PEOPLE)),
    "alias": of_person([f"x{at}" for at in range(PEOPLE)]),
    "shared alias": of_person([f"x{at // 3}" for at in range(PEOPLE)]),
    "employer": of_person(DRAW.integers(0, 8, PEOPLE)),
    "hired": of_person(DRAW.integers(0, 8, PEOPLE)),
    "sex": of_person(DRAW.choice(["F", "M"], PEOPLE)),
    "lab": DRAW.normal(5, 1, PEOPLE * EACH),
    "weekday": DRAW.integers(0, 7, PEOPLE * EACH),
    "rounded": DRAW.integers(0, 120, PEOPLE * EACH),
}


def found(columns: list[str], k: int = K, accepted: tuple[str, ...] = (), pseudonyms: tuple[str, ...] = ()) -> Any:
    table = pa.table(ROWS)
    counts = count_classes(table, ["town"], entity=RowOwners("person", WHO), linking=columns)
    return links_of(counts, k, pseudonyms=pseudonyms, accepted=accepted)


@pytest.mark.parametrize("column", ["alias", "shared alias"])
def test_another_name_of_the_person_links(column: str) -> None:
    (link,) = found([column, "sex", "lab"])
    assert (link.columns, link.share) == ((column,), 1.0)


def test_columns_link_together_that_do_not_link_alone() -> None:
    assert found(["employer"]) == found(["hired"]) == ()
    (link,) = found(["weekday", "sex", "employer", "lab", "hired"])
    assert set(link.columns) == {"employer", "hired"}


@pytest.mark.parametrize("columns", [["sex"], ["lab"], ["weekday"], ["rounded"], ["sex", "lab", "weekday", "rounded"]])
def test_what_leaves_many_people_or_stands_in_one_row_does_not_link(columns: list[str]) -> None:
    assert found(columns) == ()


def test_a_pseudonym_links_however_many_people_share_it() -> None:
    assert found(["sex"], pseudonyms=("sex",))[0].columns == ("sex",)
    assert found(["lab"], pseudonyms=("lab",)) == ()


def test_behind_an_accepted_link_others_are_found() -> None:
    links = found(["alias", "shared alias", "sex"], accepted=("alias",))
    assert [(one.columns, one.accepted) for one in links] == [(("alias",), True), (("shared alias",), False)]


def test_a_link_tells_how_few_people_have_the_same_classes() -> None:
    rows = {"town": list("aabbabababab"), "alias": list("pqrspqrstuvw")}
    who = np.array([0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7])
    counts = count_classes(pa.table(rows), ["town"], entity=RowOwners("person", who), linking=["alias"])
    # p: a a, q: a b, r: b a, s: b b, t: a, u: b, v: a, w: b
    assert links_of(counts, 3, pseudonyms=["alias"], accepted=()) == (Link(("alias",), 1.0, 2, 1),)


def test_rows_without_a_pseudonym_are_linked_to_no_other() -> None:
    """Three people are in both towns. Rows without a pseudonym do not show that somebody else is, too."""
    towns = [*"aaaabbbb", *"ab" * 3, *"ab"]
    alias = [*"ijklmnop", *"uuvvww", None, None]
    who = np.array([*range(8), 8, 8, 9, 9, 10, 10, 11, 11])
    counts = count_classes(pa.table({"town": towns, "alias": alias}), ["town"], entity=RowOwners("person", who),
                           linking=["alias"])  # fmt: skip
    assert counts.linked[0] == 4
    assert counts.linked_by(("alias",), 0)[0] == 3


def test_a_row_that_is_not_linked_stands_alone_among_rows_that_are() -> None:
    """Four people share a name, so that it links nothing. In town b only one of them is; all others are in both."""
    towns = [*"ab" * 4, *"aaab"]
    alias = [*"vvwwxxyy", *"mmmm"]
    who = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7])
    counts = count_classes(pa.table({"town": towns, "alias": alias}), ["town"], entity=RowOwners("person", who),
                           linking=["alias"])  # fmt: skip
    assert counts.linked_by(("alias",), 4)[0] == 1


def test_rows_of_a_person_are_taken_together_by_the_link_and_not_by_the_person() -> None:
    """Everybody is in both towns. Only one person's rows are linked across them, and that person stands alone."""
    towns, links, who = [], [], []
    for person in range(20):
        for town in "ab":
            for _ in range(2):
                who.append(person)
                towns.append(town)
                links.append(f"{person}" if person == 0 else f"{person}{town}")
    table = pa.table({"town": towns, "stay": links})
    counts = count_classes(table, ["town"], entity=RowOwners("person", np.array(who)), linking=["stay"])
    assert counts.linked[0] == 20
    (link,) = links_of(counts, 5, pseudonyms=(), accepted=())
    assert (link.columns, link.k) == (("stay",), 1)


@pytest.mark.parametrize("form", ["polars", "csv", "parquet"])
def test_every_kind_of_table_is_searched(form: str, tmp_path: Path) -> None:
    table: Any = pa.table({name: ROWS[name] for name in ("town", "employer", "lab", "hired")})
    if form == "polars":
        table = pl.from_arrow(table)
    elif form == "csv":
        pyarrow.csv.write_csv(table, tmp_path / "t.csv")
        table = tmp_path / "t.csv"
    else:
        nested = table.append_column("visits", pa.array([[1]] * len(WHO)))
        pyarrow.parquet.write_table(nested, tmp_path / "t.parquet")
        table = tmp_path / "t.parquet"
    columns = ["employer", "lab", "hired", *(["visits"] if form == "parquet" else [])]
    counts = count_classes(table, ["town"], entity=RowOwners("person", WHO), linking=columns)
    (link,) = links_of(counts, K, pseudonyms=(), accepted=())
    assert set(link.columns) == {"employer", "hired"}


def test_of_many_people_some_are_searched_and_all_are_measured() -> None:
    who = np.repeat(np.arange(60_000), 2)
    draw = np.random.default_rng(7)
    table = pa.table(
        {
            "town": draw.choice(list("abc"), len(who)),
            "alias": who // 2,
            "employer": draw.integers(0, 2_000, 60_000)[who],
            "hired": draw.integers(0, 400, 60_000)[who],
            "few": draw.integers(0, 200, 60_000)[who],
        }
    )

    def links(*columns: str) -> set[str]:
        counts = count_classes(table, ["town"], entity=RowOwners("person", who), linking=columns)
        return {name for one in links_of(counts, K, pseudonyms=(), accepted=()) for name in one.columns}

    assert links("alias", "few") == {"alias"}
    assert links("employer", "few", "hired") == {"employer", "hired"}
    assert links("few") == links("employer") == set()
