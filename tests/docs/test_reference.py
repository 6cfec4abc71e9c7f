"""The reference lists every public name, and every public docstring covers its parameters."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pages import DOCS

import forebear

SECTIONS = (
    "Parameters",
    "Returns",
    "Yields",
    "Raises",
    "Warns",
    "See Also",
    "Notes",
    "References",
    "Examples",
    "Attributes",
    "Methods",
)


def parameters(function: Callable[..., Any]) -> list[str]:
    """Name the parameters of a function or class, with the stars of variable ones."""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    found = inspect.signature(function).parameters.values()
    return [
        stars.get(parameter.kind, "") + parameter.name
        for parameter in found
        if parameter.name not in ("self", "cls")
    ]


def documented(docstring: str) -> list[str]:
    """Name what the section Parameters of a docstring in numpydoc form describes."""
    lines = inspect.cleandoc(docstring).splitlines()
    found: list[str] = []
    inside = False
    for line, underline in zip(lines, [*lines[1:], ""], strict=True):
        if line in SECTIONS and re.fullmatch(r"-{3,}", underline):
            inside = line == "Parameters"
        elif inside and re.match(r"[\w*]", line) and not re.fullmatch(r"-+", line):
            found += [name.strip() for name in line.partition(" : ")[0].split(",")]
    return found


def has_own_signature(kind: type) -> bool:
    """Whether callers make objects of a class by its parameters; abstract ones are not made."""
    return not inspect.isabstract(kind) and "__init__" in vars(kind) or bool(
        getattr(kind, "_fields", None)
    )


def public_callables() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every public function, class, and method with parameters of a public class."""
    for name in sorted(forebear.__all__):
        thing = getattr(forebear, name)
        if inspect.isfunction(thing):
            yield name, thing
        elif inspect.isclass(thing):
            if has_own_signature(thing):
                yield name, thing
            for member, raw in vars(thing).items():
                function = raw.__func__ if isinstance(raw, classmethod | staticmethod) else raw
                if not member.startswith("_") and inspect.isfunction(function):
                    yield f"{name}.{member}", function


CALLABLES = dict(public_callables())


@pytest.mark.parametrize("name", sorted(forebear.__all__))
def test_everything_public_has_a_docstring(name: str) -> None:
    thing = getattr(forebear, name)
    assert (vars(thing).get("__doc__") if inspect.isclass(thing) else thing.__doc__), name


@pytest.mark.parametrize("name", [n for n in CALLABLES if "." not in n])
def test_docstrings_cover_the_parameters(name: str) -> None:
    function = CALLABLES[name]
    assert documented(function.__doc__ or "") == parameters(function)


@pytest.mark.parametrize("name", sorted(forebear.__all__))
def test_the_reference_has_every_public_name(name: str) -> None:
    pages = [page.read_text(encoding="utf-8") for page in (DOCS / "reference").glob("*.md")]
    entries = re.findall(r"^::: forebear\.(\w+)$", "\n".join(pages), re.MULTILINE)
    assert entries.count(name) == 1


def test_sections_are_read() -> None:
    docstring = """Do it.

    Parameters
    ----------
    a, b
        Two things.
    *rest
        More.

    Returns
    -------
    int
        None of the above.
    """
    assert documented(docstring) == ["a", "b", "*rest"]
    assert parameters(lambda a, *rest, **more: None) == ["a", "*rest", "**more"]
