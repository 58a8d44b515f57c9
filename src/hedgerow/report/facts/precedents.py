"""Thresholds that others use for the chance of finding a person again, and where that is written."""

from __future__ import annotations

from typing import Final

from hedgerow.report.facts.sections.identifying import Precedent

__all__ = ["PRECEDENTS"]

_CELL_SIZES: Final = (
    "K. El Emam: Guide to the De-Identification of Personal Health Information, CRC Press 2013, chapter “Cell Size "
    "Precedents”"
)

PRECEDENTS: Final = (
    Precedent(3, 0.33, "Some data custodians.", _CELL_SIZES),
    Precedent(5, 0.20, "The customary “cell size of five” rule of data custodians.", _CELL_SIZES),
    Precedent(
        11,
        0.09,
        "Public releases of health data in the United States (the Centers for Medicare & Medicaid Services show no "
        "cell below 11); the European Medicines Agency (Policy 0070) and Health Canada (Public Release of Clinical "
        "Information) recommend 0.09 for clinical reports that they publish.",
        f"{_CELL_SIZES}; the guidance of both agencies on anonymising clinical reports",
    ),
    Precedent(20, 0.05, "Some public releases of patient data in Canada and the United States.", _CELL_SIZES),
)
"""From the loosest to the strictest. They are precedents: none of them makes a release lawful by itself."""
