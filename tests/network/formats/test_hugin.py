"""Hugin's .net files: reading, writing, and errors with their lines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fitted import error_of, fitted_of

from forebear.network.fitted_network import FittedNetwork
from forebear.network.formats.hugin import write_hugin
from forebear.network.network import Network

WET = """\
net
{
  node_size = (80 40); % as Hugin writes it
  name = "wet; {grass}";
}
node rain
{
  label = "Does it rain?";
  position = (10 20);
  states = ("yes" "no");
}
discrete node the_sprinkler
{
  label = "the sprinkler";
  states = ("on" "off");
}
node grass { states = ("wet" "dry"); }
potential (rain) { data = ( 0.2 0.8 ); }
potential (the_sprinkler | rain)
{
  data = ((0.01 0.99)  % yes
          (0.4 0.6));
}
potential (grass | the_sprinkler rain)
{
  data = (((0.99 0.01)
           (0.9 0.1))
          ((0.8 0.2)
           (0 1)));
}
"""


def test_what_hugin_writes_is_read(tmp_path: Path) -> None:
    """Comments, other attributes, parents in another order; labels that are only remarks."""
    fitted = fitted_of(tmp_path / "wet.net", WET)
    assert fitted.network == Network(("rain", "the sprinkler", "grass"), ((), (0,), (0, 1)))
    assert fitted.states == (("yes", "no"), ("on", "off"), ("wet", "dry"))
    # By rain and then sprinkler, though the file lists the sprinkler first.
    np.testing.assert_array_equal(
        fitted.tables[2], [[[0.99, 0.01], [0.8, 0.2]], [[0.9, 0.1], [0.0, 1.0]]]
    )


def test_labels_that_two_nodes_share_are_not_names(tmp_path: Path) -> None:
    text = WET.replace('states = ("wet"', 'label = "the sprinkler"; states = ("wet"')
    text = text.replace("grass", "the_sprinkler_2")
    names = fitted_of(tmp_path / "wet.net", text).network.names
    assert names == ("rain", "the_sprinkler", "the_sprinkler_2")


def test_names_that_are_not_identifiers_are_labels(tmp_path: Path) -> None:
    network = Network(("a_b", "a b", "net"), ((), (0,), ()))
    half = np.array([0.5, 0.5])
    fitted = FittedNetwork(network, (("s", 't "u"'),) * 3, (half, np.array([half, half]), half))
    write_hugin(fitted, tmp_path / "net.net")
    text = (tmp_path / "net.net").read_text()
    heads = [line for line in text.splitlines() if line.startswith(("node", "  label"))]
    labelled = ["node a_b_2", '  label = "a b";', "node _net", '  label = "net";']
    assert heads == ["node a_b", *labelled]
    assert r'  states = ("s" "t \"u\"");' in text
    assert "potential (a_b_2 | a_b)\n{\n  data = ((0.5 0.5)\n    (0.5 0.5));\n}" in text


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("node grass", "utility grass", ':17: expected net, node or potential, got "utility"'),
        ("node grass", "node rain", ":17: node rain is declared twice"),
        ('states = ("wet" "dry");', "", ":17: node grass has no states"),
        ('"wet" "dry"', '"wet" "wet"', ": grass: state wet is named twice"),
        ('"dry"', '"dry', ":17: a quote is not closed"),
        ("potential (rain)", "potential (snow)", ":18: variable snow is not declared"),
        ("potential (rain)", "potential ()", ":18: expected one node and perhaps its parents"),
        ("sprinkler | rain", "sprinkler rain", ":19: expected one node and perhaps its parents"),
        ("potential (rain)", "potential rain", ':18: expected "(", got "rain"'),
        ("data = ( 0.2 0.8 );", "", ":18: the potential of rain has no data"),
        ("0.2 0.8", "0.2 most", ":18: the probabilities of rain must be numbers"),
        ("0.2 0.8", "0.2 0.7 0.1", ":18: rain requires 2 probabilities, got 3"),
        ("0.2 0.8", "0.2 0.7", ": the table of rain has a row that sums to 0.9, not 1"),
        (
            "(rain) { data = ( 0.2 0.8 )",
            "(rain | grass) { data = (1 0 1 0)",
            ": the arcs form a cycle: ",
        ),
        ("net\n{", "net\n", ':3: expected "{", got "node_size"'),
        ("label =", "label", ':8: expected "=", got ""Does it rain?""'),
        (
            "           (0 1)));\n}\n",
            "           (0 1)))\n}\n",
            ':26: a ";" is missing after this point',
        ),
        ("           (0 1)));\n}\n", "           (0 1)));\n", ':24: a "}" is missing after'),
    ],
)
def test_errors_name_the_line(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert error_of(tmp_path / "wet.net", WET, old, new).startswith(message)
