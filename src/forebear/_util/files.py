"""Writing files whole: either the new file is there, or the old one still is."""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from forebear._util.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def atomic_path(path: Path | str) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; rename it to ``path`` on success.

    On any failure, Ctrl-C included, the temporary file is removed and what was
    at ``path`` before is left as it was. The temporary name keeps the
    extension, so that writers that look at it work.
    """
    target = _writable_target(Path(path))
    temporary = target.with_name(f".{secrets.token_hex(4)}-{target.name}")
    try:
        yield temporary
        _sync(temporary)
        temporary.replace(target)
    except OSError as error:
        raise FileError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):  # the directory may permit nothing any more
            temporary.unlink(missing_ok=True)


def check_writable(path: Path | str) -> None:
    """Refuse, before any work, a path that could not be written after it."""
    target = _writable_target(Path(path))
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise FileError(f"{path}: cannot be written: the directory does not permit it")


def _sync(path: Path) -> None:
    """Have the content on the disk before the name: after a power cut, too, it is whole."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _writable_target(path: Path) -> Path:
    """The real file to replace: links are followed, devices and directories refused."""
    try:
        target = Path(os.path.realpath(path))
        target.exists()
    except (OSError, ValueError) as error:  # too long, or with a NUL in it
        reason = getattr(error, "strerror", None) or error
        raise FileError(f"{path}: cannot be written: {reason}") from error
    if target.is_dir():
        raise FileError(f"{path}: cannot be written: it is a directory")
    if target.exists() and not target.is_file():
        raise FileError(f"{path}: cannot be written: it is not a regular file")
    if not target.parent.is_dir():
        raise FileError(f"{path}: cannot be written: there is no directory {path.parent}")
    return target
