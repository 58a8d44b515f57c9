"""Inducers, which grow trees: C4.5, ID3 for published tables, kADET, scikit-learn's CART and Weka's J48.

Anonymization methods and learners import it. ``INDUCERS`` is read without importing numba or scikit-learn.
Start with :mod:`hedgerow.anonymizers.trees.inducers.inducer`, which finds the inducer that a parameter means.

>>> INDUCERS
('c45', 'cart', 'j48')
"""

from typing import Final

__all__ = ["INDUCERS"]

# The first is the default.
INDUCERS: Final[tuple[str, ...]] = ("c45", "cart", "j48")
