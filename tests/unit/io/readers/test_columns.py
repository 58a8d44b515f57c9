"""Files that are read together: what differs is told, and no cell of a file without a header."""

from __future__ import annotations

import pytest

from hedgerow.errors import BadInput
from hedgerow.io.readers import refuse_other_columns


def test_the_same_columns_pass() -> None:
    refuse_other_columns("a.csv", ["age", "sex"], "b.csv", ("age", "sex"))


@pytest.mark.parametrize(
    ("others", "message"),
    [
        (["age"], r"'b\.csv' has 1 columns, 'a\.csv' has 2"),
        (["sex", "age"], r"Column 1 of 'b\.csv' is not 'age', as it is in 'a\.csv'"),
        (["age", "secret"], r"Column 2 of 'b\.csv' is not 'sex'"),
    ],
)
def test_others_are_refused(others: list[str], message: str) -> None:
    with pytest.raises(BadInput, match=message) as caught:
        refuse_other_columns("a.csv", ["age", "sex"], "b.csv", others)
    assert "secret" not in str(caught.value)
