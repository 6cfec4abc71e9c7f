"""Every table and figure that can be reproduced, by name."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from forebear._util.errors import ForebearError
from forebear.reproduce import counting, overtime, paper, pruning, ranks

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebear.reproduce.finding import Finding
    from forebear.reproduce.workspace import Workspace


class Experiment(NamedTuple):
    """A table or figure: its title, and the function that makes it."""

    title: str
    make: Callable[[Workspace], Finding]


def _over_time() -> dict[str, Experiment]:
    """Return Tables 7 to 15 and A.1 to A.9: two per data set, from the same searches."""
    found = {}
    for place, data in enumerate(paper.cases()):
        found[f"table{place + 7}"] = Experiment(
            f"gain of PS-MINOBS over MINOBS, {data}", partial(overtime.delta_table, data=data)
        )
        found[f"a{place + 1}"] = Experiment(
            f"scores over time, {data}", partial(overtime.score_table, data=data)
        )
    return found


def experiments() -> dict[str, Experiment]:
    """Return all tables and figures, quick ones first."""
    return {
        "table2": Experiment("number of possible parent sets", counting.table2),
        "table3": Experiment("pruned parent sets of four variables of Asia", pruning.table3),
        "figure1": Experiment("sampling rates that cover all combinations", counting.figure1),
        "figure3": Experiment("the two sampling strategies", counting.figure3),
        "table5": Experiment("ranks in the best network, Alarm", ranks.table5),
        "table6": Experiment("parent sets kept, the paper's data", pruning.table6),
        "table4": Experiment(
            "parent sets kept by rows and max_parents, Pathfinder", pruning.table4
        ),
        "figure2": Experiment("ranks in the best networks of all data sets", ranks.figure2),
        **_over_time(),
        "figure5": Experiment("gain by time and by setting", overtime.figure5),
        "figureb1": Experiment("gain and density, Pumsb-star-test", overtime.figureb1),
    }


def find_experiment(name: str) -> Experiment:
    """Return a table or figure by name."""
    known = experiments()
    if name not in known:
        raise ForebearError(
            f'no table or figure is called "{name}": choose one of {", ".join(known)}, or all'
        )
    return known[name]
