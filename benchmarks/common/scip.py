"""The integer program of exact search in SCIP, with the same cuts, by PySCIPOpt."""

from __future__ import annotations

import time
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from forebear import _core
from forebear.proof.cut_kinds import Cut, as_rows
from forebear.proof.flat_sets import FlatSets
from forebear.proof.separation import DEPTHS, Solution, find_cuts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.parentsets.collection import ParentSets
    from forebear.result import Result


_TICKS = 2.0**30  # per nat: costs are whole numbers of ticks


class Solved(NamedTuple):
    """The outcome of a solver."""

    score: float
    bound: float
    nodes: int
    seconds: float


def solve(parent_sets: ParentSets, start: Result, seconds: float, *, local: bool) -> Solved:
    """Solve from a known network; with local cuts, or with cluster cuts alone."""
    scip: Any = import_module("pyscipopt")
    started = time.perf_counter()
    sets = FlatSets.of(parent_sets, _TICKS)
    model = scip.Model()
    model.hideOutput()
    model.setParam("limits/time", seconds)
    # Cuts are added later, so what looks redundant now may not be.
    model.setParam("misc/allowstrongdualreds", False)
    model.setParam("misc/allowweakdualreds", False)
    variables = [model.addVar(vtype="B", obj=-cost / _TICKS) for cost in sets.cost.tolist()]
    model.setMaximize()
    solution = model.createSol()
    for v, choice in enumerate(start.choices):
        own = sets.span(v)
        model.addCons(scip.quicksum(variables[own]) == 1)
        model.setSolVal(solution, variables[own.start + choice.rank - 1], 1.0)
    _include_handler(model, sets, variables, local)
    model.addSol(solution)
    model.optimize()
    top = float(parent_sets.scores[parent_sets.offsets[:-1]].sum())
    spent = time.perf_counter() - started
    return Solved(
        top + model.getPrimalbound(), top + model.getDualbound(), model.getNNodes(), spent
    )


def _include_handler(model: Any, sets: FlatSets, variables: Sequence[Any], local: bool) -> None:
    scip: Any = import_module("pyscipopt")
    results = scip.SCIP_RESULT

    def cuts_of(solution: Any, depth: int) -> list[Cut]:
        weight = np.array([model.getSolVal(solution, variable) for variable in variables])
        chosen = np.flatnonzero(weight > 1e-6)
        used = Solution(chosen, weight[chosen])
        return find_cuts(used, sets, _core.Budget(None), 1, 0, depth)[0]

    def separate(otherwise: Any) -> dict[str, Any]:
        cuts = cuts_of(None, DEPTHS if local else 0)
        rows = as_rows(cuts, sets) if cuts else None
        for number, cut in enumerate(cuts):
            assert rows is not None
            row = model.createEmptyRowUnspec(lhs=None, rhs=cut.limit, local=False)
            for at in range(rows.indptr[number], rows.indptr[number + 1]):
                model.addVarToRow(row, variables[rows.indices[at]], rows.data[at])
            model.addCut(row, forcecut=True)
        return {"result": results.SEPARATED if cuts else otherwise}

    class Acyclic(scip.Conshdlr):  # type: ignore[misc]
        def conscheck(self, constraints: Any, solution: Any, *_: Any) -> dict[str, Any]:
            cyclic = cuts_of(solution, 0)
            return {"result": results.INFEASIBLE if cyclic else results.FEASIBLE}

        def consenfolp(self, *_: Any) -> dict[str, Any]:
            return separate(results.FEASIBLE)

        def consenfops(self, *_: Any) -> dict[str, Any]:
            cyclic = cuts_of(None, 0)
            return {"result": results.INFEASIBLE if cyclic else results.FEASIBLE}

        def conssepalp(self, *_: Any) -> dict[str, Any]:
            return separate(results.DIDNOTFIND)

        def conslock(self, constraint: Any, locktype: Any, up: int, down: int) -> None:
            for variable in variables:
                model.addVarLocks(variable, up + down, up + down)

    model.includeConshdlr(
        Acyclic(),
        "acyclic",
        "no cycles",
        sepapriority=1000,
        enfopriority=-10,
        chckpriority=-10,
        sepafreq=1,
        needscons=False,
    )
