"""Figures of networks and results in notebooks."""

from __future__ import annotations

from dataclasses import replace

from results import NASTY, random_dag, result_of

from forebear import Network


def test_networks_show_a_picture_unless_they_are_large() -> None:
    small, large = random_dag(20, 3), random_dag(200, 3)
    assert "<svg" in small._repr_html_()
    assert "<svg" not in large._repr_html_()
    busiest = max(range(200), key=lambda v: len(large.parents[v]) + len(large.children[v]))
    assert large.names[busiest] in large._repr_html_()
    assert "200 variables" in large._repr_html_()


def test_results_show_their_score_and_gap() -> None:
    result = result_of(random_dag(20, 3))
    shown = result._repr_html_()
    assert "Score −223.750" in shown
    assert "gap" not in shown
    assert "<svg" in shown
    assert "gap 0.45 %" in replace(result, bound=result.score + 1)._repr_html_()


def test_names_are_inert() -> None:
    for copies in (1, 40):
        names = tuple(f"{name}{k}" for name in NASTY for k in range(copies))
        result = result_of(Network(names, ((),) * len(names)), algorithm=NASTY[0])
        for shown in (result._repr_html_(), result.network._repr_html_()):
            assert "<script" not in shown
            assert "<img" not in shown
