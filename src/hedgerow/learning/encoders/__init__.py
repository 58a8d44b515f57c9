"""Encoders of published tables: scikit-learn transformers that read hierarchies, sets and intervals.

Only :mod:`hedgerow.learning` imports it.
Start with ``_representations``, the encoders; ``_column`` fits a column, ``_covers`` reads its cells.
"""

from hedgerow.learning.encoders._representations import (
    FillChildEncoder,
    FillParentEncoder,
    OneClassEncoder,
    ProportionalEncoder,
)

__all__ = ["FillChildEncoder", "FillParentEncoder", "OneClassEncoder", "ProportionalEncoder"]
