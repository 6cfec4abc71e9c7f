"""The section about held-out rows."""

from __future__ import annotations

import math
import re

from results import random_dag, result_of, validated

from forebear.result.report.page import report_html


def test_without_a_validation_there_is_no_section() -> None:
    result = result_of(random_dag(6, 2, 1))
    assert 'id="held-out' not in report_html(result)


def test_the_section() -> None:
    page = report_html(validated())
    assert "Networks were learned without 150 rows and then predicted them." in page
    assert "log-likelihood per row -9.500 (s.e." in page
    assert (
        "With bic, they are predicted better by 0.500 nats per row (standard error 0.100)." in page
    )
    table = page.partition('id="held-out-table"')[2].partition("</table>")[0]
    rows = re.findall(r'<tr><th scope="row">(.*?)</th><td>(.*?)</td>', table)
    assert rows == [
        ("bic", "none"),
        ("bdeu (ess 1)", "2"),
        ("bdeu (ess 1) (used)", "none"),
        ("bdeu (ess 1)", "1"),
    ]


def test_the_best_may_be_ahead_by_chance() -> None:
    assert "−∞" in report_html(validated(spread=math.inf))
    assert "(standard error 0.200), which may be chance." in report_html(validated(chosen=2))
    assert "Of 4 settings compared, the one used predicts them best." in report_html(validated(1))
