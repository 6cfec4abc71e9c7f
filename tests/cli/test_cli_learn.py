"""forebear learn: what people type, what they see, and how it ends."""

from __future__ import annotations

import json
import re
import resource
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from waiting import PATIENCE, wait_for_a_network

from forebear import Result, read_network, simulate
from forebear.cli import main
from forebear.data.writing import write_table
from forebear.network.files import FORMATS

FOREBEAR = [sys.executable, "-m", "forebear"]
QUICK = ["--generations", "3", "--seed", "1"]
CONTRADICTION = (
    'the knowledge is contradictory: X1 -> X2 is required (--required "X1->X2"); '
    'X1 -> X2 is forbidden (--forbidden "X1->X2")'
)


@pytest.fixture(autouse=True)
def _table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "kept"))
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
    assert facts["covers"] == "among all networks"
    assert Result.load("found.json").score == facts["score"]
    assert {"load", "score", "search"} <= set(facts["phases"])


def test_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", "table.csv", *QUICK]) == 0
    shown = capsys.readouterr()
    assert "8 variables, 300 rows" in shown.err
    assert "bdeu (ess 1), up to 7 parents" in shown.err
    facts = dict(line.split(maxsplit=1) for line in shown.out.splitlines())
    assert list(facts) == ["Network", "Proven", "Checked", "Time", "Written"]
    assert re.fullmatch(
        r"\d+ arcs among 8 variables, up to \d parents? each; bdeu \(ess 1\) score -[\d,.]+",
        facts["Network"],
    )
    assert facts["Proven"] == "no network scores higher, among all networks"
    assert facts["Checked"] == (
        "not on new rows: --holdout 0.1 says how well they are predicted; forebear posterior "
        "table.csv says how sure each arc is"
    )
    assert facts["Written"] == "nothing: -o network.bif --report network.html would keep it"
    assert main(["learn", "table.csv", *QUICK, "--report", "page.html"]) == 0
    shown = capsys.readouterr()
    assert re.search(r"Scored .* parent sets .* from .*/kept/forebear/.*\.cps", shown.err)
    assert shown.out.endswith("Written  page.html; open the page in a browser\n")
    page = Path("page.html").read_text("utf-8")
    assert "conditional mutual information" in page
    assert "Answers are exact" in page
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
    assert not Path("kept").exists()
    assert main(["learn", "table.csv", *QUICK, "--quiet", "--cache", "elsewhere"]) == 0
    assert len(list(Path("elsewhere").glob("*.cps"))) == 1
    assert not Path("kept").exists()
    assert main(["learn", "table.csv", *QUICK, "--quiet"]) == 0
    assert len(list((tmp_path / "kept" / "forebear").glob("*.cps"))) == 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("nowhere.csv", "there is no such file"),
        ("empty.csv", "the file is empty"),
        ("single.csv", "the table has one column, 'a': a network needs two"),
        ("folder", "folder is a directory, where a table is expected"),
        ("table.csv --forbid X9->X1", 'no variable is called "X9"'),
        ("table.csv --require X1->X2 --forbid X1->X2", CONTRADICTION),
        ("table.csv --required X1->X2 --required X2->X1", 'X2 -> X1 is required (--required "X2'),
        ("table.csv --time-limit 0", "--time-limit must be positive, got 0"),
        ("table.csv --seconds 0", "--time-limit must be positive, got 0"),
        ("table.csv --ess -1", "--ess must be positive, got -1"),
        ("table.csv --seed -1", "--seed must be at least 0, got -1"),
        ("table.csv --threads 0", "--threads must be at least 1"),
        ("table.csv --max-memory 1MB", "the limit of 1 MB leaves no memory"),
        ("table.csv --max-memory some", "--max-memory: 'some' is not an amount of memory"),
        ("table.csv --chains 0", "--chains must be at least 1, got 0"),
        ("table.csv --algorithm minobs --chains 2", "minobs has no setting --chains"),
        ("table.csv --score bic --ess 2", "the score bic has no parameter --ess"),
        ("table.csv --bins 1", "--bins must be at least 2, got 1"),
        ("table.csv --checkpoint state --no-cache", "leave --no-cache out"),
        ("table.csv -o folder", "folder: cannot be written: it is a directory"),
        ("table.csv -o nowhere/x.bif", "there is no directory nowhere"),
        ("table.csv --report nowhere/x.html", "there is no directory nowhere"),
        ("table.csv --algorithm magic", "--algorithm must be one of ps-minobs, "),
        ("table.csv --rate 2", "--rate must be in (0, 1], got 2"),
        ("table.csv --start nowhere.json", "there is no such file"),
        ("table.csv --cache single.csv", "is not a directory"),
        ("table.csv --tiers nowhere.txt", "there is no such file"),
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


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--threads 0", "--threads must be at least 1, got 0"),
        ("--max-memory abc", "--max-memory: 'abc' is not an amount of memory"),
        ("--max-memory 0", "--max-memory: an amount of memory must be positive, got '0'"),
        ("--idle-limit 0", "--idle-limit must be positive, got 0"),
        ("--target nan", "--target must be a number, got nan"),
        ("--time-limit -1", "--time-limit must be positive, got -1"),
        ("--generations 0", "--generations must be at least 1, got 0"),
        ("--seed -1", "--seed must be at least 0, got -1"),
        ("--max-parents 99", "--max-parents must be at most 15, got 99"),
        ("--score bdue", "--score must be one of bdeu, "),
        ("--score bge", ", ll, auto, got 'bge'"),
        ("--score bdue", "(did you mean bdeu?)"),
        ("--alpha 1 --score mit", "--alpha must be below 1, got 1"),
        ("--algorithm minbos", "(did you mean minobs?)"),
        ("--algorithm exact --generations 3", "leave --generations out"),
        ("--algorithm exact --idle-limit 3", "leave --idle-limit out"),
        ("--checkpoint state --threads 0", "--threads must be at least 1, got 0"),
    ],
)
def test_wrong_values_are_refused_before_the_table_is_read(
    options: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(Path().rglob("*"))
    assert main(["learn", "there-is-none.csv", *options.split()]) == 2
    complaint = capsys.readouterr().err
    assert sentence in complaint
    assert complaint.count("\n") == 1
    assert sorted(Path().rglob("*")) == before


def test_few_variables_and_little_memory(capsys: pytest.CaptureFixture[str]) -> None:
    """So little that not even one parent fits: one sentence says so."""
    Path("three.csv").write_text("a,b,c\n" + "0,1,0\n1,1,0\n0,0,1\n1,0,0\n" * 5)
    for memory in ("50MB", "1MB"):
        assert main(["learn", "three.csv", "--max-memory", memory, "--no-cache", "-q"]) == 2
        complaint = capsys.readouterr().err
        assert "leaves no memory to score in: the program and the table take" in complaint
        assert complaint.count("\n") == 1
    assert main(["learn", "three.csv", "-q"]) == 0
    assert main(["learn", "three.csv", "--max-memory", "1MB", "-q"]) == 2
    assert "leaves no memory to search in" in capsys.readouterr().err


def test_no_permission(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)  # as for root, everything is permitted
    assert main(["learn", "table.csv", *QUICK, "-o", "found.json"]) == 2
    assert "there is no permission to write in the directory" in capsys.readouterr().err


@pytest.mark.slow
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


@pytest.mark.slow
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
    assert re.search("Time .*, interrupted", said)
    assert Result.load("found.json").stop_reason == "interrupted"


def measured() -> str:
    """Write a table that can only be read with options, under a name with a space."""
    rng = np.random.default_rng(1)
    kind = rng.integers(0, 2, 120)
    frame = pl.DataFrame(
        {
            "key": [f"row {k}" for k in range(120)],
            "a size": rng.normal(size=120) + 2 * kind,
            "weight": rng.normal(size=120) + kind,
            "kind": [["low", "high"][one] for one in kind],
        }
    )
    frame.write_csv("my table.csv")
    return "my table.csv"


@pytest.mark.parametrize(
    ("options", "command"),
    [
        (["--score", "bdeu", "--ess", "2.0", "--max-parents", "2"], "posterior"),
        (["--score", "bic", "--forbidden", "weight->a size", "--max-parents", "all"], "posterior"),
        (["--score", "mit", "--alpha", "0.9"], "bootstrap"),
    ],
)
def test_the_command_that_it_suggests_has_the_options_of_the_run(
    options: list[str], command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    reading = ["--discretize", "quantile", "--bins", "3", "--drop", "key"]
    assert main(["learn", measured(), *reading, *options, "--generations", "1", "--seed", "1"]) == 0
    shown = capsys.readouterr().out
    checked = re.search(r"^Checked .*?; (forebear .*) says how", shown, re.MULTILINE)
    assert checked is not None
    words = shlex.split(checked[1])[1:]
    assert words[0] == command
    assert words[1] == "my table.csv"
    assert {"quantile", "3", "key"} <= set(words)
    kept = [one for one in options if one not in ("bdeu", "--score", "all", "--max-parents")]
    assert set(kept) <= set(words)
    short = ["--replicates", "2", "--generations", "1"] if command == "bootstrap" else []
    assert main([*words, *(short or ["--sweeps", "20"]), "--seed", "1", "-q"]) == 0


def test_what_it_suggests_where_values_are_missing(capsys: pytest.CaptureFixture[str]) -> None:
    Path("gaps.csv").write_text("a,b\n" + "x,y\nx,\nz,y\n,w\n" * 20)
    assert main(["learn", "gaps.csv", *QUICK]) == 0
    assert "; forebear bootstrap gaps.csv says how often each arc" in capsys.readouterr().out


def test_a_proof_that_the_table_alone_cannot_verify(capsys: pytest.CaptureFixture[str]) -> None:
    reading = ["--discretize", "quantile", "--drop", "key"]
    command = ["learn", measured(), *reading, *QUICK, "--certificate", "proof.cert"]
    assert main(command) == 0
    assert "forebear check" not in capsys.readouterr().out
    assert main([*command, "--save-sets", "sets.cps"]) == 0
    assert "; forebear check proof.cert sets.cps verifies the proof" in capsys.readouterr().out
    assert main(["check", "proof.cert", "sets.cps"]) == 0


def test_names_that_a_format_cannot_hold_are_told_before_the_work(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = Path("table.csv").read_text().partition("\n")[2]
    Path("odd.csv").write_text(",".join(["a[b]", *"cdefghi"]) + "\n" + text)
    command = ["learn", "odd.csv", "--time-limit", "600", "-o", "found.modelstring", "--quiet"]
    assert main(command) == 2
    assert "a[b]" in capsys.readouterr().err
