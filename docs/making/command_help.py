"""Fill pages with what the command says of itself: a line ``{{ help audit }}`` becomes ``hedgerow audit --help``."""

from __future__ import annotations

import contextlib
import io
import os
import re
from typing import Any

from hedgerow.cli import main

PLACE = re.compile(r"^\{\{ help ?(\S*) \}\}$", flags=re.MULTILINE)


def help_of(command: str) -> str:
    """What ``--help`` prints of a command, or of all of them, 80 columns wide."""
    words = [command] if command else []
    printed = io.StringIO()
    os.environ["COLUMNS"] = "80"
    with contextlib.redirect_stdout(printed):
        status = main([*words, "--help"])
    if status != 0:
        raise ValueError(f"hedgerow {command} --help ends with {status}.")
    return printed.getvalue().rstrip()


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by MkDocs for every page."""
    return PLACE.sub(lambda found: f"```text\n{help_of(found[1])}\n```", markdown)
