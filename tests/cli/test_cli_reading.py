"""The options about reading a table: the same in every command that reads one."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from forebear import Dataset
from forebear.cli import main
from forebear.cli._support.reading import TABLE_OPTIONS, read_options
from forebear.data.reading import ReadOptions

READERS = {
    "learn": ["--generations", "1", "-o", "out.json"],
    "score": ["--max-parents", "1", "-o", "out.cps"],
    "validate": ["--generations", "1", "--folds", "2", "--max-parents", "1", "--score", "bic"],
    "bootstrap": ["--generations", "1", "--replicates", "2", "--max-parents", "1"],
    "convert": ["out.parquet"],
    "info": [],
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    sizes = ("low", "mid", "high")
    rows = [
        f"p{i};{20 + i * 7 % 60};{sizes[i % 3]};{i % 5},{i % 2}5;{i // 3 % 2 or '-'}"
        for i in range(60)
    ]
    Path("t.csv").write_text("\n".join(["id;age;size;width;code", *rows]) + "\n")
    return tmp_path


SAID = ["--drop", "id", "--categorical", "age", "--ordered", "size=low,mid,high"]
SAID += ["--bins", "width=2", "--discretize", "quantile", "--missing-tokens", "-"]


@pytest.mark.parametrize("command", READERS)
def test_every_command_takes_them(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    missing = [] if command == "info" else ["--missing", "state"]
    assert main([command, "t.csv", *READERS[command], *SAID, *missing]) == 0
    capsys.readouterr()
    if command != "info":
        Path("s.toml").write_text(
            'missing = "state"\nmissing_tokens = ["-"]\ndiscretize = "quantile"\n[columns]\n'
            'id = "drop"\nage = "categorical"\nwidth = { kind = "continuous", bins = 2 }\n'
        )
        assert main([command, "t.csv", *READERS[command], "--schema", "s.toml"]) == 0


def test_what_was_said_is_done() -> None:
    assert main(["convert", "t.csv", "out.parquet", *SAID, "--missing", "state", "-q"]) == 0
    table = Dataset.read("out.parquet")
    assert table.names == ("age", "size", "width", "code")
    assert table.states[1] == ("low", "mid", "high")
    assert table.states[2][0].startswith("up_to_")
    assert table.states[3] == ("1", "missing")


def test_search_reads_its_table_in_the_same_way(capsys: pytest.CaptureFixture[str]) -> None:
    keep = ["--keep", "size", "--keep", "code", "--categorical", "age"]
    assert main(["score", "t.csv", "-o", "t.cps", "--max-parents", "1", *keep, "-q"]) == 0
    search = ["search", "t.cps", "--generations", "1", "-o", "t.json", "-q"]
    assert main([*search, "--data", "t.csv", *keep]) == 0
    assert main([*search, "--drop", "id"]) == 2
    assert "has no effect without --data" in capsys.readouterr().err


def test_knowledge_files_of_score_and_bootstrap() -> None:
    Path("apart.txt").write_text("~size--code\n")
    read = ["--drop", "id", "--drop", "width", "--drop", "age", "--knowledge", "apart.txt"]
    assert main(["score", "t.csv", "-o", "k.cps", *read, "-q"]) == 0
    boot = ["--generations", "1", "--replicates", "2", "-o", "arcs.json", "-q"]
    assert main(["bootstrap", "t.csv", *read, *boot]) == 0
    assert json.loads(Path("arcs.json").read_text())["edges"] == []


def test_a_schema_is_written_for_editing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "t.csv", "--schema", "t.toml"]) == 0
    assert capsys.readouterr().out.endswith("Written to t.toml\n")
    text = Path("t.toml").read_text()
    assert '"id" = { kind = "categorical" }  # 60 states; identifier: 60 states in 60 rows' in text
    assert '"width" = { kind = "continuous" }  # 0.05 to 4.15' in text
    edited = text.replace('"id" = { kind = "categorical" }', '"id" = "drop"')
    Path("t.toml").write_text(edited)
    assert main(["convert", "t.csv", "o.csv", "--schema", "t.toml", "-q"]) == 0
    assert pl.read_csv("o.csv").columns == ["age", "size", "width", "code"]
    assert main(["info", "t.toml"]) == 2
    capsys.readouterr()
    assert main(["info", "example:orchard.bif", "--schema", "t.toml"]) == 2
    assert "holds a network: --schema is for tables" in capsys.readouterr().err
    assert Path("t.toml").read_text() == edited


def test_info_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "t.csv", "--json", "--missing-tokens", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["kind"], found["rows"], found["complete_rows"]) == ("table", 60, 30)
    by_name = {column["name"]: column for column in found["columns"]}
    assert by_name["size"]["states"] == {"high": 20, "low": 20, "mid": 20}
    assert by_name["code"]["missing"] == 30
    assert "identifier" in by_name["id"]["suspicions"]
    assert found["missing_together"] == [{"columns": ["code"], "rows": 30}]


def test_warnings_and_counts_reach_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    learn = ["learn", "t.csv", "--generations", "1", "--max-parents", "1", "-q"]
    assert main([*learn, "--drop", "age", "--drop", "width"]) == 0
    told = capsys.readouterr().err
    assert "warning: 1 column looks like an identifier (id: 60 states in 60 rows)" in told
    assert "leave out with --drop" in told
    assert "name it in --missing-tokens" in told
    dropped = ["--drop", "width", "--drop", "age", "--drop", "id", "--missing", "drop"]
    assert main([*learn, *dropped, "--missing-tokens", "-"]) == 0
    assert "warning: --missing drop left out 30 of 60 rows (50.0%)" in capsys.readouterr().err


def test_the_options_of_python() -> None:
    assert set(TABLE_OPTIONS) - {"schema"} == set(ReadOptions.__dataclass_fields__) - {"states"}
    assert read_options(bins=["4"]) == ReadOptions(bins=4)
    made = read_options(bins=["4", "a=b=3", "c=1,2.5"], discretize="uniform")
    assert made == ReadOptions(bins={None: 4, "a=b": 3, "c": [1.0, 2.5]}, discretize="uniform")
    assert read_options() == ReadOptions()
    assert main(["info", "t.csv", "--bins", "a=x"]) == 2


def test_mistakes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", "t.csv", "--drop", "wage"]) == 2
    assert "--drop names columns that the table lacks: wage" in capsys.readouterr().err
    assert main(["learn", "t.csv", "--bins", "a=x"]) == 2
    assert "--bins takes a number, COLUMN=NUMBER or COLUMN=CUT,CUT" in capsys.readouterr().err
    assert main(["learn", "t.csv"]) == 2
    told = capsys.readouterr().err
    assert "pass --discretize quantile, or name them in --drop or --categorical" in told


@pytest.mark.parametrize("command", ["score", "validate", "bootstrap"])
def test_suspicions_are_said_once(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    keep = ["--keep", "size", "--keep", "id"]
    assert main([command, "t.csv", *READERS[command], *keep]) == 0
    assert capsys.readouterr().err.count("looks like an identifier (id: 60 states") == 1
