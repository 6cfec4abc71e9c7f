"""Mistakes on the command line: one sentence, exit code 2, no file left."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from expected import refuse

from forebear import find_network, score_parent_sets, simulate
from forebear.cli import main
from forebear.data.writing import write_table

PREDICT = "predict example:orchard.bif example:orchard --target price"
NO_NETWORK = "there is no network of these parent sets: each allowed parent set of a, b contains"
CONTRADICTION = (
    'the knowledge is contradictory: X1 -> X2 is required (--required "X1->X2"); '
    'X1 -> X2 is forbidden (--forbidden "X1->X2")'
)

MISTAKES = [
    ("score", "missing argument 'DATA' (see forebear score --help)"),
    ("score example:orchard", "missing option '--output' / '-o'"),
    ("lern example:orchard", "there is no command 'lern': did you mean learn?"),
    ("xyz", "there is no command 'xyz': forebear --help lists all commands"),
    ("learn o.csv --time-limt 5", "no such option: --time-limt, did you mean --time-limit? ("),
    ("--versoin", "no such option: --versoin, did you mean --version? (see forebear --help)"),
    ("score o.csv -o o.cps --missing droop", "'droop' is not one of 'error', 'drop', 'state', "),
    ("score example:orchrd -o o.cps", 'there is no example "orchrd": did you mean "orchard"?'),
    ("score example:orchard -o o.cps --threads two", "invalid value for '--threads': "),
    (
        "score example:vineyard -o o.cps",
        'there is no example "vineyard": there are orchard, orchard.bif and survey',
    ),
    ("score example:orchard -o o.cps --score bic --ess 1", "the score bic has no parameter --ess"),
    ("score example:orchard -o o.cps --max-parents 99", "--max-parents must be at most 15, got 99"),
    ("score no.csv -o o.cps --seconds 0", "--time-limit must be positive, got 0"),
    ("score example:orchard -o o.cps --ids", "--ids is for .jkl files, but o.cps is not one"),
    ("score example:orchard -o o.cps --forbid A", '--forbidden must be an arc such as "A->B"'),
    ("score example:orchard.bif -o o.cps", "holds a network, but a table is expected"),
    ("score o.cps -o p.cps", "o.cps holds parent sets, but a table is expected"),
    ("info notes.docx", "notes.docx: there is no such file"),
    (
        "convert example:orchard o.docx",
        "o.docx: unknown file type; parent sets: .cps, .jkl; networks:",
    ),
    ("info .", "all files of a table must have the same format"),
    ("learn example:orchard -o .", ".: cannot be written: it is a directory"),
    ("learn example:orchard -o o", "each also with .gz after it; a .json file holds the whole"),
    ("learn example:orchard --start /dev/null/x", "/dev/null/x: cannot be read: Not a directory"),
    ("convert example:orchard o.cps", "run forebear score example:orchard -o o.cps"),
    ("convert o.cps o.csv", "o.cps holds parent sets, which cannot be converted to a table"),
    ("convert example:orchard.bif o.json", "a network, which cannot be converted to a result"),
    ("convert example:orchard.bif o.dot --ids", "--ids requires a .jkl file, got o.dot"),
    ("convert example:orchard.bif o.dot --data d.csv", "o.dot holds no probabilities, so --data"),
    ("convert example:orchard.bif o.net --ess 2", "--ess has no effect without --data"),
    ("convert example:orchard.bif o.net --data o.cps", "o.cps holds parent sets, but a table"),
    ("convert example:orchard o.parquet --data d.csv", "--data and --ess require a network"),
    ("convert no.cps o.net", "run forebear search no.cps -o no.json"),
    ("simulate -o d.csv", "missing option '--rows'"),
    ("simulate --rows 9 -o d.csv", "pass --variables for a random network, or --from"),
    (
        "simulate --rows 9 -o d.csv --variables 3 --network n.txt",
        "n.txt: the extension of a network must",
    ),
    (
        "simulate --rows 9 -o d.csv --from example:orchard.bif --variables 3 --states 2",
        "--from draws from a given network: leave out --variables and --states",
    ),
    # ---- learn
    ("learn folder", "folder: the folder has no tables"),
    ("learn table.csv --require X1->X2 --forbid X1->X2", CONTRADICTION),
    ("learn table.csv --algorithm minobs --chains 2", "minobs has no setting --chains"),
    ("learn table.csv --bins a=x", "--bins must be a number, COLUMN=NUMBER or COLUMN=CUT,CUT"),
    ("learn table.csv --start order.txt", "order.txt: not a result, a network or an order"),
    (
        "learn table.csv --score auto --ess 5",
        "--score auto also chooses the parameters: leave out --e",
    ),
    ("learn - --checkpoint state", "cannot be resumed: leave out --checkpoint"),
    ("learn table.csv --checkpoint state --no-cache", "leave out --no-cache"),
    (
        "learn holes.csv --missing em --checkpoint c -q",
        "--missing em searches several times",
    ),
    ("learn draws.npz", "holds draws from a posterior, but a table is expected"),
    # Wrong values are refused before the table is read.
    ("learn no.csv --no-certify --certificate c", "--certificate requires --certify"),
    ("learn no.csv --save-sets sets.jkl", "--save-sets must be a .cps file, got sets.jkl"),
    ("learn no.csv --max-parents few", '--max-parents must be a whole number or "all", got "few"'),
    ("learn no.csv --algorithm exact --idle-limit 3", "leave out --idle-limit"),
    # ---- search, bound, resume
    ("search sets.cps -o found.bif", "there is no table to fit probabilities to"),
    ("search sets.cps --drop id", "has no effect without --data"),
    ("search sets.cps --k-best 3", "--k-best requires --algorithm exact"),
    ("search sets.cps --classes", "--classes requires --k-best"),
    ("search sets.cps --algorithm exact --k-best 0", "--k-best must be at least 1, got 0"),
    ("search sets.cps --algorithm exact --k-best 2 --target -3", "cannot be combined with --targ"),
    ("search sets.cps --report found.pdf", "found.pdf: a report must be an .html file"),
    ("search sets.cps --adjacent a->b", '--adjacent must be a pair such as "A--B", got'),
    ("search sets.cps --ancestor a--b", '--ancestors must be a pair such as "A->B", got'),
    ("search loop.jkl", NO_NETWORK),
    ("bound sets.cps --score -1e4 --result found.json", "it cannot be combined with --score"),
    ("bound sets.cps -o proven.json", "it requires --result"),
    ("bound loop.jkl --result found.json", "different variables"),
    ("bound sets.cps --result forged.json", "in the result is not in this file"),
    ("resume no.state", "no.state: there is no such file"),
    ("resume .", ".: "),
    # ---- validate, bootstrap, posterior
    ("validate table.csv --score bdeu:x", "--score bdeu:x: x is not a number"),
    ("validate table.csv --score bic:2", "the score bic has no parameter"),
    ("validate table.csv -o trials.txt", "trials.txt: trials must be written to a .csv file"),
    ("bootstrap table.csv -o arcs.txt", "arcs.txt: probabilities are written to .csv or"),
    ("bootstrap table.csv -o arcs.bif", "arcs.bif: an averaged network has no probability tables"),
    ("convert draws.npz network.bif", "run forebear posterior draws.npz -o network.bif"),
    ("posterior table.csv --score ll", "--score ll is not a marginal likelihood"),
    ("posterior table.csv --ess many", "--ess must be a number, or auto with bdeu"),
    ("posterior table.csv --score bds --ess auto", "--ess must be a number, or auto with bdeu"),
    ("posterior table.csv -o arcs.txt", "arcs.txt: draws are written to .npz files"),
    ("posterior table.csv -o sure.bif", "sure.bif: an averaged network has no probability tables"),
    # ---- networks
    ("compare found.json", "missing argument 'TRUE'"),
    (
        "compare found.json o.bif --picture d.txt",
        "d.txt: a picture must be one of .svg, .png, .pdf",
    ),
    ("compare cycle.json o.bif", "cycle.json: the result file is damaged: the arcs form a cycle"),
    ("query example:orchard.bif price -e bloom", "--evidence must be NAME=STATE, got 'bloom'"),
    ("query example:orchard.bif -e hail=no -e hail=yes", "--evidence sets hail twice"),
    ("query example:orchard.bif price --most-probable", "--most-probable covers all variables"),
    ("query found.json", "found.json has no probabilities: add them with"),
    (f"{PREDICT} -o p.dat", "p.dat: .dat files cannot hold numbers: use .csv or"),
    (f"{PREDICT} -o p.csv --missing drop", "--missing drop would drop"),
    ("convert holes.csv holes.dat --missing available", "a .dat file cannot hold missing values"),
    ("info example:orchard.bif --schema t.toml", "holds a network, but --schema requires a table"),
    ("cache cleer", "'cleer' is not one of 'show', 'clear'"),
    ("cache --folder table.csv", "table.csv is not a directory"),
]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the mistakes refer to."""
    folder = tmp_path_factory.mktemp("files")
    table = simulate(4, 100, seed=1).data
    write_table(table, folder / "table.csv")
    sets = score_parent_sets(table, max_parents=2)
    sets.save(folder / "sets.cps")
    found = find_network(sets, generations=1, seed=1, certify=False)
    found.save(folder / "found.json")
    first, *others = found.choices
    forged = (first._replace(score=first.score + 1.0), *others)
    replace(found, choices=forged).save(folder / "forged.json")
    fields = json.loads((folder / "found.json").read_text())
    fields["parents"] = [[1], [0], [], []]
    (folder / "cycle.json").write_text(json.dumps(fields))
    (folder / "folder").mkdir()
    texts = {
        "holes.csv": "a,b\n" + "x,y\nx,\nz,y\n,w\n" * 5,
        "order.txt": "first, second",
        "draws.npz": "PK nothing",
        "loop.jkl": "2\na 1\n-1 1 b\nb 1\n-2 1 a\n",  # each needs the other as its parent
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize(("command", "sentence"), MISTAKES)
def test_one_sentence(
    command: str,
    sentence: str,
    files: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(files)
    refuse(capsys, command, sentence)


class TestMistakes:
    def test_folder_without_write_permission(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("os.access", lambda *_: False)
        refuse(capsys, "score no.csv -o o.cps", "o.cps: cannot be written: there is no permis")

    def test_names_that_a_format_cannot_hold_are_rejected_before_the_work(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "t.csv").write_text("her age,b\n0,1\n1,0\n")
        refuse(capsys, "score t.csv -o o.jkl", "a .jkl file cannot hold the name 'her age'")
        assert main(["score", "t.csv", "-o", "o.jkl", "-q", "--ids"]) == 0

    def test_errors_about_limits_name_the_options(self, capsys: pytest.CaptureFixture[str]) -> None:
        limited = "score example:orchard -o o.cps --max-memory"
        refuse(capsys, f"{limited} 1MB", "limit of 1 MB leaves no memory for scoring")
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
