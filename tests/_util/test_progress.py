"""Progress as lines of text, in logs, on displays and in notebooks."""

from __future__ import annotations

import logging
import sys
import threading
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from forebear import Dataset, Watcher, learn
from forebear._util.progress import Display, Notebook, Progress, default_watcher
from forebear.search.stop import Standing
from forebear.search.trace import Improvement


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
    view.scoring_started(10, 10, 1)
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


class Outputs:
    """Stands in for IPython, and keeps what is displayed."""

    def __init__(self, *, kernel: object) -> None:
        self.shown: list[dict[str, str]] = []
        self.displays = 0
        self.get_ipython = lambda: SimpleNamespace(kernel=kernel)

    def display(self, output: dict[str, str], *, raw: bool, display_id: bool) -> Any:
        assert raw
        assert display_id
        self.displays += 1
        self.update(output, raw=True)
        return self

    def update(self, output: dict[str, str], *, raw: bool) -> None:
        assert raw
        self.shown.append(output)


def install(monkeypatch: pytest.MonkeyPatch, *, kernel: object) -> Outputs:
    outputs = Outputs(kernel=kernel)
    ipython, display = ModuleType("IPython"), ModuleType("IPython.display")
    monkeypatch.setattr(ipython, "get_ipython", outputs.get_ipython, raising=False)
    monkeypatch.setattr(display, "display", outputs.display, raising=False)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return outputs


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Outputs:
    return install(monkeypatch, kernel=object())


@pytest.mark.parametrize("kernel", ["no IPython", None])
def test_scripts_and_terminals_show_nothing(
    kernel: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    outputs = install(monkeypatch, kernel=None)
    if kernel is not None:
        monkeypatch.setitem(sys.modules, "IPython", None)
    default_watcher().searching(1.0)
    assert outputs.displays == 0


def test_a_run_has_one_output(notebook: Outputs) -> None:
    result = learn("example:orchard", generations=2, seed=1, cache=False)
    assert notebook.displays == 1
    last = notebook.shown[-1]["text/plain"].splitlines()
    assert last[0] == "Table    18 variables, 2,000 rows, 2 to 4 states"
    arcs = len(result.network.arcs)
    assert last[-1].startswith(f"Found    score {result.score:,.4f}, {arcs} arcs, in ")
    assert any("Search" in output["text/plain"] for output in notebook.shown)
    Progress(Notebook()).show_line("Held out <b>")
    assert "&lt;b&gt;" in notebook.shown[-1]["text/html"]


def test_a_given_watcher_replaces_the_default(notebook: Outputs) -> None:
    learn("example:orchard", generations=2, seed=1, cache=False, watcher=Watcher())
    assert notebook.displays == 0


def test_changes_are_shown_a_few_times_a_second(notebook: Outputs) -> None:
    view = Progress(Notebook())
    view.searching(10.0)
    for generation in range(500):
        view.standing([Standing(1.0, generation, -5.0, 0.1, 0)])
        view.scoring(0.5)
        view.bounding(-4.0, -5.0)
    assert len(notebook.shown) < 20


def test_other_threads_change_nothing(notebook: Outputs) -> None:
    view = Progress(Notebook())
    other = threading.Thread(target=view.searching, args=(1.0,))
    other.start()
    other.join()
    assert notebook.shown == []


@pytest.mark.slow
def test_in_a_real_notebook() -> None:
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    book = nbformat.v4.new_notebook()
    code = "import forebear; found = forebear.learn('example:orchard', generations=3, cache=False)"
    book.cells = [nbformat.v4.new_code_cell(code)]
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    outputs = [one for one in book.cells[0].outputs if one.output_type == "display_data"]
    assert len(outputs) == 1
    assert "Found    score" in outputs[0]["data"]["text/plain"]
