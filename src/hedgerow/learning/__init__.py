"""Learning from tables, raw or published: scikit-learn classifiers that are faces of :mod:`hedgerow.trees`."""

from hedgerow.learning.c45 import C45Classifier
from hedgerow.learning.kadet import KADETClassifier

__all__ = ["C45Classifier", "KADETClassifier"]
