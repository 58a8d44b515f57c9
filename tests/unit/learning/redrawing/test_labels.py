"""Which published texts are labels of a hierarchy, and what is below them."""

from __future__ import annotations

import pytest

from hedgerow import BadInput
from hedgerow.hierarchies import dates, flat, intervals, masking, taxonomy
from hedgerow.learning.redrawing.labels import PublishedLabels, domain_of, labels_below

PETS = taxonomy({"animal": {"feline": ["cat", "lion"], "canine": ["dog", "wolf"]}})


def test_a_taxonomy_lists_its_values_itself() -> None:
    found = labels_below(PETS, "pet", ["feline", "dog", "animal", None])
    assert found.values_below == {"animal": ["cat", "lion", "dog", "wolf"], "feline": ["cat", "lion"]}
    assert found.listed == {"cat", "lion", "dog", "wolf"}


def test_without_a_hierarchy_there_are_no_labels() -> None:
    assert labels_below(None, "pet", ["feline", "dog"]) == PublishedLabels()


def test_of_masks_only_the_published_values_are_known() -> None:
    found = labels_below(masking(), "zip", ["11*", "112", "{113|121}", "2**"])
    assert found.values_below == {"11*": ["112", "113"]}
    assert found.listed == {"112", "113", "121"}, "2** is a mask with no known value below it"


def test_of_dates_only_the_published_days_are_known() -> None:
    found = labels_below(dates(["month"]), "day", ["2024-03-01", "2024-03", "2024-05", "{2024-03-07|2024-04-01}"])
    assert found.values_below == {"2024-03": ["2024-03-01", "2024-03-07"]}
    assert found.listed == {"2024-03-01", "2024-03-07", "2024-04-01"}


def test_intervals_hold_the_published_numbers() -> None:
    found = labels_below(intervals(width=10, start=0), "age", ["[20,30)", "25", "{21|33}", "*"])
    assert found.values_below["[20,30)"] == ["21", "25"]


def test_what_is_neither_value_nor_label_is_left_out() -> None:
    found = labels_below(PETS, "pet", ["feline", "unicorn", "{cat|gnome}"])
    assert found.values_below == {"feline": ["cat", "lion"]}
    assert "unicorn" not in found.listed


def test_a_value_that_is_also_the_label_above_it_is_a_value() -> None:
    found = labels_below(taxonomy({"any": {"US": ["US"], "EU": ["FR", "IT"]}}), "country", ["US", "EU"])
    assert found.values_below == {"EU": ["FR", "IT"]}


def test_nothing_published_but_what_the_hierarchy_refuses() -> None:
    assert labels_below(masking(), "zip", [None]).values_below == {}
    assert labels_below(flat(), "zip", ["*"]).listed == set()


def test_domains() -> None:
    assert domain_of("x", ["10", "9", "9"]).labels.tolist() == ["9", "10"]
    assert domain_of("x", ["10", "9", "b"]).kind == "text"
    with pytest.raises(BadInput, match="'x' holds text with a NUL character"):
        domain_of("x", ["a\0b"])
