"""Networks in every format: there and back, nasty names, and which format a name means."""

from __future__ import annotations

import re
import tempfile
import warnings
from contextlib import suppress
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from fitted import (
    NASTY,
    arcs_by_name,
    assert_same,
    assert_same_structure,
    fitted_networks,
    nasty_network,
)
from hypothesis import given
from hypothesis import strategies as st
from samples import SHARED

from forebear._util.errors import FileError, ForebearError, ForebearWarning
from forebear.cli._support.kinds import Kind, kind_of
from forebear.data.examples import example_path
from forebear.network.files import (
    FORMATS,
    READABLE,
    WITH_PROBABILITIES,
    NetworkFormat,
    extensions_of,
    format_of,
    read_fitted,
    read_network,
    write_network,
)
from forebear.network.fitted import FittedNetwork
from forebear.network.formats.bif import read_bif
from forebear.network.formats.dot import to_dot
from forebear.network.formats.identifiers import identifiers_of, stands_for
from forebear.network.formats.modelstring import from_model_string, to_model_string
from forebear.network.network import Network
from forebear.network.simulation import random_network

NETWORKS = SHARED / "networks"
LEARNING_TEST = Network(tuple("ABCDEF"), ((), (0,), (), (0, 2), (1, 5), ()))
"""The network of bnlearn's data set learning.test."""

SMALL = random_network(4, max_parents=2, rng=np.random.default_rng(1))

XML_TEXT = st.text(
    st.one_of(st.characters(exclude_categories=["Cs", "Cc", "Cn"]), st.sampled_from("\t\n\r"))
)
MODEL_TEXT = st.text(
    st.characters(exclude_characters="[]|:", exclude_categories=["Cs"]), min_size=1
)


def there_and_back(fitted: FittedNetwork, extension: str) -> Network:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"net{extension}"
        write_network(fitted, path)
        return read_network(path)


def fitted_there_and_back(fitted: FittedNetwork, extension: str) -> FittedNetwork:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"net{extension}"
        write_network(fitted, path)
        return read_fitted(path)


class TestThereAndBack:
    @given(fitted_networks(), st.sampled_from([".net", ".net.gz"]))
    def test_hugin_to_the_bit(self, fitted: FittedNetwork, extension: str) -> None:
        assert_same(fitted_there_and_back(fitted, extension), fitted)

    @given(fitted_networks(XML_TEXT), st.sampled_from([".xmlbif", ".bifxml.gz", ".xml"]))
    def test_xmlbif_to_the_bit(self, fitted: FittedNetwork, extension: str) -> None:
        assert_same(fitted_there_and_back(fitted, extension), fitted)

    @given(fitted_networks(), st.sampled_from([".adjacency.csv", ".adjacency.csv.gz"]))
    def test_adjacency(self, fitted: FittedNetwork, extension: str) -> None:
        assert there_and_back(fitted, extension) == fitted.network

    @given(fitted_networks(st.text(min_size=1)), st.sampled_from([".edges.csv", ".edges.csv.gz"]))
    def test_edges_keep_variables_without_arcs(self, fitted: FittedNetwork, name: str) -> None:
        assert_same_structure(there_and_back(fitted, name), fitted.network)

    @given(fitted_networks(MODEL_TEXT))
    def test_model_string(self, fitted: FittedNetwork) -> None:
        assert_same_structure(there_and_back(fitted, ".modelstring"), fitted.network)

    @given(st.lists(st.text(), unique=True), st.sets(st.text()))
    def test_identifiers_are_words_of_their_own(self, names: list[str], reserved: set[str]) -> None:
        made = identifiers_of(names, reserved)
        assert len(set(made)) == len(names)
        for identifier, name in zip(made, names, strict=True):
            assert re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", identifier)
            assert identifier not in reserved
            assert stands_for(identifier, name, reserved)

    @pytest.mark.parametrize("form", WITH_PROBABILITIES, ids=lambda form: form.name)
    @pytest.mark.parametrize("zipped", ["", ".gz"])
    def test_nasty_names(self, form: NetworkFormat, zipped: str, tmp_path: Path) -> None:
        fitted = nasty_network()
        for extension in form.extensions:
            write_network(fitted, tmp_path / f"net{extension}{zipped}")
            assert_same(read_fitted(tmp_path / f"net{extension}{zipped}"), fitted)

    @pytest.mark.parametrize("extension", [".edges.csv", ".adjacency.csv", ".bayesys.csv", ".csv"])
    def test_nasty_names_in_csv(self, extension: str, tmp_path: Path) -> None:
        network = Network(NASTY, ((), *((v,) for v in range(len(NASTY) - 1))))
        where = tmp_path / ("net.edges.csv" if extension == ".csv" else f"net{extension}")
        write_network(network, where)
        path = where.rename(tmp_path / f"net{extension}")
        assert_same_structure(read_network(path), network)

    @pytest.mark.skipif(not NETWORKS.is_dir(), reason=f"no published networks in {NETWORKS}")
    @pytest.mark.parametrize("name", ["asia", "alarm", "child"])
    @pytest.mark.parametrize("extension", [".net", ".xmlbif.gz"])
    def test_published_networks(self, name: str, extension: str) -> None:
        fitted = read_bif(NETWORKS / f"{name}.bif.gz")
        assert_same(fitted_there_and_back(fitted, extension), fitted)


NOT_A_MODEL_STRING = (
    "this is not a model string: expected [variable] or [variable|parent:parent], got "
)


class TestStructure:
    def test_model_strings_are_those_of_bnlearn(self) -> None:
        assert to_model_string(LEARNING_TEST) == "[A][C][F][B|A][D|A:C][E|B:F]"
        asia = "[A][S][T|A][L|S][B|S][E|T:L][X|E][D|B:E]"
        assert to_model_string(from_model_string(asia)) == asia

    def test_model_strings_in_the_wild(self) -> None:
        """bnlearn takes the variables in any order, and people break lines."""
        network = from_model_string("[D|B:E][A] [S]\n[T|A][L|S][B|S]\n[E|T:L][X|E]\n")
        assert network.names == tuple("DASTLBEX")
        assert arcs_by_name(network) == {
            *[("A", "T"), ("S", "L"), ("S", "B"), ("T", "E")],
            *[("L", "E"), ("E", "X"), ("B", "D"), ("E", "D")],
        }

    @pytest.mark.parametrize("name", ["a:b", "[a", "a]", "a|b", ""])
    def test_names_that_a_model_string_cannot_hold(self, name: str, tmp_path: Path) -> None:
        with pytest.raises(ForebearError, match=re.escape(f"cannot hold the variable {name!r}")):
            write_network(Network(("x", name), ((), ())), tmp_path / "net.modelstring")
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        ("text", "what"),
        [
            ("A][B|A]", f"{NOT_A_MODEL_STRING}'A][B|A]'"),
            ("[A][B|A", f"{NOT_A_MODEL_STRING}'[B|A'"),
            ("[A][B|]", f"{NOT_A_MODEL_STRING}'[B|]'"),
            ("[A][B|A:]", f"{NOT_A_MODEL_STRING}'[B|A:]'"),
            ("[A][A]", "variable A is listed twice"),
            ("[A][B|C]", "C is a parent of B, but there is no [C] for it"),
            ("[A|B][B|A]", "the arcs form a cycle: "),
            ("[A][B|A:A]", "B lists the same parent twice"),
            ("\n", "the file is empty"),
        ],
    )
    def test_model_strings_that_are_none(self, text: str, what: str, tmp_path: Path) -> None:
        path = tmp_path / "net.modelstring"
        path.write_text(text)
        with pytest.raises(FileError, match=re.escape(f"{path}: {what}")):
            read_network(path)

    def test_edges_as_written(self, tmp_path: Path) -> None:
        network = Network(("B", "alone", 'a "b", c', "D"), ((2,), (), (), (0, 2)))
        write_network(network, tmp_path / "net.edges.csv")
        assert (tmp_path / "net.edges.csv").read_text() == (
            'from,to\nB,D\nalone,\n"a ""b"", c",B\n"a ""b"", c",D\n'
        )

    def test_bayesys_as_written_warns_of_who_is_left_out(self, tmp_path: Path) -> None:
        network = Network(("A", "alone", "B"), ((), (), (0,)))
        with pytest.warns(ForebearWarning, match=r"1 variable without arcs \(alone\) has "):
            write_network(network, tmp_path / "net.bayesys.csv")
        written = (tmp_path / "net.bayesys.csv").read_text()
        assert written == "ID,Variable 1,Dependency,Variable 2\n1,A,->,B\n"
        assert read_network(tmp_path / "net.bayesys.csv") == Network(("A", "B"), ((), (0,)))

    def test_adjacency_as_written(self, tmp_path: Path) -> None:
        write_network(Network(("A", "B"), ((1,), ())), tmp_path / "net.adjacency.csv")
        assert (tmp_path / "net.adjacency.csv").read_text() == ",A,B\nA,0,0\nB,1,0\n"

    def test_no_variables(self, tmp_path: Path) -> None:
        for extension in (".edges.csv", ".adjacency.csv"):
            write_network(Network((), ()), tmp_path / f"net{extension}")
            assert read_network(tmp_path / f"net{extension}") == Network((), ())

    @pytest.mark.parametrize("extension", [".edges.csv", ".bayesys.csv"])
    def test_empty_names_are_refused_in_lists_of_arcs(self, extension: str, tmp_path: Path) -> None:
        with pytest.raises(ForebearError, match="a variable with an empty name"):
            write_network(Network(("", "a"), ((), (0,))), tmp_path / f"net{extension}")
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        ("name", "text", "what"),
        [
            ("n.edges.csv", "", ":1: expected the header from,to or ID,Variable 1,"),
            ("n.edges.csv", "a,b\n", ":1: expected the header from,to"),
            ("n.edges.csv", "from,to\na,b,c\n", ":2: expected 2 fields, got 3"),
            ("n.edges.csv", "from,to\na,b\n,b\n", ":3: this arc has no parent"),
            ("n.edges.csv", "from,to\na,b\na,b\n", ":3: the arc a -> b is listed twice"),
            ("n.edges.csv", "from,to\na,b\nb,a\n", ": the arcs form a cycle: "),
            ("n.edges.csv", "from,to\na,a\n", ": the arcs form a cycle: a -> a"),
            ("n.edges.csv", 'from,to\n"a,b\n', ":2: this is not valid CSV"),
            (
                "n.bayesys.csv",
                "ID,Variable 1,Dependency,Variable 2\n1,a,<->,b\n",
                ":2: a <-> b is not an arc of a DAG",
            ),
            (
                "n.csv",
                "ID,Variable 1,Dependency,Variable 2\n1,a,->,\n",
                ":2: this arc has no",
            ),
            ("n.adjacency.csv", ",a,b\na,0,1\n", ": the matrix has 1 row, but 2 columns"),
            ("n.adjacency.csv", ",a,b\nb,0,1\na,0,0\n", ":2: expected the row of a, by the"),
            ("n.adjacency.csv", ",a,b\na,0\nb,0,0\n", ":2: expected 2 cells, got 1"),
            ("n.csv", ",a,b\na,0,2\nb,0,0\n", ':2: expected 0 or 1 under b, got "2"'),
            ("n.csv", ",a,b\na,0,1\nb,1,0\n", ": the arcs form a cycle: "),
            ("n.csv", ",a,a\na,0,0\na,0,0\n", ": variable a is named twice"),
            ("n.csv", "a,b\n0,1\n", ": this table is not a network"),
            ("n.csv", "", ": this table is not a network"),
        ],
    )
    def test_csv_that_is_no_network(self, name: str, text: str, what: str, tmp_path: Path) -> None:
        (tmp_path / name).write_text(text)
        with pytest.raises(FileError, match=re.escape(f"{tmp_path / name}{what}")):
            read_network(tmp_path / name)

    def test_dot(self) -> None:
        network = Network(('say "hi"', "a\\nb", "two\nlines", "node"), ((), (0,), (0, 1), ()))
        assert to_dot(network).splitlines() == [
            "digraph network {",
            r'  "say__hi_" [label="say \"hi\""];',
            r'  "a_nb" [label="a\\nb"];',
            r'  "two_lines" [label="two\nlines"];',
            r'  "node" [label="node"];',
            '  "say__hi_" -> "a_nb";',
            '  "say__hi_" -> "two_lines";',
            '  "a_nb" -> "two_lines";',
            "}",
        ]

    @given(fitted_networks(XML_TEXT))
    def test_graphml_is_xml_with_the_names_as_labels(self, fitted: FittedNetwork) -> None:
        with tempfile.TemporaryDirectory() as folder:
            write_network(fitted, Path(folder) / "net.graphml")
            root = ElementTree.parse(Path(folder) / "net.graphml").getroot()
        space = {"": "http://graphml.graphdrawing.org/xmlns"}
        labels = {
            node.get("id"): node.findtext("data", namespaces=space)
            for node in root.iterfind("graph/node", space)
        }
        assert tuple(labels.values()) == fitted.network.names
        arcs = {
            (labels[edge.get("source")], labels[edge.get("target")])
            for edge in root.iterfind("graph/edge", space)
        }
        assert arcs == arcs_by_name(fitted.network)

    def test_networkx_reads_graphml(self, tmp_path: Path) -> None:
        networkx = pytest.importorskip("networkx")
        network = nasty_network().network
        write_network(network, tmp_path / "net.graphml")
        graph = networkx.read_graphml(tmp_path / "net.graphml")
        labels = networkx.get_node_attributes(graph, "label")
        assert tuple(labels.values()) == network.names
        assert {(labels[a], labels[b]) for a, b in graph.edges} == arcs_by_name(network)

    def test_graphml_tells_compelled_arcs(self, tmp_path: Path) -> None:
        networkx = pytest.importorskip("networkx")
        write_network(Network(tuple("abcd"), ((), (), (0, 1), ())), tmp_path / "v.graphml")
        write_network(Network(tuple("ab"), ((), (0,))), tmp_path / "free.graphml")
        for name, compelled in [("v", {("a", "c"): True, ("b", "c"): True}),
                                ("free", {("a", "b"): False})]:  # fmt: skip
            graph = networkx.read_graphml(tmp_path / f"{name}.graphml")
            assert networkx.get_edge_attributes(graph, "compelled") == compelled

    def test_pydot_reads_dot(self, tmp_path: Path) -> None:
        pydot = pytest.importorskip("pydot")
        network = nasty_network().network
        write_network(network, tmp_path / "net.dot")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # those of its parser
            (graph,) = pydot.graph_from_dot_file(str(tmp_path / "net.dot"), encoding="utf-8")
        assert len(graph.get_nodes()) == network.n_variables
        labels = [node.get("label") for node in graph.get_nodes()]
        assert labels[:3] == ['"wine colour"', r'"say \"hi\""', r'"back\\slash"']
        assert len(graph.get_edges()) == len(network.arcs)

    @pytest.mark.parametrize("extension", [".xmlbif", ".graphml"])
    def test_what_xml_cannot_hold_is_refused(self, extension: str, tmp_path: Path) -> None:
        network = Network(("bell\x07",), ((),))
        fitted = FittedNetwork(network, (("a",),), (np.array([1.0]),))
        with pytest.raises(ForebearError, match=r"an XML file cannot hold the name 'bell\\x07'"):
            write_network(fitted, tmp_path / f"net{extension}")
        assert list(tmp_path.iterdir()) == []

    def test_half_characters_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match=r"contains '\\udc80', an incomplete character"):
            write_network(Network(("\udc80",), ((),)), tmp_path / "net.dot")
        assert list(tmp_path.iterdir()) == []


class TestWhichFormat:
    def test_every_extension_means_one_format(self) -> None:
        for form in FORMATS:
            for extension in form.extensions:
                for name in (f"x{extension}", f"X.Y{extension.upper()}", f"x{extension}.gz"):
                    assert format_of(name) is form
                    assert kind_of(name) is Kind.NETWORK
        assert kind_of("x.json") is Kind.RESULT
        assert kind_of("edges.csv") is Kind.TABLE

    def test_every_format_can_be_written(self, tmp_path: Path) -> None:
        fitted = read_bif(example_path("orchard.bif"))
        for form in FORMATS:
            for extension in form.extensions:
                write_network(fitted, tmp_path / f"net{extension}")
                if form in READABLE:
                    back = read_network(tmp_path / f"net{extension}")
                    assert_same_structure(back, fitted.network)

    def test_probabilities_are_needed(self, tmp_path: Path) -> None:
        for form in WITH_PROBABILITIES:
            path = tmp_path / f"net{form.extensions[0]}"
            with pytest.raises(FileError) as caught:
                write_network(LEARNING_TEST, path)
            assert f"{path}: a {form.name} file holds probabilities" in str(caught.value)
            assert ".dot, .gv, .graphml, .modelstring, .edges.csv" in str(caught.value)
        assert list(tmp_path.iterdir()) == []

    def test_probabilities_are_not_there(self, tmp_path: Path) -> None:
        write_network(LEARNING_TEST, tmp_path / "net.edges.csv")
        with pytest.raises(FileError, match=r"this file has no probabilities: .*\.bif, \.xmlb"):
            read_fitted(tmp_path / "net.edges.csv")

    def test_formats_that_are_only_written(self, tmp_path: Path) -> None:
        write_network(LEARNING_TEST, tmp_path / "net.dot")
        with pytest.raises(FileError, match=r"DOT files can be written but .*\.bif.*\.json"):
            read_network(tmp_path / "net.dot")

    def test_unknown_extensions(self) -> None:
        with pytest.raises(FileError) as caught:
            format_of("net.docx")
        assert str(caught.value) == (
            f"net.docx: the extension of a network must be one of {extensions_of()}, "
            "each also with .gz after it"
        )
        with pytest.raises(FileError, match=r"must say in its name how .*: \.edges\.csv, "):
            write_network(LEARNING_TEST, "net.csv")

    @pytest.mark.parametrize("form", READABLE, ids=lambda form: form.name)
    def test_missing_and_damaged_files(self, form: NetworkFormat, tmp_path: Path) -> None:
        path = tmp_path / f"net{form.extensions[0]}"
        with pytest.raises(FileError, match="there is no such file"):
            read_network(path)
        path.write_bytes(b"\xff\xfe\xfa")
        with pytest.raises(FileError, match="its text is not UTF-8"):
            read_network(path)
        path.write_bytes(b"\x1f\x8b\x08")
        with pytest.raises(FileError, match="the gzip data is damaged"):
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
