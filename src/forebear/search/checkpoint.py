"""Checkpoints: the state of a search in one file, which stays intact if the process is killed.

A checkpoint is a JSON file with a checksum. It contains the path and the fingerprint of the parent
sets, so that a search never continues with other sets. It contains no code.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import threading
import time
import warnings
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebear._util.atomic import atomic_path, check_writable
from forebear._util.errors import FileError, ForebearWarning
from forebear._util.file_kinds import OWN_VERSION, Format, describe_file
from forebear.search.incumbent import Incumbent
from forebear.search.recipe import Recipe

FORMAT = Format("forebear checkpoint", 1)
STARTED = Format("forebear run", 1)
_PACKED = "packed array"
_WRITER = "forebear"
"""The field with the version that wrote the file."""
_REMOVED: dict[str, Any] = {"cooperate": False, "sample_by": "rank", "enlarge": 2.5}
"""Settings of earlier versions, each with the value that corresponds to the current behavior."""
_CROSSOVERS = {"crowding": "network", "published": "ob"}
"""The same for the setting ``crossover``, by variant."""
LEAST_PAUSE = 1.0
"""Least number of seconds between two checkpoints, so that a kill loses little."""

MOST_SHARE = 0.05
"""Largest share of the time that writing takes: large states are written less often."""


@dataclass(frozen=True)
class Checkpoint:
    """A recipe and the progress of its chains. Chains that have not started have no state."""

    recipe: Recipe
    seconds: float
    chains: list[dict[str, Any] | None]
    trace: list[list[float]]

    def write(self, path: Path | str) -> None:
        """Write everything atomically."""
        body = {
            "recipe": self.recipe.__dict__,
            "seconds": self.seconds,
            "chains": self.chains,
            "trace": self.trace,
        }
        _write(path, FORMAT, body)

    @classmethod
    def read(cls, path: Path | str) -> Checkpoint:
        """Read a checkpoint. A damaged file is rejected."""
        kind, fields = _read(path)
        if kind != FORMAT:
            raise FileError(
                f"{path}: this run had not started its search: continue it with forebear resume"
            )
        try:
            seconds = float(fields["seconds"])
            if not 0 <= seconds < math.inf:
                raise ValueError("the time of the search is negative or infinite")
            checkpoint = cls(
                recipe=Recipe(**fields["recipe"]),
                seconds=seconds,
                chains=list(fields["chains"]),
                trace=list(fields["trace"]),
            )
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise FileError(f"{path}: not a checkpoint of forebear") from error
        _drop_removed(path, checkpoint.recipe.settings)
        return checkpoint


def write_started(path: Path | str, arguments: dict[str, Any]) -> None:
    """Write the arguments of a run whose search has no state yet."""
    _write(path, STARTED, arguments)


def read_started(path: Path | str) -> dict[str, Any] | None:
    """Return the arguments of a run; None if its search has a state."""
    kind, arguments = _read(path)
    if kind != STARTED:
        return None
    _drop_removed(path, arguments)
    return arguments


def _drop_removed(path: Path | str, settings: dict[str, Any]) -> None:
    """Drop settings that no longer exist; reject those that changed the search."""
    if isinstance(inner := settings.get("minobs"), dict):
        _drop_removed(path, inner)
    crossover = _CROSSOVERS.get(str(settings.get("variant")))
    for name, unused in {**_REMOVED, "crossover": crossover}.items():
        value = settings.pop(name, None)
        if value is not None and (type(value) is not type(unused) or value != unused):
            raise FileError(
                f"{path}: it has {name}={value!r:.40}, a setting that no longer exists: start the "
                "search again without it"
            )


def _write(path: Path | str, kind: Format, content: dict[str, Any]) -> None:
    # ASCII, since file names may contain bytes that are not valid text.
    body = json.dumps({_WRITER: OWN_VERSION, **content}, default=_as_json)
    with atomic_path(path) as temporary:
        temporary.write_bytes(_sealed(kind, body).encode())


def _read(path: Path | str) -> tuple[Format, dict[str, Any]]:
    try:
        content = Path(path).read_bytes().decode(errors="replace")
    except OSError as error:
        raise FileError.unreadable(path, error) from error
    head, _, rest = content.partition("\n")
    body = rest.removesuffix("\n")
    # The file must be exactly what would be written, so any change is detected.
    format_name = _field(head, "format")
    for kind in (FORMAT, STARTED):
        kind.reject_newer(path, format_name, _field(body, _WRITER))
        if content == _sealed(kind, body):
            break
    else:
        raise FileError(f"{path}: {_defect(path, format_name)}")
    try:
        fields = dict(json.loads(body, object_hook=_from_json))
        fields.pop(_WRITER, None)
        return kind, fields
    except (TypeError, ValueError, RecursionError, zlib.error) as error:
        raise FileError(f"{path}: not a checkpoint of forebear") from error


def _as_json(array: NDArray[Any]) -> Any:
    """Convert orders and ranks to lists, and other arrays, which may be large, to packed bytes."""
    if array.dtype == np.int32:
        return array.tolist()
    packed = base64.b64encode(zlib.compress(np.ascontiguousarray(array).tobytes(), level=1))
    return {_PACKED: packed.decode(), "type": array.dtype.str, "shape": array.shape}


def _from_json(fields: dict[str, Any]) -> Any:
    if _PACKED not in fields:
        return fields
    content = zlib.decompress(base64.b64decode(fields[_PACKED]))
    return np.frombuffer(content, np.dtype(fields["type"])).reshape(fields["shape"])


def _sealed(kind: Format, body: str) -> str:
    """Return the content of a file: a line with its format and a digest, then the body."""
    digest = hashlib.blake2b(body.encode(), digest_size=16).hexdigest()
    return f"{json.dumps({'format': str(kind), 'digest': digest})}\n{body}\n"


def _field(line: str, name: str) -> str | None:
    """Return the text under a key in a line of JSON, if there is one."""
    try:
        value = json.loads(line)[name]
    except (KeyError, TypeError, ValueError, RecursionError):
        return None
    return value if isinstance(value, str) else None


def _defect(path: Path | str, format_name: str | None) -> str:
    """Describe the defect of a file that is not a valid checkpoint."""
    if format_name in (str(FORMAT), str(STARTED)):
        return "the checkpoint was altered or truncated"
    description = describe_file(path)
    return "not a checkpoint of forebear" + (f": this is {description}" if description else "")


@dataclass
class Checkpointer:
    """Writes a checkpoint at intervals while a search runs, and when it ends. Thread-safe."""

    path: Path | str
    recipe: Recipe
    chains: int
    _states: dict[int, dict[str, Any]] = field(default_factory=dict)
    _recorded: dict[int, float] = field(default_factory=dict)
    _written: float = field(default_factory=time.monotonic)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _failed: bool = False
    _pause: float = field(default_factory=lambda: LEAST_PAUSE)

    def __post_init__(self) -> None:
        check_writable(self.path)

    def offer(
        self,
        number: int,
        state: Callable[[], dict[str, Any]],
        incumbent: Incumbent,
        seconds: float,
    ) -> None:
        """Record the state of a chain if that is due, and write the file if that is due."""
        now = time.monotonic()
        with self._lock:
            if now - self._recorded.get(number, self._written) < self._pause:
                return
        current = state()  # without the lock: it takes long
        with self._lock:
            self._states[number], self._recorded[number] = current, now
            if now - self._written >= self._pause:
                self._write(incumbent, seconds)
            self._pause = max(self._pause, (time.monotonic() - now) / MOST_SHARE)

    def close(
        self, states: Mapping[int, dict[str, Any]], incumbent: Incumbent, seconds: float
    ) -> None:
        """Write the final states."""
        with self._lock:
            self._states.update(states)
            self._write(incumbent, seconds)

    def _write(self, incumbent: Incumbent, seconds: float) -> None:
        """Write the current states. After a failure, warn once and let the search continue."""
        checkpoint = Checkpoint(
            recipe=self.recipe,
            seconds=seconds,
            chains=[self._states.get(s) for s in range(1, self.chains + 1)],
            trace=[list(step) for step in incumbent.improvements()],
        )
        self._written = time.monotonic()
        try:
            checkpoint.write(self.path)
        except FileError as error:
            if not self._failed:
                warnings.warn(f"{error}; the search continues", ForebearWarning, stacklevel=2)
            self._failed = True
        else:
            self._failed = False
