"""BIF files: reading, writing, and errors with their lines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fitted import assert_same, error_of, fitted_of
from samples import SHARED

from forebear.network.fitted_network import FittedNetwork
from forebear.network.formats.bif import read_bif, write_bif
from forebear.network.network import Network

NETWORKS = SHARED / "networks"

SPRINKLER = """\
network "wet grass" { // made for the tests
  property "author nobody" ;
}
variable rain {
  type discrete [ 2 ] { yes, no };
  property position = (73, 165) ;
}
/* one comment
   over two lines */
variable "the sprinkler" { type discrete[2] { "on" "off" }; }
variable grass {
  type discrete [ 2 ] { wet, dry };
}
probability ( rain ) { table 0.2, 0.8; }
probability ( "the sprinkler" | rain ) {
  (yes) 0.01, 0.99;
  (no) 0.4, 0.6;
}
probability ( grass | "the sprinkler", rain ) {
  default 0.9, 0.1;
  (off, no) 0, 1;
  ("on", yes) 0.99, 0.01;
}
"""


def test_single_words_are_written_without_quotes(tmp_path: Path) -> None:
    network = Network(("Âge", "two words"), ((), ()))
    tables = (np.array([0.5, 0.5]), np.array([1.0]))
    write_bif(FittedNetwork(network, (("<5", "12+"), ("a,b",)), tables), tmp_path / "net.bif")
    text = (tmp_path / "net.bif").read_text(encoding="utf-8")
    assert "variable Âge {\n  type discrete [ 2 ] { <5, 12+ };" in text
    assert 'variable "two words" {\n  type discrete [ 1 ] { "a,b" };' in text


def test_variants_of_the_format_are_read(tmp_path: Path) -> None:
    """Comments, properties, quotes, missing commas, defaults, parents in another order."""
    fitted = fitted_of(tmp_path / "net.bif", SPRINKLER)
    assert fitted.network == Network(("rain", "the sprinkler", "grass"), ((), (0,), (0, 1)))
    assert fitted.states == (("yes", "no"), ("on", "off"), ("wet", "dry"))
    # By rain and then sprinkler, though the file lists the sprinkler first.
    np.testing.assert_array_equal(
        fitted.tables[2], [[[0.99, 0.01], [0.9, 0.1]], [[0.9, 0.1], [0.0, 1.0]]]
    )


def test_a_table_with_parents_lists_the_states_of_the_child_slowest(tmp_path: Path) -> None:
    rows = "  (yes) 0.01, 0.99;\n  (no) 0.4, 0.6;\n"
    text = SPRINKLER.replace(rows, "  table 0.01 0.4 0.99 0.6;\n")
    fitted = fitted_of(tmp_path / "net.bif", text)
    np.testing.assert_array_equal(fitted.tables[1], [[0.01, 0.99], [0.4, 0.6]])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0.4, 0.6", "0.4, 0.3, 0.3", "17: expected 2 probabilities, got 3"),
        ("0.4, 0.6", "0.4, most", "17: the probabilities of the sprinkler must be numbers"),
        ("0.4, 0.6", "-0.4, 1.4", " the table of the sprinkler has a negative"),
        ("0.4, 0.6", "0.4, nan", " the table of the sprinkler has a negative or undefined"),
        ("0.2, 0.8", "0.2, 0.7", " the table of rain has a row that sums to 0.9, not 1"),
        ("(no) 0.4", "(maybe) 0.4", "17: rain has no state maybe"),
        ("(no) 0.4", "(yes) 0.4", "17: a row of the sprinkler is given twice"),
        ("(no) 0.4", "(no, no) 0.4", "17: a row lists 2 states for 1 parent"),
        ("  (no) 0.4, 0.6;\n", "", "15: the probabilities of the sprinkler lack 1 row"),
        ("probability ( rain )", "probability ( snow )", "14: variable snow is not declared"),
        ("probability ( rain )", "probability ( )", "14: a probability block names no variable"),
        ("probability ( rain )", "probability rain", '14: expected "(", got "rain"'),
        ("probability ( rain ) { table 0.2, 0.8; }", "", " variable rain has no probabilities"),
        (
            "( rain ) { table 0.2, 0.8; }",
            "( rain | grass ) { default 0.2, 0.8; }",
            " the arcs form a cycle: ",
        ),
        ("{ wet, dry }", "{ wet, damp, dry }", "12: variable grass declares 2 states but lists 3"),
        ("{ wet, dry }", "{ wet, wet }", " grass: state wet is named twice"),
        ("  type discrete [ 2 ] { wet, dry };\n", "", "11: variable grass has no states"),
        ("discrete [ 2 ] { wet", "continuous [ 2 ] { wet", "12: variable grass is continuous"),
        ("type discrete [ 2 ] { wet", "kind discrete [ 2 ] { wet", "12: expected type, property"),
        ("variable grass", "variable rain", "11: variable rain is declared twice"),
        ("variable grass", "node grass", '11: expected variable or probability, got "node"'),
        ("default 0.9", "otherwise 0.9", "20: expected a row, table, default"),
        ('"the sprinkler" {', '"the sprinkler {', "22: a quote is not closed"),
        ("0.01;\n}\n", "0.01;\n", '19: a "}" is missing after this point'),
        ("0.01;\n}\n", "0.01\n}\n", '22: a ";" is missing after this point'),
    ],
)
def test_errors_name_the_line(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert error_of(tmp_path / "net.bif", SPRINKLER, old, new).startswith(f":{message}")


@pytest.mark.skipif(not NETWORKS.is_dir(), reason=f"no published networks in {NETWORKS}")
@pytest.mark.parametrize("path", sorted(NETWORKS.glob("*.bif.gz")), ids=lambda path: path.name)
def test_published_networks_read_and_write(path: Path, tmp_path: Path) -> None:
    fitted = read_bif(path)
    assert fitted.n_variables >= 8
    write_bif(fitted, tmp_path / path.name)
    assert_same(read_bif(tmp_path / path.name), fitted)
