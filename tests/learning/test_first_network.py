"""The first network: found before all sets are scored, and kept whatever happens then."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from forebear import (
    Dataset,
    ForebearWarning,
    Knowledge,
    NoImprovement,
    ParentSets,
    Result,
    Target,
    Watcher,
    learn,
    sample_posterior,
    score_network,
    score_parent_sets,
    simulate,
)
from forebear._util.errors import LimitError, Parameter, TimeLimitError
from forebear.learning import scored as scored_module
from forebear.learning import steps
from forebear.learning.completing import is_cheap
from forebear.learning.first_network import FirstNetwork
from forebear.learning.searching import _not_below
from forebear.learning.steps import get_parent_sets, is_quick
from forebear.scoring.job import make_job

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from forebear.learning.plan import Plan
    from forebear.learning.start import StartNetwork
    from forebear.search.trace import Improvement

# 97,140 families of up to six parents: too many to be scored in a moment.
TABLE = simulate(15, 5_000, states=(2, 3), max_parents=4, seed=11).data
TIMED: dict[str, Any] = {"time_limit": 60.0, "seed": 1, "threads": 1, "cache": False}
EVENTS = ("planned", "scored", "searching", "improved")


class Events(Watcher):
    """Notes the order of events; ``interrupt`` says when the user presses Ctrl-C."""

    def __init__(self, interrupt: str = "") -> None:
        self.heard: list[str] = []
        self.scores: list[float] = []
        self._interrupt = interrupt
        self.act: Callable[[], object] = lambda: None  # when a network is found

    def _note(self, event: str) -> None:
        self.heard.append(event)
        if event == self._interrupt:
            raise KeyboardInterrupt

    def planned(self, plan: Plan) -> None:
        self._note("planned")

    def scoring(self, fraction: float) -> None:
        self._note("scoring")

    def scored(self, parent_sets: ParentSets, seconds: float, cached: Path | None) -> None:
        self._note("scored")

    def searching(self, seconds: float | None) -> None:
        self._note("searching")

    def improved(self, improvement: Improvement) -> None:
        self.scores.append(improvement.score)
        self._note("improved")
        self.act()

    @property
    def order(self) -> list[str]:
        """The events, each once, in the order of their first occurrence."""
        return [event for event in dict.fromkeys(self.heard) if event in EVENTS]


def test_the_table_is_not_scored_at_once() -> None:
    assert not is_quick(make_job(TABLE, max_parents=6))


@pytest.mark.parametrize("algorithm", ["ps-minobs", "minobs", "exact"])
def test_the_first_network_comes_before_the_sets(algorithm: str) -> None:
    events = Events()
    result = learn(TABLE, algorithm=algorithm, watcher=events, **TIMED)
    assert events.order == ["improved", "planned", "scored", "searching"]
    assert result.status == "optimal"
    assert result.algorithm == algorithm
    assert events.scores[0] <= result.score


def test_the_network_and_its_proof_are_those_of_all_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    result = learn(TABLE, **TIMED)
    monkeypatch.setattr(scored_module, "is_quick", lambda job: True)
    without = learn(TABLE, **TIMED)
    assert (result.score, result.bound, result.covers) == (
        without.score,
        without.bound,
        without.covers,
    )


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"algorithm": "hill-climbing"}, "the user gets what was asked for"),
        ({"knowledge": Knowledge(ancestors=[(0, 1)])}, "orders cannot enforce it"),
    ],
)
def test_no_first_network(settings: dict[str, Any], reason: str) -> None:
    events = Events()
    learn(TABLE, generations=2, seed=1, max_parents=5, cache=False, watcher=events, **settings)
    assert events.order[:2] == ["planned", "scored"], reason


def test_few_families_are_scored_at_once() -> None:
    events = Events()
    learn(TABLE, max_parents=2, watcher=events, **TIMED)
    assert events.order[:2] == ["planned", "scored"]


def test_the_trace_counts_from_the_first_search() -> None:
    events = Events()
    result = learn(TABLE, watcher=events, **TIMED)
    assert [step.score for step in result.trace] == events.scores
    seconds = [step.seconds for step in result.trace]
    assert seconds == sorted(seconds)
    assert seconds[-1] <= result.seconds
    # Between the first search and the last one all sets were scored.
    sets = score_parent_sets(TABLE, max_parents=2)
    both, _ = _not_below(None, result, sets, FirstNetwork(result, sets, begun=2.0), begun=10.0)
    later = [at + 8.0 for at in seconds]
    assert [step.seconds for step in both.trace] == [*seconds, *later]


@pytest.mark.parametrize(
    ("algorithm", "limit"),
    [("ps-minobs", {}), ("ps-minobs", {"generations": 3, "time_limit": None}), ("exact", {})],
)
def test_interrupted_while_scoring(algorithm: str, limit: dict[str, Any]) -> None:
    events = Events("scoring")
    with pytest.warns(ForebearWarning, match="interrupted: the result is the best network so far"):
        result = learn(TABLE, algorithm=algorithm, watcher=events, **{**TIMED, **limit})
    assert result.stop_reason == "interrupted"
    assert "scored" not in events.heard
    assert result.score == max(events.scores)
    assert result.score == pytest.approx(score_network(result.network, TABLE), rel=1e-9)
    # What it covers: the small sets, and what these have grown to.
    assert result.provenance["max_parents_of_all"] == 2
    assert "all with up to 2 parents were scored, and some with up to" in result.covers
    assert result.bound is None
    assert result.algorithm == "ps-minobs"


@pytest.mark.filterwarnings("ignore:interrupted:forebear.ForebearWarning")
def test_interrupted_while_sets_are_completed(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*given: Any, **more: Any) -> ParentSets:
        raise KeyboardInterrupt

    monkeypatch.setattr(scored_module, "is_cheap", lambda job: False)
    monkeypatch.setattr(scored_module, "larger_by_limits", interrupt)
    events = Events()
    result = learn(TABLE, score="bic", watcher=events, **TIMED)
    assert result.stop_reason == "interrupted"
    assert result.score == max(events.scores)


def test_interrupted_before_there_is_a_network() -> None:
    with pytest.raises(KeyboardInterrupt):
        learn(TABLE, algorithm="obs", watcher=Events("scoring"), **TIMED)


@pytest.mark.filterwarnings("ignore:interrupted:forebear.ForebearWarning")
def test_interrupted_in_the_first_search() -> None:
    events = Events()
    events.act = lambda: os.kill(os.getpid(), signal.SIGINT)
    result = learn(TABLE, watcher=events, **TIMED)
    assert result.stop_reason == "interrupted"
    assert "planned" not in events.heard


def test_a_target_that_small_sets_reach() -> None:
    events = Events()
    known = learn(TABLE, max_parents=1, generations=3, seed=1)
    result = learn(TABLE, stop=Target(known.score), watcher=events, **TIMED)
    assert result.stop_reason == "target"
    assert result.score >= known.score
    assert "scored" not in events.heard


def failing(error: LimitError) -> Callable[..., Any]:
    """Scoring that fails for more than two parents."""

    def get(plan: Plan, *given: Any, **named: Any) -> ParentSets:
        if plan.job.max_parents > 2:
            raise error
        return get_parent_sets(plan, *given, **named)

    return get


@pytest.mark.parametrize("most", [None, 5])
@pytest.mark.parametrize("error", [TimeLimitError("slow"), LimitError("too large")])
def test_sets_that_take_too_long_grow_instead(
    most: int | None, error: LimitError, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scored_module, "get_parent_sets", failing(error))
    events = Events()
    limits = {**TIMED, "stop": NoImprovement(generations=5)}
    result = learn(TABLE, max_parents=most, certify=False, watcher=events, **limits)
    assert result.provenance["max_parents_of_all"] >= 2
    assert result.score >= max(events.scores[:1])
    assert max(map(len, result.network.parents)) <= (most or 14)


def test_exact_search_that_has_no_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that were asked for cannot be scored in time: there is a first network."""
    monkeypatch.setattr(steps, "get_parent_sets", failing(TimeLimitError("slow")))
    result = learn(TABLE, algorithm="exact", max_parents=5, **TIMED)
    assert result.stop_reason == "time"
    assert "all with up to 2 parents were scored" in result.covers


def test_too_much_memory_is_refused_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    large = LimitError("too large: lower ", Parameter("max_parents"))
    monkeypatch.setattr(steps, "get_parent_sets", failing(large))
    with pytest.raises(LimitError, match="too large: lower max_parents"):
        learn(TABLE, algorithm="exact", max_parents=5, **TIMED)


def test_generations_do_not_depend_on_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where sets are cached there is no first network, so that no search may start from one."""

    def once() -> Result:
        return learn(TABLE, generations=1, seed=4, max_parents=5, certify=False, cache=tmp_path)

    first, again = once(), once()
    assert first.network == again.network
    assert first.order == again.order
    monkeypatch.setattr(scored_module, "is_quick", lambda job: True)
    assert once().order == first.order


def test_the_same_on_any_number_of_threads() -> None:
    def scores(threads: int) -> list[float]:
        events = Events()
        learn(TABLE, generations=2, seed=4, threads=threads, cache=False, watcher=events)
        return events.scores

    assert scores(1) == scores(2)


@pytest.mark.filterwarnings("ignore:interrupted:forebear.ForebearWarning")
def test_knowledge_about_orders_holds() -> None:
    """Orders, arcs and limits of single variables hold for the first network, too."""
    free = learn(TABLE, max_parents=2, generations=5, seed=1).network
    a, b = free.arcs[0]
    names = TABLE.names
    knowledge = Knowledge(
        before=[(names[b], names[a])],
        forbidden=[(names[free.arcs[1][0]], names[free.arcs[1][1]])],
        max_parents={names[free.arcs[2][1]]: 1},
    )
    result = learn(TABLE, knowledge=knowledge, watcher=Events("scoring"), **TIMED)
    assert result.stop_reason == "interrupted"
    assert not knowledge.violations(result)


@pytest.mark.filterwarnings("ignore:interrupted:forebear.ForebearWarning")
def test_sets_of_the_first_network_are_saved(tmp_path: Path) -> None:
    path = tmp_path / "sets.cps"
    result = learn(TABLE, save_sets=path, watcher=Events("scoring"), **TIMED)
    saved = ParentSets.load(path)
    assert result.over(saved).score == result.score


def test_a_posterior_that_is_interrupted_has_no_draws() -> None:
    with pytest.raises(KeyboardInterrupt):
        sample_posterior(TABLE, sweeps=10, seed=1, threads=1, watcher=Events("scoring"))


def test_a_search_that_finds_less_ends_with_the_first_network(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The best score is known, but there is no time to find its network."""
    found: list[FirstNetwork] = []
    as_start = FirstNetwork.as_start

    def note(self: FirstNetwork) -> StartNetwork:
        found.append(self)
        return as_start(self)

    monkeypatch.setattr(FirstNetwork, "as_start", note)
    learn(TABLE, **TIMED)
    (first,) = found
    sets = score_parent_sets(TABLE, max_parents=2)
    worse = Result.of_order(
        sets, first.result.order[::-1], **{**first.result._about(), "stop_reason": "time"}
    )
    for few in (sets, score_parent_sets(TABLE, max_parents=1)):  # they lack sets of the network
        kept, over = first.as_start().unless_better(worse.over(few), few)
        assert worse.score < kept.score == pytest.approx(first.result.score)
        assert kept.stop_reason == "time"
        assert all(over.find(v, own) for v, own in enumerate(kept.network.parents))
        assert first.as_start().unless_better(kept, over)[0] is kept


def test_sets_of_any_size_that_take_too_long_leave_the_first_network(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def late(*_: object, **__: object) -> ParentSets:
        raise TimeLimitError("late")

    monkeypatch.setattr(steps, "all_sets", late)
    result = learn(TABLE, max_parents="all", **TIMED)
    assert result.stop_reason == "time"
    assert any(result.network.parents)
    assert result.covers.endswith("(the time limit ended the scoring of larger sets)")


@pytest.mark.parametrize("algorithm", ["ps-minobs", "exact", "obs"])
def test_a_smaller_claim_names_the_time_limit(
    monkeypatch: pytest.MonkeyPatch, algorithm: str
) -> None:
    def late(*_: object, **__: object) -> ParentSets:
        raise TimeLimitError("late")

    whole = learn(TABLE, algorithm=algorithm, **TIMED)
    assert whole.covers == "among all networks"
    monkeypatch.setattr(steps, "all_sets", late)
    ends: dict[str, Any] = {} if algorithm == "exact" else {"stop": NoImprovement(generations=5)}
    result = learn(TABLE, algorithm=algorithm, **TIMED, **ends)
    assert result.covers.endswith("(the time limit ended the scoring of larger sets)")


@pytest.mark.parametrize(
    ("n_variables", "n_rows", "cheap"),
    [(13, 2**20, True), (14, 2**16, True), (14, 2**17, False), (19, 2**11, True)],
)
def test_whether_all_sets_are_scored_is_a_matter_of_counts(
    n_variables: int, n_rows: int, cheap: bool
) -> None:
    codes = np.zeros((n_variables, n_rows), dtype=np.uint8)
    codes[:, 0] = 1
    names = tuple(f"v{v}" for v in range(n_variables))
    job = make_job(Dataset(codes, names, (("no", "yes"),) * n_variables), max_parents=2)
    assert is_cheap(job) is cheap


def wide() -> Dataset:
    """Return 12 variables, of which the last is the majority of nine others."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (12, 4_000), dtype=np.uint8)
    codes[11] = codes[:9].sum(axis=0) >= 5
    return Dataset(codes, tuple(f"v{v}" for v in range(12)), (("no", "yes"),) * 12)


@pytest.mark.parametrize(("most", "may"), [(4, True), (9, True), (10, False), (11, False)])
def test_whether_larger_sets_may_pay(most: int, may: bool) -> None:
    sets = score_parent_sets(wide(), max_parents=most)
    assert scored_module.larger_sets_may_pay(sets) is may
    complete = replace(sets, provenance={**sets.provenance, "complete": True})
    assert not scored_module.larger_sets_may_pay(complete)


def test_the_search_goes_beyond_the_largest_sets_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scored_module, "preferred_max_parents", lambda n: 4)
    monkeypatch.setattr(scored_module, "is_quick", lambda job: False)
    monkeypatch.setattr(scored_module, "is_cheap", lambda job: False)
    table = wide()
    result = learn(table, **TIMED)
    assert max(map(len, result.network.parents)) >= 9
    limited = learn(table, max_parents=4, generations=3, seed=1)
    assert result.score > limited.score
    assert result.score == pytest.approx(score_network(result.network, table), rel=1e-9)
