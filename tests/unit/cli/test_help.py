"""The help: options in panels, commands in groups, one line for each command."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
import typer

from hedgerow.cli import _app, _help, _options, main
from hedgerow.cli._app import app
from hedgerow.cli._options import Panel

GROUP: Any = typer.main.get_command(app)
COMMANDS: dict[str, Any] = GROUP.commands
PANELS = {value for name, value in vars(Panel).items() if name.isupper()}


def options_of(command: str) -> list[Any]:
    return [param for param in COMMANDS[command].params if param.param_type_name == "option"]


def help_of(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *command: str) -> str:
    monkeypatch.setenv("COLUMNS", "80")
    assert main([*command, "--help"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("command", [name for name in COMMANDS if len(options_of(name)) > 7])
def test_every_option_of_a_large_command_has_a_panel(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    panels = {option.rich_help_panel for option in options_of(command)}
    assert panels <= PANELS
    shown = help_of(capsys, monkeypatch, command)
    headings = [line for line in shown.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings == [
        "Arguments:",
        *dict.fromkeys(f"{one.rich_help_panel}:" for one in options_of(command)),
        "Options:",
    ]
    below = shown.partition("\nOptions:\n")[2].partition("\n\n")[0]
    assert below == "  -h, --help  Show this message and exit."


def test_large_commands_are_those_with_many_options() -> None:
    large = {name for name in COMMANDS if len(options_of(name)) > 7}
    assert large == {"anonymize", "audit", "check", "advise", "attack", "report", "compare", "evaluate"}


def test_few_options_stand_below_one_heading(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = help_of(capsys, monkeypatch, "demo")
    assert [line for line in shown.splitlines() if line.endswith(":") and not line.startswith(" ")] == ["Options:"]


def test_an_option_has_one_panel_in_all_commands() -> None:
    panels: dict[str, set[str]] = {}
    for command in COMMANDS:
        for option in options_of(command):
            panels.setdefault(option.name, set()).add(option.rich_help_panel)
    several = {name for name, found in panels.items() if len(found) > 1}
    # They mean something else in an attack, a comparison, a report, an audit of two releases, and a demonstration.
    assert several == {"attack", "original", "previous", "recoding", "seed", "time_limit"}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_has_help(command: str) -> None:
    assert all(option.help for option in options_of(command))


def test_commands_stand_in_groups_with_a_whole_sentence_each(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = help_of(capsys, monkeypatch)
    listed = shown.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()
    assert [line.strip() for line in listed if not line.startswith("    ")] == [
        "Publish a table:",
        "Examine a table or a release:",
        "Choose a method:",
    ]
    lines = [line for line in listed if line.startswith("    ")]
    assert {line.split()[0] for line in lines} == set(COMMANDS)
    assert all(line.endswith(".") and not line.endswith("...") and len(line) <= 80 for line in lines)


def test_a_new_command_is_a_function_and_its_examples(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The toy command takes an option that others have too. Nothing else knows it."""
    monkeypatch.setitem(_help.EXAMPLES, "greet", _help._examples("hedgerow greet --seed 3"))
    monkeypatch.setattr(app, "registered_commands", [*app.registered_commands])

    @_app._command(_app._CHOOSE)
    def greet(*, seed: Annotated[int, _options.option(Panel.METHOD, "N", "The number to greet.")] = 0) -> None:
        """Greet a number."""
        typer.echo(f"hello {seed}")

    assert "Example:\n    hedgerow greet --seed 3" in help_of(capsys, monkeypatch, "greet")
    assert "greet" in help_of(capsys, monkeypatch)
    assert main(["greet", "--seed", "3"]) == 0
    assert capsys.readouterr().out == "hello 3\n"
