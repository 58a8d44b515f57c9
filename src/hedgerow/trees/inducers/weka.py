"""Whether Weka is there: the package that brings it, and Java to run it."""

from __future__ import annotations

import importlib.util
import os
import shutil

from hedgerow.errors import MissingExtra

__all__ = ["check_weka"]


def check_weka(what: str, instead: str) -> None:
    """Say what is not installed, if something is not.

    Parameters
    ----------
    what : str
        What needs it.
    instead : str
        The sentence that says what does without.
    """
    if importlib.util.find_spec("weka") is None:
        raise MissingExtra.for_extra("python-weka-wrapper3", "weka")
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        raise MissingExtra(
            f"{what} needs Java, which was not found. Install it (sudo apt install default-jre-headless) "
            f"or set JAVA_HOME. {instead}"
        )
