"""The documentation and the docstrings: their examples run and give the output they show."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
import shutil
import tomllib
import warnings
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pages
import pytest
from pages import DOCS, PAGES, Block

import forebear
from forebear.cli import main

PACKAGE = Path(forebear.__file__).parent

SLOW = ("guide/large-problems.md",)
"""Pages that start other processes."""

ELSEWHERE = {"pygobnilp": "Gurobi", "pytetrad": "Java"}
"""Packages that pip alone cannot install, and what else they require."""


@pytest.fixture(scope="module")
def example_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that pages use: results of the example."""
    folder = tmp_path_factory.mktemp("example_files")
    sets, result, net = (folder / f"orchard.{kind}" for kind in ("cps", "json", "net"))
    assert main(f"score example:orchard -o {sets} --max-parents 3 -q".split()) == 0
    assert main(f"search {sets} -o {result} --generations 1 --seed 1 -q".split()) == 0
    assert main(f"convert {result} {net} --data example:orchard -q".split()) == 0
    assert main(f"convert {net} {net.with_suffix('.xmlbif')} -q".split()) == 0
    return folder


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=pytest.mark.slow if page in SLOW else ())
        for page in PAGES
        if pages.blocks(page)
    ],
)
def test_examples(
    page: str, example_files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(example_files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    names: dict[str, Any] = {"__name__": "__main__"}
    left_out = []
    for block in pages.blocks(page):
        absent = [package for package in block.needs if find_spec(package) is None]
        if absent and ELSEWHERE.keys() >= set(absent):
            about = (f"{package}, which requires {ELSEWHERE[package]}" for package in absent)
            left_out.append(f"line {block.line} is about {', '.join(about)}")
        elif absent:
            left_out.append(f"line {block.line} needs {', '.join(absent)}")
        elif block.unrun is None:
            with warnings.catch_warnings():
                if block.needs:  # warnings of other libraries; pyAgrum crashes if they are errors
                    warnings.simplefilter("ignore")
                run(block, names, page)
    if left_out:
        pytest.skip(f"all of {page} ran but: {'; '.join(left_out)}")


def run(block: Block, names: dict[str, Any], page: str) -> None:
    """Run a block by its language; the Python blocks of a page share their names."""
    if block.title is not None:
        Path(block.title).write_text(block.text)
    elif block.language == "python" and ">>> " in block.text:
        run_session(block, names, page)
    elif block.language == "python":
        source = "\n" * block.line + block.text
        exec(compile(source, str(DOCS / page), "exec"), names)
    elif block.language == "sh":
        for command in block.text.replace("\\\n", " ").splitlines():
            assert run_command(command)[0] == 0, command
    elif block.language == "console":
        run_console(block.text)
    else:
        assert block.language in pages.SHOWN, f"{page}:{block.line}: {block.language!r}"


def run_session(block: Block, names: dict[str, Any], page: str) -> None:
    """Check what an interactive session shows."""
    test = doctest.DocTestParser().get_doctest(
        block.text, names, page, str(DOCS / page), block.line
    )
    report: list[str] = []
    doctest.DocTestRunner().run(test, out=report.append, clear_globs=False)
    assert test.examples
    assert not report, "".join(report)
    names.update(test.globs)


def run_command(command: str) -> tuple[int, str]:
    """Run one line of a shell block; lines of other programs must be marked as not run."""
    program, *arguments = shlex.split(command, comments=True)
    assert program == "forebear", f"mark this as not run: {command}"
    with io.StringIO() as shown, contextlib.ExitStack() as redirected:
        redirected.enter_context(contextlib.redirect_stdout(shown))
        redirected.enter_context(contextlib.redirect_stderr(shown))
        return main(pages.seeded_arguments(arguments)), shown.getvalue()


def run_console(text: str) -> None:
    """Run the command after each ``$`` and compare its output, except times and sizes."""
    for part in text.split("$ ")[1:]:
        command, _, expected = part.partition("\n")
        code, shown = run_command(command)
        assert code == 0, shown
        assert pages.steady(shown) == pages.steady(expected)


def modules() -> list[str]:
    """List every module with an example in a docstring."""
    files = sorted(path for path in PACKAGE.rglob("*.py") if ">>> " in path.read_text("utf-8"))
    return [
        ".".join(("forebear", *path.relative_to(PACKAGE).with_suffix("").parts)) for path in files
    ]


@pytest.mark.parametrize("name", modules())
def test_docstrings(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    module = import_module(name.removesuffix(".__init__"))
    outcome = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_every_fence_is_a_block() -> None:
    for page in PAGES:
        text = (DOCS / page).read_text(encoding="utf-8")
        fences = sum(line.startswith("```") for line in text.splitlines())
        assert fences == 2 * len(pages.blocks(page)), page
        marks = sum(line.startswith(("<!-- needs", "<!-- not run")) for line in text.splitlines())
        assert marks == sum(bool(b.needs or b.unrun) for b in pages.blocks(page)), page
        unrun = {block.unrun for block in pages.blocks(page) if block.unrun}
        assert unrun <= {"it installs", "it needs a clone"}, page


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((pages.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"].values()
    needs = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    names = {re.split(r"[^\w-]", need)[0] for need in (*needs, *(n for e in extras for n in e))}
    text = (pages.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("## Dependencies")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE)
    assert {name for row in rows for name in row.split(", ")} - {"package"} == names - {"forebear"}
