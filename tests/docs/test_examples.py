"""The scripts in examples/: they run as they stand, and leave what they promise."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from pages import DOCS, ROOT

from forebear import ForebearWarning, read_fitted
from forebear.learning.algorithms import ALGORITHMS

EXAMPLES = ROOT / "examples"


def shown(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    """Run a script as a program, and return what it prints."""
    path = str(EXAMPLES / name)
    monkeypatch.setattr(sys, "argv", [path, str(folder)])
    runpy.run_path(path, run_name="__main__")
    return capsys.readouterr().out


def test_every_script_is_on_the_page_and_tested() -> None:
    scripts = {path.name for path in EXAMPLES.glob("*.py")}
    page = (DOCS / "guide" / "examples.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\[examples/(\w+\.py)\]", page, re.MULTILINE)) == scripts
    assert set(re.findall(r'shown\("(\w+\.py)"', Path(__file__).read_text())) == scripts


def test_frame_to_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    with pytest.warns(ForebearWarning, match="left out 40 of 2,000 rows"):
        printed = shown("frame_to_report.py", tmp_path, monkeypatch, capsys)
    assert "2,000 rows, 1,960 of them complete" in printed
    assert "The tonnes depend on fruit_set and fruit_size" in printed
    fitted = read_fitted(tmp_path / "network.bif")
    assert len(fitted.states[fitted.network.index("tonnes")]) == 4
    assert "<svg" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_knowledge_and_held_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = shown("knowledge_and_held_out.py", tmp_path, monkeypatch, capsys)
    pattern = r"^\d +(data alone|with seasons) +(\S+) +\S+ +(\d+) +(\d+) +(\S+)$"
    table: dict[str, list[list[float]]] = {"data alone": [], "with seasons": []}
    for name, *numbers in re.findall(pattern, printed, re.MULTILINE):
        table[name].append([float(number.replace(",", "")) for number in numbers])
    alone, seasons = (np.array(rows).T for rows in table.values())
    assert alone.shape == seasons.shape == (4, 3)
    # The best of fewer networks cannot score higher. The page says that it is nearer to the truth.
    assert (seasons[0] <= alone[0]).all()
    assert (seasons[1:3] < alone[1:3]).all()
    assert (seasons[3] > alone[3]).all()
    assert "only in the true network" in (tmp_path / "differences.svg").read_text(encoding="utf-8")


@pytest.mark.slow
def test_algorithms_and_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = shown("algorithms_and_scores.py", tmp_path, monkeypatch, capsys)
    curves = pl.read_csv(tmp_path / "curves.csv")
    assert curves["algorithm"].unique(maintain_order=True).to_list() == list(ALGORITHMS)
    for name, chain in curves.select("algorithm", "chain").unique().iter_rows():
        scores = curves.filter(algorithm=name, chain=chain)["score"]
        assert scores.is_sorted()
    held_out = dict(re.findall(r"^(bdeu ess \S+|bic|aic) +\d+ +(-[\d.]+)$", printed, re.MULTILINE))
    assert len(held_out) == 5
    best = max(held_out, key=lambda name: float(held_out[name]))
    assert f"Best for rows not seen: {best}\n" in printed
