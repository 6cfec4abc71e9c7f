"""Tables of conditional probabilities: the mapping, the frames and the text."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from naive_inference import networks_to_ask

from forebear import FittedNetwork, ForebearError, Network, ProbabilityTable, read_fitted

ORCHARD = read_fitted("example:orchard.bif")


@given(networks_to_ask())
def test_every_row_is_that_of_the_network(fitted: FittedNetwork) -> None:
    for v, name in enumerate(fitted.network.names):
        table = fitted.cpt(name)
        assert (table.variable, table.states) == (name, fitted.states[v])
        assert table.parents == fitted.network.parents_of(v)
        assert len(table) == len(list(table)) == fitted.tables[v].size // len(table.states)
        rows = fitted.tables[v].reshape(-1, len(table.states))
        frame = table.to_frame()
        for key, row, line in zip(table, rows, frame.iter_rows(), strict=True):
            given = key if isinstance(key, tuple) else (key,)
            assert list(table[key].values()) == row.tolist()
            assert line == (*given, *row.tolist())


def test_a_row_is_a_distribution() -> None:
    row = ORCHARD.cpt("hail")["hot"]
    assert repr(row).splitlines() == ["P(hail | summer=hot)", "  no   0.7000", "  yes  0.3000"]
    assert repr(ORCHARD.cpt("winter")).splitlines()[1:] == [
        "  mild    normal  harsh",
        "  0.3000  0.5000  0.2000",
    ]
    assert ORCHARD.cpt("winter")[()]["mild"] == pytest.approx(0.3)
    tables: Any = ([0.5, 0.5], np.eye(2))
    network = Network(("a", "b"), ((), (0,)))
    truth: Any = FittedNetwork(network, (("false", "true"), ("1", "2")), tables)
    assert truth.cpt("b")[True][2] == 1
    assert truth.cpt("b")[True].evidence == {"a": "true"}
    assert 2.0 in truth.query("b")
    table = ORCHARD.cpt("harvest")
    with pytest.raises(ForebearError, match=r"2 parents \(fruit_set, fruit_size\).*got 1 state"):
        table["low"]
    with pytest.raises(ForebearError, match='fruit_set has no state called "lo": did you mean'):
        table["lo", "small"]


def test_frames_of_pandas_have_the_parents_as_their_index() -> None:
    pytest.importorskip("pandas")
    frame: Any = ORCHARD.cpt("harvest").to_frame("pandas")
    hail: Any = ORCHARD.cpt("hail").to_frame("pandas")
    assert list(frame.index.names) == ["fruit_set", "fruit_size"]
    assert frame.columns.name == "harvest"
    assert frame.loc["low", "small"]["poor"] == pytest.approx(0.9)
    assert hail.loc["hot", "yes"] == pytest.approx(0.3)
    assert ORCHARD.cpt("winter").to_frame("pandas").shape == (1, 3)
    with pytest.raises(ForebearError, match="library must be one of polars, pandas"):
        ORCHARD.cpt("hail").to_frame("dask")  # type: ignore[arg-type]


def test_states_that_are_names_of_parents_stay_distinct() -> None:
    clash = FittedNetwork(
        Network.from_arcs(["a", "b"], [("a", "b")]),
        (("x", "y"), ("a", "a_")),
        (np.array([0.5, 0.5]), np.eye(2)),
    )
    frame = clash.cpt("b").to_frame()
    assert frame.columns == ["a", "a_", "a__"]
    assert frame.schema["a"] == pl.Enum(["x", "y"])


def test_long_tables_are_cut_except_as_text() -> None:
    states = tuple(f"s{k}" for k in range(30))
    table = ProbabilityTable("v", ("n", "<y>"), ("p",), (states,), np.full((30, 2), 0.5))
    assert repr(table).splitlines()[-1] == "  ... and 10 more"
    assert len(table.to_text().splitlines()) == 32
    page = table._repr_html_()
    assert "<td>...</td>" in page
    assert "&lt;y&gt;" in page
    assert page.count("background:rgba(70,130,200,0.375)") == 40


def test_wide_tables_are_cut_except_as_text() -> None:
    states = tuple(f"s{k}" for k in range(13))
    table = ProbabilityTable("v", states, ("p",), (("a", "b"),), np.full((2, 13), 1 / 13))
    lines = repr(table).splitlines()
    assert lines[1].split() == ["p", *states[:12], "..."]
    assert lines[2].split() == ["a", *["0.0769"] * 12, "..."]
    assert table.to_text().splitlines()[1].split() == ["p", *states]
    assert "<th>s12</th>" not in table._repr_html_()
    assert table._repr_html_().count("<td>...</td>") == 2
