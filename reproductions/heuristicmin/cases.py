"""The worked cases: their tables, taxonomies and requirements, and what the paper prints of the results.

Figures 3, 12, 17, 18, 20 and 21 are images that are lost. Taxonomies were rebuilt from the text and from the tables
that use them, and the table of case 3 from figures 19(b) and 19(c), which leave only one. Of case 4 neither the table
nor the results are left but for their sizes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

__all__ = ["CASES", "PRINTED", "Case", "Printed", "Rows"]

Rows = Sequence[Sequence[Any]]
"""Distinct rows: their cells, and last how many records of each class they have."""


@dataclass(frozen=True)
class Case:
    """An input of the paper.

    Parameters
    ----------
    columns : sequence of str
        The quasi-identifiers.
    rows : sequence of rows
    taxonomies : mapping of column to nested mapping
    requirements : sequence of shield and k
    """

    columns: Sequence[str]
    rows: Rows
    taxonomies: Mapping[str, Any]
    requirements: Sequence[tuple[Sequence[str], int]]


@dataclass(frozen=True)
class Printed:
    """What the paper prints of a result; what it does not print is none or empty.

    Parameters
    ----------
    rows : int
        How many distinct rows are left.
    table : sequence of rows
    prec : float, optional
    generalizations : int, optional
        In the result: cells of records where single cells are generalized, else cells of distinct rows.
    states : int, optional
        How many generalized tables were looked at.
    accuracy : float, optional
        Of naive Bayes in ten folds of the result, in percent.
    """

    rows: int
    table: Rows = field(default=())
    prec: float | None = None
    generalizations: int | None = None
    states: int | None = None
    accuracy: float | None = None


_SEX: Final = {"Any": ["M", "F"]}

CASES: Final[Mapping[str, Case]] = {
    # Figures 4, 6 and 11. Figure 11 calls the 12th grade the 8th; the second level of education has no name there.
    "1": Case(
        ("Edu", "Sex", "Hrs"),
        (
            ("10th", "M", "40", {"A": 20}),
            ("10th", "M", "30", {"B": 4}),
            ("9th", "M", "30", {"B": 2}),
            ("9th", "F", "30", {"B": 4}),
            ("9th", "F", "40", {"B": 6}),
            ("12th", "F", "30", {"B": 2}),
            ("12th", "F", "40", {"B": 2}),
        ),
        {
            "Edu": {"Any": {"School": {"High": ["9th", "10th", "12th"]}}},
            "Sex": _SEX,
            "Hrs": {"Any": {"[1,40)": ["30"], "[40,99)": ["40"]}},
        },
        ((("Edu", "Sex", "Hrs"), 4),),
    ),
    # Figures 12 and 13.
    "2": Case(
        ("Edu", "Sex", "Hrs"),
        (
            ("9th", "M", "30", {"B": 3}),
            ("10th", "M", "32", {"B": 4}),
            ("11th", "M", "35", {"A": 2, "B": 3}),
            ("12th", "F", "37", {"A": 3, "B": 1}),
            ("Bac", "F", "42", {"A": 4, "B": 2}),
            ("Bac", "F", "44", {"A": 4}),
            ("Mas", "M", "44", {"A": 4}),
            ("Mas", "F", "44", {"A": 3}),
            ("Doc", "F", "44", {"A": 1}),
        ),
        {
            "Edu": {
                "Any": {
                    "Sec": {"Jr": ["9th", "10th"], "Sr": ["11th", "12th"]},
                    "Uni": {"Bac": {}, "G": ["Mas", "Doc"]},
                }
            },
            "Sex": _SEX,
            "Hrs": {"[1,99)": {"[1,37)": {"[1,35)": ["30", "32"], "[35,37)": ["35"]}, "[37,99)": ["37", "42", "44"]}},
        },
        ((("Edu", "Sex"), 4), (("Sex", "Hrs"), 11)),
    ),
    # Figures 17 and 18, rebuilt.
    "3": Case(
        ("App", "Sex", "Age"),
        (
            ("Acc", "F", "30", {"A": 5}),
            ("Acc", "F", "20", {"A": 16}),
            ("Acc", "F", "40", {"A": 3}),
            ("Acc", "M", "25", {"B": 4}),
            ("Acc", "M", "30", {"B": 5}),
            ("Rej", "M", "30", {"B": 10}),
            ("Rej", "F", "30", {"A": 15}),
            ("Rej", "F", "50", {"A": 5}),
            ("Rej", "F", "20", {"A": 5}),
            ("Rej", "M", "70", {"B": 15}),
        ),
        {
            "App": {"Any": ["Acc", "Rej"]},
            "Sex": _SEX,
            "Age": {"Any": {"[0,40)": ["20", "25", "30"], "[40,99)": ["40", "50", "70"]}},
        },
        ((("App", "Sex"), 25),),
    ),
}

_HIGH: Final = (
    ("High", "M", "40", {"A": 20}),
    ("High", "M", "30", {"B": 6}),
    ("High", "F", "30", {"B": 6}),
    ("High", "F", "40", {"B": 8}),
)
_FIGURE_16: Final = (
    ("Jr", "Any", "[1,37)", {"B": 7}),
    ("11th", "Any", "[1,37)", {"A": 2, "B": 3}),
    ("12th", "Any", "[37,99)", {"A": 3, "B": 1}),
    ("Bac", "Any", "[37,99)", {"A": 8, "B": 2}),
    ("G", "Any", "[37,99)", {"A": 8}),
)

PRINTED: Final[Mapping[str, Mapping[str, Printed]]] = {
    # Figures 10 and 11.
    "1": {
        "MinGen": Printed(
            5,
            (
                ("10th", "M", "40", {"A": 20}),
                ("High", "M", "30", {"B": 6}),
                ("9th", "F", "30", {"B": 4}),
                ("9th", "F", "40", {"B": 6}),
                ("12th", "F", "Any", {"B": 4}),
            ),
            prec=0.95,
            generalizations=14,
        ),
        "AllMin": Printed(4, _HIGH, prec=0.89, generalizations=7, states=14),
        "HeuristicMin": Printed(4, _HIGH, prec=0.89, generalizations=7, states=9, accuracy=100.0),
        "TDS": Printed(
            4,
            (
                ("Any", "M", "[40,99)", {"A": 20}),
                ("Any", "M", "[1,40)", {"B": 6}),
                ("Any", "F", "[1,40)", {"B": 6}),
                ("Any", "F", "[40,99)", {"B": 8}),
            ),
            accuracy=100.0,
        ),
    },
    # Figure 16.
    "2": {
        "HeuristicMin": Printed(5, _FIGURE_16, accuracy=80.0),
        "TDS": Printed(5, _FIGURE_16, accuracy=80.0),
    },
    # Figure 19.
    "3": {
        "HeuristicMin": Printed(
            8,
            (
                ("Acc", "Any", "30", {"A": 5, "B": 5}),
                ("Acc", "Any", "20", {"A": 16}),
                ("Acc", "Any", "40", {"A": 3}),
                ("Acc", "Any", "25", {"B": 4}),
                ("Rej", "Any", "30", {"A": 15, "B": 10}),
                ("Rej", "Any", "50", {"A": 5}),
                ("Rej", "Any", "20", {"A": 5}),
                ("Rej", "Any", "70", {"B": 15}),
            ),
            prec=0.67,
            accuracy=63.0,
        ),
        "TDS": Printed(
            4,
            (
                ("Any", "F", "[0,40)", {"A": 41}),
                ("Any", "F", "[40,99)", {"A": 8}),
                ("Any", "M", "[0,40)", {"B": 19}),
                ("Any", "M", "[40,99)", {"B": 15}),
            ),
            prec=0.5,
            accuracy=100.0,
        ),
        "BUG": Printed(
            7,
            (
                ("Any", "F", "30", {"A": 20}),
                ("Any", "F", "20", {"A": 21}),
                ("Any", "F", "40", {"A": 3}),
                ("Any", "M", "25", {"B": 4}),
                ("Any", "M", "30", {"B": 15}),
                ("Any", "F", "50", {"A": 5}),
                ("Any", "M", "70", {"B": 15}),
            ),
            prec=0.67,
            accuracy=100.0,
        ),
    },
    # Figure 21.
    "4": {"HeuristicMin": Printed(8, accuracy=100.0), "TDS": Printed(4, accuracy=100.0)},
}
"""By case and method."""
