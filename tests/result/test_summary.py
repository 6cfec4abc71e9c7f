"""The main facts of a result: the same wherever it is shown."""

from __future__ import annotations

from dataclasses import replace
from html import escape

from results import random_dag, result_of

from forebear.result.report.page import report_html
from forebear.result.summary import summary


def test_what_is_proven() -> None:
    result = result_of(random_dag(9, 2))
    assert dict(summary(result))["Proven"].startswith("nothing: no bound was computed")
    near = replace(result, bound=result.score + 0.5)
    share = f"{50 / abs(result.score):.2g} %"
    assert dict(summary(near))["Proven"] == (
        f"at most 0.50 nats ({share}) below the best score {result.covers}"
    )
    best = replace(result, bound=result.score)
    assert dict(summary(best))["Proven"] == f"optimal {result.covers}"


def test_the_same_words_everywhere() -> None:
    result = result_of(random_dag(9, 2))
    page, notebook, shown = report_html(result), result._repr_html_(), repr(result)
    for name, value in summary(result):
        assert f"<dt>{name}</dt><dd>{escape(value)}</dd>" in page
        assert f"<strong>{name}</strong> {escape(value)}" in notebook
        assert f"  {name:<8}  {value}" in shown
