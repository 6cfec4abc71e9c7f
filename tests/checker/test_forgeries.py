"""Forged certificates: the checker refuses them, whatever was changed."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pytest
from certificates import certified, check, find_few_cuts, optimum
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import random_parent_sets

from forebear import (
    Exact,
    find_network,
    score_parent_sets,
    simulate,
)
from forebear.bound.ascent import Ascent
from forebear.checker.problem import RefusedError
from forebear.exact import separation
from forebear.exact.solve import find_exact
from forebear.knowledge.relations import Relations

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


Certificate = dict[str, Any]

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
        (repeat_a_branch, "is reached twice"),
        (three_in_a_row, "no known kind"),
        (drop_all_steps, "is neither closed nor split|not add up|form a tree|cycles between"),
        (drop_the_last_node, "is not a number that fits|is neither closed"),
        (negative_price, "is not a number that fits"),
        (huge_price, "could overflow"),
        (fractional_price, "is not a number that fits"),
        (cut_that_is_not_there, "is not a number that fits"),
        (cluster_twice, "names a variable twice"),
        (level_too_low, "is not a number that fits"),
        (loop, "node 0 is reached twice"),
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
        if kind == "before":
            del cut["pair"]
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
