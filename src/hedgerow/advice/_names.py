"""What the names of columns suggest, in several languages, and what their texts look like.

A name is split into words (``patientId``, ``date-of-birth``, ``Geburts_Datum``), without accents and in lower case.
Short words must stand alone. Long words may be part of a compound, as in German: ``Krankheitsbild``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from hedgerow.core.counts import number_of

__all__ = [
    "CARE",
    "CODE",
    "DATED",
    "ENTITY",
    "FREE_TEXT",
    "HEALTH",
    "ICD",
    "IDENTIFYING",
    "IDENTIFYING_SHAPES",
    "NUMBERED",
    "OUTSIDE",
    "SENSITIVE",
    "TARGET",
    "Topics",
    "ZIP",
    "is_free_text",
    "like_values",
    "mostly",
    "shape_of",
    "topic_of",
    "words_of",
]


Topics = Mapping[str, frozenset[str]]
"""Topics in plain words, and the words in names that mean them."""

_COMPOUND: Final = 6  # words of so many letters are also found inside other words


def _topics(**meant: str) -> Topics:
    return {name.replace("_", " "): frozenset(words.split()) for name, words in meant.items()}


IDENTIFYING: Final = _topics(
    name_of_a_person="name names surname firstname lastname forename fullname vorname nachname familienname nom prenom "
    "nombre apellido apellidos cognome nome naam voornaam achternaam username login",
    email_address="email mail emails courriel correo",
    telephone_number="phone telephone tel mobile cellphone fax telefon telefonnummer handynummer telefono portable",
    address="address street strasse hausnummer adresse anschrift rue calle direccion indirizzo straat",
    number_of_person="ssn passport passeport reisepass ausweis nif dni bsn nhs mrn fiscale steuernummer iban "
    "kontonummer kreditkarte creditcard licence license plate kennzeichen versichertennummer sozialversicherungsnummer",
    web_or_device_address="ip url website webseite mac imei cookie",
)

FREE_TEXT: Final = _topics(
    free_text="note notes comment comments remark remarks bemerkung bemerkungen kommentar anmerkung freitext freetext "
    "description beschreibung commentaire observaciones osservazioni opmerking feedback"
)

NUMBERED: Final = _topics(
    number_of_a_record="id ids uuid guid key nr no num number identifier index row record case kennung nummer fall "
    "fallnummer aktenzeichen numero numeric caseid pid uid"
)

ENTITY: Final = _topics(
    person="patient patients person persons customer client member user employee student subject participant "
    "respondent pupil citizen voter insured individual kunde kunden mitarbeiter teilnehmer schueler versicherter "
    "paciente cliente usuario empleado employe salarie paziente utente klant medewerker patientid personid userid "
    "customerid memberid employeeid pid uid"
)

ZIP: Final = _topics(postcode="zip zipcode postcode postal plz postleitzahl cp cap codigopostal codepostal")

OUTSIDE: Final = _topics(
    postcode="zip zipcode postcode postal plz postleitzahl codepostal codigopostal",
    age="age alter edad leeftijd iage jahrgang",
    date_of_birth="birth born birthday birthdate dob geburt geboren naissance nacimiento nascita geboorte "
    "geburtsdatum geburtsjahr",
    sex="sex gender geschlecht sexe sexo sesso geslacht isex",
    place="city town ort wohnort stadt gemeinde ville commune ciudad municipio citta comune stad municipality county "
    "region state province bundesland kanton country land pays pais paese district latitude longitude lat lon "
    "neighbourhood neighborhood statenum istatenum residence",
    origin="birthplace nationality nationalitaet staatsangehoerigkeit citizenship race irace ethnicity ethnic "
    "hispanic ihispanic foreign migration language sprache",
    family="marital married maritalstatus familienstand civil household children kinder dependents "
    "relationship spouse widowed zivilstand",
    education="education degree school schooling bildung ausbildung abschluss schulabschluss etudes estudios",
    work="occupation job profession beruf employment workclass employer department abteilung position title "
    "taetigkeit metier ocupacion professione beroep hired hire tenure office standort location team",
    date_of_an_event="admitted admission discharge discharged visit visited arrival death died entry exit "
    "aufnahme entlassung eintritt austritt joined",
    body="height weight groesse gewicht hair eye",
    home="housing property dwelling wohnung telephone",
)

HEALTH: Final = _topics(
    health="disease diseases diagnosis diagnoses diagnose icd icd10 icd9 illness ill symptom symptoms krankheit "
    "erkrankung maladie enfermedad malattia ziekte hiv cancer tumor medication drug treatment therapy therapie "
    "behandlung medikament procedure disability behinderung pregnancy pregnant cholesterol ecg injury iinjury "
    "comorbidity prescription"
)
_CARE: Final = "patient patients ward hospital clinic triage admission admitted readmitted"

SENSITIVE: Final = {
    **HEALTH,
    **_topics(
        money="salary income wage wages pay gehalt lohn einkommen salaire revenu salario sueldo stipendio reddito debt "
        "schulden bonus pension vermoegen wealth",
        belief_or_politics="religion religious faith konfession kirche church party partei politics political vote "
        "voted union gewerkschaft religione",
        private_life="sexual orientation sexuality genetic genome biometric",
        crime="crime criminal conviction convicted offence offense arrest vorstrafe straftat",
        judgement_of_a_person="performance appraisal assessment beurteilung sick absence absences fehlzeiten "
        "krankheitstage satisfaction warnings",
    ),
}

TARGET: Final = _topics(
    label="class target label outcome y klasse zielvariable ziel etiqueta etiquette classe churn churned readmitted "
    "survived survival approved default defaulted response credit_risk income",
)

CARE: Final = {**HEALTH, "care": frozenset(_CARE.split())}
"""Words that show that a table is about patients."""

_BORDERS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[^0-9A-Za-z]+|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")


def words_of(name: str) -> tuple[str, ...]:
    """Split the name of a column into words.

    >>> words_of("patientId"), words_of("Straße 2"), words_of("prénom"), words_of("icd10")
    (('patient', 'id'), ('strasse', '2'), ('prenom',), ('icd', '10'))
    """
    plain = name.replace("ß", "ss")
    for umlaut, letters in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("Ä", "Ae"), ("Ö", "Oe"), ("Ü", "Ue")):
        plain = plain.replace(umlaut, letters)
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(sign))
    return tuple(word.lower() for word in _BORDERS.split(plain) if word)


def topic_of(name: str, topics: Topics) -> str | None:
    """The topic that the name of a column means; ``None`` if it means none of these.

    >>> topic_of("Postleitzahl", OUTSIDE), topic_of("salary-class", SENSITIVE), topic_of("x7", OUTSIDE)
    ('postcode', 'money', None)
    """
    words = words_of(name)
    forms = {*words, "".join(words), *("".join(pair) for pair in pairwise(words))}
    for topic, known in topics.items():
        if forms & known:
            return topic
    for topic, known in topics.items():
        if any(len(word) >= _COMPOUND and word in longer for word in known for longer in words):
            return topic
    return None


# --------------------------------------------------------------------------------------------------
# Shapes: what texts look like, whatever the name of their column.


IDENTIFYING_SHAPES: Final = {
    "e-mail addresses": re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]{2,}\Z"),
    "web addresses": re.compile(r"(?:https?://|www\.)\S+\Z", re.IGNORECASE),
    "bank accounts (IBAN)": re.compile(r"[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{2,4}){3,8}\Z"),
    "hashes": re.compile(r"(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{12,}\Z", re.IGNORECASE),
    "random identifiers (UUID)": re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\Z", re.IGNORECASE),
    "social security numbers": re.compile(r"[0-9]{3}-[0-9]{2}-[0-9]{4}\Z"),
    "card numbers": re.compile(r"(?:[0-9]{4}[ -]){3}[0-9]{4}\Z"),
    "network addresses": re.compile(r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}\Z"),
    "telephone numbers": re.compile(r"(?=(?:\D*[0-9]){7,15}\D*\Z)(?:\+[0-9]|\(?0[0-9]*[ /)-])[0-9 ()/.-]+\Z"),
}
"""Shapes of values that identify a person."""

CODE: Final = re.compile(r"(?=.*[0-9])[A-Za-z0-9.\-]{2,12}\Z")
"""Codes of a few letters and digits: postcodes, codes of diagnoses."""

ICD: Final = re.compile(r"[A-Z][0-9][0-9A-Z](?:\.[0-9A-Z]{1,4})?\Z")

DATED: Final = re.compile(
    r"(?:[0-9]{1,2}[./-][0-9]{1,2}[./-](?:[0-9]{4}|[0-9]{2})|[0-9]{4}[./-][0-9]{1,2}[./-][0-9]{1,2})\b"
)
"""Dates in any form."""

_MOST: Final = 0.9
_FEWEST: Final = 3
_WORDS: Final = 4  # on average: then somebody wrote the text
_LETTERS: Final = 25


def mostly(texts: Sequence[str], shape: re.Pattern[str], share: float = _MOST) -> bool:
    """Whether nearly all texts have a shape.

    >>> mostly(["01234", "99999", "12345"], CODE), mostly(["a", "b", "c"], CODE)
    (True, False)
    """
    if len(texts) < _FEWEST:
        return False
    return sum(shape.match(text) is not None for text in texts) >= share * len(texts)


def shape_of(texts: Sequence[str]) -> str | None:
    """The identifying shape of nearly all texts; ``None`` if they have none.

    >>> shape_of(["ann@home.org", "bo@work.com", "cy@x.de"]), shape_of(["030 1234567", "+49 30 1234", "0151-2345678"])
    ('e-mail addresses', 'telephone numbers')
    """
    return next((name for name, shape in IDENTIFYING_SHAPES.items() if mostly(texts, shape)), None)


def like_values(names: Sequence[str]) -> bool:
    """Whether names of columns look like cells, because the first record was read as a header.

    >>> like_values(["39", "Bonn", "2024-03-31"]), like_values(["age", "q1", "2023"]), like_values(["0", "1", "2"])
    (True, False, False)
    """
    if [*map(str, range(len(names)))] == list(names):
        return False
    cells = [name for name in names if number_of(name) is not None or DATED.match(name) or shape_of([name] * _FEWEST)]
    return len(cells) > len(names) / 2


def is_free_text(texts: Sequence[str]) -> bool:
    """Whether texts are sentences that somebody wrote.

    >>> is_free_text(["came with a cough, better now", "no change since the last visit", "sent home after two days"])
    True
    """
    if len(texts) < _FEWEST:
        return False
    words = sum(len(text.split()) for text in texts) / len(texts)
    letters = sum(map(len, texts)) / len(texts)
    return words >= _WORDS and letters >= _LETTERS
