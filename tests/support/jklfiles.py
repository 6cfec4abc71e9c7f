"""What the tests of .jkl files share: a small file, and how files are read and compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebear.parentsets.collection import ParentSets

if TYPE_CHECKING:
    from pathlib import Path

SMALL = b"3\nA 2\n-1.5 1 C\n-2 0\nB 3\n-1 2 A C\n-3 1 A\n-4 0\nC 1\n-7 0\n"


def read_text(folder: Path, text: str | bytes) -> ParentSets:
    path = folder / "some.jkl"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return ParentSets.load(path)


def assert_same(left: ParentSets, right: ParentSets) -> None:
    assert left.names == right.names
    for name in ("offsets", "scores", "parents"):
        a, b = getattr(left, name), getattr(right, name)
        assert a.dtype == b.dtype
        assert a.shape == b.shape
        assert a.tobytes() == b.tobytes(), name
