"""Certificates: the checker accepts every proof, and refuses forged ones."""

from __future__ import annotations

import ast
import json
import re
import sys
from copy import deepcopy
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import naive
import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from strategies import parent_set_collections, random_parent_sets

from forebear import (
    Exact,
    Knowledge,
    ParentSets,
    find_bound,
    find_network,
    score_parent_sets,
    simulate,
)
from forebear._util.errors import ForebearError
from forebear.bound.ascent import Ascent
from forebear.checker.check import Checked, check_certificate
from forebear.checker.problem import RefusedError
from forebear.exact import branchcut, separation
from forebear.exact.solve import find_exact
from forebear.knowledge.relations import Relations

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebear.exact.settings import Method

Certificate = dict[str, Any]


def check(path: Path | str, sets: ParentSets) -> Checked:
    return check_certificate(path, sets.names, sets.offsets, sets.scores, sets.parents)


def certified(sets: ParentSets, path: Path, **asked: Any) -> Checked:
    method = Exact("branch-and-cut")
    result = find_network(
        sets, algorithm=method, certificate=path, seed=1, threads=1, time_limit=60, **asked
    )
    checked = check(path, sets)
    assert checked.score is not None
    assert float(checked.score) == pytest.approx(result.score, abs=1e-9)
    assert result.bound is not None
    assert float(checked.bound) <= result.bound + 1e-9
    return checked


def optimum(sets: ParentSets) -> float:
    return naive.best_score(naive.as_lists(sets))


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(sets=parent_set_collections(max_variables=6, required_parents=True))
def test_every_proof_is_accepted(sets: ParentSets, tmp_path: Path) -> None:
    best = optimum(sets)
    if best == -np.inf:
        return
    checked = certified(sets, tmp_path / "proof.cert")
    assert best - 1e-9 <= float(checked.bound) <= best + 1e-5


def find_few_cuts(patch: pytest.MonkeyPatch) -> None:
    """Stop the dual ascent at once and find few cuts, so that proofs need nodes."""
    patch.setattr(Ascent, "run", lambda self, budget, threads, **_: None)
    patch.setattr(branchcut, "_DEPTH", {True: 0, False: 0})
    patch.setattr(branchcut, "_PATIENCE", {True: 1, False: 0})


@pytest.mark.parametrize("seed", range(4))
def test_proofs_with_many_nodes_are_accepted(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_few_cuts(monkeypatch)
    sets = random_parent_sets(10, 25, max_parents=2, seed=seed, grid=3.0)
    checked = certified(sets, tmp_path / "proof.cert")
    assert checked.nodes > 1
    assert float(checked.bound) == pytest.approx(optimum(sets), abs=1e-5)


def test_unfinished_proofs_are_accepted(tmp_path: Path) -> None:
    sets = random_parent_sets(40, 300, seed=1)
    result = find_network(
        sets,
        algorithm=Exact("branch-and-cut"),
        certificate=tmp_path / "proof.cert",
        seed=1,
        threads=1,
        time_limit=3,
    )
    checked = check(tmp_path / "proof.cert", sets)
    assert result.bound is not None
    assert result.score < float(checked.bound) <= result.bound + 1e-6


@pytest.mark.parametrize("known", [True, False])
def test_bounds_are_accepted(known: bool, tmp_path: Path) -> None:
    sets = random_parent_sets(25, 40, seed=2)
    score = find_network(sets, generations=20, seed=1, certify=False).score if known else None
    path = tmp_path / "bound.cert"
    bound = find_bound(sets, score=score, rounds=60, threads=1, certificate=path)
    checked = check(path, sets)
    assert checked.score is None
    assert float(checked.bound) == pytest.approx(bound.bound, abs=1e-6)


# A cycle, and empty sets that cost as much as the best network: the incumbent rules them out.
NO_NETWORK_LEFT = ParentSets(
    names=("A", "B"),
    offsets=np.array([0, 2, 4]),
    scores=np.array([0.0, -0.5, 0.0, -0.5]),
    parents=np.array([[1, 65535, 0, 65535]], dtype=np.uint16),
    provenance={},
)

SMALL_COSTS = ParentSets(
    names=("A", "B", "C"),
    offsets=np.array([0, 3, 4, 6]),
    scores=np.array([0.0, 0.0, -0.5, 0.0, 0.0, -np.inf]),
    parents=np.array([[1, 2, 65535, 65535, 0, 65535]], dtype=np.uint16),
    provenance={},
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sets=parent_set_collections(max_variables=6, required_parents=True),
    worse=st.none() | st.floats(0, 20),
)
@example(sets=NO_NETWORK_LEFT, worse=0.0)
@example(sets=SMALL_COSTS, worse=2.0)
@example(sets=SMALL_COSTS, worse=1e9)
def test_what_dynamic_programming_solved_is_certified(
    tmp_path: Path, sets: ParentSets, worse: float | None
) -> None:
    """The certificate of a small problem says what the bound says: the best score."""
    best = naive.best_score(naive.as_lists(sets))
    path = tmp_path / "bound.cert"
    score = None if worse is None else best - worse
    if best == -np.inf:
        with pytest.raises(ForebearError, match="there is no network"):
            find_bound(sets, threads=1, certificate=path)
        return
    bound = find_bound(sets, score=score, threads=1, certificate=path)
    assert bound.stop_reason == "optimal"
    certified_bound = float(check(path, sets).bound)
    assert certified_bound >= best - 1e-9 * abs(best)
    assert certified_bound == pytest.approx(bound.bound, rel=1e-9, abs=1e-9)


def test_groups_of_variables_are_certified(tmp_path: Path) -> None:
    """Two groups that are solved one by one, after most sets were dropped."""
    sets = random_parent_sets(20, 30, seed=5)
    score = find_network(sets, algorithm="exact", seed=1, threads=1).score
    path = tmp_path / "bound.cert"
    bound = find_bound(sets, score=score, threads=1, certificate=path)
    assert bound.stop_reason == "optimal"
    assert float(check(path, sets).bound) == pytest.approx(score, abs=1e-6)


def test_the_checker_imports_nothing_of_forebear() -> None:
    room = Path(sys.modules[check_certificate.__module__].__file__ or "").parent
    modules = {
        (node.module if isinstance(node, ast.ImportFrom) else alias.name) or ""
        for path in room.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    own = {name for name in modules if name.startswith("forebear.checker.")}
    assert {name.split(".")[0] for name in modules - own} <= {
        "__future__",
        "collections",
        "dataclasses",
        "fractions",
        "json",
        "numpy",
        "pathlib",
        "typing",
    }


SETS = random_parent_sets(10, 25, max_parents=2, seed=1)


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """A proof of several nodes."""
    path = tmp_path_factory.mktemp("proof") / "proof.cert"
    with pytest.MonkeyPatch.context() as patch:
        find_few_cuts(patch)
        certified(SETS, path)
    made: Certificate = json.loads(path.read_text())
    assert len(made["nodes"]) > 10
    return made


def forge(certificate: Certificate, change: Callable[[Certificate], None], path: Path) -> str:
    """Change a certificate, and return why it is refused."""
    forged = deepcopy(certificate)
    change(forged)
    assert forged != certificate
    path.write_text(json.dumps(forged))
    with pytest.raises(RefusedError) as refused:
        check(path, SETS)
    return str(refused.value)


def branching(certificate: Certificate) -> dict[str, Any]:
    """Return a node with branches."""
    node: dict[str, Any] = next(node for node in certificate["nodes"] if node["branches"])
    return node


def claim_more(certificate: Certificate) -> None:
    certificate["cost"] += 2 ** (certificate["ticks"] - 6)


def drop_a_branch(certificate: Certificate) -> None:
    branching(certificate)["branches"].pop()


def repeat_a_branch(certificate: Certificate) -> None:
    branches = branching(certificate)["branches"]
    branches[1] = branches[0]


def three_in_a_row(certificate: Certificate) -> None:
    first, second = branching(certificate)["branches"]
    certificate["nodes"][first]["decision"] = ["before", 0, 1, 2]
    certificate["nodes"][second]["decision"] = ["before", 2, 1, 0]


def drop_all_steps(certificate: Certificate) -> None:
    for node in certificate["nodes"]:
        node["steps"] = []


def drop_the_last_node(certificate: Certificate) -> None:
    certificate["nodes"].pop()


def step_with_prices(certificate: Certificate) -> list[list[int]]:
    steps = (step for node in certificate["nodes"] for step in node["steps"])
    return next(step for step in steps if step[1])


def negative_price(certificate: Certificate) -> None:
    step = step_with_prices(certificate)
    step[1][0] = -step[1][0]


def huge_price(certificate: Certificate) -> None:
    step_with_prices(certificate)[1][0] = 2**60


def fractional_price(certificate: Certificate) -> None:
    step_with_prices(certificate)[1][0] += 0.5  # type: ignore[call-overload]


def cut_that_is_not_there(certificate: Certificate) -> None:
    step_with_prices(certificate)[0][0] = len(certificate["cuts"])


def cluster_twice(certificate: Certificate) -> None:
    cluster = next(cut["cluster"] for cut in certificate["cuts"] if "cluster" in cut)
    cluster[0] = cluster[1]


def level_too_low(certificate: Certificate) -> None:
    next(cut for cut in certificate["cuts"] if "cluster" in cut)["level"] = 0


def loop(certificate: Certificate) -> None:
    branching(certificate)["branches"] = [0, 0]


def unknown_statement(certificate: Certificate) -> None:
    certificate["statements"]["friends"] = [[0, 1]]


def other_variables(certificate: Certificate) -> None:
    certificate["variables"][0] = "someone else"


def other_sets(certificate: Certificate) -> None:
    certificate["sets"] += 1


def other_version(certificate: Certificate) -> None:
    certificate["version"] = 2


def no_format(certificate: Certificate) -> None:
    del certificate["format"]


def coarse_ticks(certificate: Certificate) -> None:
    certificate["ticks"] = 1000


def cyclic_network(certificate: Certificate) -> None:
    certificate["network"] = [[1], [0], *certificate["network"][2:]]


def unknown_set(certificate: Certificate) -> None:
    certificate["network"][0] = list(range(1, 10))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (claim_more, "is neither closed nor split|do not add up"),
        (drop_a_branch, "is neither closed nor split"),
        (repeat_a_branch, "are not opposites"),
        (three_in_a_row, "no known kind"),
        (drop_all_steps, "is neither closed nor split|not add up|form a tree|cycles between"),
        (drop_the_last_node, "not well formed|is neither closed"),
        (negative_price, "is not a number that fits"),
        (huge_price, "could overflow"),
        (fractional_price, "is not a number that fits"),
        (cut_that_is_not_there, "is not a number that fits"),
        (cluster_twice, "names a variable twice"),
        (level_too_low, "is not a number that fits"),
        (loop, "not well formed|no known kind|not opposites"),
        (unknown_statement, "unknown statement"),
        (other_variables, "about other variables"),
        (other_sets, "about other parent sets"),
        (other_version, "it has version 2 of the format .*: use a newer forebear"),
        (no_format, "not well formed"),
        (coarse_ticks, "ticks are too small|not well formed"),
        (cyclic_network, "no such parent set|a cycle"),
        (unknown_set, "too many parents|no such parent set"),
    ],
)
def test_forged_certificates_are_refused(
    change: Callable[[Certificate], None], message: str, proof: Certificate, tmp_path: Path
) -> None:
    why = forge(proof, change, tmp_path / "forged.cert")
    assert re.search(message, why), why


def test_local_cuts_with_a_lower_limit_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sets = score_parent_sets(simulate(12, 1000, max_parents=3, seed=3).data)
    path = tmp_path / "proof.cert"
    monkeypatch.setattr(Ascent, "run", lambda self, budget, threads, **_: None)
    monkeypatch.setattr(separation, "_FEW", 10**6)
    certified(sets, path)
    made = json.loads(path.read_text())
    local = [cut for cut in made["cuts"] if "group" in cut]
    assert local
    for key, change in (("limit", -1), ("limit", -5)):
        forged = deepcopy(made)
        next(cut for cut in forged["cuts"] if "group" in cut)[key] += change
        path.write_text(json.dumps(forged))
        with pytest.raises(RefusedError, match=r"limit that is too low|not a number that fits"):
            check(path, sets)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_no_change_proves_what_is_wrong(
    data: st.DataObject, proof: Certificate, tmp_path: Path
) -> None:
    """Whatever number is changed: what is accepted is true."""
    forged = deepcopy(proof)
    places: list[tuple[Any, Any]] = []

    def walk(value: Any) -> None:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            if isinstance(inner, dict | list):
                walk(inner)
            elif isinstance(inner, int):
                places.append((value, key))

    walk(forged)
    for _ in range(data.draw(st.integers(1, 3))):
        holder, key = data.draw(st.sampled_from(places))
        change = data.draw(st.sampled_from([-(2**30), -1, 1, 2**30]))
        holder[key] = not holder[key] if isinstance(holder[key], bool) else holder[key] + change
    path = tmp_path / "forged.cert"
    path.write_text(json.dumps(forged))
    try:
        checked = check(path, SETS)
    except RefusedError:
        return
    assert float(checked.bound) >= optimum(SETS) - 1e-9


@pytest.mark.parametrize("method", ["dynamic", "astar"])
def test_other_methods_are_certified_by_branch_and_cut(method: Method, tmp_path: Path) -> None:
    path = tmp_path / "proof.cert"
    result = find_network(SETS, algorithm=Exact(method), certificate=path, seed=1, threads=1)
    assert result.settings["method"] == method
    assert result.status == "optimal"
    assert float(check(path, SETS).bound) == pytest.approx(optimum(SETS), abs=1e-5)


def test_what_cannot_be_certified_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ForebearError, match="certificate is a proof: it needs certify=True"):
        find_network(SETS, certify=False, certificate=tmp_path / "proof.cert")
    with pytest.raises(ForebearError, match="cannot be written"):
        find_network(SETS, certificate=tmp_path / "none" / "proof.cert")


# ---- proofs that rest on statements --------------------------------------------------------------

KNOWN = Relations(
    before=((7, 2),), ancestors=((0, 5),), not_ancestors=((3, 1), (4, 6)), adjacent=((8, 9),)
)


@pytest.fixture(scope="module")
def under_statements(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """A proof that uses cuts of all statements."""
    path = tmp_path_factory.mktemp("proof") / "proof.cert"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ascent, "run", lambda self, budget, threads, **_: None)
        find_exact(
            SETS, Exact(), relations=KNOWN, seed=1, threads=1, certificate=path, time_limit=60
        )
    check(path, SETS)
    made: Certificate = json.loads(path.read_text())
    return made


def because(kind: str, certificate: Certificate) -> dict[str, Any]:
    """Return a cut that a statement makes valid; make one up if the proof needs none."""
    found = [cut for cut in certificate["cuts"] if cut.get("because") == kind]
    if not found:
        pairs: dict[str, Any] = asdict(KNOWN)
        group = {"ancestors": [0], "not_ancestors": [3, 1], "before": [2, 7], "adjacent": [8, 9]}
        cut = {"because": kind, "group": group[kind], "pair": list(pairs[kind][0])}
        certificate["cuts"].append(cut)
        return cut
    cut_found: dict[str, Any] = found[0]
    return cut_found


def forget_a_statement(certificate: Certificate) -> None:
    because("ancestors", certificate)
    del certificate["statements"]["ancestors"]


def wrong_pair(certificate: Certificate) -> None:
    because("ancestors", certificate)["pair"] = [5, 0]


def group_without_the_ancestor(certificate: Certificate) -> None:
    because("ancestors", certificate)["group"] = [1, 2]


def group_with_the_descendant(certificate: Certificate) -> None:
    because("ancestors", certificate)["group"] = [0, 5]


def group_without_the_pair(certificate: Certificate) -> None:
    because("not_ancestors", certificate)["group"] = [2, 7]


def other_neighbours(certificate: Certificate) -> None:
    because("adjacent", certificate)["pair"] = [7, 9]


def nobody_is_first(certificate: Certificate) -> None:
    because("before", certificate)["group"] = []


def strange_reason(certificate: Certificate) -> None:
    because("adjacent", certificate)["because"] = "friends"


def network_against_a_statement(certificate: Certificate) -> None:
    kept = find_network(SETS, algorithm=Exact(), seed=1, threads=1).network.parents
    assert not KNOWN.holds(kept)
    certificate["network"] = [list(own) for own in kept]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (claim_more, "is neither closed nor split"),
        (forget_a_statement, "a statement that is not there"),
        (wrong_pair, "a statement that is not there"),
        (group_without_the_ancestor, "does not separate"),
        (group_with_the_descendant, "does not separate"),
        (group_without_the_pair, "does not hold its pair"),
        (other_neighbours, "a statement that is not there"),
        (nobody_is_first, "no heads"),
        (strange_reason, "a statement that is not there"),
        (network_against_a_statement, "violates a statement"),
    ],
)
def test_forged_proofs_under_statements_are_refused(
    change: Callable[[Certificate], None],
    message: str,
    under_statements: Certificate,
    tmp_path: Path,
) -> None:
    why = forge(under_statements, change, tmp_path / "forged.cert")
    assert re.search(message, why), why


@pytest.mark.parametrize("how", [{"time_limit": 20.0}, {"generations": 5}])
def test_knowledge_of_every_kind_is_certified(how: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "proof.cert"
    statements = {"before": [("X7", "X2")], "not_ancestors": [("X4", "X6"), ("X4", "X1")]}
    for kind, pairs in statements.items():
        known = Knowledge(**{kind: pairs})  # type: ignore[arg-type]
        saved = tmp_path / "kept.cps"
        result = find_network(
            SETS, knowledge=known, certificate=path, save_sets=saved, seed=1, threads=1, **how
        )
        assert not known.violations(result)
        checked = check(path, ParentSets.load(saved))
        assert result.bound is not None
        assert float(checked.bound) == pytest.approx(result.bound, abs=1e-5)
        assert len(checked.statements[kind]) == len(pairs)
