"""Files are written whole or not at all."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from forebear._util.atomic import atomic_path, check_writable
from forebear._util.errors import FileError


def error(match: str) -> Any:
    return pytest.raises(FileError, match=re.escape(match))


def file(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content)
    return path


def test_failure_leaves_the_old_file(tmp_path: Path) -> None:
    target = file(tmp_path, "a.csv", "old")

    def write_half() -> None:
        with atomic_path(target) as temporary:
            assert temporary.parent == tmp_path
            assert temporary.suffix == ".csv"
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_links_are_followed(tmp_path: Path) -> None:
    target = file(tmp_path, "a.csv", "old")
    link = tmp_path / "link.csv"
    link.symlink_to(target)
    with atomic_path(link) as temporary:
        temporary.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert sorted(tmp_path.iterdir()) == [target, link]


def test_paths_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "a.csv").mkdir()
    with error("cannot be written: it is a directory"):
        check_writable(tmp_path / "a.csv")
    with error("no/a.csv: cannot be written: there is no directory"):
        check_writable(tmp_path / "no" / "a.csv")
    with (
        error("/dev/null: cannot be written: it is not a regular file"),
        atomic_path("/dev/null"),
    ):
        pass
    with error("b.csv: cannot be written: No such file"), atomic_path(tmp_path / "b.csv"):
        pass
