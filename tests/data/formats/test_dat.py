"""Tables of other structure learners: .dat and .data files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from expected import error

from forebear import DataError, Dataset
from forebear.data.writing import write_table

ASIA = Dataset(
    np.array([[0, 1, 1, 0], [2, 0, 1, 0], [1, 1, 0, 0]]),
    ("visit", "smoke", "tub"),
    (("no", "yes"), ("1", "2", "10"), ("false", "true")),
)


@pytest.mark.parametrize(
    ("content", "states", "codes"),
    [
        (
            "a b c d\n3 3 3 2\n0 1 x ?\n1 3 y 0\n",
            (("0", "1", "2"), ("1", "2", "3"), ("x", "y", "unseen_1"), ("0", "1", "missing")),
            [[0, 1], [0, 2], [0, 1], [2, 0]],
        ),
        ("a\n3\n10\n2\n", (("2", "10", "unseen_1"),), [[1, 0]]),  # names, beyond the arity
    ],
)
def test_declared_numbers_of_states(
    tmp_path: Path, content: str, states: Any, codes: list[list[int]]
) -> None:
    (tmp_path / "a.dat").write_text(content)
    dataset = Dataset.read(tmp_path / "a.dat", missing="state")
    assert (dataset.states, dataset.codes.tolist()) == (states, codes)


def test_written_form(tmp_path: Path) -> None:
    write_table(ASIA, tmp_path / "a.dat")
    assert (tmp_path / "a.dat").read_text() == (
        "visit smoke tub\n2 3 2\n0 2 1\n1 0 1\n1 1 0\n0 0 0\n"
    )
    odd = Dataset([[0, 1], [1, 1]], ("a b", "#c"), (("0", "1"),) * 2)  # type: ignore[arg-type]
    with error("rename 'a b', '#c'", DataError):
        write_table(odd, tmp_path / "b.dat")


def test_both_states_of_data_files_are_declared(tmp_path: Path) -> None:
    (tmp_path / "a.data").write_text("0,1\n1,1\n1,1\n")
    dataset = Dataset.read(tmp_path / "a.data")
    assert (dataset.names, dataset.states) == (("0", "1"), (("0", "1"), ("0", "1")))
    assert dataset.codes.tolist() == [[0, 1, 1], [1, 1, 1]]
    with error("(visit, smoke, tub): write .csv or .parquet", DataError):
        write_table(ASIA, tmp_path / "b.data")
    assert not (tmp_path / "b.data").exists()
