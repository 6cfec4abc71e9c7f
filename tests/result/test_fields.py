"""The fields of a result file, which are checked while they are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from results import random_dag, result_of

from forebear import FileError, Result


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "not a result file: it was not written by Result.save"),
        ({"order": [0, 0]}, "does not list every variable once"),
        ({"parents": [[]]}, "list of parents"),
        ({"choices": [[1]]}, "damaged"),
        ({"trace": None}, "damaged"),
        ({"seconds": "long"}, "expected a number, got 'long'"),
        ({"settings": json.loads("[" * 12 + "]" * 12)}, "damaged"),
        ({"provenance": {"missing": "no"}}, "missing must be one of available, em, got 'no'"),
    ],
)
def test_damaged_results(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    result_of(random_dag(6, 2)).save(path)
    fields = json.loads(path.read_text())
    del fields["alternatives"]  # which older versions did not write
    path.write_text(json.dumps(fields))
    assert Result.load(path).alternatives == ()
    path.write_text(json.dumps(fields | change))
    with pytest.raises(FileError, match=message):
        Result.load(path)
