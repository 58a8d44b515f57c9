"""A class that is declared by its fields: ``__init__``, docstring and scikit-learn's face are derived from them.

scikit-learn itself is imported only when it asks, so that a method can be known without it.
"""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self, dataclass_transform, get_type_hints

from hedgerow.anonymizers.parameters import Parameter, Words
from hedgerow.errors import BadInput

__all__ = ["Declared"]


@dataclass_transform(kw_only_default=True)
class Declared:
    """A class whose parameters are fields (see :mod:`hedgerow.anonymizers.parameters`), those of its bases first.

    A subclass that writes its own ``__init__`` keeps it, and is described by its signature.
    """

    fields: ClassVar[Mapping[str, Parameter]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = {}
        for name, value in list(vars(cls).items()):
            if isinstance(value, Parameter | Words):
                own[name] = value if isinstance(value, Parameter) else value.typed(_annotation(cls, name))
                # For whoever writes an __init__ that leaves it out.
                setattr(cls, name, own[name].default)
        cls.fields = {**cls.fields, **own}
        if "__init__" not in vars(cls):
            cls.__init__ = _constructor(cls)  # type: ignore[method-assign]  # it is what the fields declare
            cls.__doc__ = _documented(cls)

    @classmethod
    def parameters(cls) -> dict[str, Parameter]:
        """The parameters that are not those of every method, by name."""
        return {name: one for name, one in cls.fields.items() if not one.shared}

    @classmethod
    def check(cls, given: Mapping[str, Any]) -> None:
        """Say which of these is unknown or wrong, if one is."""
        known = cls.parameters()
        for name, value in given.items():
            if name not in known:
                raise BadInput.unknown(f"parameter of {cls.__name__} called", name, known)
            if not known[name].accepts(value):
                raise BadInput.parameter(name, cls.__name__, known[name].must, value)

    @classmethod
    def weak(cls, given: Mapping[str, Any]) -> str | None:
        """The parameter that gives up the guarantee, if one is on."""
        return next((name for name, one in cls.fields.items() if one.weak and given.get(name) is True), None)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All parameters; with ``deep`` also those of an estimator among them, such as ``inducer__max_depth``."""
        values = {name: getattr(self, name) for name in _defaults(type(self))}
        if deep:
            for name, value in list(values.items()):
                if hasattr(value, "get_params") and not isinstance(value, type):
                    values.update({f"{name}__{inner}": one for inner, one in value.get_params().items()})
        return values

    def set_params(self, **values: Any) -> Self:
        """Change parameters; ``inducer__max_depth`` is one of an estimator among them."""
        known = self.get_params(deep=False)
        for name, value in values.items():
            outer, nested, inner = name.partition("__")
            if outer not in known:
                raise BadInput.unknown(f"parameter of {type(self).__name__} called", outer, known)
            if nested:
                getattr(self, outer).set_params(**{inner: value})
            else:
                setattr(self, outer, value)
        return self

    def __repr__(self) -> str:
        defaults, given = _defaults(type(self)), self.get_params(deep=False)
        changed = (f"{name}={value!r}" for name, value in given.items() if repr(value) != repr(defaults[name]))
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=False))


def _defaults(cls: type[Declared]) -> dict[str, object]:
    """The parameters of ``__init__`` and their defaults, without what is passed on."""
    parameters = inspect.signature(cls).parameters.values()
    return {one.name: one.default for one in parameters if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)}


def _annotation(cls: type, name: str) -> object:
    """What a field is annotated with; other annotations may name what is not imported."""
    field = type("Field", (), {"__annotations__": {name: inspect.get_annotations(cls)[name]}})
    return get_type_hints(field, vars(sys.modules[cls.__module__]))[name]


def _constructor(cls: type[Declared]) -> Callable[..., None]:
    """An ``__init__`` that takes the fields as keywords and only assigns them."""
    fields = dict(cls.fields)

    def __init__(self: Declared, **given: Any) -> None:  # noqa: N807 - it becomes a method
        for name in given:
            if name not in fields:
                raise TypeError(f"{cls.__name__}.__init__() got an unexpected keyword argument {name!r}")
        for name, declared in fields.items():
            setattr(self, name, given.get(name, declared.default))

    keywords = (
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=declared.default)
        for name, declared in fields.items()
    )
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = inspect.Signature([itself, *keywords])  # type: ignore[attr-defined]  # inspect reads it
    __init__.__qualname__ = f"{cls.__qualname__}.__init__"
    return __init__


def _documented(cls: type[Declared]) -> str | None:
    """The docstring with the list of parameters before its examples."""
    if cls.__doc__ is None:
        return None
    text, heading, examples = inspect.cleandoc(cls.__doc__).partition("Examples\n--------\n")
    lines = [
        f"{name} : {one.kind}\n{textwrap.indent(textwrap.fill(one.meaning, 112), '    ')}"
        for name, one in cls.fields.items()
    ]
    return "\n".join([text.rstrip(), "", "Parameters", "----------", *lines, "", heading + examples]).rstrip() + "\n"
