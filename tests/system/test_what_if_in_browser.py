"""What-if answers of the report: the scripts agree with Python, and the page shows the answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from naive_inference import cut, joint_table, networks_to_ask, posterior
from results import NASTY, random_dag, result_of

from forebear import FittedNetwork, Network
from forebear.result.report.what_if import what_if_about

pytestmark = pytest.mark.slow

ANSWER = """([about, parents, evidence, forced]) => {
  const model = decoded(about.embedded, parents);
  const engine = about.tree ? exactEngine(model, about.tree) : samplingEngine(model);
  const answer = engine.query(evidence, new Set(forced));
  const plain = (lists) => lists?.map((own) => [...own]);
  return { ...answer, marginals: plain(answer.marginals), errors: plain(answer.errors) };
}"""


@pytest.fixture
def asia() -> FittedNetwork:
    # Smoking causes bronchitis and lung cancer; either of tuberculosis and cancer is determined.
    network = Network.from_arcs(
        ["smoke", "lung", "bronc", "tub", "either"],
        [("smoke", "lung"), ("smoke", "bronc"), ("tub", "either"), ("lung", "either")],
    )
    tables = {
        "smoke": [0.5, 0.5],
        "lung": [[0.1, 0.9], [0.01, 0.99]],
        "bronc": [[0.6, 0.4], [0.3, 0.7]],
        "tub": [0.0104, 0.9896],
        "either": [[[1.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]],
    }
    ordered = tuple(np.array(tables[name]) for name in network.names)
    # The table of "either" is symmetric, so that the order of its parents does not matter.
    return FittedNetwork(network, (("yes", "no"),) * 5, ordered)


def random_fitted(network: Network, states: int = 3, seed: int = 1) -> FittedNetwork:
    rng = np.random.default_rng(seed)
    tables = tuple(
        rng.dirichlet([0.5] * states, size=(states,) * len(own)) for own in network.parents
    )
    names = tuple(f"s{k}" for k in range(states))
    return FittedNetwork(network, (names,) * network.n_variables, tables)


def asked(
    page: Any,
    fitted: FittedNetwork,
    known: Mapping[int, int],
    forced: Collection[int] = (),
    *,
    sampled: bool = False,
) -> Any:
    """Return the answer of the scripts of a page to a query about any network."""
    about = asdict(what_if_about(result_of(fitted.network), fitted))
    del about["strengths"]
    if sampled:
        about["tree"] = None
    evidence = [[v, state] for v, state in known.items()]
    return page.evaluate(ANSWER, [about, fitted.network.parents, evidence, list(forced)])


def test_exact_answers_are_those_of_all_joint_probabilities(
    show: Callable[..., Any], asia: FittedNetwork
) -> None:
    page = show(result_of(asia.network), fitted=asia)

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(networks_to_ask(), st.data())
    def compare(fitted: FittedNetwork, data: st.DataObject) -> None:
        sizes = [len(states) for states in fitted.states]
        given_ones = data.draw(st.sets(st.sampled_from(range(len(sizes)))))
        known = {v: data.draw(st.integers(0, sizes[v] - 1)) for v in sorted(given_ones)}
        forced = {v for v in known if data.draw(st.booleans())}
        joint = joint_table(cut(fitted, {v: known[v] for v in forced}))
        probability = float(posterior(joint, (), known))
        answer = asked(page, fitted, known, forced)
        assert answer["impossible"] == (probability == 0)
        if probability > 0:
            assert answer["logProbability"] == pytest.approx(math.log(probability), abs=1e-5)
            for v, own in enumerate(answer["marginals"]):
                expected = np.zeros(sizes[v])
                if v in known:
                    expected[known[v]] = 1.0
                else:
                    expected = posterior(joint, (v,), known) / probability
                assert own == pytest.approx(expected.tolist(), abs=1e-5)

    compare()


def test_exact_answers_are_those_of_python_in_a_large_network(show: Callable[..., Any]) -> None:
    fitted = random_fitted(random_dag(120, 2, seed=3))
    page = show(result_of(fitted.network), fitted=fitted)
    assert page.evaluate("engine !== null")
    known = {"word 100": "s2", "word 7": "s0", "word 119": "s1"}
    page.evaluate("([v, s]) => toggleState(v, s)", [100, 2])
    page.evaluate("([v, s]) => toggleState(v, s)", [7, 0])
    page.evaluate("([v, s]) => toggleState(v, s)", [119, 1])
    found = page.evaluate("after.marginals.map((own) => [...own])")
    expected = fitted.marginals(known)
    assert len(expected) >= 117
    for name, distribution in expected.items():
        own = found[fitted.network.names.index(name)]
        assert own == pytest.approx([distribution[state] for state in ("s0", "s1", "s2")], abs=1e-5)


def card(page: Any, name: str) -> Any:
    return page.locator(f'#cards .card[aria-label="{name}"]')


def set_state(page: Any, name: str, state: str) -> None:
    card(page, name).locator(f'.state:has(.state-name:text-is("{state}"))').click()


def test_a_click_on_a_state_moves_the_others(show: Callable[..., Any], asia: FittedNetwork) -> None:
    page = show(result_of(asia.network), fitted=asia)
    assert "No state is set" in page.locator("#answer").inner_text()
    assert "50.0 %" in card(page, "smoke").inner_text()
    set_state(page, "lung", "yes")
    answer = page.locator("#answer").inner_text()
    assert answer.startswith("Given lung = yes, which has the probability 5.5 %")
    # P(smoke | lung) = 0.5 * 0.1 / 0.055.
    assert "90.9 %" in card(page, "smoke").inner_text()
    assert "was 50.0 %" in card(page, "smoke").inner_text()
    assert "100.0 %" in card(page, "either").inner_text()
    order = page.locator("#cards .card").evaluate_all("l => l.map((c) => c.ariaLabel)")
    assert order[:3] == ["lung", "either", "smoke"]
    assert page.locator("#evidence").inner_text().startswith("lung = yes")
    page.locator("#evidence button").click()
    assert "No state is set" in page.locator("#answer").inner_text()
    set_state(page, "lung", "yes")
    set_state(page, "either", "no")
    assert page.locator("#answer").inner_text() == (
        "This cannot happen: lung = yes and either = no together have the "
        "probability 0. Clear one of them."
    )
    page.click("#clear-evidence")
    assert "No state is set" in page.locator("#answer").inner_text()


def test_setting_a_state_leaves_its_causes(show: Callable[..., Any], asia: FittedNetwork) -> None:
    page = show(result_of(asia.network), fitted=asia)
    page.check("#mode-set")
    set_state(page, "lung", "yes")
    assert page.locator("#answer").inner_text() == (
        "With lung set to yes: the variables that change most come first."
    )
    assert "50.0 %" in card(page, "smoke").inner_text(), "a cause stays"
    assert "100.0 %" in card(page, "either").inner_text(), "an effect changes"
    assert page.locator("#evidence").inner_text().startswith("lung set to yes")
    page.check("#mode-observe")
    set_state(page, "smoke", "no")
    assert (
        page.locator("#answer")
        .inner_text()
        .startswith("With lung set to yes, and given smoke = no, which has the probability 50.0 %")
    )
    set_state(page, "lung", "yes")  # now observed
    assert "probability 0.5 %" in page.locator("#answer").inner_text()
    assert page.locator("#evidence li").count() == 2
    page.click("#clear-evidence")
    assert "No state is set" in page.locator("#answer").inner_text()


def test_samples_of_interventions_agree_with_exact_answers(
    show: Callable[..., Any], asia: FittedNetwork
) -> None:
    fitted = random_fitted(random_dag(8, 3, seed=2))
    page = show(result_of(asia.network), fitted=asia)
    known, forced = {3: 1, 6: 0}, (3,)
    found = asked(page, fitted, known, forced, sampled=True)
    exact = asked(page, fitted, known, forced)
    assert found["logProbability"] == pytest.approx(exact["logProbability"], abs=0.1)
    for own, error, sure in zip(
        found["marginals"], found["errors"], exact["marginals"], strict=True
    ):
        assert own == pytest.approx(sure, abs=1e-9 + 5 * max(error))


def test_the_panel_shows_distribution_and_table(
    show: Callable[..., Any], asia: FittedNetwork
) -> None:
    page = show(result_of(asia.network), fitted=asia)
    page.fill("#find", "lung")
    details = page.locator("#details")
    assert "5.5 %" in details.locator(".states").inner_text()
    cells = details.locator("table.given tbody tr").evaluate_all("l => l.map((r) => r.innerText)")
    assert [row.split() for row in cells] == [
        ["yes", "10.0", "%", "90.0", "%"],
        ["no", "1.0", "%", "99.0", "%"],
    ]
    widths = details.locator("table.given .cell i").evaluate_all("l => l.map((b) => b.style.width)")
    assert [float(width[:-1]) for width in widths] == pytest.approx([10, 90, 1, 99], abs=1e-3)
    details.locator('.state:has-text("yes")').first.click()
    assert details.locator('.state[aria-pressed="true"]').count() == 1
    # The focus stays on the state, so that it can be cleared by the same key.
    assert page.evaluate("document.activeElement.ariaPressed") == "true"
    assert "Given lung = yes" in page.locator("#answer").inner_text()
    assert page.locator("#stage .fb-node.given text").text_content() == "lung"


def test_long_tables_are_cut(show: Callable[..., Any]) -> None:
    network = Network(tuple("abcdefg"), (*((),) * 6, tuple(range(6))))
    page = show(result_of(network), fitted=random_fitted(network))
    page.fill("#find", "g")
    assert page.locator("#details table.given tbody tr").count() == 200
    assert "and 529 rows more" in page.locator("#details").inner_text()


def dense(variables: int) -> FittedNetwork:
    """Return a network in which every variable has seven random parents among those before it."""
    rng = np.random.default_rng(0)
    parents = tuple(
        tuple(sorted(rng.choice(v, min(v, 7), replace=False).tolist())) for v in range(variables)
    )
    return random_fitted(Network(tuple(f"x{v}" for v in range(variables)), parents), states=2)


def test_a_dense_network_is_answered_by_sampling(show: Callable[..., Any]) -> None:
    fitted = dense(45)
    page = show(result_of(fitted.network), fitted=fitted)
    assert "estimated from random samples" in page.locator("#what-if .lead").inner_text()
    answer = page.locator("#answer")
    assert "estimated from 20,000 samples" in answer.inner_text()
    share, error = card(page, "x0").locator(".value").first.inner_text().strip(" %").split(" ± ")
    assert 0 < float(error) <= 0.7
    assert float(share) == pytest.approx(100 * fitted.tables[0][0], abs=2 * float(error))
    assert card(page, "x0").locator(".error:not([hidden])").count() == 2
    set_state(page, "x0", "s1")
    assert answer.inner_text().startswith("Given x0 = s1, which has about the probability ")
    assert card(page, "x0").locator(".value").all_inner_texts() == ["0.0 %", "100.0 %"]
    moved = page.evaluate("data.names.filter((_, v) => shiftOf(v) > 0)")
    assert set(moved) > {"x0", "x1"}, "descendants move"


def test_change_within_the_error_is_not_shown(show: Callable[..., Any]) -> None:
    # The last two variables are apart from the others, so they cannot move.
    joined, apart = dense(45).network, ("y0", "y1")
    network = Network((*joined.names, *apart), (*joined.parents, (), (45,)))
    page = show(result_of(network), fitted=random_fitted(network, states=2))
    for v in (44, 43, 42):
        page.evaluate("(v) => toggleState(v, 0)", v)
    page.fill("#what-if-filter", "y")
    assert "±" in card(page, "y1").inner_text()
    assert "moved" not in card(page, "y1").inner_text()
    assert "was" not in card(page, "y1").inner_text()


def test_samples_agree_with_python_within_their_errors(
    show: Callable[..., Any], asia: FittedNetwork
) -> None:
    fitted = random_fitted(random_dag(8, 3, seed=2))
    page = show(result_of(asia.network), fitted=asia)
    names, states = fitted.network.names, fitted.states
    for known in ({}, {7: 1}, {0: 2, 5: 0}):
        found = asked(page, fitted, known, sampled=True)
        assert found["effective"] > 500
        exact = asked(page, fitted, known)
        assert found["logProbability"] == pytest.approx(exact["logProbability"], abs=0.1)
        evidence = {names[v]: states[v][s] for v, s in known.items()}
        far: list[float] = []
        for name, distribution in fitted.marginals(evidence).items():
            v = fitted.network.index(name)
            sure = np.array(list(distribution.values()))
            far += (np.abs(found["marginals"][v] - sure) / found["errors"][v]).tolist()
        # The mean square of standard normal numbers is 1.
        assert max(far) < 5
        assert 0.3 < float(np.mean(np.square(far))) < 3
    impossible = {asia.network.index("lung"): 0, asia.network.index("either"): 1}
    assert asked(page, asia, impossible, sampled=True)["impossible"]


def test_states_stay_inert(show: Callable[..., Any]) -> None:
    network = Network(NASTY, ((), *((v,) for v in range(len(NASTY) - 1))))
    states = (NASTY[:6],) * len(NASTY)
    rng = np.random.default_rng(0)
    tables = tuple(rng.dirichlet(np.ones(6), size=(6,) * len(own)) for own in network.parents)
    page = show(result_of(network), fitted=FittedNetwork(network, states, tables))
    page.fill("#find", NASTY[1])
    page.locator("#details .state").first.click()
    assert NASTY[0] in page.locator("#answer").inner_text()
    assert page.locator("img").count() == 0
