"""The reference lists every public name, and every public docstring covers its parameters."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest
from pages import DOCS

import forebear

SECTIONS = (
    *("Parameters", "Returns", "Yields", "Raises", "Warns", "See Also", "Notes", "References"),
    *("Examples", "Attributes", "Methods"),
)
PUBLIC = sorted(dir(forebear))


def parameters(function: Callable[..., Any]) -> list[str]:
    """Return the parameters of a function or class, with the stars of variable ones."""
    stars: dict[Any, str] = {
        inspect.Parameter.VAR_POSITIONAL: "*",
        inspect.Parameter.VAR_KEYWORD: "**",
    }
    found = inspect.signature(function).parameters.values()
    return [
        stars.get(parameter.kind, "") + parameter.name
        for parameter in found
        if parameter.name not in ("self", "cls")
    ]


def documented(docstring: str, section: str = "Parameters") -> list[str]:
    """Return the names that a section of a numpydoc docstring describes."""
    lines = inspect.cleandoc(docstring).splitlines()
    found: list[str] = []
    inside = False
    for line, underline in zip(lines, [*lines[1:], ""], strict=True):
        if line in SECTIONS and re.fullmatch(r"-{3,}", underline):
            inside = line == section
        elif inside and re.match(r"[\w*]", line) and not re.fullmatch(r"-+", line):
            found += [name.strip() for name in line.partition(" : ")[0].split(",")]
    return found


def has_own_signature(thing: Callable[..., Any]) -> bool:
    """Whether this is a function, or a class with parameters of its own; not an abstract class."""
    if not inspect.isclass(thing):
        return inspect.isfunction(thing)
    made = "__init__" in vars(thing) or hasattr(thing, "_fields")
    return made and not inspect.isabstract(thing)


CALLABLES = {name: thing for name in PUBLIC if has_own_signature(thing := getattr(forebear, name))}


@pytest.mark.parametrize("name", CALLABLES)
def test_docstrings_cover_the_parameters(name: str) -> None:
    function = CALLABLES[name]
    docstring = function.__doc__ or ""
    # The fields of an object that users receive, but do not make, are its attributes.
    received = inspect.isclass(function) and not documented(docstring)
    section = "Attributes" if received else "Parameters"
    found = documented(docstring, section)
    assert (found[: len(parameters(function))] if received else found) == parameters(function)


@pytest.mark.parametrize("name", PUBLIC)
def test_everything_public_has_a_docstring_and_an_entry(name: str) -> None:
    thing = getattr(forebear, name)
    assert vars(thing).get("__doc__") if inspect.isclass(thing) else thing.__doc__, name
    pages = [page.read_text(encoding="utf-8") for page in (DOCS / "reference").glob("*.md")]
    entries = re.findall(r"^::: forebear\.(\w+)$", "\n".join(pages), re.MULTILINE)
    assert entries.count(name) == 1
