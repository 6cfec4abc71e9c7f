"""The folder for the parts of a scoring job. One run at a time owns it."""

from __future__ import annotations

import json
import os
import shutil
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from forebear._util.atomic import atomic_path
from forebear._util.errors import FileError
from forebear._util.formats import Format

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Iterator

    from forebear.scoring.job import Job

FORMAT = Format("forebear parts", 1)
"""Parts of an older format are removed: they hold minutes of work, and are scored again."""

_TRIES = 100
"""How often to try: another run may remove the folder before it is locked."""


def parts_folder(path: Path | str) -> Path:
    """Return the folder for the parts of a file."""
    target = Path(path)
    return target.with_name(f".{target.name}.parts")


@contextmanager
def folder_of_parts(path: Path | str, job: Job) -> Iterator[Path]:
    """Open the folder of this job with the parts of an earlier run, or make an empty one.

    If another run owns it, this run gets a temporary folder of its own. A killed run owns nothing.
    """
    folder = parts_folder(path)
    label = json.dumps({**FORMAT.marks, "job": job.key})
    with _complaining_of(folder):
        lock = _take(folder)
    if lock is None:
        folder = folder.with_name(f"{folder.name}.{token_hex(4)}")
    try:
        with _complaining_of(folder):
            folder.mkdir(exist_ok=True)
            _label(folder, label)
        yield folder
    except BaseException:
        if not list(folder.glob("[0-9]*.json")):  # no part is done: nothing to continue from
            shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        if lock is None:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            _release(folder, lock)


@contextmanager
def _complaining_of(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise FileError(f"{folder}: cannot be used: {error.strerror or error}") from error
    except KeyboardInterrupt:
        with suppress(OSError):
            folder.rmdir()  # if it is empty
        raise


def _take(folder: Path) -> int | None:
    """Lock the folder, and make it if needed. Return None if another run owns it."""
    for _ in range(_TRIES):
        folder.mkdir(parents=True, exist_ok=True)
        if sys.platform == "win32":
            return _take_on_windows(folder)
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
            pass  # a file system without locks: simultaneous runs cannot be told apart
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(lock), folder.stat()):
                return lock
        os.close(lock)
    raise FileError(f"{folder}: cannot be used: another program keeps removing it")


if sys.platform == "win32":

    def _take_on_windows(folder: Path) -> int | None:
        """Lock a file beside the folder: Windows opens no folders, and removes no open files."""
        lock = os.open(_lock_file(folder), os.O_RDWR | os.O_CREAT)
        try:
            msvcrt.locking(lock, msvcrt.LK_NBLCK, 1)
        except OSError:
            os.close(lock)
            return None
        return lock


def _lock_file(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.lock")


def _release(folder: Path, lock: int) -> None:
    os.close(lock)
    if sys.platform == "win32":
        with suppress(OSError):  # another run has opened it meanwhile
            _lock_file(folder).unlink()


def _label(folder: Path, about: str) -> None:
    """Write which job the parts belong to; remove parts of another job."""
    label = folder / "job.json"
    with suppress(OSError, UnicodeDecodeError):
        said = label.read_text("utf-8")
        if said == about:
            return
        FORMAT.refuse_newer(folder, *_claims(said))
    for old in folder.iterdir():
        old.unlink()
    with atomic_path(label) as temporary:
        temporary.write_text(about, "utf-8")


def _claims(label: str) -> tuple[Any, Any]:
    """Return the format that a label names, and the version of forebear that wrote it."""
    try:
        fields = json.loads(label)
        return fields["format"], fields["forebear"]
    except (KeyError, TypeError, ValueError, RecursionError):
        return None, None
