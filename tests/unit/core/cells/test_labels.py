"""Which published texts are labels of a hierarchy, and what is below them."""

from __future__ import annotations

import pytest

from hedgerow import BadInput
from hedgerow.core.cells import Node, PublishedLabels, domain_of, published_labels, read
from hedgerow.hierarchies import dates, flat, intervals, masking, taxonomy

PETS = taxonomy({"animal": {"feline": ["cat", "lion"], "canine": ["dog", "wolf"]}})


def test_a_taxonomy_lists_its_values_itself() -> None:
    found = published_labels(PETS, "pet", ["feline", "dog", "animal", None])
    assert found.values_below == {"animal": ("cat", "lion", "dog", "wolf"), "feline": ("cat", "lion")}
    assert found.listed == {"cat", "lion", "dog", "wolf"}


def test_without_a_hierarchy_there_are_no_labels() -> None:
    assert published_labels(None, "pet", ["feline", "dog"]) == PublishedLabels()


def test_of_masks_only_the_published_values_are_known() -> None:
    found = published_labels(masking(), "zip", ["11*", "112", "{113|121}", "2**"])
    assert found.values_below == {"11*": ("112", "113")}
    assert found.listed == {"112", "113", "121"}, "2** is a mask with no known value below it"


def test_of_dates_only_the_published_days_are_known() -> None:
    found = published_labels(dates(["month"]), "day", ["2024-03-01", "2024-03", "2024-05", "{2024-03-07|2024-04-01}"])
    assert found.values_below == {"2024-03": ("2024-03-01", "2024-03-07")}
    assert found.listed == {"2024-03-01", "2024-03-07", "2024-04-01"}


def test_intervals_of_numbers_are_read_by_their_ends_and_are_no_labels() -> None:
    found = published_labels(intervals(width=10, start=0), "age", ["[20,30)", "25", "{21|33}", "*"])
    assert found.values_below == {}
    assert found.listed == {"21", "25", "33"}
    sizes = published_labels(taxonomy({"any": {"[20,30)": ["small", "tiny"]}}), "size", ["[20,30)"])
    assert sizes.values_below == {"[20,30)": ("small", "tiny")}


def test_what_is_neither_value_nor_label_is_left_out() -> None:
    found = published_labels(PETS, "pet", ["feline", "unicorn", "{cat|gnome}"])
    assert found.values_below == {"feline": ("cat", "lion")}
    assert "unicorn" not in found.listed


def test_a_label_that_reads_as_a_number_is_a_label() -> None:
    assert read("007", "number", {"007": ("1", "2")}) == Node("007", frozenset({"1", "2"}))


def test_a_value_that_is_also_the_label_above_it_is_a_value() -> None:
    found = published_labels(taxonomy({"any": {"US": ["US"], "EU": ["FR", "IT"]}}), "country", ["US", "EU"])
    assert found.values_below == {"EU": ("FR", "IT")}


def test_nothing_published_but_what_the_hierarchy_refuses() -> None:
    assert published_labels(masking(), "zip", [None]).values_below == {}
    assert published_labels(flat(), "zip", ["*"]).listed == set()


def test_domains() -> None:
    assert domain_of("x", ["10", "9", "9"]).labels.tolist() == ["9", "10"]
    assert domain_of("x", ["10", "9", "b"]).kind == "text"
    with pytest.raises(BadInput, match="'x' holds text with a NUL character"):
        domain_of("x", ["a\0b"])
