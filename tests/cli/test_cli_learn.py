"""forebear learn: what people type, what they see, and how it ends."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE, wait_for_a_network

from forebear import Result, read_network, simulate
from forebear.cli import main
from forebear.data.writing import write_table
from forebear.network.files import FORMATS

FOREBEAR = [sys.executable, "-m", "forebear"]
QUICK = ["--generations", "3", "--seed", "1"]


@pytest.fixture(autouse=True)
def _table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_table(simulate(8, 300, max_parents=2, seed=4).data, "table.csv")


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", "table.csv", *QUICK, "--json", "-o", "found.json"]) == 0
    shown = capsys.readouterr()
    facts = json.loads(shown.out)
    assert shown.err == ""
    for field in ("score", "seconds", "arcs", "algorithm", "seed", "winner", "stop_reason"):
        assert field in facts
    assert facts["variables"] == 8
    assert facts["rows"] == 300
    assert facts["max_parents"] == 6
    assert Result.load("found.json").score == facts["score"]
    assert {"load", "score", "search"} <= set(facts["phases"])


def test_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", "table.csv", *QUICK]) == 0
    shown = capsys.readouterr()
    assert "8 variables, 300 rows" in shown.err
    assert "bdeu (ess 1), up to 6 parents" in shown.err
    assert "Nothing was written. Next: forebear learn table.csv --report" in shown.out
    assert main(["learn", "table.csv", *QUICK, "--report", "page.html"]) == 0
    shown = capsys.readouterr()
    assert "from" in shown.err
    assert ".forebear" in shown.err
    assert "Next: open page.html" in shown.out
    assert main(["learn", "table.csv", *QUICK, "--quiet"]) == 0
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "")


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_every_format(form: object) -> None:
    path = f"network{form.extensions[0]}"  # type: ignore[attr-defined]
    assert main(["learn", "table.csv", *QUICK, "--quiet", "-o", path, "-o", "found.json"]) == 0
    if form.read:  # type: ignore[attr-defined]
        written, found = read_network(path), Result.load("found.json").network
        assert set(written.arc_names) == set(found.arc_names)


def test_standard_input_and_output() -> None:
    done = subprocess.run(
        [*FOREBEAR, "learn", "-", *QUICK, "-o", "-", "--no-cache"],
        input=Path("table.csv").read_bytes(),
        capture_output=True,
        check=True,
    )
    Path("result.json").write_bytes(done.stdout)
    assert Result.load("result.json").network.n_variables == 8


def test_the_cache(tmp_path: Path) -> None:
    assert main(["learn", "table.csv", *QUICK, "--quiet", "--no-cache"]) == 0
    assert not Path(".forebear").exists()
    assert main(["learn", "table.csv", *QUICK, "--quiet", "--cache", "elsewhere"]) == 0
    assert len(list(Path("elsewhere").glob("*.cps"))) == 1
    assert not Path(".forebear").exists()
    assert main(["learn", "table.csv", *QUICK, "--quiet"]) == 0
    assert len(list((tmp_path / ".forebear").glob("*.cps"))) == 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("nowhere.csv", "there is no such file"),
        ("empty.csv", "the file is empty"),
        ("single.csv", "has a single column"),
        ("folder", "folder is a directory, where a table is expected"),
        ("table.csv --forbid X9->X1", 'no variable is called "X9"'),
        ("table.csv --require X1->X2 --forbid X1->X2", "both required and forbidden"),
        ("table.csv --require X1->X2 --require X2->X1", "make a cycle: "),
        ("table.csv --seconds 0", "--seconds must be positive, got 0"),
        ("table.csv --ess -1", "--ess must be positive, got -1"),
        ("table.csv --seed -1", "seed must be at least 0"),
        ("table.csv --threads 0", "--threads must be at least 1"),
        ("table.csv --max-memory 1MB", "the limit of 1 MB leaves no memory"),
        ("table.csv --max-memory some", "is not an amount of memory"),
        ("table.csv -o folder", "the extension of a network"),
        ("table.csv -o nowhere/x.bif", "there is no directory nowhere"),
        ("table.csv --report nowhere/x.html", "there is no directory nowhere"),
        ("table.csv --algorithm magic", "no algorithm is called 'magic'"),
        ("table.csv --rate 2", "rate must be in (0, 1]"),
        ("table.csv --start nowhere.json", "cannot be read"),
        ("table.csv --cache single.csv", "is not a directory"),
        ("table.csv --tiers nowhere.txt", "cannot be read"),
    ],
)
def test_mistakes(options: str, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty.csv").touch()
    Path("single.csv").write_text("a\n1\n2\n1\n")
    Path("folder").mkdir()
    before = sorted(Path().rglob("*"))
    assert main(["learn", *options.split(), "--quiet"]) == 2
    complaint = capsys.readouterr().err
    assert sentence in complaint
    assert complaint.count("\n") == 1
    assert sorted(Path().rglob("*")) == before


def test_no_permission(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)  # as for root, everything is permitted
    assert main(["learn", "table.csv", *QUICK, "-o", "found.json"]) == 2
    assert "the directory does not permit it" in capsys.readouterr().err


def test_a_full_disk_leaves_nothing_behind() -> None:
    def no_room() -> None:  # a file may not grow past some bytes, as if the disk were full
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    done = subprocess.run(
        [*FOREBEAR, "learn", "table.csv", *QUICK, "--no-cache", "--report", "page.html", "-q"],
        preexec_fn=no_room,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "page.html: cannot be written: File too large" in done.stderr
    assert [path.name for path in Path().iterdir()] == ["table.csv"]


def test_an_interrupt_keeps_the_best_so_far() -> None:
    searched = ["--time-limit", "600", "--no-certify", "--checkpoint", "state"]
    with subprocess.Popen(
        [*FOREBEAR, "learn", "table.csv", *searched, "-o", "found.json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as running:
        wait_for_a_network(Path("state"))
        running.send_signal(signal.SIGINT)
        said, _ = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0
    assert "it was interrupted" in said
    assert Result.load("found.json").stop_reason == "interrupted"


def test_names_that_a_format_cannot_hold_are_told_before_the_work(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = Path("table.csv").read_text().partition("\n")[2]
    Path("odd.csv").write_text(",".join(["a[b]", *"cdefghi"]) + "\n" + text)
    command = ["learn", "odd.csv", "--seconds", "600", "-o", "found.modelstring", "--quiet"]
    assert main(command) == 2
    assert "a[b]" in capsys.readouterr().err
