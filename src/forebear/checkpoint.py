"""Checkpoints: all that a search needs to go on, in one file that a kill leaves whole.

A JSON file with a digest of itself. It names the file of the parent sets and
says what is in it, so that a search never goes on over others; nothing in it is
code.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear import _core
from forebear.errors import FileError
from forebear.files import atomic_path, check_writable
from forebear.formats import read_parent_sets
from forebear.formats.native import write_native

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.parentsets import ParentSets
    from forebear.search.run import Runner
    from forebear.search.trace import Trace

FORMAT = "forebear checkpoint 1"
STARTED = "forebear run 1"
DEFAULT_INTERVAL = 30.0
"""Seconds between two checkpoints."""


@dataclass(frozen=True)
class Recipe:
    """What was asked for: enough to make the same search again."""

    parent_sets: dict[str, Any]
    algorithm: str
    kind: str
    settings: dict[str, Any]
    seed: int
    stop: dict[str, Any]
    orders: list[list[int]]


@dataclass(frozen=True)
class Checkpoint:
    """A recipe, and how far it has come. Processes that have not begun have no state."""

    recipe: Recipe
    seconds: float
    processes: list[dict[str, Any] | None]
    trace: list[list[float]]

    def write(self, path: Path | str) -> None:
        """Write everything, whole or not at all."""
        body = {
            "recipe": self.recipe.__dict__,
            "seconds": self.seconds,
            "processes": self.processes,
            "trace": self.trace,
        }
        _write(path, FORMAT, body)

    @classmethod
    def read(cls, path: Path | str) -> Checkpoint:
        """Read a checkpoint back. A damaged one is refused."""
        kind, fields = _read(path)
        if kind != FORMAT:
            raise FileError(f"{path}: this run had not begun to search: forebear resume goes on")
        try:
            return cls(
                recipe=Recipe(**fields["recipe"]),
                seconds=float(fields["seconds"]),
                processes=list(fields["processes"]),
                trace=list(fields["trace"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise FileError(f"{path}: not a checkpoint of forebear") from error


def write_started(path: Path | str, arguments: dict[str, Any]) -> None:
    """Note how a run was started, before it has a state to keep."""
    _write(path, STARTED, arguments)


def read_started(path: Path | str) -> dict[str, Any] | None:
    """Tell how a run was started; ``None`` if it got as far as searching."""
    kind, arguments = _read(path)
    return arguments if kind == STARTED else None


def _write(path: Path | str, kind: str, content: dict[str, Any]) -> None:
    body = json.dumps(content, ensure_ascii=False)
    head = json.dumps({"format": kind, "digest": _digest(body)})
    with atomic_path(path) as temporary:
        temporary.write_text(f"{head}\n{body}\n", "utf-8")


def _read(path: Path | str) -> tuple[str, dict[str, Any]]:
    try:
        head, _, body = Path(path).read_text("utf-8").partition("\n")
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: not a checkpoint: {error}") from error
    body = body.removesuffix("\n")
    try:
        about = json.loads(head)
        if about["format"] not in (FORMAT, STARTED):
            raise FileError(f"{path}: not a checkpoint of this version of forebear")
        if about["digest"] != _digest(body):
            raise FileError(f"{path}: the checkpoint was altered or cut short")
        return about["format"], dict(json.loads(body))
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{path}: not a checkpoint of forebear") from error


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def describe_sets(parent_sets: ParentSets, checkpoint: Path | str | None) -> dict[str, Any]:
    """Say where parent sets are and what is in them; sets in no file get one, beside."""
    path = parent_sets.path
    if checkpoint is None:
        return {"path": None, "fingerprint": fingerprint(parent_sets)}
    if path is None:
        path = Path(f"{checkpoint}.cps")
        write_native(parent_sets, path)
    return {"path": str(Path(path).absolute()), "fingerprint": fingerprint(parent_sets)}


def open_sets(about: dict[str, Any], checkpoint: Path | str) -> ParentSets:
    """Open the parent sets that a checkpoint is about, and make sure that they are."""
    path = Path(about["path"])
    if not path.exists():
        raise FileError(f"{checkpoint}: its parent sets are not there any more: {path}")
    parent_sets = read_parent_sets(path)
    if fingerprint(parent_sets) != about["fingerprint"]:
        raise FileError(f"{checkpoint}: {path} now holds other parent sets")
    return parent_sets


def fingerprint(parent_sets: ParentSets) -> str:
    """A hash of names and scores: who has the same, has the same sets."""
    digest = hashlib.blake2b(repr(parent_sets.names).encode(), digest_size=16)
    for array in (parent_sets.offsets, parent_sets.scores):
        flat = np.ascontiguousarray(array).view(np.uint8)
        digest.update(_core.checksum(flat).to_bytes(8, "little"))
    return digest.hexdigest()


@dataclass
class Checkpointer:
    """Writes a checkpoint now and then while a search runs, and when it ends."""

    path: Path | str
    recipe: Recipe
    n_processes: int
    interval: float = DEFAULT_INTERVAL
    _states: dict[int, dict[str, Any]] = field(default_factory=dict)
    _noted: dict[int, float] = field(default_factory=dict)
    _written: float = field(default_factory=time.monotonic)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        check_writable(self.path)

    def offer(self, runner: Runner, trace: Trace, seconds: float) -> None:
        """Note the state of a process when it is time, and write when all have had the chance."""
        now = time.monotonic()
        if now - self._noted.get(runner.number, -self.interval) < self.interval:
            return
        state = runner.state()
        with self._lock:
            self.note(runner.number, state)
            if now - self._written >= self.interval:
                self.write(trace, seconds)

    def take(self, number: int, state: dict[str, Any], trace: Trace, seconds: float) -> None:
        """Note a state that came from elsewhere, and write when it is time."""
        self.note(number, state)
        if time.monotonic() - self._written >= self.interval:
            self.write(trace, seconds)

    def close(self, runners: Sequence[Runner], trace: Trace, seconds: float) -> None:
        """Write how the search ended."""
        with self._lock:
            for runner in runners:
                if runner.generation:
                    self.note(runner.number, runner.state())
            self.write(trace, seconds)

    def note(self, number: int, state: dict[str, Any]) -> None:
        """Remember the state of a process."""
        self._states[number] = state
        self._noted[number] = time.monotonic()

    def write(self, trace: Trace, seconds: float) -> None:
        """Write what is known now."""
        Checkpoint(
            recipe=self.recipe,
            seconds=seconds,
            processes=[self._states.get(s) for s in range(1, self.n_processes + 1)],
            trace=[list(step) for step in trace],
        ).write(self.path)
        self._written = time.monotonic()
