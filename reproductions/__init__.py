"""The papers' experiments, one module each: what is run, and the page that sets the paper's figures beside ours."""

from __future__ import annotations

import importlib
from typing import Final

from hedgerow.errors import BadInput
from reproductions.base import Reproduction

__all__ = ["PAPERS", "reproduction"]

PAPERS: Final = ("kactus", "id3", "heuristicmin", "hybrid", "proportional", "hedge", "proof")


def reproduction(paper: str) -> Reproduction:
    """The experiments of a paper."""
    if paper not in PAPERS:
        raise BadInput.unknown("paper", paper, PAPERS)
    module = importlib.import_module(f"reproductions.{paper}")
    found: Reproduction = module.REPRODUCTION
    return found
