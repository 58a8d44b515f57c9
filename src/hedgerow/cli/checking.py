"""``hedgerow check``: yes or no, and how many."""

from __future__ import annotations

import json

import typer

from hedgerow.cli.demands import hierarchies_used, read_demands
from hedgerow.cli.headerless import watched
from hedgerow.cli.hierarchy_files import needing_trees
from hedgerow.cli.job import Job
from hedgerow.cli.lists import read_delimiter
from hedgerow.cli.roles import named_quasi
from hedgerow.errors import BadInput

__all__ = ["run"]


def run(asked: Job, *, typed_hierarchies: bool, as_json: bool, quiet: bool) -> bool:
    """Print the answer and return it.

    Parameters
    ----------
    asked : Job
        The table, its columns and what is required: typed, or from a job file. The rest of the job is not looked at.
    typed_hierarchies : bool
        Whether hierarchies were typed. Those of a job are left alone where no requirement uses them.
    as_json : bool
    quiet : bool
        Print nothing: the exit status is the answer.
    """
    if not asked.input:
        raise BadInput("No table is named. Name it: hedgerow check TABLE …, or in a job file.")
    quasi = named_quasi(asked.quasi)
    requirements = read_demands(asked.k, asked.require, quasi)
    needed = needing_trees(requirements)
    folder, words = asked.hierarchies, asked.hierarchy
    if not typed_hierarchies:
        folder, words = folder if needed else None, {name: words[name] for name in needed if name in words}
    given = hierarchies_used(requirements, folder, words, asked.sensitive)

    from hedgerow.risk import check

    delimiter = read_delimiter(asked.delimiter)
    typed = (*quasi, *asked.sensitive, asked.entity)
    with watched(asked.input, encoding=asked.encoding, delimiter=delimiter, typed=typed):
        answer = check(
            asked.input,
            quasi=quasi,
            require=requirements,
            sensitive=asked.sensitive,
            entity=asked.entity,
            missing=tuple(dict.fromkeys((*asked.missing, ""))),
            hierarchies=given,
            encoding=asked.encoding,
            delimiter=delimiter,
            sheet=asked.sheet,
        )
    if as_json:
        typer.echo(json.dumps(answer.to_dict(), indent=2, ensure_ascii=False))
    elif not quiet:
        typer.echo(answer.render(), nl=False)
    return answer.holds
