"""The same search on threads, processes and a Dask cluster; and workers that die."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from scoredsets import assert_identical
from waiting import PATIENCE
from watchers import AtFirst, Midway, Recorder

from forebear import (
    PSMINOBS,
    Dataset,
    ForebearError,
    ForebearWarning,
    ParentSets,
    Target,
    find_network,
    learn,
    resume_search,
    score_parent_sets,
    simulate,
)
from forebear._util.executors import worker_count

SPAWN = multiprocessing.get_context("spawn")
TWO_CHAINS: dict[str, Any] = {"algorithm": PSMINOBS(chains=2), "seed": 1, "certify": False}


@pytest.fixture(scope="module")
def data() -> Dataset:
    return simulate(20, 300, max_parents=3, states=(2, 3), seed=4).data


@pytest.fixture(scope="module")
def sets(data: Dataset) -> ParentSets:
    return score_parent_sets(data, max_parents=3, score="ll", max_sets_per_variable=300)


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, mp_context=SPAWN) as pool:
        yield pool


@pytest.fixture
def pool() -> Iterator[Executor]:
    """Threads start faster than processes and have the same interface."""
    with ThreadPoolExecutor(2) as threads:
        yield threads


@contextmanager
def dask_client() -> Iterator[Any]:
    """Start a cluster of two workers, and connect to it."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    settings = {"processes": True, "dashboard_address": None}
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, **settings) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def dask() -> Iterator[Any]:
    with dask_client() as client:
        yield client


def same_everywhere(executor: Any, data: Dataset, sets: ParentSets) -> None:
    settings: dict[str, Any] = {"generations": 12, "seed": 3, "algorithm": PSMINOBS(3, 0.4)}
    here = find_network(sets, **settings)
    there = find_network(sets, executor=executor, **settings)
    assert there.network == here.network
    assert there.score == here.score
    assert there.alternatives == here.alternatives
    assert there.generations == here.generations
    assert there.winner == here.winner
    assert there.lost == ()
    learnt = [learn(data, max_parents=2, executor=e, **settings) for e in (None, executor)]
    assert learnt[0].network == learnt[1].network
    one, other = (score_parent_sets(data, max_parents=3, executor=e) for e in (None, executor))
    assert_identical(one, other)
    assert one.provenance == other.provenance


@pytest.mark.parametrize("kind", ["pool", pytest.param("processes", marks=pytest.mark.slow)])
def test_threads_and_processes(
    kind: str, request: pytest.FixtureRequest, data: Dataset, sets: ParentSets
) -> None:
    same_everywhere(request.getfixturevalue(kind), data, sets)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_dask(dask: Any, data: Dataset, sets: ParentSets) -> None:
    same_everywhere(dask.get_executor(), data, sets)


@pytest.mark.slow
def test_without_a_limit_of_generations_all_workers_search(
    processes: Executor, sets: ParentSets
) -> None:
    heard = Recorder()
    result = find_network(
        sets, executor=processes, time_limit=1.0, seed=1, certify=False, watcher=heard
    )
    assert len(result.generations) == worker_count(processes) == 2
    assert result.stop_reason == "time"
    assert len(heard.improvements) == len(result.trace)


def test_a_target_or_a_watcher_ends_all(pool: Executor, sets: ParentSets) -> None:
    easy = Target(find_network(sets, generations=1, seed=1).score - 1.0)
    how: dict[str, Any] = {"executor": pool, "time_limit": PATIENCE, **TWO_CHAINS}
    assert find_network(sets, generations=easy, **how).stop_reason == "target"
    assert find_network(sets, watcher=AtFirst(), **how).stop_reason == "cancelled"


def test_checkpoints_of_a_search_elsewhere(
    pool: Executor, sets: ParentSets, tmp_path: Path
) -> None:
    settings: dict[str, Any] = {"seed": 3, "algorithm": PSMINOBS(2, 0.4), "generations": 10}
    whole = find_network(sets, **settings)
    state = tmp_path / "state"
    find_network(sets, executor=pool, checkpoint=state, **settings)
    assert resume_search(state).network == whole.network


@pytest.mark.slow
def test_a_killed_process_costs_little(sets: ParentSets) -> None:
    with ProcessPoolExecutor(2, mp_context=SPAWN) as pool:
        pool.submit(os.getpid).result()

        kill = AtFirst(lambda: os.kill(next(iter(pool._processes)), signal.SIGKILL))
        with pytest.warns(ForebearWarning) as warned:
            result = find_network(sets, executor=pool, time_limit=4.0, watcher=kill, **TWO_CHAINS)
    assert any("continues in this process" in str(w.message) for w in warned)
    assert result.network.n_variables == 20
    assert any("lost a slice" in loss for loss in result.lost)
    assert result.stop_reason == "time"


LONG: dict[str, Any] = {"max_parents": 5, "score": "ll", "max_sets_per_variable": 50}


@pytest.fixture(scope="module")
def scored(data: Dataset) -> ParentSets:
    return score_parent_sets(data, **LONG)


@pytest.mark.slow
def test_a_process_killed_while_scoring(data: Dataset, scored: ParentSets) -> None:
    with ProcessPoolExecutor(2, mp_context=SPAWN) as pool:
        kill = Midway(lambda: os.kill(next(iter(pool._processes)), signal.SIGKILL))
        with pytest.warns(ForebearWarning, match="scoring continues in this process"):
            sets = score_parent_sets(data, executor=pool, watcher=kill, **LONG)
    assert_identical(sets, scored)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_two_searches_on_one_cluster(dask: Any, sets: ParentSets) -> None:
    """They do not mix up their parent sets."""
    others = score_parent_sets(simulate(20, 300, seed=5).data, max_parents=2)
    settings: dict[str, Any] = {"generations": 4, "seed": 3, "algorithm": PSMINOBS(2, 0.4)}
    with ThreadPoolExecutor(2) as pool:
        found = [
            pool.submit(find_network, one, executor=dask.get_executor(), **settings)
            for one in (sets, others)
        ]
        there = [future.result().network for future in found]
    assert there == [find_network(one, **settings).network for one in (sets, others)]


class Lost:
    """What a Dask client returns for data that were lost with their workers."""

    status = "cancelled"


class Deserted(ThreadPoolExecutor):
    """A Dask client whose workers die as soon as something is sent to them."""

    def __init__(self) -> None:
        super().__init__(1)
        self._client = self
        self.sent = 0

    def nthreads(self) -> dict[str, int]:
        return {"the only worker": 1}

    def scatter(self, content: list[Any], **_: Any) -> list[Lost]:
        self.sent += 1
        if self.sent > 1:
            raise TimeoutError("No valid workers found")
        return [Lost() for _ in content]


@pytest.mark.filterwarnings("ignore::forebear.ForebearWarning")
def test_a_cluster_that_no_worker_is_left_of(data: Dataset, scored: ParentSets) -> None:
    with Deserted() as pool, pytest.warns(ForebearWarning, match="continues in this process"):
        there = score_parent_sets(data, executor=pool, **LONG)
    assert_identical(there, scored)
    # Sets that no other test has: the stand-in's worker is this process, which remembers them.
    sets = score_parent_sets(simulate(12, 300, seed=8).data, max_parents=2)
    settings: dict[str, Any] = {"generations": 4, "seed": 3, "algorithm": PSMINOBS(2, 0.4)}
    with Deserted() as pool, pytest.warns(ForebearWarning, match="continues in this process"):
        found = find_network(sets, executor=pool, **settings)
    assert found.network == find_network(sets, **settings).network
    assert any("No valid workers found" in loss for loss in found.lost)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_killed_dask_workers_cost_little(
    data: Dataset, sets: ParentSets, scored: ParentSets
) -> None:
    with dask_client() as client:
        killed: list[int] = []

        def kill(most: int) -> None:
            found = list(client.run(os.getpid).values())[:most]
            killed.extend(found)
            for worker in found:
                os.kill(worker, signal.SIGKILL)

        executor = client.get_executor()
        there = score_parent_sets(data, executor=executor, watcher=Midway(lambda: kill(1)), **LONG)
        client.wait_for_workers(2)
        # And the parent sets, which they had, with them.
        kill_all = AtFirst(lambda: kill(2), chains=2)
        result = find_network(
            sets, executor=executor, time_limit=8.0, watcher=kill_all, **TWO_CHAINS
        )
    assert len(set(killed)) == 3
    assert_identical(there, scored)
    assert result.network.n_variables == 20
    assert result.stop_reason == "time"
    assert len(result.generations) == 2


def _fails(*_: object) -> None:
    raise RuntimeError("this worker is of no use")


class Useless(ThreadPoolExecutor):
    """An executor that fails at every task."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        return super().submit(_fails, *args, **kwargs)


@pytest.mark.filterwarnings("ignore::forebear.ForebearWarning")
def test_what_fails_every_time_fails(sets: ParentSets, data: Dataset) -> None:
    with Useless(1) as pool:
        with pytest.raises(RuntimeError, match="of no use"):
            find_network(sets, executor=pool, generations=2, seed=1)
        with pytest.raises(RuntimeError, match="of no use"):
            score_parent_sets(data, executor=pool)


def test_what_is_no_executor(sets: ParentSets, data: Dataset) -> None:
    with pytest.raises(ForebearError, match=r"executor must have submit\(\)"):
        find_network(sets, executor="dask")
    with pytest.raises(ForebearError, match=r"executor must have submit\(\)"):
        score_parent_sets(data, executor=3)
    with pytest.raises(ForebearError, match="tabu cannot be resumed"):
        find_network(sets, algorithm="tabu", executor=ThreadPoolExecutor(1))


MPI = """
from mpi4py.futures import MPIPoolExecutor
from forebear import PSMINOBS, find_network, score_parent_sets, simulate

if __name__ == "__main__":
    sets = score_parent_sets(simulate(12, 300, seed=4).data, max_parents=2)
    settings = {"generations": 4, "seed": 3, "algorithm": PSMINOBS(2, 0.5)}
    here = find_network(sets, **settings)
    with MPIPoolExecutor(max_workers=2) as pool:
        there = find_network(sets, executor=pool, **settings)
    print(here.network == there.network, there.lost)
"""


@pytest.mark.slow
def test_mpi(tmp_path: Path) -> None:
    pytest.importorskip("mpi4py", reason="mpi4py is not installed")
    if (program := shutil.which("mpiexec", path=Path(sys.executable).parent)) is None:
        pytest.skip("there is no mpiexec beside Python")
    (tmp_path / "script.py").write_text(MPI)
    command = [program, "-n", "3", sys.executable, "-m", "mpi4py.futures", "script.py"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.strip() == "True ()"
