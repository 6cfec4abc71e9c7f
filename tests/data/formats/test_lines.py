"""Lines of text files: encodings and comments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from expected import error

from forebear import Dataset, FileError

GERMAN = "stadt,größe\nKöln,1\nBonn,2\n"
PLAIN = "a,b\nx,1\nz,2\n"


@pytest.mark.parametrize(
    ("content", "options", "names"),
    [
        (GERMAN.encode("cp1252"), {"encoding": "cp1252"}, ("stadt", "größe")),
        (PLAIN.encode("utf-16"), {}, ("a", "b")),
        (PLAIN.encode("utf-16-le"), {}, ("a", "b")),
        (PLAIN.encode("utf-8-sig"), {}, ("a", "b")),
        (b"# made by hand\n#\n" + PLAIN.encode(), {}, ("a", "b")),
        (b"# note\n#a,b\n1,2\n3,4\n", {}, ("#a", "b")),  # a header may start with the mark
        (b"a,b\n1,2\n# later\n3,4\n", {"comment": "#"}, ("a", "b")),
    ],
)
def test_names(tmp_path: Path, content: bytes, options: Any, names: tuple[str, ...]) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    dataset = Dataset.read(tmp_path / "a.csv", **options)
    assert (dataset.names, dataset.n_rows) == (names, 2)


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (GERMAN.encode("cp1252"), {}, 'a.csv:1: the text is not UTF-8: pass encoding="cp1252"'),
        (GERMAN.encode(), {"encoding": "ascii"}, "a.csv:1: the text is not ascii: change encoding"),
        (b"a,b\n1,2\n# no\n3,4\n", {}, 'a.csv:3: expected 2 fields, got 1: pass comment="#" to le'),
        (b"a,b\n1,2\n3,\x00\n", {}, "a.csv:3: there is a zero byte: remove it, or pass encoding="),
        (b"a\na\n", {"comment": "a"}, "every line starts with 'a', so nothing is left"),
    ],
)
def test_errors(tmp_path: Path, content: bytes, options: Any, message: str) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    with error(message, FileError):
        Dataset.read(tmp_path / "a.csv", **options)
