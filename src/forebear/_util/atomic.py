"""Atomic writing of files: if it fails, an existing file stays as it was."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from forebear._util.errors import FileError


@contextmanager
def atomic_path(path: Path | str) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; rename it to ``path`` on success.

    On any failure, Ctrl-C included, the temporary file is removed and the file
    at ``path`` stays as it was. The temporary name keeps the extension, because
    some writers choose the format by it.
    """
    target = _writable_target(Path(path))
    temporary = target.with_name(f".{secrets.token_hex(4)}-{target.name}")
    try:
        yield temporary
        _sync(temporary)
        _replace(temporary, target)
    except OSError as error:
        raise FileError(f"{path}: cannot be written: {_reason(error)}") from error
    finally:
        with suppress(OSError):  # the directory may have become read-only
            temporary.unlink(missing_ok=True)


def check_writable(path: Path | str) -> None:
    """Reject a path that cannot be written, before any work is done."""
    target = _writable_target(Path(path))
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise FileError(
            f"{path}: cannot be written: there is no permission to write in the directory"
        )


def _replace(temporary: Path, target: Path) -> None:
    """Rename a file. On Windows, retry while another program has the old file open."""
    for _ in range(10):  # virus scanners and indexers keep a new file open for tenths of a second
        try:
            temporary.replace(target)
        except PermissionError as error:
            if not _in_use(error):
                raise
            time.sleep(0.1)
        else:
            return
    temporary.replace(target)


def _in_use(error: OSError) -> bool:
    # On Windows: access denied, sharing violation, file is mapped.
    return getattr(error, "winerror", None) in (5, 32, 1224)


def _reason(error: OSError) -> str:
    if _in_use(error):
        return (
            "it is in use, and Windows does not replace files in use: close the program that uses "
            "it, or choose another name"
        )
    return str(error.strerror or error)


def _sync(path: Path) -> None:
    """Flush the content to disk before the rename, so that a power failure cannot damage it."""
    descriptor = os.open(path, os.O_RDWR)  # Windows syncs only files that are open for writing
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _writable_target(path: Path) -> Path:
    """Return the file to replace: follow links, reject devices and directories."""
    try:
        target = Path(os.path.realpath(path))
        target.exists()
    except (OSError, ValueError) as error:  # the path is too long, or contains a NUL
        reason = getattr(error, "strerror", None) or error
        raise FileError(f"{path}: cannot be written: {reason}") from error
    if target.is_dir():
        raise FileError(f"{path}: cannot be written: it is a directory")
    if target.exists() and not target.is_file():
        raise FileError(f"{path}: cannot be written: it is not a regular file")
    if not target.parent.is_dir():
        raise FileError(f"{path}: cannot be written: there is no directory {path.parent}")
    return target
