"""The folder of the parts of a scoring job, which one run at a time has."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

from forebear._util.errors import FileError
from forebear._util.files import atomic_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from forebear.scoring.job import Job

_TRIES = 100
"""A folder may be gone again before it is taken: then another is made."""


def parts_folder(path: Path | str) -> Path:
    """Where the parts of a file are kept while they are made."""
    target = Path(path)
    return target.with_name(f".{target.name}.parts")


@contextmanager
def folder_of_parts(path: Path | str, job: Job, cuts: Sequence[range]) -> Iterator[Path]:
    """Open the folder of this very job, with what an earlier run has done, or make an empty one.

    If another run has it now, this one gets a folder of its own, which goes with
    it. A run that is killed has it no longer.
    """
    folder = parts_folder(path)
    try:
        lock = _take(folder)
        if lock is None:
            folder = folder.with_name(f"{folder.name}.{token_hex(4)}")
            folder.mkdir()
        _label(folder, json.dumps([job.key, [[cut.start, cut.stop] for cut in cuts]]))
    except OSError as error:
        raise FileError(f"{folder}: cannot be used: {error.strerror or error}") from error
    try:
        yield folder
    finally:
        if lock is None:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            os.close(lock)


def _take(folder: Path) -> int | None:
    """Lock a folder, made if it is not there; ``None`` if another run has it."""
    for _ in range(_TRIES):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            lock = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            return None
        except OSError:
            pass  # a file system without locks: runs at the same time are not told apart
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(lock), folder.stat()):
                return lock
        os.close(lock)
    raise FileError(f"{folder}: cannot be used: something removes it again and again")


def _label(folder: Path, about: str) -> None:
    """Note whose parts these are; those of another job are removed."""
    label = folder / "job.json"
    with suppress(OSError, UnicodeDecodeError):
        if label.read_text("utf-8") == about:
            return
    for old in folder.iterdir():
        old.unlink()
    with atomic_path(label) as temporary:
        temporary.write_text(about, "utf-8")
