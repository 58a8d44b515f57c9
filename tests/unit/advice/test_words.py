"""What names of columns say."""

from __future__ import annotations

import pytest

from hedgerow.advice._names import CARE, ENTITY, IDENTIFYING, OUTSIDE, SENSITIVE, ZIP, Topics, topic_of, words_of


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("patientID", ("patient", "id")),
        ("date-of_birth 2", ("date", "of", "birth", "2")),
        ("Größe", ("groesse",)),
        ("ÉTAT", ("etat",)),
        ("", ()),
        ("\n", ()),
    ],
)
def test_words(name: str, words: tuple[str, ...]) -> None:
    assert words_of(name) == words


@pytest.mark.parametrize(
    ("name", "topics", "topic"),
    [
        ("Geburtsdatum", OUTSIDE, "date of birth"),
        ("fecha de nacimiento", OUTSIDE, "date of birth"),
        ("birthplace", OUTSIDE, "origin"),
        ("sexe", OUTSIDE, "sex"),
        ("zip_code", ZIP, "postcode"),
        ("Hauptdiagnose", SENSITIVE, "health"),
        ("enfermedad", SENSITIVE, "health"),
        ("Religion", SENSITIVE, "belief or politics"),
        ("Monatsgehalt", SENSITIVE, "money"),
        ("e-mail", IDENTIFYING, "email address"),
        ("Vorname", IDENTIFYING, "name of a person"),
        ("customerId", ENTITY, "person"),
        ("ward", CARE, "care"),
        ("message", OUTSIDE, None),
        ("savings", OUTSIDE, None),
        ("template", OUTSIDE, None),
    ],
)
def test_topics(name: str, topics: Topics, topic: str | None) -> None:
    assert topic_of(name, topics) == topic
