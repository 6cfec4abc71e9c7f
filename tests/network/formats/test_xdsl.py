"""XDSL files: reading, writing, and errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from fitted import error_of, fitted_of

WET = """\
<?xml version="1.0" encoding="ISO-8859-1"?>
<smile version="1.0" id="wet" numsamples="1000">
  <nodes>
    <cpt id="rain"><state id="yes" /><state id="no" /><probabilities>0.2 0.8</probabilities></cpt>
    <cpt id="the_sprinkler"><state id="on" /><state id="off" /><parents>rain</parents>
      <probabilities>0.01 0.99 0.4 0.6</probabilities></cpt>
    <deterministic id="grass"><state id="wet" /><state id="dry" />
      <parents>the_sprinkler rain</parents>
      <resultingstates>wet wet wet dry</resultingstates></deterministic>
  </nodes>
  <extensions><genie version="1.0" app="GeNIe" name="wet">
    <submodel id="S"><node id="rain"><name>Does it rain?</name></node></submodel>
    <node id="the_sprinkler"><name>the sprinkler</name></node>
  </genie></extensions>
</smile>
"""


def test_files_of_genie_are_read(tmp_path: Path) -> None:
    fitted = fitted_of(tmp_path / "wet.xdsl", WET)
    assert fitted.network.names == ("rain", "the sprinkler", "grass")
    assert fitted.cpt("the sprinkler")["no"]["on"] == 0.4
    assert fitted.cpt("grass").probabilities[..., 0].tolist() == [[1, 1], [1, 0]]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0.2 0.8", "0.2", ": rain requires 2 probabilities, got 1"),
        ("wet wet wet dry", "wet wet wet", ": grass requires 8 probabilities, got 6"),
        ("wet wet wet dry", "wet wet wet x", ": grass has no state x"),
        ("<parents>rain", "<parents>hail", ": variable hail is not declared"),
        ('<state id="yes" />', "<state />", ": an element state has no id"),
        ("smile", "smirk", ": not an XDSL file"),
        ("deterministic", "utility", ": grass is a node of the type utility, but only cpt and"),
        ("</nodes>", "", ":15: this is not valid XML"),
    ],
)
def test_errors(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert error_of(tmp_path / "wet.xdsl", WET, old, new, -1).startswith(message)
