"""What people get wrong on the command line: one sentence, exit code 2, no file left."""

from __future__ import annotations

from pathlib import Path

import pytest
from expected import refuse

from forebear import simulate
from forebear._util.errors import ForebearError, Message, Parameter
from forebear.cli import main
from forebear.cli.running import as_options
from forebear.data.writing import write_table

MISTAKES = [
    ("score", "missing argument 'DATA' (see forebear score --help)"),
    ("score example:orchard", "missing option '--output' / '-o'"),
    ("lern example:orchard", "no command is called 'lern': did you mean learn?"),
    ("scare", "no command is called 'scare': did you mean score?"),
    ("xyz", "no command is called 'xyz': there are learn, score, search, "),
    (
        "score example:orchard -o o.cps --fast",
        "no option is called --fast (see forebear score --help)",
    ),
    ("learn o.csv --time-limt 5", "no option is called --time-limt: did you mean --time-limit?"),
    ("learn o.csv --max_parents 3", "no option is called --max_parents: did you mean --max-pare"),
    ("learn o.csv --indegree 3", "no option is called --indegree: did you mean --max-parents?"),
    ("learn o.csv --n-jobs 3", "no option is called --n-jobs: did you mean --threads?"),
    ("learn o.csv --no-cach", "no option is called --no-cach: did you mean --no-cache?"),
    ("learn o.csv -x", "no option is called -x (see forebear learn --help)"),
    ("--versoin", "no option is called --versoin: did you mean --version? (see forebear --help)"),
    ("help learn", "no command is called 'help': forebear --help and forebear COMMAND --help"),
    ("score o.csv -o o.cps --missing droop", "'em': did you mean drop? (see forebear score --h"),
    ("score example:orchrd -o o.cps", 'no example is called "orchrd": did you mean "orchard"?'),
    ("score example:orchard -o o.cps --threads two", "--threads must be a whole number (see"),
    ("score example:orchard -o o.cps --threads 0", "--threads must be at least 1, got 0"),
    ("score example:orchard -o o.cps --missing skip", "'skip' is not one of"),
    (
        "score example:vineyard -o o.cps",
        'no example is called "vineyard": there are orchard, orchard.bif and survey',
    ),
    ("score no.csv -o o.cps", "no.csv: there is no such file"),
    ("score no.csv -o o.txt", "o.txt: the extension of parent sets must be .cps, .jkl or .jkl.gz"),
    ("score no.csv -o no/o.cps", "no/o.cps: cannot be written: there is no directory no"),
    ("score example:orchard -o o.cps --score bge", "--score must be one of bdeu, "),
    ("score example:orchard -o o.cps --score bic --ess 1", "the score bic has no parameter --ess"),
    ("score example:orchard -o o.cps --ess 0", "--ess must be positive, got 0"),
    ("score example:orchard -o o.cps --max-parents 99", "--max-parents must be at most 15, got 99"),
    ("score no.csv -o o.cps --seconds 0", "--time-limit must be positive, got 0"),
    ("score no.csv -o o.cps --threads 0", "--threads must be at least 1, got 0"),
    ("score no.csv -o o.cps --max-candidates 0", "--max-candidates must be at least 1, got 0"),
    (
        "score example:orchard -o o.cps --max-memory lots",
        "--max-memory: 'lots' is not an amount of memory: write for example 8GB",
    ),
    ("score example:orchard -o o.cps --ids", "--ids is for .jkl files, but o.cps is not one"),
    ("score example:orchard -o o.cps --forbid A", '--forbidden takes an arc such as "A->B"'),
    ("score example:orchard -o o.cps --require no->scab", 'no variable is called "no"'),
    ("score example:orchard -o o.cps --require no->no", "needs two different variables"),
    ("score example:orchard -o o.cps --tiers no.txt", "no.txt: there is no such file"),
    ("score example:orchard.bif -o o.cps", "holds a network, where a table is expected"),
    ("score o.cps -o p.cps", "o.cps holds parent sets, where a table is expected"),
    ("score example:orchard o.cps", "missing option '--output' / '-o'"),
    ("info https://a.org/t.csv", "https://a.org/t.csv: forebear does not download files: save it,"),
    ("learn https://a.org/t", "https://a.org/t: forebear does not download files: save it, and"),
    ("info https://a.org/n.bif", "https://a.org/n.bif: forebear does not download files: save it"),
    ("info no.cps", "no.cps: there is no such file"),
    ("info notes.docx", "notes.docx: there is no such file"),
    ("learn notes", "notes: there is no such file"),
    ("convert example:orchard o.docx", "o.docx: the extension does not tell what it is: parent s"),
    ("info .", ". is a directory"),
    ("learn example:orchard -o .", ".: cannot be written: it is a directory"),
    ("learn example:orchard -o o", "each also with .gz after it; a .json file holds the whole"),
    ("learn example:orchard --start /dev/null/x", "/dev/null/x: cannot be read: Not a directory"),
    ("learn example:orchard --time-limit soon", "--time-limit must be a number (see forebear lea"),
    ("convert example:orchard o.cps", "run forebear score example:orchard -o o.cps"),
    ("convert o.cps o.csv", "o.cps holds parent sets, from which no table"),
    ("convert example:orchard.bif o.csv", "o.csv: a network in a CSV file must say in its"),
    (
        "convert example:orchard.bif o.csv",
        "how it is written: .edges.csv, .bayesys.csv, .adjacency.csv",
    ),
    ("convert example:orchard.bif o.cps", "o.cps: the extension of a network must be one of .bif"),
    ("convert example:orchard.bif o.json", "run forebear search -o o.json"),
    ("convert example:orchard.bif o.dot --ids", "--ids is for .jkl files, which o.dot is not"),
    ("convert example:orchard.bif no/o.dot", "no/o.dot: cannot be written: there is no directory"),
    ("convert example:orchard.bif o.dot --data d.csv", "o.dot holds no probabilities, so --data"),
    ("convert example:orchard.bif o.net --ess 2", "--ess is of no use without --data"),
    ("convert example:orchard.bif o.net --data no.csv", "no.csv: there is no such file"),
    ("convert example:orchard.bif o.net --data o.cps", "o.cps holds parent sets, where a table"),
    ("convert example:orchard o.dot", "orchard.csv.gz: this table is not a network"),
    ("convert example:orchard o.parquet --data d.csv", "--data and --ess are for networks"),
    ("convert no.net o.dot", "no.net: there is no such file"),
    ("convert no.dot o.net", "no.dot: DOT files can be written but not read"),
    ("convert no.json o.net", "no.json: there is no such file"),
    ("convert no.cps o.net", "run forebear search no.cps -o no.json"),
    ("info no.xml", "no.xml: there is no such file"),
    ("info no.gv", "no.gv: DOT files can be written but not read"),
    ("info no.json", "no.json: there is no such file"),
    ("score o.json -o p.cps", "o.json holds a result, where a table is expected"),
    ("score o.edges.csv -o p.cps", "o.edges.csv holds a network, where a table is expected"),
    ("simulate --rows 9 -o d.csv --from no.net", "no.net: there is no such file"),
    ("convert example:orchard o.parquet --ids", "--ids is for .jkl files"),
    ("simulate -o d.csv", "missing option '--rows'"),
    ("simulate --rows 9 -o d.csv", "pass --variables for a random network, or --from"),
    (
        "simulate --rows 9 -o d.xls --variables 3",
        "d.xls: the extension of a table must be one of .csv",
    ),
    ("simulate --rows 0 -o d.csv --variables 3", "--rows must be at least 1, got 0"),
    ("simulate --rows 9 -o d.csv --variables 0", "--variables must be at least 1, got 0"),
    ("simulate --rows 9 -o d.csv --variables 3 --states 1-2", "--states must be at least 2, got 1"),
    ("simulate --rows 9 -o d.csv --variables 3 --network n.txt", "n.txt: a network is written as"),
    (
        "simulate --rows 9 -o d.csv --from example:orchard.bif --variables 3 --states 2",
        "--from draws from a given network: leave --variables and --states out",
    ),
]


class TestMistakes:
    @pytest.mark.parametrize(("command", "sentence"), MISTAKES)
    def test_one_sentence(
        self, capsys: pytest.CaptureFixture[str], command: str, sentence: str
    ) -> None:
        refuse(capsys, command, sentence)

    def test_a_file_of_unknown_kind(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "notes.docx").write_text("Nothing.")
        (tmp_path / "order.txt").write_text("first, second")
        refuse(capsys, "info notes.docx", "notes.docx: the extension does not tell what it is")
        refuse(
            capsys,
            "learn example:orchard --start order.txt",
            "order.txt: neither a result, a network nor an order (the numbers of all variables,",
        )

    def test_folder_that_must_not_be_written(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("os.access", lambda *_: False)
        refuse(capsys, "score no.csv -o o.cps", "o.cps: cannot be written: there is no permis")

    def test_arcs_and_tiers(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "t.csv").write_text("income,age\n0,1\n1,0\n")
        (tmp_path / "tiers").write_text("age\nincom\n")
        close = 'no variable is called "incom": did you mean "income"?'
        refuse(capsys, "score t.csv -o o.cps --forbid incom->age", f'"incom->age": {close}')
        cycle = "--require income->age --require age->income"
        refuse(
            capsys, f"score t.csv -o o.cps {cycle}", "the knowledge is contradictory: income -> age"
        )
        refuse(
            capsys,
            "score t.csv -o o.cps --require age->income --max-parents 0",
            "variable 'income' must have 1 parent, but --max-parents is 0",
        )
        refuse(capsys, "score t.csv -o o.cps --tiers tiers", f"tiers:2: {close}")
        (tmp_path / "none").touch()
        for option in ("--tiers", "--knowledge"):
            refuse(capsys, f"score t.csv -o o.cps {option} none", "none: the file is empty, where")

    def test_names_that_do_not_fit_the_format_are_refused_before_the_work(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "t.csv").write_text("her age,b\n0,1\n1,0\n")
        refuse(capsys, "score t.csv -o o.jkl", "a .jkl file cannot hold the name 'her age'")
        assert main(["score", "t.csv", "-o", "o.jkl", "-q", "--ids"]) == 0

    def test_limits_speak_of_options(self, capsys: pytest.CaptureFixture[str]) -> None:
        limited = "score example:orchard -o o.cps --max-memory"
        refuse(capsys, f"{limited} 1MB", "the limit of 1 MB leaves no memory to score in")
        write_table(simulate(40, 50, seed=1).data, "forty.csv")
        limited = "score forty.csv -o o.cps --max-parents 10 --max-memory"
        refuse(capsys, f"{limited} 2GB", "the limit is 2 GB: lower --max-parents, or use fewer")

    def test_unexpected_errors(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("forebear.cli.score.score_parent_sets", lambda *_, **__: 1 / 0)
        assert main(["score", "example:orchard", "-o", "o.cps"]) == 1
        err = capsys.readouterr().err
        assert err.startswith("forebear: internal error (ZeroDivisionError: ")
        assert err.count("\n") == 1
        monkeypatch.setenv("FOREBEAR_DEBUG", "1")
        assert main(["score", "example:orchard", "-o", "o.cps"]) == 1
        assert "Traceback" in capsys.readouterr().err
        assert list(Path().iterdir()) == []


@pytest.mark.parametrize(
    ("parts", "in_python", "as_typed"),
    [
        (
            ["Lower ", Parameter("max_parents"), " to 2"],
            "Lower max_parents to 2",
            "Lower --max-parents to 2",
        ),
        (
            ["with ", Parameter("max_sets_per_variable", 100_000)],
            "with max_sets_per_variable=100000",
            "with --max-sets-per-variable 100000",
        ),
        (
            ["pass ", Parameter("missing", "drop"), " or"],
            'pass missing="drop" or',
            "pass --missing drop or",
        ),
        (["pass ", Parameter("ids", True)], "pass ids=True", "pass --ids"),
        (
            ["max_parents.csv: there is no such file"],
            *["max_parents.csv: there is no such file"] * 2,
        ),
        (
            ["t.csv: ", Message("lower ", Parameter("max_parents"))],
            "t.csv: lower max_parents",
            "t.csv: lower --max-parents",
        ),
    ],
)
def test_parameters_are_spelled_as_options(
    parts: list[object], in_python: str, as_typed: str
) -> None:
    error = ForebearError(*parts)
    assert str(error) == in_python
    assert as_options(error.message) == as_typed
