"""The roles and hierarchies of the synthetic census."""

from __future__ import annotations

from typing import Any

from hedgerow.datasets.census_model import BIRTHPLACES
from hedgerow.schema import Schema

__all__ = ["census_hierarchies", "census_schema"]

_TAXONOMIES: dict[str, dict[str, Any]] = {
    "birthplace": {
        "Anywhere": {
            continent: {area: list(places) for area, places in areas.items()}
            for continent, areas in BIRTHPLACES.items()
        }
    },
    "education": {
        "Any education": {
            "No degree": {
                "No diploma": ["Primary school", "Some high school"],
                "Diploma": ["High school", "Some college", "Associate"],
            },
            "Degree": {
                "First degree": ["Bachelor"],
                "Advanced degree": ["Master", "Professional", "Doctorate"],
            },
        }
    },
    "marital-status": {
        "Any status": {
            "Once married": {"Left": ["Separated", "Divorced"], "Spouse died": ["Widowed"]},
            "Partnered": {"Spouse": ["Married"]},
            "Alone": {"Single": ["Never married"]},
        }
    },
    "workclass": {
        "Any class": {"Employee": ["Private", "Public"], "Not an employee": ["Self-employed", "Not employed"]}
    },
    "occupation": {
        "Any occupation": {
            "Office": ["Clerical", "Management", "Professional", "Sales", "Technical"],
            "Manual": ["Craft", "Farming", "Machine operation", "Service", "Transport"],
            "Not at work": ["Student", "Homemaker or seeking", "Retired"],
        }
    },
    "disease": {
        "Any disease": {
            "Mind": ["Anxiety", "Depression", "Migraine"],
            "Circulation": ["Heart disease", "Hypertension"],
            "Infection": ["HIV", "Influenza"],
            "Metabolism": ["Diabetes", "Gastritis"],
            "Other": ["Arthritis", "Asthma", "Cancer"],
        }
    },
}


def census_hierarchies() -> dict[str, Any]:
    """Return how each column of :func:`make_census` generalizes, as a schema takes it.

    Columns with a taxonomy have it as a nested dict; age is cut into intervals, ZIP codes are masked from
    the right. The taxonomy of ``disease`` is for the hierarchical distance of t-closeness.

    >>> census_hierarchies()["workclass"]["Any class"]["Employee"]
    ['Private', 'Public']
    """
    from hedgerow.hierarchies import flat, intervals, masking

    return {
        "age": intervals(width=5, levels=[10, 20, 40]),
        "sex": flat(),
        "zip": masking(side="right"),
        **_TAXONOMIES,
    }


def census_schema() -> Schema:
    """Return the roles of the columns of :func:`make_census`, with their hierarchies.

    >>> census_schema().target
    'income'
    """
    return Schema(
        identifying=["name"],
        quasi=["age", "sex", "zip", "birthplace", "education", "marital-status", "workclass", "occupation"],
        insensitive=["hours-per-week"],
        sensitive=["disease"],
        target="income",
        hierarchies=census_hierarchies(),
    )
