"""The chart of scores over time: it rises, and ignores rounding."""

from __future__ import annotations

import re

from results import random_dag, result_of

from forebear.result.report.page import report_html
from forebear.result.report.score_chart import score_chart
from forebear.search.trace import Improvement, Trace

NETWORK = random_dag(6, 2)


def test_curves_go_right_and_up() -> None:
    drawn = score_chart(result_of(NETWORK, bound=10.0))
    assert drawn is not None
    assert len(re.findall('class="curve"', drawn)) == 2
    (winner,) = re.findall('class="curve winner" d="M(.*?)H1088"', drawn)
    start, *steps = re.split("[HV]", winner)
    across, up = ([float(start.split()[k]), *map(float, steps[k::2])] for k in (0, 1))
    assert across == sorted(across)
    assert up == sorted(up, reverse=True)
    (bound,) = re.findall(r'class="bound" d="M110 ([\d.]+)H', drawn)
    assert float(bound) < up[-1]


def test_rounding_is_not_drawn() -> None:
    score = result_of(NETWORK).score
    noise = Trace([Improvement(1, 0.1, 1, score - 1e-7), Improvement(1, 0.2, 2, score)])
    assert score_chart(result_of(NETWORK, trace=noise, bound=score + 1e-9)) is None
    assert "already" in report_html(result_of(NETWORK, trace=noise))
    drawn = score_chart(result_of(NETWORK, trace=noise, bound=score + 5))
    assert drawn is not None
    labels = re.findall("<text.*?>(.*?)</text>", drawn)
    assert all(len(label.partition(".")[2]) <= 3 for label in labels)
