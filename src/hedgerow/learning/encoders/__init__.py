"""Representations of published tables: scikit-learn transformers that know hierarchies, sets and intervals."""

from hedgerow.learning.encoders._representations import (
    FillChildEncoder,
    FillParentEncoder,
    OneClassEncoder,
    ProportionalEncoder,
)

__all__ = ["FillChildEncoder", "FillParentEncoder", "OneClassEncoder", "ProportionalEncoder"]
