"""Posterior: what the draws say, against brute force; files; and what is refused."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import naive
import naive_averages
import numpy as np
import pytest
from hypothesis import given
from naive_posterior import arc_matrix, empty_ranks, network_probabilities, random_sets
from strategies import parent_set_collections
from waiting import PATIENCE

from forebear import (
    FileError,
    ForebearError,
    Knowledge,
    Network,
    Posterior,
    exact_posterior,
    score_parent_sets,
    simulate,
)
from forebear.knowledge.relations import Relations
from forebear.posterior.priors import with_prior
from forebear.posterior.reporting import rank_plot
from forebear.posterior.sampling import ChainSettings, run_chains, starts_of, translated
from forebear.posterior.tempering import adjusted, ladder

if TYPE_CHECKING:
    from pathlib import Path

    from forebear.parentsets.collection import ParentSets

SETTINGS = ChainSettings(chains=4, temperatures=1, threads=2, seed=1, seconds=None, sweeps=4000)


def drawn(n: int = 4, seed: int = 1, **changes: Any) -> Posterior:
    sets = random_sets(n, seed)
    settings = replace(SETTINGS, **changes)
    starts = np.array([empty_ranks(sets)] * settings.chains, dtype=np.int32)
    return run_chains(sets, starts, settings)


@pytest.fixture(scope="module")
def posterior() -> Posterior:
    return drawn()


def test_probabilities_are_near_the_exact_ones(posterior: Posterior) -> None:
    sets = random_sets(4, 1)
    exact = arc_matrix(sets, network_probabilities(sets)[0])
    for p in range(4):
        for v in range(4):
            assert posterior.arc(p, v) == pytest.approx(exact[p, v], abs=0.03)
    summed = exact_posterior(sets)
    np.testing.assert_allclose(summed.matrix(), exact, atol=1e-9)
    assert repr(summed).startswith(f"ExactPosterior of {sets.n_variables} variables\n  arcs: ")
    assert "<th>probability</th>" in summed._repr_html_()


@pytest.mark.parametrize("prior", ["uniform", "sparse"])
@given(parent_set_collections(max_variables=4, required_parents=True))
def test_exact_probabilities_where_variables_must_have_parents(
    prior: str, sets: ParentSets
) -> None:
    if naive.best_score(naive.as_lists(sets)) == -np.inf:
        with pytest.raises(ForebearError, match="there is no network of these parent sets"):
            exact_posterior(sets, prior=prior)
        return
    weighted = with_prior(sets, prior)
    shares, log_evidence = network_probabilities(weighted)
    found = exact_posterior(sets, prior=prior)
    np.testing.assert_allclose(found.matrix(), arc_matrix(weighted, shares), atol=1e-9)
    assert found.log_evidence == pytest.approx(log_evidence, abs=1e-9)
    places = [weighted.offsets[:-1] + np.array(ranks) for ranks in shares]
    own = np.zeros(len(sets))
    for place, share in zip(places, shares.values(), strict=True):
        own[place] += share
    np.testing.assert_allclose(found.sets, own, atol=1e-9)


def test_exact_probabilities_under_required_arcs() -> None:
    table = simulate(5, 100, seed=1).data
    sets = score_parent_sets(table, max_parents=2, knowledge=Knowledge(required=[("X1", "X2")]))
    assert exact_posterior(sets).arc("X1", "X2") == pytest.approx(1.0)


def test_features_are_shares_of_the_draws() -> None:
    posterior = drawn(sweeps=100)  # brute force is slow
    networks = list(posterior.networks())
    parents = [one.parents for one in networks]
    _, _, blankets = naive_averages.feature_probabilities(parents, [Fraction(1)] * len(parents))
    for (u, v), share in blankets.items():
        assert posterior.blanket(u, v) == pytest.approx(float(share))
    assert posterior.edge("X0", "X1") == posterior.arc(0, 1) + posterior.arc(1, 0)
    paths = Counter((u, v) for one in networks for u in range(4) for v in range(4)
                    if u != v and _leads(one, u, v))  # fmt: skip
    for u in range(4):
        for v in range(4):
            if u != v:
                assert posterior.ancestor(u, v) == pytest.approx(paths[u, v] / len(networks))
    mean = posterior.probability(lambda network: len(network.arcs))
    assert mean == pytest.approx(np.mean([len(one.arcs) for one in networks]))
    there = posterior.values(lambda network: (0, 1) in network.arcs)
    assert there.shape == (posterior.n_chains, posterior.n_draws)


def _leads(network: Network, u: int, v: int) -> bool:
    return any(u == p or _leads(network, u, p) for p in network.parents[v])


def test_networks_that_sum_it_up(posterior: Posterior) -> None:
    sets = random_sets(4, 1)
    best = max(network_probabilities(sets)[0].items(), key=lambda one: one[1])[0]
    expected = tuple(sets.at(v, rank + 1).parents for v, rank in enumerate(best))
    assert posterior.most_probable().parents == expected
    for p, v in posterior.median().arcs:
        assert posterior.arc(p, v) > 0.5
    for p, v in posterior.consensus(0.7).arcs:
        assert posterior.edge(p, v) >= 0.7


def test_median_networks_have_no_cycles() -> None:
    cycle = {(0, 1): 0.6, (1, 2): 0.6, (2, 0): 0.55}
    made = drawn(3)
    assert Posterior(made.names, made.families, made.draws, made.scores, cycle).median().arcs == (
        (0, 1), (1, 2)
    )  # fmt: skip


def test_the_frame(posterior: Posterior) -> None:
    frame = posterior.to_frame()
    assert frame.columns == ["parent", "child", "probability", "either_direction", "rhat", "ess"]
    assert frame["probability"].is_sorted(descending=True)
    assert set(posterior.diagnostics.arc_rhat) <= set(posterior.arcs)


def test_chains_that_agree_and_chains_that_do_not(posterior: Posterior) -> None:
    assert posterior.converged
    assert posterior.digits == 3
    assert "converged: yes" in repr(posterior)
    short = drawn(sweeps=12)
    assert not short.converged
    assert short.digits == 1
    assert "converged: no" in repr(short)
    alone = drawn(chains=1)
    assert alone.diagnostics.reason == "one chain alone cannot tell"
    scores = posterior.scores.copy()
    scores[0] += 50.0
    apart = replace(posterior, scores=scores)
    assert "the chains differ in their scores" in apart.diagnostics.reason


def test_the_same_seed_gives_the_same_draws() -> None:
    first, second = drawn(sweeps=300, threads=1), drawn(sweeps=300, threads=2)
    assert first.draws.tolist() == second.draws.tolist()
    assert first.arcs == second.arcs
    assert drawn(sweeps=300, seed=2).draws.tolist() != first.draws.tolist()


def test_a_time_limit_is_kept() -> None:
    timed = drawn(sweeps=None, seconds=0.5, temperatures=2)
    assert timed.about["seconds"] < PATIENCE
    assert timed.n_draws > 10
    assert timed.about["stop_reason"] == "time"


def test_ctrl_c_keeps_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    from forebear.posterior import sampling

    monkeypatch.setattr(sampling, "_BLOCK_SECONDS", 1e-9)
    usual, calls = sampling._Run._advance, []

    def stop(self: Any, sweeps: int | None, seconds: float | None = None) -> None:
        usual(self, 50, seconds)
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(sampling._Run, "_advance", stop)
    found = drawn()
    assert found.about["stop_reason"] == "interrupted"
    assert found.n_draws == 50
    assert not found.converged
    assert found.diagnostics.reason == "it was interrupted during the warm-up"


def test_many_sweeps_are_thinned() -> None:
    made = drawn(sweeps=50_000)
    assert made.n_draws <= 4000 + 1
    assert made.about["sweeps"] == made.about["thin"] * made.n_draws


def test_temperatures() -> None:
    assert ladder(1, 10) == [1.0]
    assert ladder(3, 4) == [1.0, 0.5, 0.25]
    assert ladder(2, 400)[1] == pytest.approx(0.9)


def test_temperatures_are_adjusted() -> None:
    betas = [1.0, 0.6, 0.36]
    wide = adjusted(betas, np.array([[1000, 700], [1000, 50]]))
    assert wide[0] == 1.0
    assert wide[1] < 0.6  # exchanges succeeded too often: further apart
    assert wide[2] / wide[1] > 0.6  # and too seldom: nearer
    same = adjusted(betas, np.array([[10_000, 3000]] * 2))
    assert same == pytest.approx(betas, abs=1e-3)
    assert adjusted(betas, np.array([[5, 5], [0, 0]])) == pytest.approx(betas)  # too few
    hot = adjusted([0.9**k for k in range(40)], np.array([[100, 100]] * 39))
    assert all(a > b > 0.0 for a, b in itertools.pairwise(hot))


RELATIONS = [
    Relations(before=((0, 1), (1, 2))),
    Relations(ancestors=((2, 0),)),
    Relations(not_ancestors=((0, 3), (3, 1))),
    Relations(adjacent=((1, 3),), not_ancestors=((1, 0),)),
    Relations(before=((3, 2),), ancestors=((0, 2),), adjacent=((0, 3),)),
]


@pytest.mark.parametrize("said", RELATIONS)
@pytest.mark.parametrize("temperatures", [1, 3])
def test_relations_hold_in_every_draw(said: Relations, temperatures: int) -> None:
    sets = random_sets(4, 3)
    shares = {
        ranks: share
        for ranks, share in network_probabilities(sets)[0].items()
        if said.holds([sets.at(v, rank + 1).parents for v, rank in enumerate(ranks)])
    }
    total = sum(shares.values())
    exact = arc_matrix(sets, {ranks: share / total for ranks, share in shares.items()})
    start = min(shares)
    settings = replace(SETTINGS, temperatures=temperatures, sweeps=20_000)
    found = run_chains(
        sets,
        np.array([start] * 4, dtype=np.int32),
        settings,
        relations=[
            list(one) for one in (said.before, said.ancestors, said.not_ancestors, said.adjacent)
        ],
    )
    assert all(said.holds(one.parents) for one in found.networks())
    for p in range(4):
        for v in range(4):
            assert found.arc(p, v) == pytest.approx(exact[p, v], abs=0.03)


def test_starts() -> None:
    sets = random_sets(4, 1)
    empty, arc = ((), (), (), ()), ((), (0,), (), ())
    assert sets.find(1, (0,)) is not None
    both = starts_of(sets, [empty, arc], 2)
    assert both[0].tolist() == empty_ranks(sets)
    assert both[1].tolist() != both[0].tolist()
    only = starts_of(sets, [empty, arc], 2, lambda parents: 0 in parents[1])
    assert only.tolist() == [both[1].tolist()] * 2
    with pytest.raises(ForebearError, match="no network that was found satisfies"):
        starts_of(sets, [empty], 2, lambda _: False)


def test_networks_are_carried_over_to_more_sets() -> None:
    whole = random_sets(4, 1, share=1.0)
    some = random_sets(4, 1, share=0.5)
    ranks = np.array([[one % sets for one, sets in zip((5, 6, 0, 7), some.counts, strict=True)]])
    after = translated(ranks.astype(np.int32), some, whole)
    for v in range(4):
        same = some.at(v, int(ranks[0, v]) + 1).parents
        assert whole.at(v, int(after[0, v]) + 1).parents == same


def test_files(posterior: Posterior, tmp_path: Path) -> None:
    posterior.save(tmp_path / "draws.npz")
    again = Posterior.load(tmp_path / "draws.npz")
    assert again.names == posterior.names
    assert again.families == posterior.families
    assert again.arcs == posterior.arcs
    assert again.about == posterior.about
    np.testing.assert_array_equal(again.draws, posterior.draws)
    np.testing.assert_array_equal(again.scores, posterior.scores)
    with pytest.raises(ForebearError, match="have no report"):
        again.report(tmp_path / "page.html")


def test_damaged_files(posterior: Posterior, tmp_path: Path) -> None:
    path = tmp_path / "draws.npz"
    with pytest.raises(FileError, match="there is no such file"):
        Posterior.load(path)
    with pytest.raises(FileError, match=r"draws are written to \.npz files"):
        posterior.save(tmp_path / "draws.txt")
    path.write_bytes(b"nothing")
    with pytest.raises(FileError, match="this is no file of draws, or it is damaged"):
        Posterior.load(path)
    posterior.save(path)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(FileError, match="this is no file of draws, or it is damaged"):
        Posterior.load(path)
    for name, wrong in (
        ("draws", posterior.draws + 1000),
        ("scores", posterior.scores * np.nan),
        ("members", np.array([99])),
        ("probabilities", np.array([2.0])),
    ):
        with np.load(_saved(posterior, path)) as file:
            arrays = dict(file)
        np.savez(path, **{**arrays, name: wrong})
        with pytest.raises(FileError, match="this is no file of draws, or it is damaged"):
            Posterior.load(path)


def _saved(posterior: Posterior, path: Path) -> Path:
    posterior.save(path)
    return path


def test_arviz(posterior: Posterior) -> None:
    pytest.importorskip("arviz")
    data = posterior.to_arviz()
    assert data.posterior["score"].shape == posterior.scores.shape
    assert data.posterior["arc"].shape[:2] == posterior.scores.shape


def test_without_arviz(posterior: Posterior, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "arviz", None)
    with pytest.raises(ForebearError, match="needs the package arviz"):
        posterior.to_arviz()


def test_ties_do_not_bend_a_rank_plot() -> None:
    rng = np.random.default_rng(1)
    plot = rank_plot(rng.integers(0, 2, (2, 4000)).astype(float))
    heights = [float(tall) for tall in re.findall(r'height="([\d.]+)" fill', plot)]
    assert len(heights) == 40
    assert min(heights) > 0.7 * max(heights)
