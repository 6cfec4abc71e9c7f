"""What a run does, as lines of text."""

from __future__ import annotations

import numpy as np

from forebear import Dataset, find_network, learn, score_parent_sets
from forebear._util.progress import Progress, sparkline
from forebear.search.stop import Standing
from forebear.search.trace import Improvement


def steps(*scores: float) -> list[Improvement]:
    return [Improvement(1, float(at), at, score) for at, score in enumerate(scores, 1)]


class Kept(Progress):
    """Keeps the lines that stay, and what changes at every step."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self.changing: set[str] = set()

    def say(self, line: str) -> None:
        self.said.append(line)

    def scoring(self, fraction: float) -> None:
        super().scoring(fraction)
        self.changing.add(texts(self)[0][:7])

    def searching(self, seconds: float | None) -> None:
        super().searching(seconds)
        self.changing.add(texts(self)[0][:6])


def texts(view: Progress) -> list[str]:
    return ["".join(text for text, _ in line) for line in view.now()]


def test_a_sparkline_rises_to_the_best() -> None:
    line = sparkline(steps(-100, -50, -20, -10), 4.0, width=8)
    assert len(line) == 8
    assert line[-1] == "█"
    shown = line.strip()
    assert list(shown) == sorted(shown)
    assert sparkline([], 1.0) == ""
    assert sparkline(steps(-5.0), 2.0, width=4).strip() == "███"


def test_the_steps_of_a_run() -> None:
    view = Kept()
    result = learn("example:orchard", generations=2, seed=1, cache=False, watcher=view)
    words = [line.split()[0] for line in view.said]
    assert words[:3] == ["Table", "Plan", "Scored"]
    assert view.said[0] == "Table    18 variables, 2,000 rows, 2 to 4 states"
    assert view.changing == {"Scoring", "Search"}
    assert view.now() == []
    assert result.score < 0


def test_a_search_ends_with_what_was_found() -> None:
    class Ends(Kept):
        ended = 0

        def found(self, result: object) -> None:
            self.ended += 1

    sets = score_parent_sets("example:orchard", max_parents=2)
    view = Ends()
    find_network(sets, generations=2, seed=1, certify=False, watcher=view)
    assert view.ended == 1


def test_missing_values_are_named_with_their_option() -> None:
    view = Kept()
    codes = np.array([[0, 1, 2], [0, 1, 1]])
    view.loaded(Dataset(codes, ("a", "b"), (("n", "y"),) * 2, missing="em"))
    assert view.said[1] == '         17 % of the values are missing (missing="em")'


def test_what_changes_while_searching() -> None:
    view = Progress()
    assert view.now() == []
    view.searching(None)
    assert texts(view) == ["Search   climbing the first orders"]
    for step in steps(-100.0, -50.5):
        view.improved(step)
    view.standing([Standing(3.0, 12, -50.5, 1.0, 4), Standing(3.0, 9, float("-inf"), 3.0, 9)])
    lines = texts(view)
    assert lines[0] == "Search   best -50.500 by chain 1 after 2.0 s"
    assert lines[2] == "         chain  best     last improvement  generation"
    assert lines[3] == "         1      -50.500  1.0 s ago         12"
    assert lines[4] == "         2               3.0 s ago         9"
    view.bounding(-50.0, -50.5)
    assert texts(view) == ["Proof    no network exceeds -50.000, 0.990% away"]


def test_scoring_shows_the_network_so_far() -> None:
    view = Kept()
    view._start("scoring")
    view.scoring(0.5)
    assert "so far" not in texts(view)[0]
    for step in steps(-20.0, -10.0):
        view.improved(step)
    assert texts(view)[0].endswith(", best network so far -10.000")
