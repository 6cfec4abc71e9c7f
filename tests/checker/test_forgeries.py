"""Forged certificates: the checker refuses them, whatever was changed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import deepcopy
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from certificates import ALL_CUTS, FEW_CUTS, NO_ASCENT, certified, check, optimum
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import random_parent_sets

from forebear import (
    Exact,
    find_network,
    score_parent_sets,
    simulate,
)
from forebear.checker.subproblem import CertificateError
from forebear.knowledge.relations import Relations
from forebear.proof.exact_search import find_exact

Certificate = dict[str, Any]

SETS = random_parent_sets(10, 25, max_parents=2, seed=1)


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """A proof of several nodes."""
    path = tmp_path_factory.mktemp("proof") / "proof.cert"
    certified(SETS, path, FEW_CUTS)
    made: Certificate = json.loads(path.read_text())
    assert len(made["nodes"]) > 10
    return made


def forge(certificate: Certificate, change: Callable[[Certificate], None], path: Path) -> str:
    """Change a certificate, and return why it is refused."""
    forged = deepcopy(certificate)
    change(forged)
    assert forged != certificate
    path.write_text(json.dumps(forged))
    with pytest.raises(CertificateError) as refused:
        check(path, SETS)
    return str(refused.value)


def branching(certificate: Certificate) -> dict[str, Any]:
    """Return a node with branches."""
    node: dict[str, Any] = next(node for node in certificate["nodes"] if node["branches"])
    return node


def step_with_prices(certificate: Certificate) -> list[list[Any]]:
    steps = (step for node in certificate["nodes"] for step in node["steps"])
    return next(step for step in steps if step[1])


def first_cluster(certificate: Certificate) -> dict[str, Any]:
    found: dict[str, Any] = next(cut for cut in certificate["cuts"] if "cluster" in cut)
    return found


def claim_more(certificate: Certificate) -> None:
    certificate["cost"] += 2 ** (certificate["ticks"] - 6)


def three_in_a_row(certificate: Certificate) -> None:
    first, second = branching(certificate)["branches"]
    certificate["nodes"][first]["decision"] = ["before", 0, 1, 2]
    certificate["nodes"][second]["decision"] = ["before", 2, 1, 0]


def drop_all_steps(certificate: Certificate) -> None:
    for node in certificate["nodes"]:
        node["steps"] = []


def scale_a_price(factor: float) -> Callable[[Certificate], None]:
    def change(certificate: Certificate) -> None:
        step_with_prices(certificate)[1][0] *= factor

    return change


def assign(*path: str | int, to: Any) -> Callable[[Certificate], None]:
    """Return a change of one value."""

    def change(certificate: Certificate) -> None:
        holder: Any = certificate
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = to

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (claim_more, "is neither closed nor split|do not add up"),
        (lambda c: branching(c)["branches"].pop(), "is neither closed nor split"),
        (
            lambda c: branching(c).update(branches=[branching(c)["branches"][0]] * 2),
            "reached twice",
        ),
        (three_in_a_row, "unknown kind"),
        (drop_all_steps, "is neither closed nor split|not add up|form a tree|cycles between"),
        (lambda c: c["nodes"].pop(), "is not a number in its range|is neither closed"),
        (scale_a_price(-1), "is not a number in its range"),
        (lambda c: step_with_prices(c)[1].__setitem__(0, 2**60), "could overflow"),
        (scale_a_price(1.5), "is not a number in its range"),
        (
            lambda c: step_with_prices(c)[0].__setitem__(0, len(c["cuts"])),
            "is not a number in its range",
        ),
        (lambda c: first_cluster(c).update(cluster=[1, 1]), "lists a variable twice"),
        (lambda c: first_cluster(c).update(level=0), "is not a number in its range"),
        (lambda c: branching(c).update(branches=[0, 0]), "node 0 is reached twice"),
        (assign("statements", "friends", to=[[0, 1]]), "unknown statement"),
        (assign("variables", 0, to="someone else"), "for other variables"),
        (assign("sets", to=1), "for other parent sets"),
        (assign("version", to=2), "it has version 2 of the format .*: update forebear"),
        (lambda c: c.pop("format"), "not well formed"),
        (assign("ticks", to=1000), "ticks are too small|not well formed"),
        (lambda c: c["network"].__setitem__(slice(2), [[1], [0]]), "no such parent set|a cycle"),
        (assign("network", 0, to=list(range(1, 10))), "too many parents|no such parent set"),
    ],
)
def test_forged_certificates_are_refused(
    change: Callable[[Certificate], None], message: str, proof: Certificate, tmp_path: Path
) -> None:
    why = forge(proof, change, tmp_path / "forged.cert")
    assert re.search(message, why), why


def test_local_cuts_with_a_lower_limit_are_refused(tmp_path: Path) -> None:
    sets = score_parent_sets(simulate(12, 1000, max_parents=3, seed=3).data)
    path = tmp_path / "proof.cert"
    certified(sets, path, ALL_CUTS)
    made = json.loads(path.read_text())
    local = [cut for cut in made["cuts"] if "group" in cut]
    assert local
    for key, change in (("limit", -1), ("limit", -5)):
        forged = deepcopy(made)
        next(cut for cut in forged["cuts"] if "group" in cut)[key] += change
        path.write_text(json.dumps(forged))
        with pytest.raises(CertificateError, match=r"limit that is too low|not a number that fits"):
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
    except CertificateError:
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
    find_exact(
        SETS, Exact(), relations=KNOWN, seed=1, threads=1, certificate=path, effort=NO_ASCENT
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


def change_cut(kind: str, **fields: Any) -> Callable[[Certificate], None]:
    """Return a change of a cut that a statement makes valid."""
    return lambda certificate: because(kind, certificate).update(fields)


def network_against_a_statement(certificate: Certificate) -> None:
    kept = find_network(SETS, algorithm=Exact(), seed=1, threads=1).network.parents
    assert not KNOWN.holds(kept)
    certificate["network"] = [list(own) for own in kept]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (claim_more, "is neither closed nor split"),
        (forget_a_statement, "a statement that does not exist"),
        (change_cut("ancestors", pair=[5, 0]), "a statement that does not exist"),
        (change_cut("ancestors", group=[1, 2]), "does not separate"),
        (change_cut("ancestors", group=[0, 5]), "does not separate"),
        (change_cut("not_ancestors", group=[2, 7]), "does not contain its pair"),
        (change_cut("adjacent", pair=[7, 9]), "a statement that does not exist"),
        (change_cut("before", group=[]), "no heads"),
        (change_cut("adjacent", because="friends"), "a statement that does not exist"),
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
