"""The pictures of the report: groups in large networks, with all variables and arcs."""

from __future__ import annotations

from results import random_dag

from forebear.result.report.pictures import GROUPED_FROM, draw_pictures


def test_small_networks_have_no_groups_and_large_ones_do() -> None:
    small, large = (random_dag(n, 2) for n in (GROUPED_FROM - 1, GROUPED_FROM))
    assert draw_pictures(small).groups == ()
    pictures = draw_pictures(large)
    members = [v for group in pictures.groups for v in group.variables]
    assert sorted(members) == list(range(GROUPED_FROM))
    home = {v: k for k, group in enumerate(pictures.groups) for v in group.variables}
    between = sum(home[p] != home[v] for p, v in large.arcs)
    assert sum(count for _, _, count in pictures.links) == between
    for group in pictures.groups:
        inside = [(p, v) for p, v in large.arcs if {p, v} <= set(group.variables)]
        assert group.svg.count("data-arc=") == len(inside)
