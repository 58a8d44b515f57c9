"""ID3 on generalized values, on the example of the paper on learning from anonymized data: section IV-A, table III."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from entropies import column_entropy

from hedgerow.anonymizers.trees.inducers.id3 import Entropy

TABLE_3: dict[str, Any] = json.loads((Path(__file__).parent / "id3_table_3_entropy.json").read_text(encoding="utf-8"))
# Written as printed: (M, F) and (F, M) are the same set.
SEX = ["{" + "|".join(row[:-1]) + "}" if len(row) > 2 else row[0] for row in TABLE_3["rows"]]
SALARY = [row[-1] for row in TABLE_3["rows"]]
PLAIN = [(sex, salary) for sex, salary in zip(SEX, SALARY, strict=True) if len(sex) == 1]
SETS = [salary for sex, salary in zip(SEX, SALARY, strict=True) if len(sex) > 1]


@pytest.mark.parametrize("entropy", ["own", "shared"])
def test_the_printed_entropies_of_sex(entropy: Entropy) -> None:
    found = column_entropy(SEX, SALARY, entropy=entropy)
    printed = TABLE_3["printed"][entropy]
    assert found.values.keys() == printed.keys()
    for value, expected in printed.items():
        assert found.values[value].counts == pytest.approx(expected["counts"])
        assert round(found.values[value].entropy, 3) == expected["entropy"]


def test_equal_likelihood_keeps_the_size_of_the_table() -> None:
    found = column_entropy(SEX, SALARY, entropy="shared")
    assert (found.values["F"].weight, found.values["M"].weight) == pytest.approx((5.5, 2.5))


@pytest.mark.parametrize("entropy", ["own", "shared"])
def test_the_gain_that_follows(entropy: Entropy) -> None:
    found = column_entropy(SEX, SALARY, entropy=entropy)
    assert found.before == pytest.approx(TABLE_3["derived"]["class_entropy"], abs=1e-6)
    assert found.conditional == pytest.approx(TABLE_3["derived"][entropy]["conditional"], abs=1e-6)
    assert found.gain == pytest.approx(TABLE_3["derived"][entropy]["gain"], abs=1e-6)


def test_mapping_at_random_gives_the_entropy_of_a_table_without_sets() -> None:
    drawn: set[tuple[int, int]] = set()
    for seed in range(60):
        found = column_entropy(SEX, SALARY, entropy="random", random_state=seed)
        # How many of the three sets, one of them >50, became F.
        of_f = Counter({salary: round(count) for salary, count in found.values["F"].counts.items()})
        of_f.subtract(salary for sex, salary in PLAIN if sex == "F")
        drawn.add((of_f["<=50"], of_f[">50"]))
        table = [*PLAIN, *(("F" if of_f[s] > SETS[:at].count(s) else "M", s) for at, s in enumerate(SETS))]
        converted = column_entropy([sex for sex, _ in table], [salary for _, salary in table], entropy="own")
        assert found == converted
        assert found == column_entropy(SEX, SALARY, entropy="random", random_state=seed)
    # Each of the two sets of <=50 and the one of >50 may become either.
    assert drawn == {(low, high) for low in range(3) for high in range(2)}
