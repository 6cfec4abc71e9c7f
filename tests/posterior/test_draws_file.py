"""Files of draws: written and read back; damaged ones are refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from forebear import FileError, ForebearError, Posterior


def test_round_trip(posterior: Posterior, tmp_path: Path) -> None:
    posterior.save(tmp_path / "draws.npz")
    again = Posterior.load(tmp_path / "draws.npz")
    assert again.names == posterior.names
    assert again.families == posterior.families
    assert again.arcs == posterior.arcs
    assert again.about == posterior.about
    np.testing.assert_array_equal(again.draws, posterior.draws)
    np.testing.assert_array_equal(again.scores, posterior.scores)
    with pytest.raises(ForebearError, match="have no report"):
        again.report(tmp_path / "page.html")


def test_damaged_files(posterior: Posterior, tmp_path: Path) -> None:
    path = tmp_path / "draws.npz"

    def check(message: str = "not a file of draws, or damaged") -> None:
        with pytest.raises(FileError, match=message):
            Posterior.load(path)

    check("there is no such file")
    with pytest.raises(FileError, match=r"draws must be written to \.npz files"):
        posterior.save(tmp_path / "draws.txt")
    path.write_bytes(b"nothing")
    check()
    posterior.save(path)
    content = path.read_bytes()
    with np.load(path) as file:
        arrays = dict(file)
    path.write_bytes(content[: len(content) // 2])
    check()
    for name, wrong in (
        ("draws", posterior.draws + 1000),
        ("scores", posterior.scores * np.nan),
        ("members", np.array([99])),
        ("probabilities", np.array([2.0])),
    ):
        np.savez(path, **{**arrays, name: wrong})
        check()
