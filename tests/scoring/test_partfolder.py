"""The folder of the parts: one run at a time has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from forebear import Dataset, simulate
from forebear.scoring.job import make_job
from forebear.scoring.partfolder import folder_of_parts, parts_folder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def data() -> Dataset:
    return simulate(20, 300, max_parents=3, seed=2).data


def test_a_folder_is_free_again_after_a_run(data: Dataset, tmp_path: Path) -> None:
    job = make_job(data, max_parents=2)
    path = tmp_path / "a.cps"
    with folder_of_parts(path, job) as first, folder_of_parts(path, job) as second:
        assert first == parts_folder(path)
        assert second != first
    assert first.exists()
    assert not second.exists()
    with folder_of_parts(path, job) as again:
        assert again == first
