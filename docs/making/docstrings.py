"""What mkdocstrings reads of the source, made ready for a page.

Some classes are declared by their fields: what they say of themselves is known only once they are imported. Docstrings
are written for reStructuredText, pages are Markdown; a short one shows its example without a heading.
"""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

import griffe

KINDS: dict[Any, griffe.ParameterKind] = {
    inspect.Parameter.POSITIONAL_OR_KEYWORD: griffe.ParameterKind.positional_or_keyword,
    inspect.Parameter.KEYWORD_ONLY: griffe.ParameterKind.keyword_only,
}
ROLE = re.compile(r":(?:mod|class|func|meth|data|attr):`~?([^`]+)`")
BARE_EXAMPLE = re.compile(r"\n\n(?=>>> )")


class Declared(griffe.Extension):
    """Give classes the docstring that they have once imported, and methods the parameters that they declare."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called by griffe for every class, function and module."""
        declaring = ("hedgerow.anonymizers.", "hedgerow.learning.")
        if isinstance(obj, griffe.Class) and obj.path.startswith(declaring):
            self.import_class(obj)

    def import_class(self, cls: griffe.Class) -> None:
        """Ask the class itself."""
        imported = getattr(importlib.import_module(cls.module.path), cls.name, None)
        if imported is None or imported.__doc__ is None:
            return
        cls.docstring = griffe.Docstring(inspect.cleandoc(imported.__doc__), parent=cls)
        if hasattr(imported, "fields") or hasattr(imported, "presets"):
            self.declare(cls, imported)

    def declare(self, cls: griffe.Class, imported: Any) -> None:
        """Put a constructor in the place of the fields."""
        parameters = [
            griffe.Parameter(one.name, kind=KINDS[one.kind], default=repr(one.default))
            for one in inspect.signature(imported).parameters.values()
        ]
        if getattr(imported, "presets", None):
            # The signature leaves it out: scikit-learn takes everything there for an attribute.
            keyword = griffe.ParameterKind.keyword_only
            parameters.append(griffe.Parameter("preset", kind=keyword, default="None"))
        cls.set_member("__init__", griffe.Function("__init__", parameters=griffe.Parameters(*parameters)))
        for name in getattr(imported, "fields", ()):
            cls.members.pop(name, None)


class Readable(griffe.Extension):
    """Turn what is reStructuredText in docstrings into Markdown."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called by griffe for every class, function and module."""
        if obj.docstring is None:
            return
        text = ROLE.sub(r"`\1`", obj.docstring.value)
        if "\nExamples\n-" not in text:
            text = BARE_EXAMPLE.sub("\n\nExamples\n--------\n", text, count=1)
        obj.docstring.value = text
