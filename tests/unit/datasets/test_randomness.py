"""Seeds of data sets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hedgerow.datasets._sampling import generator
from hedgerow.errors import BadInput


def test_a_number_is_a_seed_and_a_generator_itself() -> None:
    assert generator("x", 3).random() == np.random.default_rng(3).random()
    given = np.random.default_rng(1)
    assert generator("x", given) is given
    assert generator("x", None).random() != generator("x", None).random()


@pytest.mark.parametrize("wrong", [-1, True, 1.5, "1"])
def test_other_seeds_are_refused(wrong: Any) -> None:
    with pytest.raises(BadInput, match="'random_state' parameter of make_census must be None, a numpy Generator or"):
        generator("make_census", wrong)
