"""Networks in every format: round trips, unusual names, and the choice of the format."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from fitted import (
    NASTY,
    assert_same,
    assert_same_structure,
    fitted_networks,
    nasty_network,
)
from hypothesis import given
from hypothesis import strategies as st
from results import random_dag, result_of

from forebear import (
    FileError,
    FittedNetwork,
    ForebearError,
    Network,
    Result,
    read_fitted,
    read_network,
    write_network,
)
from forebear.data.examples import example_path
from forebear.network.file_formats import (
    FORMATS,
    READABLE,
    WITH_PROBABILITIES,
    NetworkFormat,
    extensions_of,
    format_of,
)
from forebear.network.simulation import random_network

# The names of these networks are those that other programs refuse.
pytestmark = pytest.mark.filterwarnings("ignore:.*pyAgrum ")

CHAIN = Network(("A", "B", "C"), ((), (0,), (1,)))
SMALL = random_network(4, max_parents=2, rng=np.random.default_rng(1))

ANY_TEXT = st.text()
XML_TEXT = st.text(
    st.one_of(st.characters(exclude_categories=["Cs", "Cc", "Cn"]), st.sampled_from("\t\n\r"))
)
MODEL_TEXT = st.text(
    st.characters(exclude_characters="[]|:", exclude_categories=["Cs"]), min_size=1
)


@pytest.mark.parametrize(
    ("extensions", "names"),
    [
        ([".bif", ".bif.gz"], ANY_TEXT),
        ([".net", ".net.gz"], ANY_TEXT),
        ([".dsc"], ANY_TEXT),
        ([".xdsl"], XML_TEXT),
        ([".xmlbif", ".bifxml.gz", ".xml"], XML_TEXT),
        ([".adjacency.csv", ".adjacency.csv.gz"], ANY_TEXT),
        ([".edges.csv", ".edges.csv.gz"], st.text(min_size=1)),
        ([".modelstring"], MODEL_TEXT),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
@given(data=st.data())
def test_round_trip(
    extensions: list[str], names: st.SearchStrategy[str], data: st.DataObject
) -> None:
    fitted = data.draw(fitted_networks(names))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"net{data.draw(st.sampled_from(extensions))}"
        write_network(fitted, path)
        if format_of(path).holds_probabilities:
            assert_same(read_fitted(path), fitted)  # to the bit
        else:
            assert_same_structure(read_network(path), fitted.network)


def test_every_format_is_written_and_read_with_nasty_names(tmp_path: Path) -> None:
    """Formats with probabilities keep every bit; lists of arcs keep every name."""
    fitted, orchard = nasty_network(), read_fitted(example_path("orchard.bif"))
    chain = Network(NASTY, ((), *((v,) for v in range(len(NASTY) - 1))))
    for form in FORMATS:
        ends = form.extensions[:1] if form.name == "picture" else form.extensions
        for extension in (*ends, *(f"{end}.gz" for end in ends)):
            path = tmp_path / f"net{extension}"
            write_network(orchard, path)
            if form in READABLE:
                assert_same_structure(read_network(path), orchard.network)
            if form in WITH_PROBABILITIES:
                write_network(fitted, path)
                assert_same(read_fitted(path), fitted)
            elif form in READABLE and form.name != "model string":
                write_network(chain, path)
                assert_same_structure(read_network(path), chain)
    # The content tells what a plain .csv file is.
    for name in ("net.edges.csv", "net.bayesys.csv", "net.adjacency.csv"):
        plain = (tmp_path / name).rename(tmp_path / "plain.csv")
        assert_same_structure(read_network(plain), chain)


def test_formats_with_and_without_probabilities(tmp_path: Path) -> None:
    for form in WITH_PROBABILITIES:
        path = tmp_path / f"net{form.extensions[0]}"
        with pytest.raises(FileError) as caught:
            write_network(CHAIN, path)
        assert f"{path}: a {form.name} file requires probabilities" in str(caught.value)
        assert ".dot, .gv, .graphml, .svg, .png, .pdf, .modelstring, .edges.csv" in str(
            caught.value
        )
    assert list(tmp_path.iterdir()) == []
    write_network(CHAIN, tmp_path / "net.edges.csv")
    with pytest.raises(FileError, match=r"this file has no probabilities: .*\.bif, \.xmlb"):
        read_fitted(tmp_path / "net.edges.csv")


def test_extensions_that_are_unknown_or_only_written(tmp_path: Path) -> None:
    write_network(CHAIN, tmp_path / "net.dot")
    with pytest.raises(FileError, match=r"DOT files can be written but .*\.bif.*\.json"):
        read_network(tmp_path / "net.dot")
    with pytest.raises(FileError) as caught:
        format_of("net.docx")
    assert str(caught.value) == (
        f"net.docx: the extension of a network must be one of {extensions_of()}, "
        "each also with .gz after it"
    )
    with pytest.raises(FileError, match=r", or \.json for that of a result$") as caught:
        read_network("net.docx")
    assert ".svg" not in str(caught.value)
    with pytest.raises(FileError, match=r"must name its format: \.edges\.csv, "):
        write_network(CHAIN, "net.csv")


@pytest.mark.parametrize(
    ("name", "extension", "message"),
    [
        ("bell\x07", ".xmlbif", r"an XML file cannot hold the name 'bell\\x07'"),
        ("bell\x07", ".graphml", r"an XML file cannot hold the name 'bell\\x07'"),
        ("\udc80", ".dot", r"contains '\\udc80', an incomplete character"),
        ("", ".edges.csv", "a variable with an empty name"),
        ("", ".bayesys.csv", "a variable with an empty name"),
        *((name, ".modelstring", "cannot hold the variable") for name in ("a:b", "[a", "a|b", "")),
    ],
)
def test_names_that_a_format_cannot_hold(
    name: str, extension: str, message: str, tmp_path: Path
) -> None:
    fitted = FittedNetwork(Network((name,), ((),)), (("a",),), (np.array([1.0]),))
    with pytest.raises(ForebearError, match=message):
        write_network(fitted, tmp_path / f"net{extension}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", READABLE, ids=lambda form: form.name)
def test_missing_and_damaged_files(form: NetworkFormat, tmp_path: Path) -> None:
    path = tmp_path / f"net{form.extensions[0]}"
    with pytest.raises(FileError, match="there is no such file"):
        read_network(path)
    for content, message in (
        (b"\xff\xfe\xfa", "its text is not UTF-8"),
        (b"\x1f\x8b\x08", "the gzip data is damaged"),
    ):
        path.write_bytes(content)
        with pytest.raises(FileError, match=message):
            read_network(path)


@pytest.mark.parametrize("form", READABLE, ids=lambda form: form.name)
@given(data=st.data())
def test_damaged_files_are_read_or_refused(form: NetworkFormat, data: st.DataObject) -> None:
    """Whatever bytes are lost or changed: a network or one sentence, never anything else."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"net{form.extensions[0]}"
        write_network(SMALL, path)
        content = path.read_bytes()
        start = data.draw(st.integers(0, len(content)))
        end = data.draw(st.integers(start, min(len(content), start + 20)))
        fresh = data.draw(st.one_of(st.binary(max_size=4), st.sampled_from([b"(", b'"', b"1e999"])))
        path.write_bytes(content[:start] + fresh + content[end:])
        with suppress(FileError):
            read_network(path)


def test_a_result_file_is_a_network_too(tmp_path: Path) -> None:
    network = random_dag(6, 2)
    result_of(network).save(tmp_path / "result.json")
    assert read_network(tmp_path / "result.json") == network
    for read in (read_network, Result.load):
        with pytest.raises(FileError, match="there is no such file"):
            read(tmp_path / "nowhere.json")
        for text, message in (
            ("{", "not a result file: it is not valid JSON"),
            ("[1]", "not a result file"),
            ('{"format": "forebear result 1"}', "damaged"),
        ):
            (tmp_path / "text.json").write_text(text)
            with pytest.raises(FileError, match=message):
                read(tmp_path / "text.json")
