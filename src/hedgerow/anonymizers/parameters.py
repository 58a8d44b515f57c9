"""The parameters of methods, declared once as fields of their classes, and the suppression limit.

``cut: Literal["loss", "widest"] = choice("Which cut is taken.")`` declares a parameter completely. From such fields
:class:`Declared` derives ``__init__`` and the docstring, the command derives its options and manual, and the contract
derives its checks.
"""

from __future__ import annotations

import functools
import inspect
import math
import numbers
import sys
import textwrap
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Final, Self, TypeVar, dataclass_transform, get_args, get_type_hints

from hedgerow._internal.keywords import unexpected_keyword
from hedgerow.errors import BadInput, Infeasible, InternalError, is_int, plural

__all__ = [
    "CELLS",
    "Declared",
    "IMPROVE",
    "MUST",
    "PUBLISH",
    "Parameter",
    "Presets",
    "Words",
    "check_limit",
    "choice",
    "choice_or_object",
    "flag",
    "number",
    "preset_in_words",
    "read_limit",
    "records_allowed",
    "remarks_on_limit",
    "refuse_losses",
    "shared",
    "takes_presets",
    "with_preset",
]


@dataclass(frozen=True)
class Parameter:
    """A parameter of a method, without its name.

    Attributes
    ----------
    meaning : str
        What it does, for docstring and manual.
    default : object
    kind : str
        Its type, for docstrings.
    must : str
        Which values are allowed, for messages.
    values : str
        The values to type, for the manual.
    accepts : callable
        Whether a value may be given.
    read : callable
        Reads the value typed on the command line; unreadable text stays text, and is not accepted.
    options : tuple of str
        The allowed words.
    trials : tuple
        The values that contract checks try, besides the default.
    weak : bool
        Whether it gives up the guarantee if it is on; the command then requires ``--allow-weak``.
    shared : bool
        Whether every method has it; the pipeline then checks its value.
    """

    meaning: str
    default: object
    kind: str
    must: str = ""
    values: str = ""
    accepts: Callable[[object], bool] = lambda _value: True
    read: Callable[[str], object] = str
    options: tuple[str, ...] = ()
    trials: tuple[object, ...] = ()
    weak: bool = False
    shared: bool = False


@dataclass(frozen=True)
class Words:
    """A choice among the words of the field's ``Literal``."""

    meaning: str

    def typed(self, annotation: object) -> Parameter:
        """The parameter, completed by the annotation."""
        parameter: Parameter = choice(self.meaning, options=get_args(annotation))
        return parameter


def choice(
    meaning: str, *, options: Collection[str] = (), default: str | None = None, trials: Sequence[str] = ()
) -> Any:
    """One of several words.

    Parameters
    ----------
    meaning : str
    options : collection of str
        The words, unless the field is annotated with a ``Literal`` of them. Words that are added to a list later are
        allowed too.
    default : str, optional
        The first if not given.
    trials : sequence of str
        The words that contract checks try, if there are too many to try all.
    """
    if not options:
        return Words(meaning)
    chosen = next(iter(options)) if default is None else default
    *others, last = map(repr, options)
    return Parameter(
        meaning,
        chosen,
        kind=f"{{{_quoted(options)}}}",
        must=f"{', '.join(others)} or {last}" if others else last,
        values=" | ".join(options),
        accepts=lambda value: isinstance(value, str) and value in options,
        options=tuple(options),
        trials=tuple(trials) or tuple(word for word in options if word != chosen),
    )


def choice_or_object(meaning: str, *, options: Sequence[str], extras: Sequence[str], objects: str) -> Any:
    """One of several words or, in Python, an object; ``extras`` are words that need an optional dependency."""
    words = (*options, *extras)

    def accepts(value: object) -> bool:
        if isinstance(value, str):
            return value in words
        return not isinstance(value, type) and (callable(value) or hasattr(value, "fit"))

    return Parameter(
        meaning,
        options[0],
        kind=f"{{{_quoted(words)}}} or object",
        must=f"{', '.join(map(repr, words))} or {objects}",
        values=" | ".join(words),
        accepts=accepts,
        options=tuple(options),
        trials=tuple(options[1:]),
    )


def flag(meaning: str, *, default: bool = False, weak: bool = False) -> Any:
    """On or off; ``weak`` marks one that gives up the guarantee."""
    words = {"true": True, "false": False, "yes": True, "no": False}
    return Parameter(
        meaning,
        default,
        kind="bool",
        must="True or False",
        values="yes | no",
        accepts=lambda value: isinstance(value, bool),
        read=lambda text: words.get(text.lower(), text),
        # The contract cannot hold for what gives up the guarantee.
        trials=() if weak else (not default,),
        weak=weak,
    )


def number(
    meaning: str,
    *,
    default: float | str | None,
    least: float,
    most: float = math.inf,
    whole: bool = False,
    words: Sequence[str] = (),
    trials: tuple[object, ...] = (),
) -> Any:
    """A number from ``least`` to ``most``, or one of a few words; ``None`` only if that is the default."""
    kind, called, article, shown = _INT if whole else _FLOAT
    limits = f">= {least:g}" if math.isinf(most) else f"from {least:g} to {most:g}"
    others = [*map(repr, words), *(["None"] if default is None else [])]

    def accepts(value: object) -> bool:
        if value is None:
            return default is None
        if isinstance(value, str | bool):
            return value in words
        return isinstance(value, kind) and least <= float(value) <= most

    return Parameter(
        meaning,
        default,
        kind="".join(f'"{word}" or ' for word in words) + called + (", optional" if default is None else ""),
        must=" or ".join([*others, f"{article} {limits}"]),
        values=" | ".join([*words, shown]),
        accepts=accepts,
        read=partial(_read_number, int if whole else float),
        trials=trials,
    )


# The type of a number, its name in docstrings and in messages, and what the manual shows for it.
_INT: Final = (numbers.Integral, "int", "an int", "N")
_FLOAT: Final = (numbers.Real, "float", "a number", "NUMBER")


def _read_number(kind: type[int] | type[float], text: str) -> object:
    try:
        return kind(text)
    except ValueError:
        return text


def shared(kind: str, meaning: str, *, default: object = None) -> Any:
    """A parameter of every method."""
    return Parameter(meaning, default, kind=kind, shared=True)


def _quoted(words: Collection[str]) -> str:
    return ", ".join(f'"{word}"' for word in words)


# --------------------------------------------------------------------------------------------------
# The suppression limit: a share of the records or a number of them.


MUST: Final = "a share from 0.0 to 1.0 or a whole number of records >= 0"


def check_limit(limit: object, owner: str) -> None:
    """Refuse a limit that is neither a share nor a number of records."""
    share = isinstance(limit, numbers.Real) and not isinstance(limit, numbers.Integral) and 0 <= float(limit) <= 1
    if not (share or is_int(limit, 0)):
        raise BadInput.parameter("suppression_limit", owner, MUST, limit)


_LARGEST_SHARE: Final = 100  # in percent: larger numbers are not taken for shares


def records_allowed(limit: float, rows: int) -> int:
    """How many of some records may be lost: a share is rounded down, and at least one record is published.

    >>> records_allowed(0.04, 30162), records_allowed(200, 30162), records_allowed(0.3, 10)
    (1206, 200, 3)
    >>> records_allowed(1.0, 10), records_allowed(1, 10)
    (9, 1)
    """
    records = int(limit) if is_int(limit, 0) else int(rows * limit + 1e-9)
    return max(min(records, rows - 1), 0)


def remarks_on_limit(limit: object) -> tuple[str, ...]:
    """A note on how a limit was understood, if it is a number of records that is easily taken for a share.

    >>> remarks_on_limit(2)
    ('At most 2 rows may be lost (suppression_limit=2). For a share, give 0.02.',)
    >>> remarks_on_limit(0.02), remarks_on_limit(200), remarks_on_limit(None)
    ((), (), ())
    """
    if not is_int(limit, 1) or int(limit) > _LARGEST_SHARE:
        return ()
    rows = int(limit)
    return (
        f"At most {plural(rows, 'rows')} may be lost (suppression_limit={rows}). For a share, give {rows / 100:g}.",
    )


def read_limit(typed: str) -> float | str:
    """Read a limit as typed; unreadable text stays text, and is not accepted.

    >>> read_limit("2%"), read_limit("0.02"), read_limit("200"), read_limit("a few")
    (0.02, 0.02, 200, 'a few')
    """
    text = typed.strip()
    try:
        if text.endswith("%"):
            return float(text[:-1]) / 100
        return int(text) if text.isdecimal() else float(text)
    except ValueError:
        return typed


def refuse_losses(method: str, lost: int, rows: int, allowed: int, otherwise: str = "") -> Infeasible:
    """The error for a method that would lose more records than it may."""
    return Infeasible(
        f"{method} would lose {lost:,} of the {rows:,} records, and {allowed:,} may be lost. Raise suppression_limit "
        f"(--suppression-limit) to {lost} or more{otherwise}."
    )


# --------------------------------------------------------------------------------------------------
# Presets: one word for the values of several parameters.


Presets = Mapping[str, Mapping[str, Any]]
"""The presets of a class: the parameters that each sets, with their values."""

T = TypeVar("T")


def with_preset(cls: Any, preset: object, given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that a preset of a class sets, and those that are given, which win."""
    presets: Presets = cls.presets
    if preset is None:
        return dict(given)
    if not isinstance(preset, str) or preset not in presets:
        must = " or ".join([*map(repr, presets), "None"])
        raise BadInput.parameter("preset", cls.__name__, must, preset)
    return {**presets[preset], **given}


def preset_in_words(cls: Any, mark: str = "``", called: str = '{mark}"{name}"{mark}') -> str:
    """What the presets of a class set, in sentences; nothing for a class without presets.

    Parameters
    ----------
    cls : type
    mark : str
        What stands around code.
    called : str
        How a preset is named, with ``{name}`` and ``{mark}``.
    """
    sentences = []
    for name, values in cls.presets.items():
        listed = ", ".join(f"{mark}{one}={_shown(value)}{mark}" for one, value in values.items())
        effect = listed or "nothing: no parameter brings it closer to the paper"
        sentences.append(f"{called.format(name=name, mark=mark)}, as its authors have it, sets {effect}.")
    return " ".join([*sentences, "Parameters that you give win."]) if sentences else ""


def _shown(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def takes_presets(cls: type[T]) -> type[T]:
    """Let the constructor of a dataclass take ``preset``, and describe it.

    ``{preset}`` in the docstring becomes its description. The signature does not show it, because scikit-learn takes
    everything there for a parameter with an attribute.
    """
    decorated: Any = cls
    assign = decorated.__init__
    signature = inspect.signature(assign)

    @functools.wraps(assign)
    def __init__(self: Any, *, preset: str | None = None, **given: Any) -> None:  # noqa: N807 - it becomes a method
        assign(self, **with_preset(type(self), preset, given))

    if cls.__doc__:
        about = f"preset : {{{_quoted(decorated.presets)}}}, optional\n"
        about += textwrap.indent(textwrap.fill(preset_in_words(cls), 112, break_on_hyphens=False), " " * 8)
        cls.__doc__ = cls.__doc__.replace("{preset}", about)
    shown = [one for name, one in signature.parameters.items() if name != "preset"]
    __init__.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]  # inspect reads it
    decorated.__init__ = __init__
    return cls


# --------------------------------------------------------------------------------------------------
# A class that is declared by its fields: ``__init__``, docstring and scikit-learn's methods are derived from them.
#
# scikit-learn is imported only when it asks for tags, so that methods work without it.


@dataclass_transform(kw_only_default=True)
class Declared:
    """A class whose parameters are fields (:class:`Parameter`), those of its bases first.

    A subclass may have its own ``__init__``; its signature then describes it. ``__init__`` also takes ``preset``, which
    is no parameter: it only chooses the values of those that are not given.
    """

    fields: ClassVar[Mapping[str, Parameter]] = {}
    presets: ClassVar[Presets] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = {}
        for name, value in list(vars(cls).items()):
            if isinstance(value, Parameter | Words):
                own[name] = value if isinstance(value, Parameter) else value.typed(_annotation(cls, name))
                # For a subclass whose own __init__ leaves it out.
                setattr(cls, name, own[name].default)
        cls.fields = {**cls.fields, **own}
        cls._check_presets()
        if "__init__" not in vars(cls):
            cls.__init__ = _constructor(cls)  # type: ignore[method-assign]  # it is what the fields declare
            cls.__doc__ = _documented(cls)

    @classmethod
    def parameters(cls) -> dict[str, Parameter]:
        """The parameters that not every method has, by name."""
        return {name: field for name, field in cls.fields.items() if not field.shared}

    @classmethod
    def check(cls, given: Mapping[str, Any]) -> None:
        """Refuse unknown parameters and wrong values."""
        known = cls.parameters()
        for name, value in given.items():
            if name not in known:
                raise BadInput.unknown(f"parameter of {cls.__name__} called", name, known)
            if not known[name].accepts(value):
                raise BadInput.parameter(name, cls.__name__, known[name].must, value)

    @classmethod
    def _check_presets(cls) -> None:
        for preset, values in cls.presets.items():
            wrong = [
                name for name, one in values.items() if name not in cls.fields or not cls.fields[name].accepts(one)
            ]
            if wrong:
                raise InternalError(f"the preset {preset!r} of {cls.__name__} sets {', '.join(wrong)} wrongly")

    @classmethod
    def weak(cls, given: Mapping[str, Any]) -> str | None:
        """The name of a parameter that is on and gives up the guarantee, if there is one."""
        return next((name for name, field in cls.fields.items() if field.weak and given.get(name) is True), None)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All parameters; with ``deep`` also those of an estimator among them, such as ``inducer__max_depth``."""
        values = {name: getattr(self, name) for name in _defaults(type(self))}
        if deep:
            for name, value in list(values.items()):
                if hasattr(value, "get_params") and not isinstance(value, type):
                    values.update({f"{name}__{inner}": held for inner, held in value.get_params().items()})
        return values

    def set_params(self, **values: Any) -> Self:
        """Change parameters, also those of an estimator among them, such as ``inducer__max_depth``."""
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
    """The named parameters of ``__init__``, with their defaults."""
    parameters = inspect.signature(cls).parameters.values()
    return {
        parameter.name: parameter.default
        for parameter in parameters
        if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
    }


def _annotation(cls: type, name: str) -> object:
    """The annotation of one field, evaluated alone: other annotations may use names that are not imported."""
    field = type("Field", (), {"__annotations__": {name: inspect.get_annotations(cls)[name]}})
    return get_type_hints(field, vars(sys.modules[cls.__module__]))[name]


def _constructor(cls: type[Declared]) -> Callable[..., None]:
    """An ``__init__`` that takes the fields as keywords and only assigns them."""
    fields = dict(cls.fields)

    def __init__(self: Declared, *, preset: str | None = None, **given: Any) -> None:  # noqa: N807 - it becomes a method
        given = with_preset(cls, preset, given)
        for name in given:
            if name not in fields:
                raise unexpected_keyword(f"{cls.__name__}.__init__()", name, fields)
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
        f"{name} : {field.kind}\n{textwrap.indent(textwrap.fill(field.meaning, 112), '    ')}"
        for name, field in cls.fields.items()
    ]
    if cls.presets:
        told = textwrap.fill(preset_in_words(cls), 112, break_on_hyphens=False)
        lines.append(f"preset : {{{_quoted(cls.presets)}}}, optional\n{textwrap.indent(told, '    ')}")
    return "\n".join([text.rstrip(), "", "Parameters", "----------", *lines, "", heading + examples]).rstrip() + "\n"


# --------------------------------------------------------------------------------------------------
# Parameters that several methods have.


IMPROVE: Any = flag(
    "Whether groups exchange records and split afterwards, while every requirement holds and the loss falls. Slower."
)
"""Of the methods whose groups are boxes."""

CELLS: Any = choice(
    "What cells show: the values that the records of a group hold, or all values of the region that was cut out for "
    "it. Regions reveal less about who is in the group, and lose more. Proportions show how values are shared "
    "in any case.",
    options=("held", "region"),
)
"""Of the methods whose groups are cut out of a space."""

PUBLISH: Any = choice(
    "How a group is shown: as sets, as intervals where there is an order, or as labels of hierarchies. By default "
    "labels where a hierarchy is given, else intervals of numbers, dates and categories in an order, and sets of "
    "the others.",
    options=("auto", "set", "interval", "label"),
    trials=("set", "label"),
)
"""Of the methods whose groups hold several values."""
