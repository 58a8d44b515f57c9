"""The engines that ``--engine`` names."""

from __future__ import annotations

from hedgerow.errors import BadInput

__all__ = ["check_engine"]

_ENGINES = ("duckdb", "spark")


def check_engine(engine: str | None, master: str | None) -> None:
    """Refuse an engine that is not there, and a master of none."""
    if engine is not None and engine not in _ENGINES:
        raise BadInput.unknown("engine", engine, _ENGINES)
    if master is not None and engine != "spark":
        raise BadInput("--master says where Spark runs. Say --engine spark too, or leave it out.")
