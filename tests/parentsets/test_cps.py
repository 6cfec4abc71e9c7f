"""The native file: mapped, reproducible, and rejected if anything is damaged."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from programs import run_python
from safetensors import safe_open
from scoredsets import assert_identical
from strategies import pack, parent_set_collections

from forebear import __version__, score_parent_sets
from forebear._util.errors import FileError
from forebear.network.simulation import simulate
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.cps import FORMAT, _checksum, _header, write_cps

NONE = np.iinfo(np.uint16).max


@settings(max_examples=40)
@given(parent_set_collections(required_parents=True))
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, sets: ParentSets) -> None:
    path = tmp_path_factory.mktemp("native") / "sets.cps"
    write_cps(sets, path)
    assert_identical(ParentSets.load(path), sets)


def test_safetensors_opens_it(tmp_path: Path) -> None:
    data = simulate(10, 200).data
    sets = score_parent_sets(data, score="bds", max_parents=3, max_sets_per_variable=50)
    sets.save(tmp_path / "sets.cps")
    again = ParentSets.load(tmp_path / "sets.cps")
    assert again.provenance == sets.provenance
    assert again.provenance["data"] == data.fingerprint
    again.save(tmp_path / "again.cps")
    assert (tmp_path / "sets.cps").read_bytes() == (tmp_path / "again.cps").read_bytes()
    with safe_open(tmp_path / "sets.cps", framework="numpy") as file:
        assert sorted(file.keys()) == ["offsets", "parents", "scores"]
        for name in file.keys():  # noqa: SIM118, the file is not a dictionary
            np.testing.assert_array_equal(file.get_tensor(name), getattr(sets, name))
        about = json.loads(file.metadata()["about"])
    assert (about["format"], about["forebear"]) == (str(FORMAT), __version__)
    assert tuple(about["names"]) == sets.names


def test_every_flipped_byte_and_every_other_length_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "small.cps"
    write_cps(pack([[(-1.5, (1,)), (-2.0, ())], [(-3.25, ())]]), path)
    whole = path.read_bytes()
    for place in range(len(whole)):
        for flip in (0x01, 0x20, 0x80, 0xFF):
            damaged = bytearray(whole)
            damaged[place] ^= flip
            path.write_bytes(damaged)
            with pytest.raises(FileError):
                ParentSets.load(path)
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(FileError):
            ParentSets.load(path)
    for extra in (b"\0", b" " * 64):
        path.write_bytes(whole + extra)
        with pytest.raises(FileError, match=rf"{len(extra)} bytes? too long"):
            ParentSets.load(path)


def forge(path: Path, provenance: dict[str, Any] | None = None, **changes: Any) -> None:
    """Write a file whose checksums are right, whatever its arrays are."""
    arrays: dict[str, Any] = {
        "offsets": np.array([0, 2, 3], dtype=np.int64),
        "scores": np.array([-1.5, -2.0, -3.25]),
        "parents": np.array([[1, NONE, NONE]], dtype=np.uint16),
    }
    arrays |= changes
    header = _header(
        ("a", "b"),
        provenance or {},
        {name: (array.dtype.name, array.shape) for name, array in arrays.items()},
        {name: _checksum(array) for name, array in arrays.items()},
    )
    data = b"".join(array.tobytes() for array in arrays.values())
    path.write_bytes(len(header).to_bytes(8, "little") + header + data)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"parents": np.array([[2, NONE, NONE]], np.uint16)}, "parents are not valid"),
        ({"offsets": np.array([0, 9, 3])}, "do not add up"),
        ({"scores": np.array([-1.5, -2.0])}, "lengths that do not fit together"),
        ({"offsets": np.array([0.0, 2.0, 3.0])}, "not a file of parent sets"),
        ({"parents": np.array([1, NONE, NONE], np.uint16)}, "not a file of parent sets"),
    ],
)
def test_forged_files_are_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    path = tmp_path / "forged.cps"
    forge(path)
    assert len(ParentSets.load(path)) == 3
    forge(path, **changes)
    with pytest.raises(FileError, match=message):
        ParentSets.load(path)


def test_an_unknown_method_for_missing_values_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "sets.cps"
    forge(path, {"missing": "available"})
    assert len(ParentSets.load(path)) == 3
    forge(path, {"missing": "weighted"})
    with pytest.raises(FileError, match="missing must be one of available, em, got 'weighted'"):
        ParentSets.load(path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x80\x04\x95",  # a pickle starts so
        (2).to_bytes(8, "little") + b"{}",
        (2).to_bytes(8, "little") + b"[]",
        (4).to_bytes(8, "little") + b"null",
        (2**63).to_bytes(8, "little") + b"{}",
        (100_000).to_bytes(8, "little") + b"[" * 100_000,
        (2).to_bytes(8, "little") + b"\xff\xfe",
    ],
)
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.cps"
    path.write_bytes(content)
    with pytest.raises(FileError, match=r"not a file of parent sets(, or|: this is an empty)"):
        ParentSets.load(path)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="there is no such file"):
        ParentSets.load(tmp_path / "missing.cps")
    with pytest.raises(FileError, match="not a file of parent sets: this is a directory"):
        ParentSets.load(tmp_path)


READ_AND_MEASURE = """
import re, sys
from pathlib import Path
import numpy as np
from forebear import ParentSets

def private():
    return int(re.search(r"RssAnon:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

before = private()
sets = ParentSets.load(sys.argv[1])
assert isinstance(sets.scores, np.memmap) and isinstance(sets.parents, np.memmap)
assert not sets.scores.flags.writeable
print(1024 * (private() - before))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_arrays_are_mapped_not_read(tmp_path: Path) -> None:
    """Opening a file and checking all of it takes next to no memory of the process's own."""
    n = 3_000
    pairs = np.array(np.triu_indices(n - 1, 1)) + 1
    empty = np.full((2, n), NONE)
    sets = ParentSets(
        names=tuple(map(str, range(n))),
        offsets=np.concatenate([[0], pairs.shape[1] + 1 + np.arange(n)]),
        scores=np.zeros(pairs.shape[1] + n),
        parents=np.concatenate([pairs, empty], axis=1).astype(np.uint16),
    )
    write_cps(sets, tmp_path / "large.cps")
    assert sets.nbytes > 50_000_000
    assert int(run_python(READ_AND_MEASURE, str(tmp_path / "large.cps"))) < 10_000_000
