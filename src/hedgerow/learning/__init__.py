"""Learning from raw or published tables: encoders, redrawing, export, and classifiers that read sets and intervals.

Evaluation, attacks and the command may import it. It imports releases, proportions and trees.
Start with :mod:`~hedgerow.learning.redraw`, or :mod:`~hedgerow.learning.encoders` for features.
"""

from hedgerow.learning._c45 import C45Classifier
from hedgerow.learning._kadet import KADETClassifier
from hedgerow.learning._redraw_step import Redraw
from hedgerow.learning.encoders import FillChildEncoder, FillParentEncoder, OneClassEncoder, ProportionalEncoder
from hedgerow.learning.export import export
from hedgerow.learning.id3 import GeneralizedID3Classifier
from hedgerow.learning.redraw import redraw

__all__ = [
    "C45Classifier",
    "FillChildEncoder",
    "FillParentEncoder",
    "GeneralizedID3Classifier",
    "KADETClassifier",
    "OneClassEncoder",
    "ProportionalEncoder",
    "Redraw",
    "export",
    "redraw",
]
