"""Job files: the options of ``hedgerow anonymize`` in TOML.

The fields have the names of the options (``memory-limit`` or ``memory_limit``; ``drop`` is ``identifying``). Lists
are TOML arrays or texts with commas, the method's parameters a table ``[set]``, the weights of columns a table
``[weights]``, the limits on their levels a table ``[levels]``. Three tables have no option: they hold what only you can
add to a report, ``[context]`` (recipient, release-model, purpose, …), ``[governance]`` (signatory, date, expiry, …) and
``[reasons]`` (who chose the role of each column, and why).
Relative paths start at the job file's folder, so that a job runs from anywhere; the input ``-`` is standard input.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from hedgerow.cli._lists import split_names
from hedgerow.cli._roles import read_roles
from hedgerow.errors import BadInput, translated
from hedgerow.io.readers import STANDARD_INPUT
from hedgerow.io.readers.sizes import read_at_most

__all__ = ["Job", "assemble", "joined", "named_table", "read_job"]

_SYNONYMS = {"drop": "identifying"}
_TABLES = ("set", "kinds", "hierarchy", "weights", "levels", "recode")
_LARGEST = 1_000_000  # bytes
_EARLIER = ("previous", "previous_original", "previous_recoding")
_PATHS = ("input", "output", "hierarchies", "recoding", "explain", "report", "holdout", "temp", *_EARLIER)


def _as_list(value: object) -> object:
    return split_names(value, "the list") if isinstance(value, str) else value


def _table(of: str) -> Any:
    return Field(default_factory=dict, description=f"a table {of}")


Text = Annotated[str | None, Field(default=None, description="a text")]
Columns = Annotated[
    list[str],
    BeforeValidator(_as_list),
    Field(default_factory=list, description="a list of column names"),
]
Texts = Annotated[list[str], Field(default_factory=list, description="a list of texts")]


class Job(BaseModel):
    """All options of ``hedgerow anonymize``."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    input: Text
    output: Text
    quasi: Columns
    target: Text
    sensitive: Columns
    insensitive: Columns
    accept: Columns
    identifying: Columns
    pseudonymize: Columns
    entity: Text
    rows_are_people: Annotated[bool | None, Field(description="true or false")] = None
    others: Annotated[
        Literal["error", "insensitive", "drop"], Field(description="'error', 'insensitive' or 'drop'")
    ] = "error"
    kinds: Annotated[dict[str, str | list[str]], _table("of columns and kinds")]
    weights: Annotated[dict[str, float], _table("of columns and numbers")]
    levels: Annotated[dict[str, str | int], _table("of columns and levels, such as '2:3' or 2")]
    missing: Texts
    hierarchies: Text
    hierarchy: Annotated[dict[str, str], _table("of columns and their hierarchies")]
    recode: Annotated[dict[str, str], _table("of columns and how their numbers are recoded")]
    method: Text
    preset: Text
    k: Annotated[int | None, Field(description="a whole number")] = None
    require: Texts
    min_people: Annotated[int | None, Field(ge=1, description="a whole number >= 1")] = None
    previous: Text
    previous_original: Text
    previous_recoding: Text
    suppression_limit: Annotated[
        float | int | str | None, Field(description="a share such as 0.02 or '2%', or a whole number of rows")
    ] = None
    set: Annotated[dict[str, str | bool | int | float], _table("of parameters")]
    metric: Text
    time_limit: Annotated[float | None, Field(description="a number of seconds")] = None
    seed: Annotated[int | None, Field(ge=0, description="a whole number >= 0")] = None
    encoding: Text
    delimiter: Text
    decimal: Annotated[str, Field(description="a text")] = "."
    sheet: Text
    memory_limit: Text
    engine: Annotated[Literal["duckdb", "spark"], Field(description="'duckdb' or 'spark'")] = "duckdb"
    master: Text
    temp: Text
    rows_per_file: Annotated[int | None, Field(ge=1, description="a whole number >= 1")] = None
    partition_by: Columns
    recoding: Text
    explain: Text
    analyses: Texts
    report: Text
    report_edition: Annotated[Literal["internal", "public"] | None, Field(description="'internal' or 'public'")] = None
    reasons: Annotated[dict[str, Any], _table("of columns, and who chose their roles and why")]
    context: Annotated[dict[str, Any], _table("about the recipient and purpose")]
    governance: Annotated[dict[str, Any], _table("about the people who answer for it")]
    publish_proportions: Annotated[bool, Field(description="true or false")] = False
    redraw: Annotated[int | None, Field(ge=1, description="a whole number >= 1")] = None
    holdout: Text
    escape_formulas: Annotated[bool, Field(description="true or false")] = False
    min_support: Annotated[int | None, Field(ge=1, description="a whole number >= 1")] = None
    target_bins: Annotated[int | None, Field(ge=2, description="a whole number >= 2")] = None
    quiet: Annotated[bool, Field(description="true or false")] = False
    allow_weak: Annotated[bool, Field(description="true or false")] = False
    force: Annotated[bool, Field(description="true or false")] = False


def read_job(path: Path) -> Job:
    """Read a job file; refuse it if it is no valid job."""
    called = f"the job file {str(path)!r}"
    with (
        translated(UnicodeDecodeError, into=BadInput(f"Cannot read {called}: it is not UTF-8 text. Save it as UTF-8.")),
        translated(OSError, into=lambda error: BadInput(f"Cannot read {called}: {error.strerror}. Check the path.")),
    ):
        content = read_at_most(path, _LARGEST)
        if content is None:
            raise BadInput(f"Cannot read {called}: it has more than {_LARGEST:,} bytes. Name a job file.")
        text = content.decode("utf-8-sig")

    # It imports numpy, which typed options should not wait for.
    from hedgerow.hierarchies.files import parse_toml

    stored = parse_toml(text, called, "too deeply for a job. Its fields are texts, numbers and lists")
    fields: dict[str, Any] = {}
    for written, value in stored.items():
        name = written.replace("-", "_")
        name = _SYNONYMS.get(name, name)
        if name in fields:
            raise BadInput(f"The field {name!r} is in {called} twice. Write it once.")
        fields[name] = value
    job = _validated(fields, called)
    named = {name: getattr(job, name) for name in _PATHS}
    return job.model_copy(
        update={
            # A slash at the end means a folder.
            name: f"{path.parent / value}{'/' if value.endswith('/') else ''}"
            for name, value in named.items()
            if value is not None and value != STANDARD_INPUT
        }
    )


def assemble(typed: Mapping[str, Any], job_file: str | None, command: str = "hedgerow anonymize") -> Job:
    """Join typed options with those of a job file; typed options win."""
    if job_file is None:
        return _validated(typed, command)
    stored = read_job(Path(job_file)).model_dump(exclude_unset=True)
    tables = {name: {**stored.get(name, {}), **typed.get(name, {})} for name in _TABLES}
    return _validated({**stored, **typed, **tables}, command)


def joined(given: Mapping[str, Any], command: str, *, without: Collection[str] = ()) -> Job:
    """Join the typed options of a command with those of its job file.

    Parameters
    ----------
    given : mapping
        Every option of the command under its name, as typed; ``job`` names the job file.
    command : str
        For messages.
    without : collection of str
        Options that mean something else than the fields of a job of the same name.
    """
    read = {**given, **read_roles(given)}
    fields = [name for name in Job.model_fields if name not in without]
    # A list that was not typed is empty.
    typed = {name: value for name in fields if (value := read.get(name)) not in (None, [])}
    return assemble(typed, given["job"], command)


def named_table(job: Job, command: str) -> str:
    """The table that was typed, or that the job file names."""
    if not job.input:
        raise BadInput(f"No table is named. Type {command} TABLE …, or name it in a job file (--job).")
    return job.input


def _validated(fields: Mapping[str, Any], owner: str) -> Job:
    try:
        return Job.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
    name = str(first["loc"][0])
    if first["type"] == "extra_forbidden":
        known = [field.replace("_", "-") for field in Job.model_fields]
        raise BadInput.unknown("field", name.replace("_", "-"), known, f"It stands in {owner}.")
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, BadInput):
        raise BadInput(f"In {owner}, {name}: {cause}")
    must = Job.model_fields[name].description or "different"
    raise BadInput.parameter(name.replace("_", "-"), owner, must, fields[name])
