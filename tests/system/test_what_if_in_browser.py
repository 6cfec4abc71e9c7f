"""What-if answers of the report: the scripts agree with Python, and the page shows the answers."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from naive_inference import joint_table, networks_to_ask, posterior
from results import NASTY, random_dag, result_of

from forebear import FittedNetwork, Network
from forebear.result.report.questions import questions_about

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

pytestmark = pytest.mark.slow

EXACT = """([about, parents, evidence]) => {
  const model = decoded(about.embedded, parents);
  const answer = exactEngine(model, about.tree).query(evidence);
  return { ...answer, marginals: answer.marginals?.map((own) => [...own]) };
}"""

SAMPLED = """([about, parents, evidence, count]) => {
  const drawing = sampler(decoded(about.embedded, parents), evidence, 7);
  drawing.draw(count);
  const answer = drawing.answer();
  const plain = (list) => list?.map((own) => [...own]);
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
    page: Any, fitted: FittedNetwork, known: Mapping[int, int], script: str, *more: Any
) -> Any:
    """Let the scripts of a page answer a question about any network."""
    about = asdict(questions_about(result_of(fitted.network), fitted))
    del about["strengths"]
    evidence = [[v, state] for v, state in known.items()]
    return page.evaluate(script, [about, fitted.network.parents, evidence, *more])


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
        joint = joint_table(fitted)
        probability = float(posterior(joint, (), known))
        answer = asked(page, fitted, known, EXACT)
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


def test_samples_agree_within_their_errors(show: Callable[..., Any], asia: FittedNetwork) -> None:
    fitted = random_fitted(random_dag(8, 3, seed=2))
    page = show(result_of(asia.network), fitted=asia)
    for known in ({}, {7: 1}, {0: 2, 5: 0}):
        exact = asked(page, fitted, known, EXACT)
        found = asked(page, fitted, known, SAMPLED, 20_000)
        assert found["effective"] > 500
        assert found["logProbability"] == pytest.approx(exact["logProbability"], abs=0.1)
        far = [
            abs(p - q) / error
            for own, sure, errors in zip(
                found["marginals"], exact["marginals"], found["errors"], strict=True
            )
            for p, q, error in zip(own, sure, errors, strict=True)
            if error > 0
        ]
        # The mean square of standard normal numbers is 1.
        assert max(far) < 5
        assert 0.3 < float(np.mean(np.square(far))) < 3
    impossible = {asia.network.index("lung"): 0, asia.network.index("either"): 1}
    assert asked(page, asia, impossible, EXACT)["impossible"]
    assert asked(page, asia, impossible, SAMPLED, 1000)["impossible"]


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
        "This cannot happen: the network gives lung = yes and either = no together the "
        "probability 0. Clear one of them."
    )
    page.click("#clear-evidence")
    assert "No state is set" in page.locator("#answer").inner_text()


def test_the_panel_shows_distribution_and_table(
    show: Callable[..., Any], asia: FittedNetwork
) -> None:
    page = show(result_of(asia.network), fitted=asia)
    page.fill("#find", "lung")
    details = page.locator("#details")
    assert "5.5 %" in details.locator("#distribution").inner_text()
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


def test_long_tables_are_filtered_and_paged(show: Callable[..., Any]) -> None:
    network = Network(tuple("abcd"), ((), (), (), (0, 1, 2)))
    fitted = random_fitted(network)
    page = show(result_of(network), fitted=fitted)
    page.fill("#find", "d")
    rows = page.locator("#details table.given tbody tr")
    status = page.locator("#details .pager [role=status]")
    assert rows.count() == 8
    assert status.inner_text() == "Rows 1 to 8 of 27"
    page.click("#details .pager button:text-is('Next')")
    assert status.inner_text() == "Rows 9 to 16 of 27"
    page.select_option('#details select[data-parent="1"]', label="s2")
    assert status.inner_text() == "Rows 1 to 8 of 9"
    page.select_option('#details select[data-parent="0"]', label="s1")
    page.select_option('#details select[data-parent="2"]', label="s0")
    assert rows.count() == 1
    expected = [f"{100 * p:.1f} %" for p in fitted.tables[3][1, 2, 0]]
    assert rows.locator(".cell").all_inner_texts() == expected


def test_large_treewidth_is_sampled_with_error_bars(show: Callable[..., Any]) -> None:
    # Every variable has eight random parents among those before it.
    rng = np.random.default_rng(0)
    parents = [
        tuple(sorted(rng.choice(v, min(v, 7), replace=False).tolist())) if v else ()
        for v in range(45)
    ]
    fitted = random_fitted(Network(tuple(f"x{v}" for v in range(45)), tuple(parents)), states=2)
    page = show(result_of(fitted.network), fitted=fitted)
    assert page.evaluate("engine === null")
    assert "likelihood weighting" in page.locator("#what-if").inner_text()
    page.wait_for_function("() => !pending")
    assert page.locator("#cards .whisker:not([hidden])").count() > 0
    assert "±" in page.locator("#cards .card").first.inner_text()
    page.evaluate("toggleState(40, 1)")
    page.wait_for_function("() => !pending && evidence.size === 1")
    assert "has about the probability" in page.locator("#answer").inner_text()


def test_states_stay_inert(show: Callable[..., Any]) -> None:
    network = Network(NASTY, ((), *((v,) for v in range(len(NASTY) - 1))))
    states = (NASTY[:6],) * len(NASTY)
    rng = np.random.default_rng(0)
    tables = tuple(rng.dirichlet(np.ones(6), size=(6,) * len(own)) for own in network.parents)
    page = show(result_of(network), fitted=FittedNetwork(network, states, tables))
    page.fill("#find", NASTY[1])
    page.locator("#distribution .state").first.click()
    assert NASTY[0] in page.locator("#answer").inner_text()
    assert page.locator("img").count() == 0
