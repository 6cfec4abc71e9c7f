"""DSC files: reading, writing, and errors with their lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from fitted import assert_same, error_of, fitted_of

WET = """\
belief network "wet" // written by hand
node rain
{
    name : "Does it rain?";
    type : discrete[2] =
    {
        "yes",
        "no"
    };
    position : (10, 20);
}
node the_sprinkler { name : "the sprinkler"; type : discrete [ 2 ] = { "on", "off" }; }
node grass { type : discrete [ 2 ] = { "wet", "dry" }; }
probability ( rain ) { 0.2, 0.8; }
probability ( the_sprinkler | rain ) { (1) : 0.4, 0.6; (0) : 0.01, 0.99; }
probability ( grass | the_sprinkler, rain )
{
  (0, 0) : 0.99, 0.01;
  (1, 0) : 0.8, 0.2;
  (0, 1) : 0.9, 0.1;
  (1, 1) : 0, 1;
}
"""


def test_files_of_others_are_read(tmp_path: Path) -> None:
    fitted = fitted_of(tmp_path / "wet.dsc", WET)
    assert fitted.network.names == ("rain", "the sprinkler", "grass")
    assert fitted.cpt("the sprinkler")["no"]["on"] == 0.4
    # By index, so the parents of grass are in the order of the variables.
    assert fitted.cpt("grass")["no", "on"]["wet"] == 0.9
    assert fitted.cpt("grass")["yes", "off"]["wet"] == 0.8
    # Rows without numbers are in order.
    text = WET.replace("(1) : 0.4, 0.6; (0) : 0.01, 0.99;", "0.01, 0.99; 0.4, 0.6;")
    assert_same(fitted_of(tmp_path / "wet.dsc", text), fitted)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0.2, 0.8;", "0.2;", ":14: expected 2 probabilities, got 1"),
        ("(1) : 0.4, 0.6;", "", ":15: the probabilities of the sprinkler lack 1 row"),
        ("(1) : 0.4", "(2) : 0.4", ":15: this row of the sprinkler does not exist"),
        ("(1) : 0.4", "(x) : 0.4", ":15: this row of the sprinkler does not exist"),
        ("node grass { type : discrete", "node grass { type : normal", ":13: node grass is not "),
        ('{ "wet", "dry" }; }', '{ "wet", "dry" }; } node rain { }', ":13: node rain is declared"),
        ("belief", "belies", ':1: expected node or probability, got "belies"'),
        ("0.2, 0.8;", "0.2, x;", ":14: the probabilities of rain must be numbers"),
        ("( rain )", "( rain | hail )", ":14: variable hail is not declared"),
        ("( rain )", "( )", ":14: a probability block names no variable"),
    ],
)
def test_errors(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert error_of(tmp_path / "wet.dsc", WET, old, new).startswith(message)
