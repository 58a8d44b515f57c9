"""The columns of ``Nodes.links``, for kernels."""

from typing import Final

__all__ = ["BRANCHES", "CODE", "COLUMN", "FIRST", "LINKS", "PARENT", "THRESHOLD"]

COLUMN: Final = 0
THRESHOLD: Final = 1
FIRST: Final = 2
BRANCHES: Final = 3
PARENT: Final = 4
CODE: Final = 5
LINKS: Final = 6
