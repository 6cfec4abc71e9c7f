"""Full disks and directories without write permission: one sentence, and nothing is lost."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from programs import run_python
from results import random_dag, result_of
from watchers import Recorder

from forebear import (
    Dataset,
    FileError,
    ForebearWarning,
    ParentSets,
    Result,
    find_network,
    resume_search,
    score_parent_sets,
    simulate,
)
from forebear.cli import main
from forebear.cli._support.outputs import ResultFiles
from forebear.data.writing import write_table
from forebear.network.file_formats import write_network
from forebear.scoring.job import make_job
from forebear.scoring.part_store import parts_folder
from forebear.scoring.score_job import score_job
from forebear.search import checkpoint

NETWORK = random_dag(60, 3)


@pytest.fixture(scope="module")
def data() -> Dataset:
    return simulate(25, 500, max_parents=3, seed=2).data


@pytest.fixture(scope="module")
def sets(data: Dataset) -> ParentSets:
    return score_parent_sets(data, max_parents=3)


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """Limit the size of files. (Python ignores the signal of the operating system.)"""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk(data: Dataset, sets: ParentSets, tmp_path: Path) -> None:
    def score(path: Path) -> None:
        score_job(make_job(data, max_parents=2), spill=path, n_parts=1)

    fitted, result = simulate(9, 10, seed=1).network, result_of(NETWORK)
    writers: dict[str, Callable[[Path], Any]] = {
        **dict.fromkeys(("a.cps", "a.jkl", "a.jkl.gz"), sets.save),
        "parts.cps": score,
        **dict.fromkeys(("a.csv", "a.parquet"), partial(write_table, data)),
        **dict.fromkeys(("a.dot", "a.graphml"), partial(write_network, NETWORK)),
        "a.bif": partial(write_network, fitted),
        "a.json": result.save,
        "a.html": result.report,
    }
    for name, write in writers.items():
        path = tmp_path / name
        path.write_text("old")
        with room_for(600), pytest.raises(FileError, match="cannot be written"):
            write(path)
        assert path.read_text() == "old"
        assert [left.name for left in tmp_path.iterdir()] == [name]
        write(path)
        assert path.stat().st_size > 600
        path.unlink()


def test_parts_are_kept_when_the_file_does_not_fit(
    data: Dataset, sets: ParentSets, tmp_path: Path
) -> None:
    path = tmp_path / "a.cps"
    job = make_job(data, max_parents=3)
    sets.save(tmp_path / "b.cps")
    size = (tmp_path / "b.cps").stat().st_size
    with room_for(size - 1), pytest.raises(FileError, match=r"a\.cps: cannot be written"):
        score_job(job, spill=path, n_parts=6)
    assert not path.exists()
    assert len(list(parts_folder(path, job).glob("*.cps"))) == 6
    watcher = Recorder()
    score_job(job, spill=path, n_parts=6, watcher=watcher)
    assert set(watcher.fractions) <= {1.0}  # nothing is scored again
    assert path.read_bytes() == (tmp_path / "b.cps").read_bytes()


@pytest.mark.slow
def test_a_full_disk_while_mapped_files_are_made(tmp_path: Path) -> None:
    """On a real file system, where writing to a memory map would end the program."""
    small = tmp_path / "small"
    small.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(small)]
    try:
        mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("no file system can be mounted here")
    program = (
        "from forebear import simulate, FileError; from forebear.scoring.job import make_job\n"
        "from forebear.scoring.score_job import score_job\n"
        "job = make_job(simulate(40, 200, states=(2, 2), seed=2).data, score='ll', max_parents=2)\n"
        "try: score_job(job, spill='a.cps', n_parts=1)\n"
        "except FileError as error: print(error)"
    )
    try:
        said = run_python(program, cwd=small).rstrip()
        assert said.endswith("cannot be written: No space left on device")
        assert not (small / "a.cps").exists()
    finally:
        subprocess.run(["umount", str(small)], check=True)


def test_a_checkpoint_that_cannot_be_written_does_not_end_the_search(
    sets: ParentSets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoint, "LEAST_PAUSE", 0.02)
    sets.save(tmp_path / "sets.cps")
    mapped = ParentSets.load(tmp_path / "sets.cps")
    state = tmp_path / "state"
    settings: dict[str, Any] = {"checkpoint": state, "seed": 1}
    find_network(mapped, generations=2, **settings)
    before = state.read_bytes()
    with room_for(600), pytest.warns(ForebearWarning, match="; the search continues") as told:
        result = find_network(mapped, generations=60, **settings)
    assert len(told) == 1
    assert result.network == find_network(mapped, generations=60, seed=1).network
    assert state.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sets.cps", "state"]
    resume_search(state)


def test_a_result_without_a_place_is_kept_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = result_of(NETWORK)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    outputs = [tmp_path / "gone" / "found.json", tmp_path / "found.dot"]
    with pytest.raises(
        FileError, match=r"found\.json: cannot be written: .*; the result was saved to"
    ):
        ResultFiles(outputs, tmp_path / "found.html").write(result)
    (kept,) = tmp_path.glob("forebear-*.json")
    assert Result.load(kept).to_json() == result.to_json()
    assert (tmp_path / "found.dot").exists()
    assert (tmp_path / "found.html").exists()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    with pytest.raises(FileError, match="the result could not be saved elsewhere either"):
        ResultFiles(outputs[:1]).write(result)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_output_that_nothing_holds() -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "forebear", "--help"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "forebear: No space left on device\n")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users can access, unlike those of pytest."""
    with TemporaryDirectory() as place:
        Path(place).chmod(0o711)
        folder = Path(place) / "open"
        folder.mkdir()
        yield folder


@pytest.mark.slow
def test_a_directory_that_closes_meanwhile(sets: ParentSets, open_folder: Path) -> None:
    """Root may write anywhere, so the process becomes another user."""
    folder = open_folder
    sets.save(folder / "sets.cps")
    program = f"""
import os, warnings
from pathlib import Path
from forebear import FileError, ParentSets, Watcher, find_network
from forebear.search import checkpoint
checkpoint.LEAST_PAUSE = 0.1
folder = Path({str(folder)!r})
sets = ParentSets.load(folder / "sets.cps")
find_network(sets, generations=1, seed=1).save(folder / "first.json")  # all is imported now
os.umask(0)
if os.getuid() == 0:
    os.chown(folder, 65534, 65534)
    os.setuid(65534)
class Closing(Watcher):
    def standing(self, chains): folder.chmod(0o500)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    result = find_network(sets, time_limit=1.0, seed=1, certify=False,
                          checkpoint=folder / "state", watcher=Closing())
print(len(told), told[0].message)
try: result.save(folder / "first.json")
except FileError as error: print(error)
folder.chmod(0o700)
result.save(folder / "second.json")
"""
    first, second = run_python(program).splitlines()
    assert first.startswith("1 ")
    assert first.endswith("state: cannot be written: Permission denied; the search continues")
    assert second.endswith("first.json: cannot be written: Permission denied")
    assert Result.load(folder / "first.json").generations == (1,)
    assert Result.load(folder / "second.json").stop_reason == "time"
    # What was being written at the moment when the directory closed cannot be removed.
    assert len(list(folder.glob(".*"))) <= 1


def test_names_that_no_disk_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["learn", "example:orchard", "-o", f"{'x' * 400}.json", "--quiet"]) == 2
    assert "File name too long" in capsys.readouterr().err


@pytest.mark.slow
def test_memory_that_ends(tmp_path: Path) -> None:
    """With any amount of memory beyond that of the libraries, it succeeds or prints a sentence."""
    write_table(simulate(70, 300, states=(2, 2), seed=3).data, tmp_path / "table.csv")
    program = """
import re, resource, sys
from pathlib import Path
from forebear.cli import main
main(["learn", "table.csv", "--generations", "1", "--max-parents", "1", "--no-cache", "--quiet"])
held = int(re.search(r"VmSize:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024
resource.setrlimit(resource.RLIMIT_AS, (held + int(sys.argv[1]),) * 2)
sys.exit(main([*sys.argv[2:], "--max-parents", "3", "--score", "ll", "--threads", "1", "-q"]))
"""
    if not Path("/proc/self/status").exists():
        pytest.skip("reads /proc")
    codes = set()
    score = ["score", "table.csv", "-o", "sets.jkl"]
    learn = ["learn", "table.csv", "--generations", "1", "--no-cache"]
    # With less, a library in which memory cannot be refused may be the one to ask for it.
    for room, given in product((40 << 20, 60 << 20, 4 << 30), (score, learn)):
        command = [sys.executable, "-c", program, str(room), *given]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
        )
        codes.add(done.returncode)
        assert done.returncode in (0, 2), done.stderr
        if done.returncode == 2:
            assert "memory" in done.stderr.splitlines()[-1]
            assert "Traceback" not in done.stderr
    assert codes == {0, 2}
