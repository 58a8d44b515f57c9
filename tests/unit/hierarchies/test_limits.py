"""Limits on levels: what a hierarchy allows, and its finest nodes as values."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.errors import BadInput
from hedgerow.hierarchies import EncodedHierarchy, finest_nodes, limited, masking, taxonomy
from hedgerow.io.domains import Domain

UNEVEN = {"*": {"north": ["Ulm", "Bern"], "south": {"inland": ["Nice"], "coast": ["Bari"]}}}


def zips(*labels: str, missing: bool = False) -> Domain:
    return Domain("zip", "text", np.array(sorted(labels), dtype=np.str_), has_missing=missing)


def masked(domain: Domain, finest: int, coarsest: int | None) -> EncodedHierarchy:
    return limited(masking().encode(domain), (finest, coarsest), "zip")


def allowed(hierarchy: EncodedHierarchy) -> list[str]:
    return sorted(str(hierarchy.labels[node]) for node in hierarchy.nodes_within.tolist())


def test_a_missing_value_stays_until_the_highest_level() -> None:
    domain = zips("130", "135", "148", missing=True)
    assert allowed(masked(domain, 1, 2)) == ["1**", "13*", "14*", "None"]
    assert allowed(masked(domain, 2, None)) == ["*", "1**", "None"]
    assert allowed(masked(domain, 3, 3)) == ["*"]


def test_short_branches_stay_at_their_leaves() -> None:
    towns = Domain("town", "text", np.array(["Bari", "Bern", "Nice", "Ulm"]))
    encoded = taxonomy(UNEVEN).encode(towns)
    assert allowed(limited(encoded, (1, 1), "town")) == ["Bern", "Ulm", "coast", "inland"]
    assert allowed(limited(encoded, (2, 2), "town")) == ["north", "south"]


def test_all_levels_are_no_limit() -> None:
    domain = zips("130", "148")
    assert masked(domain, 0, None).limits is None
    assert masked(domain, 0, 3).limits is None
    assert masked(domain, 0, 2).limits == (0, 2)
    assert masked(domain, 0, 2).description.endswith(", published at levels 0 to 2 of 3")
    assert masked(domain, 1, 1).description.endswith(", published at level 1 of 3")


def test_levels_that_the_hierarchy_lacks() -> None:
    for finest, coarsest in ((0, 4), (4, None)):
        with pytest.raises(BadInput, match=r"'zip' are limited to .*has the levels 0 to 3, where 3 is the top"):
            masked(zips("130", "148"), finest, coarsest)


def test_the_finest_nodes_are_values() -> None:
    domain = zips("130", "135", "148", "200", missing=True)
    hierarchy = masked(domain, 1, 2)
    nodes = finest_nodes(hierarchy, domain)
    assert nodes.domain.kind == "text"
    assert nodes.domain.labels.tolist() == ["13*", "14*", "20*"]
    assert nodes.domain.has_missing
    assert nodes.code.tolist() == [0, 0, 1, 2, 3]
    assert nodes.hierarchy.labels == ("*", "1**", "13*", "14*", "2**", "20*", None)
    assert [hierarchy.labels[node] for node in nodes.node] == list(nodes.hierarchy.labels)
    assert [hierarchy.labels[node] for node in nodes.of_code] == ["13*", "14*", "20*", None]


def test_at_the_highest_level_everything_is_one_value() -> None:
    domain = zips("130", "148", missing=True)
    hierarchy = masked(domain, 3, 3)
    nodes = finest_nodes(hierarchy, domain)
    assert nodes.domain.labels.tolist() == ["*"]
    assert not nodes.domain.has_missing
    assert nodes.code.tolist() == [0, 0, 0]
    assert nodes.node.tolist() == [hierarchy.root, hierarchy.root]


def test_a_column_without_values() -> None:
    domain = Domain("town", "text", np.array([], dtype=np.str_), has_missing=True)
    hierarchy = limited(taxonomy(UNEVEN).encode(domain), (1, 2), "town")
    nodes = finest_nodes(hierarchy, domain)
    assert (nodes.domain.size, nodes.code.tolist()) == (1, [0])
    assert [hierarchy.labels[node] for node in nodes.node] == ["*", None]
