"""Forged checkpoints, and settings that would never end, are rejected."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fuzz_forge import seal_checkpoint

from forebear import (
    MINOBS,
    PSMINOBS,
    FileError,
    ParentSets,
    find_network,
    resume_search,
    score_parent_sets,
    simulate,
)
from forebear.cli import main

QUICK = PSMINOBS(chains=2, rate=0.5, minobs=MINOBS(population=4, crossovers=2, mutations=1))


@pytest.fixture(scope="module")
def sets() -> ParentSets:
    data = simulate(6, 200, states=(2, 2), seed=1).data
    return score_parent_sets(data, max_parents=2, score="ll")


def forge(path: Path, change: Any) -> None:
    head, body = map(json.loads, path.read_text().splitlines())
    change(body)
    path.write_bytes(seal_checkpoint(head, body))


CHANGES: dict[str, Any] = {
    "no sets": lambda c: c["recipe"]["parent_sets"].update(path=None),
    "a long name": lambda c: c["recipe"]["parent_sets"].update(path="x" * 5000),
    "settings": lambda c: c["recipe"].update(settings=[1]),
    "a target": lambda c: c["recipe"]["stop"].update(target="high"),
    "no number": lambda c: c["recipe"]["stop"].update(target=float("nan")),
    "generations": lambda c: c["recipe"]["stop"].update(generations="many"),
    "seconds": lambda c: c.update(seconds=float("nan")),
    "a chain": lambda c: c["chains"].pop(),
    "an order": lambda c: c["chains"][0]["best"]["order"].__setitem__(0, 2**40),
    "a score": lambda c: c["chains"][0]["best"].update(score=0.0),
    "ranks": lambda c: c["chains"][0]["best"].update(ranks=[0] * 6),
    "no best": lambda c: c["chains"][0].update(best=None),
    "when": lambda c: c["chains"][0].update(improved_at=["soon", 1]),
    "numbers": lambda c: c["chains"][0]["chain"]["population"]["random"].__setitem__(0, -1),
    "a rate": lambda c: c["chains"][1]["chain"].update(rate=10**400),
    "many": lambda c: c["recipe"]["settings"]["minobs"].update(population=10**12),
    "more": lambda c: c["recipe"]["settings"]["minobs"].update(mutation_power=float("inf")),
    "a short network": lambda c: c["chains"][0]["chain"].update(kept=[[0] * 5]),
    "sets that are none": lambda c: c["chains"][0]["chain"].update(kept=[[999] * 6]),
    "ranks below none": lambda c: c["chains"][0]["chain"].update(kept=[[-1] * 6]),
    "a cycle": lambda c: c["chains"][0]["chain"].update(kept=[[0] * 6]),
    "kept nothing": lambda c: c["chains"][0]["chain"].update(kept=None),
    "a trace": lambda c: c["trace"].append([1, "late", 2, 3]),
}


@pytest.fixture(scope="module")
def checkpoint(sets: ParentSets, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("search") / "state"
    find_network(sets, algorithm=QUICK, generations=3, seed=1, checkpoint=path)
    return path


@pytest.fixture
def state(checkpoint: Path, tmp_path: Path) -> Path:
    """A copy of a checkpoint that can be changed."""
    copy = checkpoint.with_name(tmp_path.name)  # beside the parent sets
    copy.write_bytes(checkpoint.read_bytes())
    return copy


@pytest.mark.parametrize("name", ["nothing", *CHANGES])
def test_forged_checkpoints(name: str, state: Path) -> None:
    forge(state, CHANGES.get(name, lambda content: None))
    if name == "nothing":  # it is the change, and not the forging
        resume_search(state, time_limit=0.01)
    else:
        with pytest.raises(FileError, match=f"{state.name}: "):
            resume_search(state, time_limit=0.01)


@pytest.mark.parametrize("end", [b"", b"\r\n", b"\n\n", b" \n"])
def test_the_last_byte_counts(end: bytes, state: Path) -> None:
    state.write_bytes(state.read_bytes().removesuffix(b"\n") + end)
    with pytest.raises(FileError, match="altered or truncated"):
        resume_search(state)


STARTED = {"data": "table.csv", "folder": ".", "generations": 1, "quiet": True}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"data": 3}, "not a checkpoint of forebear"),
        ({"folder": None}, "not a checkpoint of forebear"),
        ({"folder": "a\0b"}, "the folder of this run no longer exists"),
        ({"seed": "one"}, "invalid value for '--seed'"),
        ({"chains": [[2]]}, "invalid value for '--chains'"),
        ({"missing": "maybe"}, "'maybe' is not one of"),
        ({"report": "a\0b.html"}, "embedded null byte"),
        ({"context": {}}, "not a checkpoint of forebear"),
        ({"wings": 2}, "not a checkpoint of forebear"),
    ],
    ids=str,
)
def test_forged_runs(
    change: dict[str, Any],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    simulate(4, 100, seed=1).data.to_frame().write_csv("table.csv")
    for content, code in ((STARTED, 0), ({**STARTED, **change}, 2)):
        Path("state").write_bytes(seal_checkpoint({"format": "forebear run 1"}, content))
        assert main(["resume", "state"]) == code
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
