"""The paper, reproduced: its numbers, ours beside them, and what is written."""

from __future__ import annotations

import contextlib
import csv
import io
import math
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from samples import SHARED
from standins import THERE, stand_ins

from forebear._util.errors import ForebearError
from forebear.cli import main
from forebear.data.dataset import Dataset
from forebear.learning.find import find_network
from forebear.reproduce import counting, paper, pruning, ranks, searching
from forebear.reproduce.catalog import experiments
from forebear.reproduce.finding import Finding, Line
from forebear.reproduce.paper import Who
from forebear.reproduce.workspace import Workspace
from forebear.scoring.scores import BDeu
from forebear.search.trace import Improvement, Trace

if TYPE_CHECKING:
    from forebear.parentsets.collection import ParentSets
    from forebear.result import Result

QUICK = ["--hours", "0.00001", "--threads", "1", "-q"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("paper") / "data"
    stand_ins(made)
    return made


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


# ---- what the paper prints -----------------------------------------------------------


def test_table2_is_the_papers_but_for_three_numbers(tmp_path: Path) -> None:
    finding = counting.table2(Workspace(tmp_path))
    off = [line.of for line in finding.lines if abs(line.delta or 0) > 0.006 * (line.ours or 0)]
    assert len(finding.lines) == 35
    assert finding.remarks[0].startswith("32 of 35 ")
    assert [remark.split(":")[0] for remark in finding.remarks[1:]] == [
        "1000 variables, 2 parents",
        "5000 variables, 5 parents",
        "10000 variables, 2 parents",
    ]
    assert off == [("5000", "5")]  # the others are off by one in the last digit


@pytest.mark.parametrize(("n", "d"), [(1, 0), (4, 3), (6, 2)])
def test_possible_sets_are_counted(n: int, d: int) -> None:
    listed = sum(1 for _ in range(n) for mask in range(2 ** (n - 1)) if mask.bit_count() <= d)
    assert counting.possible_sets(n, d) == listed


def test_table3_is_the_papers(tmp_path: Path) -> None:
    finding = pruning.table3(Workspace(tmp_path))
    assert len(finding.lines) == 32
    assert max(abs(line.delta or 1) for line in finding.lines) <= 0.0005 + 1e-9
    assert finding.remarks[0].startswith(
        "21 of 32 sets are pruned (21 in the paper); for 32 of 32 "
    )


def test_no_row_of_table3_could_be_another() -> None:
    data = pruning.recovered_asia()
    rows = data.codes.T.tolist()
    for place in {rows.index(row) for row in rows}:
        for v in range(data.n_variables):
            codes = data.codes.copy()
            codes[v, place] ^= 1
            assert farthest(Dataset(codes, data.names, data.states)) > 0.1
    assert farthest(data) <= 0.0005 + 1e-9


def farthest(data: Dataset) -> float:
    """How far from the scores of Table 3 those of a table are."""
    off = 0.0
    for printed in paper.tables()["table3"]["scores"]:
        child, *parents = (data.names.index(v) for v in (printed["child"], *printed["parents"]))
        off = max(off, abs(BDeu(ess=1.0).local(data, child, parents) - float(printed["score"])))
    return off


def test_the_numbers_of_the_paper_are_whole() -> None:
    assert len(paper.cases()) == 9
    for name in paper.cases():
        courses = paper.scores(name)
        assert len(courses) == 1 + 26 + 6
        assert all(len(course) == len(paper.HOURS) for course in courses.values())
    printed = paper.tables()["table5"]
    assert (len(printed), sum(count for count, _, _ in printed)) == (37, 12_292)
    # The best of the ten chains, and its gain, as printed.
    assert paper.scores("audio-train")[Who(10, "best")][-1] == -619_989.0
    gains = paper.deltas(paper.scores("audio-train"))
    assert round(gains[Who(10, "best")][0], 3) == 0.031
    assert round(gains[Who(10, "S1")][0], 3) == -0.587
    assert paper.scores("pumsb-star-test")[Who(0, "MINOBS")][-1] == -57_069.0


def test_ranks_are_counted_as_in_the_text() -> None:
    bins = [ranks.rank_bin(r, empty=starred) for _, r, starred in paper.tables()["table5"]]
    names = ("1", "2-10", "11-50", "51-100", "101 or more", "empty set")
    assert [bins.count(name) for name in names] == [13, 3, 4, 3, 3, 11]
    assert ranks.rank_bin(1, empty=True) == "1"


@pytest.mark.slow
def test_table6_is_the_papers(tmp_path: Path) -> None:
    there = [SHARED / "data" / "paper" / f"{name}.data" for name in ("audio-train", "reuters-test")]
    if not all(path.is_file() for path in there):
        pytest.skip(f"the paper's data are not in {SHARED}")
    for path in there:
        (tmp_path / path.name).symlink_to(path)
    finding = pruning.table6(Workspace(tmp_path / "kept", tmp_path, say=lambda _: None))
    shutil.rmtree(tmp_path / "kept")  # hundreds of megabytes
    assert [line.delta for line in finding.lines if line.ours is not None] == [0, 0]
    assert finding.remarks == ("2 of 2 agree exactly; 7 data sets are missing.",)


# ---- how ours are made ---------------------------------------------------------------


def test_a_course_is_read_at_each_eighth() -> None:
    trace = Trace(
        [
            Improvement(1, 1.5, 1, -9.0),
            Improvement(2, 0.1, 1, -1.0),
            Improvement(1, 4.0, 2, -5.0),
            Improvement(1, 8.3, 3, -4.0),
        ]
    )
    course = searching.course_of(trace, 1, 8.0)
    assert course == (-math.inf, -9.0, -9.0, -5.0, -5.0, -5.0, -5.0, -4.0)


def test_the_best_chain_and_the_gain() -> None:
    courses = paper.with_best(
        {
            Who(0, "MINOBS"): (-200.0, -100.0),
            Who(10, "S1"): (-199.0, -110.0),
            Who(10, "S2"): (-201.0, -105.0),
        }
    )
    assert courses[Who(10, "best")] == (-199.0, -105.0)
    assert paper.deltas(courses)[Who(10, "best")] == pytest.approx((5.0, -50.0))


def test_searches_are_shared_and_have_all_chains(folder: Path, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, folder, hours=1e-5, say=lambda _: None)
    case = paper.cases()["audio-train"]
    found = searching.search_case(workspace, case)
    assert searching.search_case(workspace, case) is found
    assert set(found.courses) == set(paper.scores("audio-train"))
    assert all(course[-1] <= found.bound for course in found.courses.values())
    assert set(found.mean_parents) == {100, 10, 20, 25, 33, 50, 80}
    assert all(0 <= mean <= 3 for mean in found.mean_parents.values())


def test_only_states_seen_count() -> None:
    data = Dataset(np.array([[0, 2, 2], [1, 1, 0]]), ("a", "b"), (("x", "y", "z"), ("u", "v")))
    seen = pruning.states_seen(data)
    assert seen.states == (("x", "z"), ("u", "v"))
    assert seen.codes.tolist() == [[0, 1, 1], [1, 1, 0]]


def test_what_is_proven_is_called_optimal(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    proven = True

    def found(sets: ParentSets, *, algorithm: str, seed: int, **_: Any) -> Result:
        asked.append(algorithm)
        result = find_network(sets, generations=1, seed=seed)
        return replace(result, bound=result.score if proven else None)

    monkeypatch.setattr(searching, "find_network", found)
    workspace = Workspace(tmp_path, folder, hours=1e-5, say=lambda _: None)
    assert "optimal" in ranks.table5(workspace).remarks[0]
    monkeypatch.setattr(searching, "EXACT_SETS", 0)
    proven = False
    assert "the best found, without proof" in ranks.table5(workspace).remarks[0]
    assert asked == ["exact", "ps-minobs"]


# ---- the command ---------------------------------------------------------------------

MADE = [
    name
    for name in experiments()
    if name
    not in {f"table{k}" for k in (8, *range(10, 16))} | {f"a{k}" for k in (2, *range(4, 10))}
]


@pytest.fixture(scope="module")
def everything(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """All that can be made of the folder, and what was said."""
    out = tmp_path_factory.mktemp("all")
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        assert main(["reproduce", "all", "--data", str(folder), "-o", str(out), *QUICK]) == 0
    return out, shown.getvalue()


@pytest.mark.parametrize("name", MADE)
def test_every_table_and_figure(name: str, everything: tuple[Path, str]) -> None:
    out, _ = everything
    rows = rows_of(out / f"{name}.csv")
    assert list(rows[0])[-3:] == ["forebear", "paper", "difference"]
    assert any(row["forebear"] for row in rows)
    for row in rows:
        if row["forebear"] and row["paper"]:
            difference = float(row["forebear"]) - float(row["paper"])
            assert float(row["difference"]) == pytest.approx(difference, rel=1e-6, abs=1e-6)
    root = ElementTree.parse(out / f"{name}.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"


def test_all_leaves_out_what_has_no_data(folder: Path, everything: tuple[Path, str]) -> None:
    out, shown = everything
    assert f"table10: left out: {folder}: kosarek-train.data not found" in shown
    assert shown.count("left out") == len(experiments()) - len(MADE)
    assert {path.stem for path in out.glob("*.csv")} == set(MADE)


def test_nothing_is_written_beside_the_data(folder: Path, tmp_path: Path) -> None:
    before = sorted(folder.rglob("*"))
    assert main(["reproduce", "table6", "--data", str(folder), "-o", str(tmp_path), *QUICK]) == 0
    assert sorted(folder.rglob("*")) == before
    assert len(list((tmp_path / "parent-sets").iterdir())) == len(THERE)


def test_it_prints_the_comparison(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--data", str(folder), "-o", str(tmp_path), *QUICK[:-1]]
    assert main(["reproduce", "a3", *options]) == 0
    shown = capsys.readouterr()
    head, *lines = shown.out.splitlines()
    assert head == "a3: scores over time, pumsb-star-test"
    columns = ["rate", "chain", "hours", "forebear", "paper", "difference", "time"]
    assert lines[0].split() == columns
    assert [line.split()[0] for line in lines[1:8]] == ["all", "10", "20", "25", "33", "50", "80"]
    assert "This pumsb-star-test is not the paper's: it has 7 variables and 150 rows" in shown.out
    assert "scores of this data set are multiplied by ten" in shown.out
    assert "pumsb-star-test: 10 samples of 10 %" in shown.err


def test_mistakes_are_one_sentence(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "out")
    (tmp_path / "file").write_text("")
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    for arguments, said in (
        (["table99", "-o", out], 'no table or figure is called "table99": choose one of table2, '),
        (["table7", "-o", out], "audio-train.data is needed: pass its directory as --data"),
        (["table8", "-o", out, "--data", str(folder)], "jester-train.data not found: pass its "),
        (["table4", "-o", out], "pathfinder.bif is needed: pass its directory as --networks"),
        (["table6", "-o", out], "none of the paper's data sets was found: pass the directory of "),
        (
            ["figure2", "-o", out, "--data", str(nothing)],
            "no data sets were found: pass a directory",
        ),
        (
            ["figure5", "-o", out],
            "none of the paper's data sets was found: pass their directory as --data",
        ),
        (["table6", "-o", out, "--data", str(tmp_path / "no")], "no such directory"),
        (["table2", "-o", out, "--hours", "0"], "--hours must be positive, got 0"),
        (["table2", "-o", out, "--threads", "0"], "--threads must be at least 1, got 0"),
        (["table2", "-o", out, "--seed", "-1"], "--seed must be at least 0, got -1"),
        (["table2", "-o", str(tmp_path / "file")], "no directory can be there: File exists"),
    ):
        assert main(["reproduce", *arguments]) == 2, arguments
        complaint = capsys.readouterr().err
        assert said in complaint
        assert complaint.count("\n") == 1


def test_an_interrupted_search_leaves_nothing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*runners: object, **settings: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr(searching, "run", stopped)
    assert main(["reproduce", "a1", "--data", str(folder), "-o", str(tmp_path), *QUICK]) == 130
    assert not list(tmp_path.glob("a1.*"))
    with pytest.raises(KeyboardInterrupt):
        searching._check_complete("interrupted")


def test_the_help_lists_every_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "--help"]) == 0
    shown = capsys.readouterr().out
    for name in experiments():
        number = int("".join(c for c in name if c.isdigit()))
        if name.startswith("table") and number > 6:
            assert "table7 to table15" in shown
        elif name.startswith("a"):
            assert "a1 to a9" in shown
        else:
            assert f"\n  {name} " in shown
    for name in paper.cases():
        assert name in shown


def test_other_commands_do_not_wait_for_it() -> None:
    check = "import sys, forebear.cli.app; print('forebear.reproduce' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_what_is_not_known_is_left_open(tmp_path: Path) -> None:
    finding = Finding(("what",), (Line(("a",), None, 2.0), Line(("b",), 3.0, 2.0)), "<svg/>")
    finding.save(tmp_path, "x")
    assert (tmp_path / "x.csv").read_text() == "what,forebear,paper,difference\na,,2,\nb,3,2,1\n"
    assert finding.text() == [
        "what  forebear  paper  difference",
        "a            -      2           -",
        "b            3      2           1",
    ]


def test_a_folder_that_is_none() -> None:
    with pytest.raises(ForebearError, match="no such directory"):
        Workspace(Path("kept"), Path("nowhere"))
