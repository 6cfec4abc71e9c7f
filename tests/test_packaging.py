"""What a release needs: the version from git, how to cite it, the files that go along, and that the
workflows and the conda recipe say what the project says."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
import yaml
from pages import ROOT

from forebear import _core

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RECIPE = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8"))
WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in (ROOT / ".github" / "workflows").glob("*.yml")
}
# An sdist has none of the files of the repository's host.
needs_workflows = pytest.mark.skipif(not WORKFLOWS, reason="an sdist has no workflows")


def test_the_version_is_written_nowhere_but_in_tags() -> None:
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert "version" not in PROJECT["project"]
    provider = PROJECT["tool"]["scikit-build"]["metadata"]["version"]["provider"]
    assert provider == "scikit_build_core.metadata.setuptools_scm"
    # A clone without tags and an unpacked archive have a version, too.
    assert re.fullmatch(
        r"\d+\.\d+\.\d+\.dev0", PROJECT["tool"]["setuptools_scm"]["fallback_version"]
    )


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="file names of CPython")
def test_the_core_is_built_for_all_later_pythons_where_that_is_possible() -> None:
    # nanobind's stable ABI begins with 3.12.
    stable = Path(_core.__file__).name in ("_core.abi3.so", "_core.pyd")  # the latter: Windows
    assert stable == (sys.version_info >= (3, 12))


def pythons() -> list[str]:
    """The versions of Python that the project says it supports."""
    found = [
        re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", line)
        for line in PROJECT["project"]["classifiers"]
    ]
    return [match[1] for match in found if match]


def steps(workflow: str) -> list[dict[str, Any]]:
    jobs = WORKFLOWS[workflow]["jobs"].values()
    return [step for job in jobs for step in job.get("steps", [])]


def test_the_versions_of_python_agree() -> None:
    first, *_ = pythons()
    assert PROJECT["project"]["requires-python"] == f">={first}"
    assert PROJECT["tool"]["ruff"]["target-version"] == f"py{first.replace('.', '')}"
    built = PROJECT["tool"]["cibuildwheel"]["build"]
    assert built == [f"cp{version.replace('.', '')}-*" for version in pythons()]
    assert RECIPE["build"]["skip"] == f'match(python, "<{first}")'
    cmake = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    assert f"find_package(Python {first} REQUIRED" in cmake


@needs_workflows
def test_the_first_and_the_last_python_are_tested_where_wheels_are_built() -> None:
    matrix = WORKFLOWS["tests"]["jobs"]["tests"]["strategy"]["matrix"]
    assert matrix["python"] == [pythons()[0], pythons()[-1]]
    built = WORKFLOWS["wheels"]["jobs"]["wheels"]["strategy"]["matrix"]["include"]
    assert {entry["name"] for entry in built} == {
        "linux-x86_64",
        "linux-aarch64",
        "macos-x86_64",
        "macos-arm64",
        "windows-amd64",
    }
    assert sorted(entry["system"] for entry in built) == sorted(matrix["system"])
    for step in (step for name in WORKFLOWS for step in steps(name)):
        version = step.get("with", {}).get("python-version")
        assert version in (None, "${{ matrix.python }}", *pythons())


@needs_workflows
def test_workflows_may_do_only_what_they_must() -> None:
    rights = {"contents": "read"}
    granted = {}
    for name, workflow in WORKFLOWS.items():
        assert workflow["permissions"] == rights, name
        for job_name, job in workflow["jobs"].items():
            assert "uses" in job or job["timeout-minutes"] <= 120, (name, job_name)
            granted[name, job_name] = job.get("permissions", rights)
    assert {place: given for place, given in granted.items() if given != rights} == {
        ("docs", "deploy"): {"contents": "write"},
        ("publish", "pypi"): {"id-token": "write"},
    }
    used = {step["uses"] for name in WORKFLOWS for step in steps(name) if "uses" in step}
    assert {action.split("/")[0] for action in used} == {"actions", "pypa"}


@needs_workflows
def test_a_release_is_tested_before_it_is_published() -> None:
    publish = WORKFLOWS["publish"]["jobs"]
    assert publish["pypi"]["needs"] == ["tests", "wheels"]
    for name in ("tests", "wheels"):
        assert publish[name]["uses"] == f"./.github/workflows/{name}.yml"
        assert "workflow_call" in WORKFLOWS[name][True]  # YAML reads "on" as a truth value
    # The version needs the tags.
    for name in ("tests", "wheels"):
        for job in WORKFLOWS[name]["jobs"].values():
            checkout, *rest = job["steps"]
            if any("pip install" in step.get("run", "") for step in rest):
                assert checkout["with"]["fetch-depth"] == 0


def test_the_recipe_says_what_the_project_says() -> None:
    def as_conda(requirements: list[str]) -> list[str]:
        return [re.sub(r"(?=[<>=])", " ", need, count=1) for need in requirements]

    project, needs = PROJECT["project"], RECIPE["requirements"]
    assert needs["run"] == ["python", *as_conda(project["dependencies"])]
    assert needs["host"] == ["python", "pip", *as_conda(PROJECT["build-system"]["requires"])]
    assert RECIPE["about"]["summary"] == project["description"]
    assert RECIPE["about"]["license"] == project["license"]
    fallback = PROJECT["tool"]["setuptools_scm"]["fallback_version"]
    assert f'default="{fallback}"' in RECIPE["context"]["version"]


def test_the_recipe_of_a_release(tmp_path: Path) -> None:
    spec = spec_from_file_location("release", ROOT / "recipe" / "release.py")
    assert spec is not None
    assert spec.loader is not None
    release = module_from_spec(spec)
    spec.loader.exec_module(release)
    sdist = tmp_path / "forebear-1.2.3.tar.gz"
    sdist.write_bytes(b"packed")
    text = (ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8")
    written = yaml.safe_load(release.released(text, sdist))
    assert written["context"]["version"] == "1.2.3"
    assert written["source"] == {
        "url": "https://pypi.org/packages/source/f/forebear/forebear-${{ version }}.tar.gz",
        "sha256": "88cb8a087b6e8cebfc9ae5602f5a2159a6bcf923e7f2c56809bcda6cad1727a7",
    }
    same = {name: value for name, value in written.items() if name not in ("context", "source")}
    assert same == {name: value for name, value in RECIPE.items() if name in same}
    with pytest.raises(SystemExit, match="not the sdist of a release"):
        release.released(text, tmp_path / "forebear-1.2.3.dev4.tar.gz")


@pytest.mark.skipif(not (ROOT / ".ci").exists(), reason="an sdist has no .ci")
def test_what_is_left_out_of_the_sdist_is_left_out_of_the_comparison() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    left_out = PROJECT["tool"]["scikit-build"]["sdist"]["exclude"]
    assert re.findall(r"':!([^']+)'", script) == left_out
