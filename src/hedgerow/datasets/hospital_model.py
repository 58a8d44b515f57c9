"""The hospital behind the synthetic visits: what people come for, where they go, how urgent it is.

Who the patients are is the census's model. ICD-10's codes are public; every figure is made up.
"""

from __future__ import annotations

from typing import Final

__all__ = ["COMPLAINTS", "CURED", "DIAGNOSES", "TRIAGE", "URGENCY", "WARDS"]

TRIAGE: Final = ("green", "yellow", "orange", "red")
# Where a standard normal urgency is cut into the four levels.
URGENCY: Final = (0.2, 1.1, 2.0)

# What each disease of the census is coded as, how urgent it is, and the ward it is treated in.
DIAGNOSES: Final[dict[str, tuple[tuple[str, ...], float, str]]] = {
    "Anxiety": (("F41.0", "F41.1", "F41.9"), -0.5, "Psychiatry"),
    "Arthritis": (("M05.8", "M06.9", "M13.0", "M17.1"), -0.8, "Orthopaedics"),
    "Asthma": (("J45.0", "J45.1", "J45.9"), 0.5, "Internal medicine"),
    "Cancer": (("C18.7", "C34.1", "C50.4", "C61.0"), 0.3, "Oncology"),
    "Depression": (("F32.1", "F32.2", "F33.1"), -0.2, "Psychiatry"),
    "Diabetes": (("E10.1", "E11.6", "E11.9"), 0.1, "Internal medicine"),
    "Gastritis": (("K29.1", "K29.3", "K29.7"), -0.3, "Internal medicine"),
    "HIV": (("B20.0", "B20.7", "B24.0"), 0.0, "Infectious diseases"),
    "Heart disease": (("I21.0", "I21.4", "I25.1", "I50.1"), 1.4, "Cardiology"),
    "Hypertension": (("I10.0", "I10.9", "I11.9"), 0.2, "Cardiology"),
    "Influenza": (("J10.0", "J10.1", "J11.1"), 0.0, "Infectious diseases"),
    "Migraine": (("G43.0", "G43.1", "G43.9"), -0.4, "Neurology"),
}
WARDS: Final = tuple(sorted({ward for _, _, ward in DIAGNOSES.values()}))

COMPLAINTS: Final = ("pain", "fever", "short breath", "dizziness", "nausea", "weakness", "a check-up")
CURED: Final = ("improved", "unchanged", "referred", "discharged on request")
