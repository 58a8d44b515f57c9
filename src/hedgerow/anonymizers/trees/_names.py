"""The inducers that go by a word; readable without importing numba or scikit-learn.

>>> INDUCERS
('c45', 'cart', 'j48')
"""

from typing import Final

__all__ = ["INDUCERS"]

# The first is the default.
INDUCERS: Final[tuple[str, ...]] = ("c45", "cart", "j48")
