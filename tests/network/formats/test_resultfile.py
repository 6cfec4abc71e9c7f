"""The network in a result file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from results import random_dag, result_of

from forebear import FileError, Result, read_network

if TYPE_CHECKING:
    from pathlib import Path


def test_a_result_file_is_a_network_too(tmp_path: Path) -> None:
    network = random_dag(6, 2)
    result_of(network).save(tmp_path / "result.json")
    assert read_network(tmp_path / "result.json") == network
    for read in (read_network, Result.load):
        with pytest.raises(FileError, match="there is no such file"):
            read(tmp_path / "nowhere.json")
        for text, message in (
            ("{", "not a result file: it is not valid JSON"),
            ("[1]", "not a result file"),
            ('{"format": "forebear result 1"}', "damaged"),
        ):
            (tmp_path / "text.json").write_text(text)
            with pytest.raises(FileError, match=message):
                read(tmp_path / "text.json")
