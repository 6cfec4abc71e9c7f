"""One search by one peer in a process of its own, measured from outside, for ``peers.py``."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import peers_child
import peers_launch
from peers_programs import SETS, TABLE, Answer

from forebear import Dataset, Network, __version__, score_network, score_parent_sets
from forebear.data.writing import write_table
from forebear.parentsets.jkl import write_jkl
from forebear.result import negligible

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from library_searches import LibrarySearch
    from peers_programs import Program

START = 60.0  # seconds; what a program may take to import its libraries and to read the table
NUMBERED, FOUND = "table.npz", "found.json"


@dataclass(frozen=True)
class Run:
    """One search. ``found`` is when it had its network, ``seconds`` when it ended.

    ``reached`` is when forebear had as good a score, everything included, and
    ``ratio`` how many times as long the other took. ``behind`` is its score less
    ours. What was cut off or failed has no score, and a note.
    """

    table: str
    variables: int
    rows: int
    program: str
    version: str
    own_score: str
    seconds: float
    memory: int
    found: float | None = None
    score: float | None = None
    arcs: int | None = None
    most_parents: int | None = None
    behind: float | None = None
    reached: float | None = None
    ratio: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Ours:
    """Our run, when it had which score, and with how many parents at most."""

    run: Run
    trace: list[tuple[float, float]]
    max_parents: int

    def beside(self, run: Run) -> Run:
        """Compare another run on the same table with it."""
        if run.score is None or self.run.score is None:
            return run
        enough = run.score - negligible(run.score)
        reached = next((seconds for seconds, score in self.trace if score >= enough), None)
        theirs = run.seconds if run.found is None else run.found
        return replace(
            run,
            behind=run.score - self.run.score,
            reached=reached,
            ratio=None if reached is None else theirs / reached,
        )


@dataclass(frozen=True)
class Bench:
    """A table, a folder to run in, seconds a search, and how many times that at most."""

    name: str
    data: Dataset
    folder: Path
    seconds: float
    patience: float
    seed: int

    def run_ours(self) -> Ours:
        """Run forebear."""
        run = self._measure(
            Run(*self._about("forebear", __version__, "BDeu")),
            self._child(sys.executable, peers_child.OURS),
            self.patience * self.seconds + START,
            self._found,
        )
        if run.score is None:
            raise SystemExit(f"forebear on {self.name}: {run.note}")
        told = json.loads((self.folder / FOUND).read_text(encoding="utf-8"))
        return Ours(run, told["trace"], told["max_parents"])

    def run_library(self, search: LibrarySearch, python: Path, version: str) -> Run:
        """Run a search of another library under its Python."""
        patience = self.patience if search.watches_the_clock else 1.0
        return self._measure(
            Run(*self._about(search.name, version, search.score)),
            self._child(python, search.name),
            patience * self.seconds + START,
            self._found,
        )

    def run_program(self, program: Program, path: Path, max_parents: int) -> Run:
        """Run a program on our parent sets."""
        if not (self.folder / SETS).exists():
            sets = score_parent_sets(self.data, max_parents=max_parents)
            write_jkl(sets, self.folder / SETS, ids=True)
            write_table(self.data, self.folder / TABLE)
        return self._measure(
            Run(*self._about(program.name, "", "BDeu")),
            program.command(path, self.folder, self.seconds, self.seed),
            self.patience * self.seconds,
            lambda said: program.read(self.folder, said),
        )

    def _about(self, program: str, version: str, score: str) -> tuple[Any, ...]:
        data = self.data
        return (self.name, data.n_variables, data.n_rows, program, version, score, 0.0, 0)

    def _child(self, python: Path | str, name: str) -> list[Path | str]:
        """The command of a search in Python; the table is written for it."""
        table, found = self.folder / NUMBERED, self.folder / FOUND
        found.unlink(missing_ok=True)
        if not table.exists():
            peers_child.write_numbered(table, self.data.codes, list(map(len, self.data.states)))
        limits = (str(self.seconds), str(self.seed))
        return [python, peers_child.__file__, name, table, *limits, found]

    def _found(self, said: str) -> Answer:
        del said
        told = json.loads((self.folder / FOUND).read_text(encoding="utf-8"))
        found = told["trace"][-1][0] if "trace" in told else None
        return Answer([(a, b) for a, b in told["arcs"]], found, told["seconds"])

    def _measure(
        self,
        run: Run,
        command: Sequence[Path | str],
        limit: float,
        read: Callable[[str], Answer],
    ) -> Run:
        """Run a command, and score the network that it leaves."""
        took, said = launch(command, self.folder, limit)
        run = replace(run, seconds=took["seconds"], memory=took["memory"])
        if took["ended"] or took["exit"] == -signal.SIGALRM:
            return replace(run, note="cut off")
        try:
            answer = read(said)
        except (OSError, LookupError, ValueError):
            return replace(run, note=f"failed ({took['exit']}): {last_line(said)}")
        names = self.data.names
        network = Network.from_arcs(names, [(names[a], names[b]) for a, b in answer.arcs])
        return replace(
            run,
            seconds=run.seconds if answer.seconds is None else answer.seconds,
            found=answer.found,
            score=score_network(network, self.data),
            arcs=len(network.arcs),
            most_parents=max(map(len, network.parents)),
        )


def launch(command: Sequence[Path | str], folder: Path, limit: float) -> tuple[dict[str, Any], str]:
    """Run a command, one thread; return what it took and what it said."""
    log = folder / "log.txt"
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    launcher = [sys.executable, "-I", "-S", peers_launch.__file__, str(limit), str(log)]
    told = subprocess.run(
        [*launcher, *map(str, command)],
        stdout=subprocess.PIPE,
        env={**os.environ, **one},
        cwd=folder,
        text=True,
        check=True,
    ).stdout
    return json.loads(told), log.read_text(encoding="utf-8", errors="replace")


def last_line(said: str) -> str:
    """The last that a program said, cut short."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "it said nothing"
