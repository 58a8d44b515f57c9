"""The command line: ``hedgerow demo``, ``advise``, ``anonymize``, ``audit``, ``check``, ``methods`` and more.

Only the command that was typed imports what it needs: ``hedgerow --help`` and every complaint about usage
cost next to nothing.
"""

from __future__ import annotations

from hedgerow.cli._outcome import main

__all__ = ["main"]
