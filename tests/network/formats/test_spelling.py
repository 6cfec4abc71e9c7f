"""Safe names, and the note that keeps the original ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fitted import assert_same, fitted_networks, nasty_network
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from forebear import FittedNetwork, ForebearError, ForebearWarning, Network, interop
from forebear.cli import main
from forebear.network.file_formats import (
    STRUCTURE_ONLY,
    WITH_PROBABILITIES,
    read_fitted,
    read_network,
    write_network,
)
from forebear.network.formats.spelling import is_safe, safe_names

KEPT = [form.extensions[0] for form in WITH_PROBABILITIES]


def flowers() -> FittedNetwork:
    """A network with ordinary names."""
    network = Network.from_arcs(
        ["sepal length (cm)", "Größe", "1st class", "table"],
        [(0, 1), (2, 1), (0, 3)],
    )
    states = (("low, 5", "5+"), ("petit", "élevé"), ("no", "yes"), ("-1", "12"))
    rng = np.random.default_rng(2)
    tables = tuple(rng.dirichlet([1, 1], size=(2,) * len(own)) for own in network.parents)
    return FittedNetwork(network, states, tables)


@given(st.lists(st.text(), unique=True), st.booleans())
def test_safe_names_are_distinct_words(names: list[str], states: bool) -> None:
    safe = safe_names(names, states=states)
    assert len(set(safe)) == len(safe) == len(names)
    for name, word in zip(names, safe, strict=True):
        assert is_safe(word, state=states)
        assert word == name or not is_safe(name, state=states)


def test_examples_of_safe_names() -> None:
    words = ("sepal_length_cm", "Groe", "_1st_class", "_table")
    assert safe_names(flowers().network.names) == words
    assert safe_names(["a b", "a_b", "a-b", "a(b", "é", "日本", "", "1", "-1"], states=True) == (
        *("a_b_2", "a_b", "a-b", "a_b_3", "e", "_", "__2", "1", "-1"),
    )
    assert safe_names(["1", "variable"]) == ("_1", "_variable")


@pytest.mark.parametrize("extension", KEPT)
def test_the_original_names_return(extension: str, tmp_path: Path) -> None:
    for fitted in (flowers(), nasty_network()):
        path = tmp_path / f"net{extension}"
        write_network(fitted, path, names="safe")
        assert_same(read_fitted(path), fitted)


@pytest.mark.filterwarnings("ignore:.*one state:forebear.ForebearWarning")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(fitted_networks())
def test_any_names_return_from_bif(tmp_path: Path, fitted: FittedNetwork) -> None:
    write_network(fitted, tmp_path / "net.bif", names="safe")
    assert_same(read_fitted(tmp_path / "net.bif"), fitted)


@pytest.mark.parametrize("extension", [".bif", ".bifxml", ".net"])
def test_pyagrum_opens_safe_files(extension: str, tmp_path: Path) -> None:
    pyagrum = pytest.importorskip("pyagrum")
    path = tmp_path / f"net{extension}"
    for fitted in (flowers(), nasty_network()):
        write_network(fitted, path, names="safe")
        found = interop.from_pyagrum(pyagrum.loadBN(str(path)))
        compare(found, fitted)


@pytest.mark.parametrize(
    ("extension", "reader"),
    [(".bif", "BIF"), (".xmlbif", "XMLBIF"), (".net", "NET"), (".xdsl", "XDSL")],
)
def test_pgmpy_opens_safe_files(extension: str, reader: str, tmp_path: Path) -> None:
    readwrite = pytest.importorskip("pgmpy.readwrite")
    path = tmp_path / f"net{extension}"
    for fitted in (flowers(), nasty_network()):
        write_network(fitted, path, names="safe")
        model = getattr(readwrite, f"{reader}Reader")(str(path)).get_model()
        compare(interop.from_pgmpy(model), fitted)


def compare(found: FittedNetwork, fitted: FittedNetwork) -> None:
    """Compare the probabilities of variables in any order with names that were changed."""
    assert found.network.n_variables == fitted.network.n_variables
    assert len(found.network.arcs) == len(fitted.network.arcs)
    ours = sorted(np.sort(table.ravel()).round(5).tolist() for table in fitted.tables)
    theirs = sorted(np.sort(table.ravel()).round(5).tolist() for table in found.tables)
    for one, other in zip(ours, theirs, strict=True):
        assert one == pytest.approx(other, abs=2e-5)


def test_a_warning_lists_the_names_that_others_refuse(tmp_path: Path) -> None:
    for extension, names in (
        (".bif", '7 names ("sepal length (cm)", "Größe", "1st class", "table", '),
        (".net", '3 names ("low, 5", "5+", "élevé")'),  # its variables have identifiers
    ):
        with pytest.warns(ForebearWarning) as caught:
            write_network(flowers(), tmp_path / f"net{extension}")
        text = str(caught[0].message)
        assert f"pyAgrum or pgmpy may reject {names}" in text
        assert text.endswith('to change them, pass names="safe"')
        assert_same(read_fitted(tmp_path / f"net{extension}"), flowers())


@pytest.mark.parametrize("extension", [".bif", ".net"])
def test_a_warning_lists_variables_with_one_state(extension: str, tmp_path: Path) -> None:
    network = Network(("a", "b"), ((), (0,)))
    tables: Any = ([1.0], [[0.1, 0.9]])
    fitted = FittedNetwork(network, (("x",), ("p", "q")), tables)
    with pytest.warns(ForebearWarning, match=r"pyAgrum rejects variables with one state \(a\)"):
        write_network(fitted, tmp_path / f"net{extension}", names="safe")
    pyagrum = pytest.importorskip("pyagrum")
    with pytest.raises(pyagrum.FatalError):
        pyagrum.loadBN(str(tmp_path / f"net{extension}"))
    write_network(fitted, tmp_path / "net.bifxml")
    assert_same(interop.from_pyagrum(pyagrum.loadBN(str(tmp_path / "net.bifxml"))), fitted)


def test_structures_lose_their_names(tmp_path: Path) -> None:
    for form in STRUCTURE_ONLY:
        if form.read is not None:
            path = tmp_path / f"net{form.extensions[0]}"
            write_network(flowers().network, path, names="safe")
            assert "sepal_length_cm" in read_network(path).names
    with pytest.raises(ForebearError, match="names must be one of original, safe"):
        write_network(flowers(), tmp_path / "net.bif", names="short")  # type: ignore[arg-type]


def test_a_note_that_does_not_fit_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "net.bif"
    write_network(flowers(), path, names="safe")
    text = path.read_text()
    note, rest = text.split("\n", 1)
    plain = safe_names(flowers().network.names)
    for damaged in (
        "// forebear names {}",
        "// forebear names {",
        "// forebear names []",
        '// forebear names {"sepal_length_cm": 3}',
        '// forebear names {"sepal_length_cm": ["_table", null]}',
        '// forebear names {"sepal_length_cm": ["x", ["one"]]}',
        '// forebear names {"sepal_length_cm": [[1], null]}',
        '// forebear names {"sepal_length_cm": ["\\ud800", null]}',
    ):
        path.write_text(f"{damaged}\n{rest}")
        assert read_fitted(path).network.names == plain
    path.write_text(f"{note}\n{rest}")
    assert_same(read_fitted(path), flowers())


def test_the_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_network(flowers(), "a.xmlbif")
    assert main(["convert", "a.xmlbif", "b.bif", "-q"]) == 0
    assert "to change them, pass --names safe" in capsys.readouterr().err
    assert main(["convert", "a.xmlbif", "b.bif", "-q", "--names", "safe"]) == 0
    assert capsys.readouterr().err == ""
    assert "variable sepal_length_cm {" in Path("b.bif").read_text()
    Path("t.csv").write_text("a b,c\n" + "x,y\nz,w\n" * 20)
    learn = ["learn", "t.csv", "-o", "t.bif", "-q", "--generations", "1", "--no-cache"]
    assert main([*learn, "--names", "safe"]) == 0
    assert "variable a_b {" in Path("t.bif").read_text()
    assert main([*learn, "--names", "short"]) == 2
