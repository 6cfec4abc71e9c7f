"""XDSL files: reading, writing, and errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from fitted import assert_same, error_of, fitted_networks, nasty_network
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from forebear import FittedNetwork, read_fitted
from forebear.network.formats.xdsl import read_xdsl, write_xdsl

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
    path = tmp_path / "wet.xdsl"
    path.write_text(WET)
    fitted = read_fitted(path)
    assert fitted.network.names == ("rain", "the sprinkler", "grass")
    assert fitted.cpt("the sprinkler")["no"]["on"] == 0.4
    assert fitted.cpt("grass").probabilities[..., 0].tolist() == [[1, 1], [1, 0]]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(fitted_networks(st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"]))))
def test_round_trip(tmp_path: Path, fitted: FittedNetwork) -> None:
    path = tmp_path / "net.xdsl"
    write_xdsl(fitted, path)
    found = read_xdsl(path)
    assert_same(found, fitted)


def test_nasty_names_stay(tmp_path: Path) -> None:
    write_xdsl(nasty_network(), tmp_path / "net.xdsl.gz")
    assert_same(read_xdsl(tmp_path / "net.xdsl.gz"), nasty_network())


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
