"""What a release needs: the version from git, how to cite it, and the files that go along."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import pytest
from pages import ROOT

from forebear import _core

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_version_is_written_nowhere_but_in_tags() -> None:
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert "version" not in PROJECT["project"]
    provider = PROJECT["tool"]["scikit-build"]["metadata"]["version"]["provider"]
    assert provider == "scikit_build_core.metadata.setuptools_scm"
    # A clone without tags and an unpacked archive have a version, too.
    assert re.fullmatch(
        r"\d+\.\d+\.\d+\.dev0", PROJECT["tool"]["setuptools_scm"]["fallback_version"]
    )


def test_it_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "forebear", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"forebear {version('forebear')}\n"


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="file names of CPython")
def test_the_core_is_built_for_all_later_pythons_where_that_is_possible() -> None:
    # nanobind's stable ABI begins with 3.12.
    stable = Path(_core.__file__).name == "_core.abi3.so"
    assert stable == (sys.version_info >= (3, 12))


def test_the_citation_says_what_the_project_says() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    project = PROJECT["project"]
    for line in (
        "cff-version: 1.2.0",
        f"title: {project['name']}",
        f"abstract: {project['description']}.",
        f"license: {project['license']}",
        f"  - name: {project['authors'][0]['name']}",
    ):
        assert line in citation.splitlines()


def test_the_files_that_go_along_are_installed() -> None:
    package = files("forebear")
    for name in (
        "py.typed",
        "data/examples/orchard.csv.gz",
        "report/page_files/page.html",
        "report/page_files/scripts/exact.js",
        "report/page_files/styles/base.css",
        "reproduce/numbers/scores.csv",
        "reproduce/numbers/tables.json",
    ):
        assert package.joinpath(name).is_file(), name
