"""The command line. ``_app.py`` declares the commands; a module named after each command does its work.

No other package imports it. A command's module is imported only if the command was typed, so that help is fast.
Start reading at ``_app.py``, and at ``main`` in ``_outcome.py`` for exit statuses.
"""

from __future__ import annotations

from hedgerow.cli._outcome import main

__all__ = ["main"]
