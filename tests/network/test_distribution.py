"""Distributions: the mapping, marginals, frames and representations."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from forebear import Distribution, Explanation, ForebearError


def two() -> Distribution:
    cells = np.array([[0.1, 0.2, 0.3], [0.4, 0.0, 0.0]])
    return Distribution(("rain", "wind"), (("no", "yes"), ("w", "n", "e")), cells, {"sky": "grey"})


def test_it_is_a_mapping_from_states() -> None:
    both = two()
    assert both["yes", "w"] == 0.4
    assert len(both) == 6
    assert list(both)[:2] == [("no", "w"), ("no", "n")]
    assert ("yes", "e") in both
    assert ("yes", "x") not in both
    assert "yes" not in both
    one = both.marginal("rain")
    assert dict(one) == {"no": pytest.approx(0.6), "yes": 0.4}
    assert max(one, key=lambda state: one[state]) == "no"


def test_marginals_keep_the_given_order() -> None:
    turned = two().marginal("wind", "rain")
    assert turned.variables == ("wind", "rain")
    assert turned["w", "yes"] == 0.4
    assert turned.evidence == {"sky": "grey"}
    assert two().marginal(1)["n"] == 0.2
    for variables in ((), ("rain", "rain")):
        with pytest.raises(ForebearError, match="one or more variables, each of them once"):
            two().marginal(*variables)


def test_its_frame_has_declared_states() -> None:
    frame = two().to_frame()
    assert frame.columns == ["rain", "wind", "probability"]
    assert frame.schema["wind"] == pl.Enum(["w", "n", "e"])
    assert frame.row(3) == ("yes", "w", 0.4)
    clash = Distribution(("probability",), (("a", "b"),), np.array([0.5, 0.5]))
    assert clash.to_frame().columns == ["probability", "probability_"]


def test_it_is_shown_as_a_table() -> None:
    assert repr(two()).splitlines() == [
        "P(rain, wind | sky=grey)",
        "  rain  wind",
        "  no    w     0.1000",
        "  no    n     0.2000",
        "  no    e     0.3000",
        "  yes   w     0.4000",
        "  yes   n     0.0000",
        "  yes   e     0.0000",
    ]
    tiny = Distribution(("a\nb",), (("x", "<y>"),), np.array([1e-7, 1 - 1e-7]))
    assert repr(tiny).splitlines() == ["P(a�b)", "  x    1.0e-07", "  <y>  1.0000"]
    assert "<strong>P(a�b)</strong>" in tiny._repr_html_()
    assert "&lt;y&gt;" in tiny._repr_html_()
    states = tuple(f"s{k}" for k in range(30))
    many = Distribution(("v",), (states,), np.full(30, 1 / 30))
    assert len(repr(many).splitlines()) == 22
    assert repr(many).endswith("  ... and 10 more")
    assert "<td>...</td>" in many._repr_html_()
    assert "rgba(70,130,200,.35) 40.0%,transparent 40.0%" in two()._repr_html_()


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (("yes",), "a distribution of rain, wind: give one state per variable, got 1 state"),
        ("yes", "a distribution of rain, wind: give one state per variable, got 1 state"),
        (("ye", "w"), 'rain has no state called "ye": did you mean "yes"?'),
        (("yes", "up"), 'wind has no state called "up": it has w, n, e'),
    ],
)
def test_unknown_states_are_rejected(key: str | tuple[str, ...], message: str) -> None:
    with pytest.raises(ForebearError) as caught:
        two()[key]
    assert message in str(caught.value)


def test_an_explanation_is_shown() -> None:
    found = Explanation({"rain": "yes", "wind": "<w>"}, 0.25, -2.0)
    assert repr(found).splitlines() == [
        "Explanation with probability 0.2500",
        "  rain: yes",
        "  wind: <w>",
    ]
