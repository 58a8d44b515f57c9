"""Wrong usage in our own words, whatever words the parser has for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from hedgerow.cli._usage import wrong_usage


@dataclass
class Option:
    opts: list[str]
    metavar: str = ""
    multiple: bool = False


@dataclass
class Command:
    params: list[Option]
    commands: dict[str, Command] = field(default_factory=dict)


@dataclass
class Context:
    command: Command
    command_path: str = "hedgerow check"
    parent: Context | None = None


@dataclass
class UsageError(Exception):
    """An error as a parser raises it."""

    message: str
    ctx: Context | None = None
    param: Option | None = None

    def format_message(self) -> str:
        return self.message


QUASI, REQUIRE, K = Option(["--quasi"], "COLUMNS", True), Option(["--require"], "RULE", True), Option(["-k"], "K")
CHECK = Context(Command([Option(["input"]), QUASI, REQUIRE, K]))


@pytest.mark.parametrize("words", ["'ten' is not a valid integer.", "Input should be a valid integer, unable to parse"])
@pytest.mark.parametrize("typed", [["-k", "ten"], ["-kten"], ["-k", "5", "-k", "ten"]])
def test_a_number_that_is_none_in_the_words_of_any_parser(words: str, typed: list[str]) -> None:
    sentence = wrong_usage(UsageError(f"Invalid value for '-k': {words}", CHECK, K), ["check", "a.csv", *typed])

    assert sentence == (
        "The '-k' parameter of hedgerow check must be a whole number. Got 'ten' instead. Type hedgerow check --help."
    )


@pytest.mark.parametrize(
    ("message", "typed", "sentence"),
    [
        ("Got unexpected extra argument (sex)", ["--quasi", "age", "sex", "-k", "3"], "by commas: --quasi age,sex."),
        ("Got unexpected extra arguments (sex zip)", ["--quasi", "age,", "sex,", "zip"], "--quasi age,sex,zip."),
        ("Got unexpected extra argument(s) (l=3)", ["--require", "k=2", "l=3"], "--require k=2 --require l=3."),
        ("Got unexpected extra argument (x)", ["x", "--quasi", "age", "--require", "k=2"], "'x' belongs to no option."),
        ("Got unexpected extra arguments (x y)", ["x", "y"], "'x', 'y' belong to no option."),
    ],
)
def test_words_too_many(message: str, typed: Sequence[str], sentence: str) -> None:
    said = wrong_usage(UsageError(message, CHECK), ["check", "a.csv", *typed])

    assert said is not None
    assert sentence in said


def test_a_table_behind_a_list_is_no_item_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.csv").touch()
    monkeypatch.chdir(tmp_path)

    said = wrong_usage(
        UsageError("Got unexpected extra arguments (sex a.csv)", CHECK), ["--quasi", "age", "sex", "a.csv"]
    )

    assert said == "Lists are separated by commas: --quasi age,sex. Type hedgerow check --help."


def test_one_dash_for_two() -> None:
    said = wrong_usage(UsageError("No such option: -u", CHECK), ["check", "a.csv", "-quasi", "age"])

    assert said == "There is no option '-quasi'. Did you mean '--quasi', with two dashes? Type hedgerow check --help."


def test_an_option_of_other_commands() -> None:
    having = Command([Option(["--min-people"])])
    program = Context(Command([], {"anonymize": having, "check": CHECK.command, "audit": having}), "hedgerow")
    typed = ["check", "a.csv", "--min-people", "11"]
    error = UsageError("No such option: --min-people (Possible options: --help)", replace(CHECK, parent=program))
    assert wrong_usage(error, typed) == (
        "hedgerow check has no option --min-people; hedgerow anonymize and hedgerow audit have it. Type hedgerow "
        "check --help."
    )


def test_other_usage_keeps_its_words_and_names_the_command() -> None:
    assert wrong_usage(UsageError("Option '-k' requires an argument."), ["check", "-k"]) == (
        "Option '-k' requires an argument. Type hedgerow check --help."
    )
    assert wrong_usage(UsageError("No such command 'x'"), ["x"]) == "No such command 'x'. Type hedgerow --help."
    assert wrong_usage(ValueError("a bug"), []) is None
