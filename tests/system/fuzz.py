"""Fuzzing: every format, damaged and forged, is read soundly or refused in a sentence.

    python tests/fuzz.py --inputs 1000000 --seed 1 --workers 2
    python tests/fuzz.py --seconds 60                 # as many as there is time for
    python tests/fuzz.py --format cps --only 123      # one input again, with its traceback

An input is made from the seed, the format and a number, so that a failure can be
repeated. Workers are processes with little memory; one that dies, or stands still,
is told of with the input it had, and another goes on behind it.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from fuzz_targets import Target, targets_in

from forebear import ForebearError

SLOW_SECONDS = 5.0
STUCK_SECONDS = 60.0
ROOM = 3 << 30
"""Bytes that a worker may take beside what it has when it starts."""

_NEVER = 1 << 62
_POLL_SECONDS = 0.1
_NOTE = 200  # bytes; what a worker is at
_COUNTED_AT_ONCE = 200


def try_input(target: Target, number: int, seed: int, folder: Path) -> str:
    """Try one input; tell ``loaded`` or ``refused``. Anything else is a failure, and raised."""
    rng = Random(f"{seed}/{target.name}/{number}")
    data, must_refuse = target.make(rng)
    path = folder / f"input{target.extension}"
    path.write_bytes(data)
    started = time.process_time()
    try:
        target.use(path, data, rng)
    except ForebearError as refusal:
        said = str(refusal)
    else:
        said = ""
        assert not must_refuse, "damage was not noticed"
    spent = time.process_time() - started
    assert spent < SLOW_SECONDS, f"it took {spent:.1f} s"
    return "refused" if said else "loaded"


def place_of(number: int, weights: list[int]) -> tuple[int, int]:
    """Tell the target of an input, counted over all, and its number there."""
    turn, rest = divmod(number, sum(weights))
    for at, weight in enumerate(weights):
        if rest < weight:
            return at, turn * weight + rest
        rest -= weight
    raise AssertionError("weights add up")


# ---- in a worker -----------------------------------------------------------------------


def work(options: argparse.Namespace, first: int, note: Path) -> None:
    """Try every so many-th input; tell on standard output what came of it."""
    warnings.simplefilter("ignore")
    tell = os.fdopen(os.dup(1), "w")
    for stream in (1, 2):  # libraries print, too
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    with tempfile.TemporaryDirectory(prefix="fuzz-", dir=scratch()) as name:
        os.chdir(name)
        targets = [t for t in targets_in(Path(name)).all if options.format in (None, t.name)]
        weights = [target.weight for target in targets]
        limit_memory()
        counts: Counter[str] = Counter()
        with note.open("r+b") as file, mmap.mmap(file.fileno(), _NOTE) as place:
            for number in range(first, options.inputs, options.workers):
                at, own = place_of(number, weights)
                about = {"at": number, "format": targets[at].name, "number": own}
                place[:] = (
                    json.dumps({**about, "foreign": targets[at].foreign}).encode().ljust(_NOTE)
                )
                try:
                    outcome = try_input(targets[at], own, options.seed, Path(name))
                except BaseException:
                    outcome = "failed"
                    print(json.dumps({**about, "error": traceback.format_exc()}), file=tell)
                counts[f"{targets[at].name} {outcome}"] += 1
                if sum(counts.values()) >= _COUNTED_AT_ONCE:
                    print(json.dumps({"counts": counts}), file=tell, flush=True)
                    counts.clear()
        print(json.dumps({"counts": counts, "peak": peak_bytes()}), file=tell, flush=True)


def scratch() -> str | None:
    """Find a folder in memory: a million files are written."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def limit_memory() -> None:
    """Let a worker that takes too much fail, and not the machine."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    for line in lines:
        if line.startswith("VmSize"):
            most = int(line.split()[1]) * 1024 + ROOM
            resource.setrlimit(resource.RLIMIT_AS, (most, most))


def peak_bytes() -> int:
    """Tell the most memory that this process has held, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


# ---- over the workers ------------------------------------------------------------------


@dataclass
class Run:
    """All that came of a run."""

    options: argparse.Namespace
    counts: Counter[str] = field(default_factory=Counter)
    failures: list[dict[str, Any]] = field(default_factory=list)
    peak: int = 0
    over: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, line: str) -> None:
        """Note what a worker tells."""
        told = json.loads(line)
        with self.lock:
            self.counts.update(told.get("counts", {}))
            self.peak = max(self.peak, told.get("peak", 0))
            if "error" in told:
                self.failures.append(told)
                print(f"FAILED {told['format']} {told['number']}\n{told['error']}", flush=True)

    def drive(self, worker: int) -> None:
        """Keep a worker at work until its inputs are done or the time is over."""
        first = worker
        while first < self.options.inputs and not self.over:
            with tempfile.NamedTemporaryFile() as note:
                note.write(b"{}".ljust(_NOTE))
                note.flush()
                code = self.watch(self.start(first, Path(note.name)), Path(note.name))
                about = json.loads(Path(note.name).read_text())
            if code == 0 or self.over:
                return
            end = "ended" if about["foreign"] else "failed"
            told = {**about, "counts": {f"{about['format']} {end}": 1}}
            if end == "failed":
                told["error"] = f"the worker ended with {code}"
            self.take(json.dumps(told))
            first = about["at"] + self.options.workers

    def start(self, first: int, note: Path) -> subprocess.Popen[str]:
        """Start a worker at an input."""
        given = vars(self.options)
        passed = [f"--{k}={given[k]}" for k in ("inputs", "seed", "workers", "format") if given[k]]
        command = [sys.executable, __file__, *passed, f"--first={first}", f"--note={note}"]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def watch(self, process: subprocess.Popen[str], note: Path) -> int:
        """Listen to a worker until it ends; end one that stands still, or is out of time."""
        reader = threading.Thread(target=lambda: [*map(self.take, process.stdout or ())])
        reader.start()
        seen, still = b"", 0
        while process.poll() is None:
            time.sleep(_POLL_SECONDS)
            now = note.read_bytes()
            # Looks are counted, not seconds: all of this may be halted for a while.
            seen, still = now, still + 1 if now == seen else 0
            if self.over or still * _POLL_SECONDS > STUCK_SECONDS:
                process.kill()
        reader.join()
        return process.wait()


def report(run: Run, seconds: float) -> None:
    """Say how many inputs of every format there were, and what became of them."""
    formats = sorted({key.rpartition(" ")[0] for key in run.counts})
    print(f"{'format':<16}{'inputs':>10}{'refused':>10}{'loaded':>10}{'ended':>8}{'failed':>8}")
    for name in [*formats, ""]:
        row = [
            sum(n for key, n in run.counts.items() if key.startswith(name) and key.endswith(end))
            if not name
            else run.counts[f"{name} {end}"]
            for end in ("refused", "loaded", "ended", "failed")
        ]
        counts = f"{sum(row):>10,}{row[0]:>10,}{row[1]:>10,}{row[2]:>8,}{row[3]:>8,}"
        print(f"{name or 'all':<16}{counts}")
    print(
        f"seed {run.options.seed}, {seconds:.0f} s, {len(run.failures)} failures, "
        f"most memory of a worker {run.peak / 1e6:.0f} MB"
    )


def try_again(options: argparse.Namespace) -> None:
    """Try one input in this process."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        target = next(t for t in targets_in(Path(folder)).all if t.name == options.format)
        data, _ = target.make(Random(f"{options.seed}/{target.name}/{options.only}"))
        print(repr(data[:3000]))
        print(try_input(target, options.only, options.seed, Path(folder)))


def main() -> int:
    """Fuzz, and tell with 0 that nothing failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--inputs", type=int, default=None)
    parser.add_argument("--seconds", type=float, default=None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--format", help="one format alone")
    parser.add_argument("--only", type=int, help="one input alone")
    parser.add_argument("--first", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--note", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.inputs = options.inputs or (_NEVER if options.seconds else 10_000)
    if options.note is not None:
        work(options, options.first, options.note)
        return 0
    if options.only is not None:
        try_again(options)
        return 0
    started = time.monotonic()
    run = Run(options)
    drivers = [threading.Thread(target=run.drive, args=(w,)) for w in range(options.workers)]
    for driver in drivers:
        driver.start()
    for driver in drivers:
        left = None if options.seconds is None else options.seconds - time.monotonic() + started
        driver.join(None if left is None else max(0.0, left))
    run.over = True
    for driver in drivers:
        driver.join()
    report(run, time.monotonic() - started)
    return 1 if run.failures else 0


if __name__ == "__main__":
    sys.exit(main())
