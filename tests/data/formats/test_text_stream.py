"""Text in blocks: what is read does not depend on their size, nor on when texts are looked up."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from forebear import Dataset, ForebearError, ForebearWarning
from forebear.data.formats import field_reader, text_stream

LINES = [
    "a,b",
    "1,x",
    "2,y",
    "é,NA",
    '"two\n\nlines",2',
    '"NA",?',
    "# note",
    "",
    "  ",
    "1",
    '"x',
    "x",
]
ENDS = ["\n", "\r\n", "\r"]


def outcome(path: Path, options: dict[str, Any]) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ForebearWarning)
            dataset = Dataset.read(path, **options)
    except ForebearError as error:
        return str(error)
    return dataset.names, dataset.states, dataset.codes.tolist()


@given(
    st.lists(st.sampled_from(LINES), min_size=1, max_size=8),
    st.sampled_from(ENDS),
    st.sampled_from(["utf-8", "utf-16", "cp1252"]),
    st.sampled_from([".csv", ".txt", ".dat", ".data"]),
    st.sampled_from([{}, {"comment": "#"}, {"header": True}, {"rows": 2}]),
    st.integers(1, 12),
    st.integers(1, 4),
)
@example(["a", "1", "", "0", ""], "\r\n", "utf-8", ".csv", {}, 3, 4)
@example(["# note", "a,b", "1,x", "# note"], "\n", "utf-8", ".csv", {"comment": "#"}, 7, 4)
@example(["a,b", "1,x", "2,y", ",", "1,x"], "\n", "utf-8", ".csv", {}, 5, 1)
def test_blocks_of_any_size(
    tmp_path_factory: Any,
    lines: list[str],
    end: str,
    encoding: str,
    extension: str,
    options: dict[str, Any],
    block: int,
    many: int,
) -> None:
    path = tmp_path_factory.mktemp("blocks") / f"a{extension}"
    path.write_bytes(end.join(lines).encode(encoding))
    # UTF-16 is recognized by the first forty bytes, which may be more than a block has here.
    given = {"encoding": encoding} if encoding == "utf-16" else {}
    options = {"missing": "state", **given, **options}
    expected = outcome(path, options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_stream, "BLOCK", block)
        patch.setattr(field_reader, "MAX_STATES", many)
        found = outcome(path, options)
    # Of several errors in a file, that of the first block is reported.
    assert found == expected or (isinstance(found, str) and isinstance(expected, str))
