"""One search by one program in its own process, measured from outside, for ``peers.py``."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forebear import Dataset, Network, __version__, score_network, score_parent_sets
from forebear.data.writing import write_table
from forebear.parentsets.jkl import write_jkl
from forebear.result import negligible
from peer_runs import child, launch
from peer_runs.programs import SETS, TABLE, Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from common.library_searches import LibrarySearch

    from peer_runs.programs import Program

BENCHMARKS = Path(__file__).resolve().parents[1]
START = 60.0  # seconds to import libraries and to read the table
NUMBERED, FOUND = "table.npz", "found.json"


@dataclass(frozen=True)
class Run:
    """One search. ``found`` is when it had its network, ``seconds`` when it ended.

    ``reached`` is when forebear had at least the same score, including all its work,
    and ``ratio`` how many times as long the other took. ``behind`` is its score minus
    ours. A search that was cut off or failed has a note and no score.
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
    """Our run, when it reached which score, and its ``max_parents``."""

    run: Run
    trace: list[tuple[float, float]]
    max_parents: int

    def beside(self, run: Run) -> Run:
        """Compare another run on the same table with ours."""
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
    """A table, a folder to run in, a time limit, and by what factor it may be exceeded."""

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
            self._child(sys.executable, child.OURS),
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
            sets = score_parent_sets(self.data, prior="uniform", max_parents=max_parents)
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
        """Write the table and return the command of a search in Python."""
        table, found = self.folder / NUMBERED, self.folder / FOUND
        found.unlink(missing_ok=True)
        if not table.exists():
            child.write_numbered(table, self.data.codes, list(map(len, self.data.states)))
        limits = (str(self.seconds), str(self.seed))
        return [python, "-m", child.__name__, name, table, *limits, found]

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
        took, said = run_command(command, self.folder, limit)
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
            score=score_network(network, self.data, "bdeu"),
            arcs=len(network.arcs),
            most_parents=max(map(len, network.parents)),
        )


def run_command(
    command: Sequence[Path | str], folder: Path, limit: float
) -> tuple[dict[str, Any], str]:
    """Run a command on one thread; return its time and memory, and its output."""
    log = folder / "log.txt"
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    # Searches in Python are modules of this folder.
    paths = filter(None, (os.environ.get("PYTHONPATH"), str(BENCHMARKS)))
    launcher = [sys.executable, "-I", "-S", launch.__file__, str(limit), str(log)]
    told = subprocess.run(
        [*launcher, *map(str, command)],
        stdout=subprocess.PIPE,
        env={**os.environ, **one, "PYTHONPATH": os.pathsep.join(paths)},
        cwd=folder,
        text=True,
        check=True,
    ).stdout
    return json.loads(told), log.read_text(encoding="utf-8", errors="replace")


def last_line(said: str) -> str:
    """The last line of a program's output, shortened."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "no output"
