"""Files of earlier versions open, and those of later versions are rejected with a sentence.

``tests/fixtures/write.py`` wrote the files, once per version.
"""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from certificates import check

from forebear import (
    Dataset,
    FileError,
    ParentSets,
    Posterior,
    ReadOptions,
    Result,
    __version__,
    read_network,
    resume_search,
    score_network,
    score_parent_sets,
)
from forebear.checker.subproblem import CertificateError
from forebear.cli import main
from forebear.data.formats.arrays import read_arrays
from forebear.search.checkpoint import Checkpoint, read_started

FIXTURES = Path(__file__).parents[1] / "fixtures"
VERSIONS = sorted(path.name for path in FIXTURES.iterdir() if (path / "table.csv").is_file())


@pytest.fixture(params=VERSIONS)
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the files of one version, as the current folder."""
    copy: Path = tmp_path / "files"
    shutil.copytree(FIXTURES / request.param, copy)
    monkeypatch.chdir(copy)
    return copy


def test_tables_and_parent_sets(folder: Path) -> None:
    data = Dataset.read("table.csv")
    assert read_arrays("table.npz").fingerprint == data.fingerprint
    assert ReadOptions.from_schema("schema.toml").missing == "em"
    assert Dataset.read("table.csv", schema="schema.toml").states == data.states
    sets = ParentSets.load("sets.cps")
    again = score_parent_sets(data, max_parents=2)
    assert sets.names == again.names
    np.testing.assert_allclose(sets.scores, again.scores, rtol=1e-9)


def test_results_draws_and_certificates(folder: Path) -> None:
    result = Result.load("result.json")
    assert read_network("result.json") == result.network
    assert score_network(result.network, "table.csv", "bdeu") == pytest.approx(result.score)
    posterior = Posterior.load("draws.npz")
    assert (posterior.names, posterior.n_chains) == (result.network.names, 2)
    assert check("proof.cert", ParentSets.load("sets.cps")).bound >= result.score - 1e-6


def test_runs_continue(folder: Path) -> None:
    before = Checkpoint.read("search.checkpoint")
    assert before.seconds > 0
    result = resume_search("search.checkpoint", time_limit=0.05, threads=1)
    assert result.score >= max(step[-1] for step in before.trace) - 1e-6
    started = read_started("started.checkpoint")
    assert started is not None
    assert started["data"] == "table.csv"
    assert main(["resume", "started.checkpoint"]) == 0


def test_every_file_says_which_version_wrote_it(
    folder: Path, request: pytest.FixtureRequest
) -> None:
    version = re.escape(request.node.callspec.params["folder"])
    for path in folder.rglob("*"):
        if path.suffix in (".csv", ""):
            continue  # plain tables and arrays, which the file beside them describes
        text = read_everything(path).replace("\\", "")
        assert re.search(r'"?(forebear|version)"?\s*[:=]\s*"' + version, text), path
        assert '"forebear ' in text, path


def read_everything(path: Path) -> str:
    """Return the text in a file, also in the arrays of a zip file."""
    if path.suffix != ".npz":
        return path.read_bytes().decode("utf-8", errors="replace")
    with zipfile.ZipFile(path) as file:
        return "".join(file.read(name).decode("utf-8", "replace") for name in file.namelist())


def raise_number(path: Path) -> None:
    """Increase the format number of a file."""
    if path.suffix == ".npz":
        with np.load(path) as file:
            arrays = dict(file)
        about = json.loads(arrays["about"].tobytes())
        about["format"] = about["format"][:-1] + "2"
        arrays["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
        np.savez(path, **arrays)
    else:
        content = path.read_bytes()
        newer = re.sub(rb'(\\?"?format\\?"?(?::| =) ?\\?"forebear [a-z ]+) 1', rb"\1 2", content)
        assert newer != content
        path.write_bytes(newer)


READERS: dict[str, Callable[[Path], Any]] = {
    "sets.cps": ParentSets.load,
    "result.json": Result.load,
    "search.checkpoint": Checkpoint.read,
    "started.checkpoint": read_started,
    "draws.npz": Posterior.load,
    "table.npz": read_arrays,
    "schema.toml": ReadOptions.from_schema,
}


@pytest.mark.parametrize("name", READERS)
def test_a_newer_format_is_refused(name: str, folder: Path) -> None:
    path = folder / name
    raise_number(path)
    with pytest.raises(FileError) as caught:
        READERS[name](path)
    assert re.fullmatch(
        rf"{re.escape(str(path))}: this file has the format 'forebear [a-z ]+ 2', written by "
        rf"forebear [\w.]+, but this version of forebear \({re.escape(__version__)}\) supports it "
        "only up to number 1: update forebear",
        str(caught.value),
    )


def test_a_newer_certificate_is_refused(folder: Path) -> None:
    path = folder / "proof.cert"
    content = {**json.loads(path.read_text("utf-8")), "version": 2}
    path.write_text(json.dumps(content), "utf-8")
    with pytest.raises(CertificateError, match=r"it has version 2 .* written by forebear 0\.1"):
        check(path, ParentSets.load("sets.cps"))
