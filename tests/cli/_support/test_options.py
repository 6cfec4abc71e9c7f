"""The table of options: all are used, match Python's parameters, and are in their panels."""

from __future__ import annotations

import re
from dataclasses import fields
from importlib import import_module
from inspect import signature
from typing import Any

import pytest
from typer.testing import CliRunner

import forebear
from forebear import ReadOptions
from forebear._util.errors import Parameter
from forebear.cli._support.option_groups import TableOptions
from forebear.cli._support.options import (
    MORE,
    OPTIONS,
    PANELS,
    with_options,
)
from forebear.cli.app import COMMANDS, app

FUNCTIONS = {"learn": "learn", "search": "find_network", "score": "score_parent_sets"}
FILES = {
    *("output", "save_sets", "names", "report", "trace", "smoothing"),
    *("json_", "quiet", "verbose", "ids"),
}
"""Options that only the command line has."""


def options_of(command: str) -> dict[str, Any]:
    function = getattr(import_module(f"forebear.cli.{command}"), command)
    return dict(signature(with_options(function)).parameters)


def test_every_option_is_used() -> None:
    used = {name for command in COMMANDS for name in options_of(command)}
    assert set(OPTIONS) <= used


@pytest.mark.parametrize("command", FUNCTIONS)
def test_options_are_parameters_in_python(command: str) -> None:
    known = signature(getattr(forebear, FUNCTIONS[command])).parameters
    for name in options_of(command).keys() & OPTIONS.keys() - FILES:
        # Parent sets have been scored, and read, before the search.
        if command == "search" and OPTIONS[name].parameter == "read":
            continue
        assert (OPTIONS[name].parameter or name) in known, name


def test_the_options_of_reading_are_those_of_python() -> None:
    names = {field.name for field in fields(TableOptions)}
    assert names - {"schema"} == {field.name for field in fields(ReadOptions)} - {"states"}
    made = TableOptions(bins=["4", "a=b=3", "c=1,2.5"], discretize="uniform").as_read_options()
    assert made == ReadOptions(bins={None: 4, "a=b": 3, "c": [1.0, 2.5]}, discretize="uniform")
    assert TableOptions(bins=["4"]).as_read_options() == ReadOptions(bins=4)
    assert TableOptions().as_read_options() is None


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_in_panels_with_an_example(command: str) -> None:
    shown = CliRunner().invoke(app, [command, "--help"]).output
    assert f"forebear {command}" in shown.partition("Examples:")[2]
    panels = re.findall(r"^(\w+):$", shown, re.MULTILINE)
    assert panels == [panel for panel in PANELS if panel in panels]
    for name, parameter in options_of(command).items():
        if parameter.default is not parameter.empty and name in OPTIONS:
            flag, *_ = OPTIONS[name].flags or (Parameter(name).option,)
            assert flag.partition("/")[0] in shown


def test_the_first_screen_of_learn() -> None:
    shown = CliRunner().invoke(app, ["learn", "--help"]).output.partition(f"{MORE}:\n")[0]
    assert 18 <= len(re.findall(r"^  -", shown, re.MULTILINE)) <= 25
