"""The words that name an inducer are there before anything heavy is."""

from __future__ import annotations

import subprocess
import sys

from hedgerow.anonymizers.trees import INDUCERS
from hedgerow.anonymizers.trees.inducers.inducer import _BY_NAME


def test_each_word_is_an_inducer() -> None:
    assert tuple(_BY_NAME) == INDUCERS


def test_reading_the_words_imports_neither_numba_nor_scikit_learn() -> None:
    program = "import sys, hedgerow.anonymizers.trees.inducers; print(*{'numba', 'sklearn'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_inducers_import_neither_numba_nor_scikit_learn() -> None:
    program = (
        "import sys; from hedgerow.anonymizers.trees.inducers import inducer; "
        "print(*{'numba', 'sklearn'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
