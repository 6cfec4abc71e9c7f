"""What people get wrong on the command line: one sentence, exit code 2, no file left."""

from __future__ import annotations

from pathlib import Path

import pytest

from forebear._util.errors import Message, Parameter
from forebear.cli import as_options, main


def files() -> list[str]:
    """Everything in the folder, hidden or not."""
    return sorted(path.name for path in Path().iterdir())


def refuse(capsys: pytest.CaptureFixture[str], command: str, sentence: str) -> None:
    """The command ends with exit code 2 and this one sentence, and leaves no file."""
    before = files()
    assert main(command.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("forebear: ")
    assert err.count("\n") == 1
    assert sentence in err
    assert files() == before


MISTAKES = [
    ("score", "missing argument 'DATA' (see forebear score --help)"),
    ("score example:orchard", "missing option '--output' / '-o'"),
    ("scare", "no such command 'scare'"),
    ("score example:orchard -o o.cps --fast", "no such option"),
    ("score example:orchard -o o.cps --threads two", "invalid value for '--threads'"),
    ("score example:orchard -o o.cps --threads 0", "--threads must be at least 1, got 0"),
    ("score example:orchard -o o.cps --missing skip", "'skip' is not one of"),
    ("score example:vineyard -o o.cps", 'no example is called "vineyard": there is orchard'),
    ("score no.csv -o o.cps", "no.csv: there is no such file"),
    ("score no.csv -o o.txt", "o.txt: a file of parent sets is called .cps, .jkl or .jkl.gz"),
    ("score no.csv -o no/o.cps", "no/o.cps: cannot be written: there is no directory no"),
    ("score example:orchard -o o.cps --score bge", "no score is called 'bge': there are bdeu"),
    ("score example:orchard -o o.cps --score bic --ess 1", "bic has no parameter ess"),
    ("score example:orchard -o o.cps --ess 0", "--ess must be positive, got 0"),
    ("score example:orchard -o o.cps --max-parents 99", "--max-parents must be in 0..15, got 99"),
    ("score example:orchard -o o.cps --seconds 0", "--seconds must be positive, got 0"),
    ("score example:orchard -o o.cps --max-memory lots", "write for instance 8GB"),
    ("score example:orchard -o o.cps --ids", "--ids is for .jkl files, which o.cps is not"),
    ("score example:orchard -o o.cps --forbid A", '--forbid takes an arc such as "A->B"'),
    ("score example:orchard -o o.cps --require no->no", 'no variable is called "no"'),
    ("score example:orchard -o o.cps --tiers no.txt", "no.txt: cannot be read: No such file"),
    ("score example:orchard.bif -o o.cps", "holds a network, where a table is expected"),
    ("score o.cps -o p.cps", "o.cps holds parent sets, where a table is expected"),
    ("score example:orchard o.cps", "missing option '--output' / '-o'"),
    ("info no.cps", "no.cps: cannot be read: No such file"),
    ("info notes.docx", "notes.docx: the extension does not tell what it is: parent sets are .cps"),
    ("convert example:orchard o.cps", "run forebear score example:orchard -o o.cps"),
    ("convert o.cps o.csv", "o.cps holds parent sets, from which no table"),
    ("convert example:orchard.bif o.csv", "o.csv: the extension of a network must be one of .bif"),
    ("convert example:orchard.bif o.csv", "in CSV it is one of .edges.csv, .bayesys.csv, .adj"),
    ("convert example:orchard.bif o.cps", "o.cps: the extension of a network must be one of .bif"),
    ("convert example:orchard.bif o.json", "run forebear search -o o.json"),
    ("convert example:orchard.bif o.dot --ids", "--ids is for .jkl files, which o.dot is not"),
    ("convert example:orchard.bif no/o.dot", "no/o.dot: cannot be written: there is no directory"),
    ("convert example:orchard.bif o.dot --data d.csv", "o.dot holds no probabilities, so --data"),
    ("convert example:orchard.bif o.net --ess 2", "--ess is of no use without --data"),
    ("convert example:orchard.bif o.net --data no.csv", "no.csv: there is no such file"),
    ("convert example:orchard.bif o.net --data o.cps", "o.cps holds parent sets, where a table"),
    ("convert example:orchard o.dot", "orchard.csv.gz: no network is seen in this table"),
    ("convert example:orchard o.parquet --data d.csv", "--data and --ess are for networks"),
    ("convert no.net o.dot", "no.net: cannot be read: No such file"),
    ("convert no.dot o.net", "no.dot: DOT files are written but not read"),
    ("convert no.json o.net", "no.json: cannot be read: No such file"),
    ("convert no.cps o.net", "run forebear search no.cps -o no.json"),
    ("info no.xml", "no.xml: cannot be read: No such file"),
    ("info no.gv", "no.gv: DOT files are written but not read"),
    ("info no.json", "no.json: cannot be read: No such file"),
    ("score o.json -o p.cps", "o.json holds a result, where a table is expected"),
    ("score o.edges.csv -o p.cps", "o.edges.csv holds a network, where a table is expected"),
    ("simulate --rows 9 -o d.csv --from no.net", "no.net: cannot be read: No such file"),
    ("convert example:orchard o.parquet --ids", "--ids is for .jkl files"),
    ("simulate -o d.csv", "missing option '--rows'"),
    ("simulate --rows 9 -o d.csv", "pass --variables for a random network, or --from"),
    ("simulate --rows 9 -o d.xls --variables 3", "d.xls: the extension must be one of .csv"),
    ("simulate --rows 0 -o d.csv --variables 3", "--rows must be at least 1, got 0"),
    ("simulate --rows 9 -o d.csv --variables 0", "--variables must be at least 1, got 0"),
    ("simulate --rows 9 -o d.csv --variables 3 --states 1-2", "--states must be a range within"),
    ("simulate --rows 9 -o d.csv --variables 3 --network n.txt", "n.txt: a network is written as"),
    (
        "simulate --rows 9 -o d.csv --from example:orchard.bif --variables 3 --states 2",
        "--from takes a network as it is, so --variables and --states cannot be given with it",
    ),
]


class TestMistakes:
    @pytest.mark.parametrize(("command", "sentence"), MISTAKES)
    def test_one_sentence(
        self, capsys: pytest.CaptureFixture[str], command: str, sentence: str
    ) -> None:
        refuse(capsys, command, sentence)

    def test_folder_that_must_not_be_written(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("os.access", lambda *_: False)
        refuse(capsys, "score no.csv -o o.cps", "o.cps: cannot be written: the directory does not")

    def test_arcs_and_tiers(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "t.csv").write_text("income,age\n0,1\n1,0\n")
        (tmp_path / "tiers").write_text("age\nincom\n")
        close = 'no variable is called "incom": is it "income"?'
        refuse(capsys, "score t.csv -o o.cps --forbid incom->age", f'"incom->age": {close}')
        cycle = "--require income->age --require age->income"
        refuse(capsys, f"score t.csv -o o.cps {cycle}", "make a cycle: ")
        refuse(
            capsys,
            "score t.csv -o o.cps --require age->income --max-parents 0",
            "variable 'income' must have 1 parent, but --max-parents is 0",
        )
        refuse(capsys, "score t.csv -o o.cps --tiers tiers", f"tiers:2: {close}")

    def test_names_that_do_not_fit_the_format_are_refused_before_the_work(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "t.csv").write_text("her age,b\n0,1\n1,0\n")
        refuse(capsys, "score t.csv -o o.jkl", "'her age' cannot stand in a .jkl file")
        assert main(["score", "t.csv", "-o", "o.jkl", "-q", "--ids"]) == 0

    def test_limits_speak_of_options(self, capsys: pytest.CaptureFixture[str]) -> None:
        limited = "score example:orchard -o o.cps --max-memory"
        refuse(capsys, f"{limited} 1MB", "the limit of 1 MB leaves no memory to score in")
        limited = "score example:orchard -o o.cps --max-parents 12 --threads 1 --seconds"
        refuse(capsys, f"{limited} 1", "Lower --max-parents to ")

    def test_unexpected_errors(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("forebear.cli.score.score_and_save", lambda *_, **__: 1 / 0)
        assert main(["score", "example:orchard", "-o", "o.cps"]) == 1
        err = capsys.readouterr().err
        assert err.startswith("forebear: this should not have happened (ZeroDivisionError: ")
        assert err.count("\n") == 1
        monkeypatch.setenv("FOREBEAR_DEBUG", "1")
        assert main(["score", "example:orchard", "-o", "o.cps"]) == 1
        assert "Traceback" in capsys.readouterr().err
        assert files() == []


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (Message("Lower ", Parameter("max_parents"), " to 2"), "Lower --max-parents to 2"),
        (
            Message("with ", Parameter("max_sets_per_variable", 100)),
            "with --max-sets-per-variable 100",
        ),
        (Message("pass ", Parameter("missing", "drop"), " or"), "pass --missing drop or"),
        (Message("pass ", Parameter("ids", True)), "pass --ids"),
        (Message("column 'max_parents' has no states"), "column 'max_parents' has no states"),
    ],
)
def test_parameters_are_shown_as_options(message: Message, shown: str) -> None:
    assert as_options(message) == shown
