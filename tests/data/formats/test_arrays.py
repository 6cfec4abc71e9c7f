"""Files of plain arrays: missing values are kept, and what does not fit is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from expected import error

from forebear import Dataset, FileError
from forebear.data.formats.arrays import read_arrays, write_arrays


def test_missing_values_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "t.npz"
    dataset = Dataset(np.array([[0, 2, 1]]), ("a",), (("x", "y"),), "available")
    write_arrays(dataset, path)
    again = read_arrays(path)
    assert (again.missing, again.fingerprint) == ("available", dataset.fingerprint)
    with np.load(path) as file:
        codes, about = file["codes"], file["about"].tobytes()
    about = about.replace(b'"available"', b'"weighted"')
    np.savez(path, codes=codes, about=np.frombuffer(about, np.uint8))
    ways = "error, drop, state, available, em"
    with error(f"{path}: missing must be one of {ways}, got 'weighted'", FileError):
        read_arrays(path)
