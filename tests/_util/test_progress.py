"""What a run does, as lines of text."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np

from forebear import Dataset, learn
from forebear._util.progress import Display, Progress
from forebear.search.stop import Standing
from forebear.search.trace import Improvement

if TYPE_CHECKING:
    import pytest


def steps(*scores: float) -> list[Improvement]:
    return [Improvement(1, float(at), at, score) for at, score in enumerate(scores, 1)]


class Kept(Display):
    """Keeps the lines that stay, and the first words of those that change."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.starts: list[str] = []
        self.changing: set[str] = set()

    def line(self, text: str) -> None:
        self.lines.append(text)

    def start(self, text: str) -> None:
        self.starts.append(text)
        self.change()

    def change(self) -> None:
        self.changing |= {line.split()[0] for line in self.now()[:1]}


def test_the_steps_of_a_run(caplog: pytest.LogCaptureFixture) -> None:
    kept = Kept()
    view = Progress(kept)
    with caplog.at_level(logging.INFO, logger="forebear"):
        result = learn("example:orchard", generations=2, seed=1, cache=False, watcher=view)
    assert [line.split()[0] for line in kept.lines[:3]] == ["Table", "Plan", "Scored"]
    assert kept.lines[0] == "Table    18 variables, 2,000 rows, 2 to 4 states"
    assert kept.changing >= {"Scoring", "Search"}
    assert kept.starts == ["Search"]
    assert view.now() == []
    *logged, last = (record.getMessage() for record in caplog.records)
    assert logged == kept.lines
    assert last.startswith(f"Found    score {result.score:,.4f}, ")


def test_missing_values_are_named_with_their_option() -> None:
    codes = np.array([[0, 1, 2], [0, 1, 1]])
    holes = Dataset(codes, ("a", "b"), (("n", "y"),) * 2, missing="em")
    for spell, shown in ((str, 'missing="em"'), (lambda one: one.option, "--missing em")):
        kept = Kept()
        Progress(kept, spell).loaded(holes)
        assert kept.lines[1] == f"         17 % of the values are missing ({shown})"


def test_what_changes_while_searching() -> None:
    view = Progress()
    view.counted(10, 10, 1)
    assert "so far" not in view.now()[0]
    view.searching(None)
    assert view.now() == ["Search   improving the initial orders"]
    for step in steps(-100.0, -50.5):
        view.improved(step)
    view.standing([Standing(3.0, 12, -50.5, 1.0, 4), Standing(3.0, 9, float("-inf"), 3.0, 9)])
    lines = view.now()
    assert lines[0] == "Search   best -50.500 by chain 1 after 2.0 s"
    assert lines[1] == "         chain  best     last improvement  generation"
    assert lines[2] == "         1      -50.500  1.0 s ago         12"
    assert lines[3] == "         2               3.0 s ago         9"
    view.bounding(-50.0, -50.5)
    assert view.now() == ["Proof    no network exceeds -50.000, 0.990% gap"]
