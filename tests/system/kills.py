"""Runs that are killed at random moments, repeatedly, and continued.

    python tests/system/kills.py --times 100 --seed 1

Whatever the moment: a file under its own name is whole, and what comes out in the
end is what comes out of a run that nobody disturbed.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import forebear.scoring.parts
from forebear import FileError, ParentSets, Result
from forebear.cli import main
from forebear.search import checkpoint
from forebear.search.checkpoint import Checkpoint, read_started

MOST_KILLS = 4
_LONGEST = 120.0  # seconds that any run may take

SCORE = "score table.csv -o sets.cps --max-parents 3 --threads 1 --quiet"
LEARN = (
    "learn table.csv --max-parents 2 --generations 25 --chains 2 --rate 0.5 --seed 1 --quiet "
    "-o found.json -o found.bif --report found.html --checkpoint state"
)
SEARCH = (
    "search known.cps --generations 150 --chains 2 --rate 0.5 --seed 1 --quiet -o found.json "
    "--report found.html --trace trace.csv --checkpoint state"
)
RESUME = "resume state -o found.json --report found.html --quiet"


@dataclass(frozen=True)
class Scene:
    """A command, how to continue after a kill, its outputs, and when the first kill comes."""

    command: str
    finals: tuple[str, ...]
    resumes: bool
    is_under_way: Callable[[Path], bool]

    def next(self, folder: Path) -> str:
        """Return the command that continues the run."""
        return RESUME if self.resumes and (folder / "state").exists() else self.command


def has_parts(folder: Path) -> bool:
    """Return whether two parts of the scores are on the disk."""
    return len(list(folder.glob(".sets.cps.*.parts/*.cps"))) >= 2


def has_network(folder: Path) -> bool:
    """Return whether there is a checkpoint with a network."""
    with suppress(FileError):  # not there yet, or only how the run was started
        states = Checkpoint.read(folder / "state").chains
        return any(state is not None and state["best"] is not None for state in states)
    return False


SCENES = {
    "score": Scene(SCORE, ("sets.cps",), False, has_parts),
    "learn": Scene(LEARN, ("found.json", "found.html"), True, has_network),
    "search": Scene(SEARCH, ("found.json", "found.html"), True, has_network),
}


def start(command: str, folder: Path) -> int:
    """Run a command in its own process; return the id."""
    child = os.fork()  # quicker than a new program: all is imported already
    if child:
        return child
    code = 70
    try:
        os.chdir(folder)
        log = os.open("log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.environ["XDG_CACHE_HOME"] = str(folder)
        forebear.scoring.parts.PART_WORK = 10_000_000  # so that there are parts
        checkpoint.LEAST_PAUSE, checkpoint.MOST_SHARE = 0.05, 1.0
        code = main(command.split())
    finally:
        os._exit(code)


def wait(child: int, ready: Callable[[], bool]) -> int | None:
    """Wait until a process is ready or has ended; return its exit code, negative for a signal."""
    until = time.monotonic() + _LONGEST
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if ready():
            return None
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise AssertionError(f"a run does not end in {_LONGEST:.0f} s")


def after(seconds: float) -> Callable[[], bool]:
    """Return a function that returns whether so many seconds have passed."""
    until = time.monotonic() + seconds
    return lambda: time.monotonic() >= until


def finish(child: int) -> int:
    """Wait for a process; return its exit code."""
    code = wait(child, lambda: False)
    assert code is not None
    return code


def complete(command: str, folder: Path) -> float:
    """Run a command to its end; return the seconds it took."""
    began = time.monotonic()
    code = finish(start(command, folder))
    if code != 0:
        raise AssertionError(f"{command}: exit code {code}: {(folder / 'log').read_text()}")
    return time.monotonic() - began


def check_whole(folder: Path) -> None:
    """Check that every file under its final name is complete."""
    for name in ("sets.cps", "known.cps"):
        if (folder / name).exists():
            ParentSets.load(folder / name)
    for cached in (folder / ".forebear").glob("[!.]*.cps"):
        ParentSets.load(cached)
    if (folder / "found.json").exists():
        Result.load(folder / "found.json")
    if (folder / "found.html").exists():
        assert (folder / "found.html").read_text().rstrip().endswith("</html>")
    if (folder / "state").exists() and read_started(folder / "state") is None:
        Checkpoint.read(folder / "state")


def outcome(folder: Path) -> object:
    """The outcome of a run, without its times."""
    if (folder / "found.json").exists():
        result = Result.load(folder / "found.json")
        return result.network, result.score, result.winner, result.generations
    return (folder / "sets.cps").read_bytes()


def copy(prepared: Path, folder: Path) -> None:
    """Copy the files that the commands read."""
    for file in prepared.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())


def uninterrupted(scene: Scene, prepared: Path) -> tuple[object, float]:
    """Return the outcome of an uninterrupted run, and the seconds it took."""
    with tempfile.TemporaryDirectory() as name:
        copy(prepared, Path(name))
        length = complete(scene.command, Path(name))
        return outcome(Path(name)), length


def kill_and_continue(
    scene: Scene, prepared: Path, expected: object, length: float, rng: random.Random
) -> int:
    """Kill and continue a run a few times; check its outcome. Return the number of kills."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy(prepared, folder)
        under_way = partial(scene.is_under_way, folder)
        kills = 0
        for _ in range(rng.randint(1, MOST_KILLS)):
            child = start(scene.next(folder), folder)
            # The first kill comes as soon as something could be lost, the others at any moment.
            code = wait(child, after(rng.uniform(0.0, length)) if kills else under_way)
            if code is None:
                os.kill(child, signal.SIGKILL)
                code = finish(child)
            check_whole(folder)
            if code == 0:
                break
            assert code == -signal.SIGKILL, (folder / "log").read_text()
            kills += 1
        complete(scene.next(folder), folder)
        check_whole(folder)
        for final in scene.finals:
            assert (folder / final).exists(), f"{final} is missing"
        left = {path.name for path in folder.iterdir() if path.name.endswith(".parts")}
        assert not left, left
        assert outcome(folder) == expected, "not the outcome of an uninterrupted run"
        return kills


def prepare(folder: Path) -> None:
    """Create a table and its parent sets."""
    complete("simulate --variables 40 --rows 1500 --seed 3 -o table.csv --quiet", folder)
    complete(
        "score table.csv -o known.cps --score ll --max-parents 2 --max-sets-per-variable 300 -q",
        folder,
    )
    (folder / "log").unlink(missing_ok=True)


def run(scenes: Sequence[str], times: int, seed: int) -> None:
    """Kill runs of every kind this many times."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        prepared = Path(name)
        prepare(prepared)
        for kind in scenes:
            scene = SCENES[kind]
            about = (scene, prepared, *uninterrupted(scene, prepared))
            kills = sum(kill_and_continue(*about, rng) for _ in range(times))
            print(
                f"{kind}: {times} runs, {kills} kills, uninterrupted {about[-1]:.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scenes", nargs="*", choices=SCENES, default=list(SCENES))
    options = parser.parse_args()
    run(options.scenes, options.times, options.seed)
    sys.exit(0)
