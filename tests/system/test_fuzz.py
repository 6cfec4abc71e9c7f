"""A short fuzzing run; ``python tests/system/fuzz.py`` runs longer."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from fuzz import place_of, try_input
from fuzz_targets import Target, targets_in

INPUTS = {"jkl": 800, "cps": 800, "checkpoint": 120, "started": 20}
NAMES = [
    *("jkl", "cps", "result", "checkpoint", "started", ".bif", ".xmlbif", ".net", ".modelstring"),
    *(".xdsl", ".dsc"),
    *(".edges.csv", ".adjacency.csv", ".csv", ".tsv", ".txt", ".dat", ".data", "jkl.gz", "csv.gz"),
    *("schema", "draws"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


@pytest.fixture(scope="module")
def targets(folder: Path) -> list[Target]:
    return targets_in(folder)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_damaged_and_forged_files(
    name: str, targets: list[Target], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    target = next(target for target in targets if target.name == name)
    outcomes = {try_input(target, k, 0, folder) for k in range(INPUTS.get(name, 300))}
    assert "refused" in outcomes
    # It would be no test if all were refused; of runs that were started, few inputs are tried.
    assert "loaded" in outcomes or name == "started"


def test_the_driver_covers_all_formats(targets: list[Target]) -> None:
    assert {target.name for target in targets if not target.foreign} == set(NAMES)
    total = 3 * sum(target.weight for target in targets)
    placed = [(target.name, own) for target, own in (place_of(k, targets) for k in range(total))]
    assert sorted(placed) == sorted((t.name, k) for t in targets for k in range(3 * t.weight))


@pytest.mark.slow
def test_formats_that_others_read() -> None:
    """In a separate process, which Polars may end: this is counted, but is not a failure."""
    driver = Path(__file__).with_name("fuzz.py")
    for name in ("parquet", "arrow"):
        command = [sys.executable, str(driver), "--format", name, "--inputs", "250"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
        assert f"\n{name} " in done.stdout


def _crash(*_: object) -> None:
    raise ZeroDivisionError


def _load(*_: object) -> None:
    pass


@pytest.mark.parametrize(("use", "sealed"), [(_crash, False), (_load, True)])
def test_the_fuzzer_notices(use: Callable[..., None], sealed: bool, tmp_path: Path) -> None:
    """A reader that fails, and one that accepts damaged files, are detected."""
    target = Target("x", ".x", (b"some bytes",), use, sealed=sealed)
    with pytest.raises((ZeroDivisionError, AssertionError)):
        _ = [try_input(target, number, 0, tmp_path) for number in range(50)]
