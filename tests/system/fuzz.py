"""Fuzzing: damaged and forged files of every format are read correctly or rejected with a sentence.

    python tests/system/fuzz.py --inputs 1000000 --seed 1
    python tests/system/fuzz.py --seconds 60                 # as many as there is time for
    python tests/system/fuzz.py --format cps --only 123      # one input again, with its traceback

An input is made from the seed, the format and a number, so that a failure can be
repeated. They are tried in a process with little memory; where it dies, or stands still,
the input is reported, and another process continues after it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import NamedTuple

from fuzz_targets import Target, targets_in

from forebear import ForebearError

SLOW_SECONDS = 5.0
STUCK_SECONDS = 60.0
ROOM = 3 << 30
"""Bytes that a worker may allocate after its start."""

OUTCOMES = ("refused", "loaded", "ended", "failed")
_NEVER = 1 << 62


def try_input(target: Target, number: int, seed: int, folder: Path) -> str:
    """Try one input; return ``loaded`` or ``refused``. Anything else is a failure, and raised."""
    rng = Random(f"{seed}/{target.name}/{number}")
    data, must_refuse = target.make(rng)
    path = folder / f"input{target.extension}"
    path.write_bytes(data)
    started = time.process_time()
    try:
        target.use(path, data, rng)
    except ForebearError:
        outcome = "refused"
    else:
        outcome = "loaded"
        assert not must_refuse, "damage was not noticed"
    spent = time.process_time() - started
    assert spent < SLOW_SECONDS, f"it took {spent:.1f} s"
    return outcome


def place_of(number: int, targets: list[Target]) -> tuple[Target, int]:
    """Return the target of an input, and the number of the input within this target."""
    turn, rest = divmod(number, sum(target.weight for target in targets))
    for target in targets:
        if rest < target.weight:
            return target, turn * target.weight + rest
        rest -= target.weight
    raise AssertionError("weights add up")


class Outcome(NamedTuple):
    """The outcome of an input."""

    at: int
    outcome: str
    error: str = ""


def work(options: argparse.Namespace, first: int, parent: Connection) -> None:
    """Try the inputs one by one in this process, and report each outcome."""
    warnings.simplefilter("ignore")
    for stream in (1, 2):  # libraries print, too
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    # In memory, if possible: a million files are written.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="fuzz-", dir=memory) as name:
        os.chdir(name)
        targets = targets_in(Path(name), options.format)
        limit_memory()
        for number in range(first, options.inputs):
            try:
                outcome = Outcome(
                    number, try_input(*place_of(number, targets), options.seed, Path(name))
                )
            except BaseException:
                outcome = Outcome(number, "failed", traceback.format_exc())
            parent.send(outcome)


def limit_memory() -> None:
    """Limit the memory of a worker, so that it fails instead of the machine."""
    status = Path("/proc/self/status")
    for line in status.read_text().splitlines() if status.exists() else ():
        if line.startswith("VmSize"):
            most = int(line.split()[1]) * 1024 + ROOM
            resource.setrlimit(resource.RLIMIT_AS, (most, most))


class Run:
    """Drives the worker, and counts the outcomes."""

    def __init__(self, options: argparse.Namespace, targets: list[Target]) -> None:
        self.options = options
        self.targets = targets
        self.counts: Counter[tuple[str, str]] = Counter()
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._started

    @property
    def over(self) -> bool:
        return self.options.seconds is not None and self.seconds > self.options.seconds

    def take(self, outcome: Outcome) -> None:
        """Count an input, and print a failure."""
        target, number = place_of(outcome.at, self.targets)
        self.counts[target.name, outcome.outcome] += 1
        if outcome.error:
            print(f"FAILED {target.name} {number}\n{outcome.error}", flush=True)

    def drive(self) -> None:
        """Keep a worker busy until all inputs are tried or the time is over."""
        context = multiprocessing.get_context("spawn")
        at = 0
        while at < self.options.inputs and not self.over:
            receiver, sender = context.Pipe(duplex=False)
            process = context.Process(target=work, args=(self.options, at, sender))
            process.start()
            sender.close()
            with suppress(EOFError):
                while self._worker_responds(receiver):
                    outcome = receiver.recv()
                    self.take(outcome)
                    at = outcome.at + 1
                process.kill()
            process.join()
            if process.exitcode == 0 or self.over:
                return
            # The input after the last one that was reported has ended the process.
            foreign = place_of(at, self.targets)[0].foreign
            error = "" if foreign else f"the worker ended with {process.exitcode}"
            self.take(Outcome(at, "ended" if foreign else "failed", error))
            at += 1

    def _worker_responds(self, receiver: Connection) -> bool:
        """Wait for the worker; return False if it hangs or the time is over."""
        # Looks are counted, not seconds: all of this may be halted for a while.
        return any(receiver.poll(0.1) for _ in range(int(STUCK_SECONDS * 10)) if not self.over)

    def report(self) -> int:
        """Print how many inputs of every format there were; return the number of failures."""
        print(f"{'format':<16}{'inputs':>10}" + "".join(f"{end:>10}" for end in OUTCOMES))
        names = sorted({name for name, _ in self.counts})
        rows = {name: [self.counts[name, end] for end in OUTCOMES] for name in names}
        rows["all"] = [sum(own) for own in zip(*rows.values(), strict=True)]
        for name, row in rows.items():
            print(f"{name:<16}{sum(row):>10,}" + "".join(f"{count:>10,}" for count in row))
        failures = rows["all"][OUTCOMES.index("failed")] if names else 0
        print(f"seed {self.options.seed}, {self.seconds:.0f} s, {failures} failures")
        return failures


def try_again(target: Target, options: argparse.Namespace, folder: Path) -> None:
    """Try one input in this process."""
    os.chdir(folder)
    data, _ = target.make(Random(f"{options.seed}/{target.name}/{options.only}"))
    print(repr(data[:3000]))
    print(try_input(target, options.only, options.seed, folder))


def main() -> int:
    """Fuzz; return 0 if nothing failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--inputs", type=int, default=None)
    parser.add_argument("--seconds", type=float, default=None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--format", help="one format alone")
    parser.add_argument("--only", type=int, help="one input alone")
    options = parser.parse_args()
    options.inputs = options.inputs or (_NEVER if options.seconds else 10_000)
    with tempfile.TemporaryDirectory() as folder:
        targets = targets_in(Path(folder), options.format)
        if options.only is not None:
            try_again(targets[0], options, Path(folder))
            return 0
    run = Run(options, targets)
    run.drive()
    return 1 if run.report() else 0


if __name__ == "__main__":
    sys.exit(main())
