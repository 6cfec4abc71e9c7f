"""Invalid calls of learn() are rejected before any work, with a helpful message."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from forebear import Dataset, ForebearError, Knowledge, Target, learn, simulate


@pytest.fixture(scope="module")
def table() -> Dataset:
    return simulate(9, 400, max_parents=2, states=(2, 3), seed=5).data


@pytest.mark.parametrize(
    ("mistake", "sentence"),
    [
        ({"max_parents": -1}, "max_parents must be at least 0, got -1"),
        ({"max_parents": 16}, "max_parents must be at most 15, got 16"),
        ({"max_memory": 1000}, "leaves no memory for scoring"),
        ({"knowledge": Knowledge(required={"?": ["!"]})}, 'no variable is called "!"'),
    ],
)
def test_mistakes(table: Dataset, mistake: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ForebearError, match=re.escape(sentence)):
        learn(table, **{"generations": 1, **mistake})


@pytest.mark.parametrize(
    ("mistake", "sentence"),
    [
        ({"time_limit": 0}, "time_limit must be positive, got 0"),
        ({"time_limit": math.nan}, "time_limit must be a number, got nan"),
        ({"time_limit": math.inf}, "time_limit must be finite: omit it for no limit"),
        ({"time_limit": "5"}, "time_limit must be a number, got '5'"),
        ({"generations": 0}, "generations must be at least 1, got 0"),
        ({"generations": 2.5}, "generations must be a whole number, got 2.5"),
        ({"threads": 0}, "threads must be at least 1, got 0"),
        ({"threads": True}, "threads must be a whole number, got True"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
        ({"seed": "one"}, "seed must be a whole number, got 'one'"),
        ({"score": "bdue"}, "got 'bdue' (did you mean bdeu?)"),
        ({"score": 5}, "score must be one of bdeu, "),
        ({"max_memory": "much"}, "max_memory: 'much' is not an amount of memory"),
        ({"max_memory": []}, 'max_memory must be bytes or text such as "4GB", got []'),
        ({"certify": 1}, "certify must be True, False or a file, got 1"),
        ({"certify": "no/proof.cert"}, "no/proof.cert: cannot be written: there is no directory"),
        ({"watcher": print}, "watcher must be a Watcher, got "),
        ({"cache": 3}, "cache must be a folder, True or False, got 3"),
        ({"max_parents": "2"}, "max_parents must be a whole number, got '2'"),
        ({"max_parents": 2.0}, "max_parents must be a whole number, got 2.0"),
        ({"knowledge": 3}, "knowledge must be "),
        ({"read": {"missing": "drop"}}, "read must be a ReadOptions object, got dict"),
        ({"executor": 3}, "executor must have submit()"),
        ({"start": 3.5}, "start must be a Result, a Network or an order of all variables"),
        ({"algorithm": "exact", "generations": 3}, "leave out generations"),
        ({"algorithm": "exact", "generations": Target(0)}, "leave out generations"),
        ({"algorithm": "exact", "checkpoint": "a.state"}, "leave out checkpoint"),
    ],
)
def test_invalid_values_are_rejected_before_any_work(
    mistake: dict[str, Any], sentence: str
) -> None:
    """The table is not even looked for."""
    with pytest.raises(ForebearError, match=re.escape(sentence)):
        learn("there/is/no/such/table.csv", **mistake)


@pytest.mark.parametrize(
    ("given", "advice"),
    [
        ({"ess": 5}, "pass score=BDeu(ess=5)"),
        ({"alpha": 0.99}, "pass score=MIT(alpha=0.99)"),
        ({"max_indegree": 2}, "it is called max_parents"),
        ({"seconds": 2}, "it is called time_limit"),
        ({"n_jobs": 2}, "it is called threads"),
        ({"random_state": 2}, "it is called seed"),
        ({"required": [("a", "b")]}, "pass knowledge=Knowledge(required=[('a', 'b')])"),
        ({"blacklist": []}, "pass knowledge=Knowledge(forbidden=[])"),
        ({"samples": 3}, "pass algorithm=PSMINOBS(chains=3)"),
        ({"target": -5.0}, "pass generations=Target(-5.0)"),
        ({"no_improvement": 3}, "pass generations=NoImprovement(seconds=3)"),
        ({"method": "dynamic"}, "pass algorithm=Exact(method='dynamic')"),
        ({"missing": "drop"}, "pass read=ReadOptions(missing='drop')"),
        ({"drop": ["id"]}, "pass read=ReadOptions(drop=['id'])"),
        ({"schema": "a.toml"}, "pass read=ReadOptions.from_schema('a.toml')"),
        ({"time_limt": 2}, "did you mean time_limit?"),
        ({"blue": "sky"}, "it has data, score, prior, max_parents, "),
    ],
)
def test_unknown_parameters(table: Dataset, given: dict[str, Any], advice: str) -> None:
    (name,) = given
    expected = f"learn() has no parameter {name!r}: {advice}"
    with pytest.raises(ForebearError, match=re.escape(expected)):
        learn(table, **given)
    with pytest.raises(TypeError, match=re.escape(expected)):  # as Python itself would
        learn(table, **given)
