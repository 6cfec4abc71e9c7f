"""Every option reaches the Python function that it belongs to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from forebear import (
    MINOBS,
    MIT,
    PSMINOBS,
    AnyOf,
    BDeu,
    BDs,
    Exact,
    ForebearError,
    Knowledge,
    MaxGenerations,
    NoImprovement,
    ReadOptions,
    Target,
)
from forebear.cli import main

SEARCH: list[tuple[str, str, Any]] = [
    ("--algorithm tabu", "algorithm", "tabu"),
    ("--chains 3 --rate 0.5 --no-widen", "algorithm", PSMINOBS(chains=3, rate=0.5, widen=False)),
    ("--algorithm minobs --variant published", "algorithm", MINOBS(variant="published")),
    ("--algorithm exact --method dynamic", "algorithm", Exact(method="dynamic")),
    ("--generations 4", "generations", 4),
    ("--target -5", "generations", AnyOf(Target(-5.0))),
    (
        "--idle-limit 3 --generations 4",
        "generations",
        AnyOf(NoImprovement(seconds=3.0), MaxGenerations(4)),
    ),
    ("--threads 2", "threads", 2),
    ("--seed 7", "seed", 7),
    ("--start order.txt", "start", [1, 0]),
    ("--certify", "certify", True),
    ("--certificate proof.cert", "certify", Path("proof.cert")),
    ("--no-certify", "certify", False),
    ("--checkpoint state", "checkpoint", Path("state")),
    ("--required a->b", "knowledge", Knowledge(required=[("a", "b")])),
    ("--forbid a->b", "knowledge", Knowledge(forbidden=[("a", "b")])),
    ("--ancestor a->b", "knowledge", Knowledge(ancestors=[("a", "b")])),
    ("--not-ancestor a->b", "knowledge", Knowledge(not_ancestors=[("a", "b")])),
    ("--before a->b", "knowledge", Knowledge(before=[("a", "b")])),
    ("--adjacent a--b", "knowledge", Knowledge(adjacent=[("a", "b")])),
    ("--tiers tiers.txt", "knowledge", Knowledge(tiers=[["a"], ["b"]])),
    ("--knowledge dag.txt", "knowledge", Knowledge(forbidden=[("a", "b")])),
]
READ: list[tuple[str, str, Any]] = [
    (
        "--missing drop --discretize uniform --bins 4 --keep a --keep b --drop c --categorical a",
        "read",
        ReadOptions(
            missing="drop",
            discretize="uniform",
            bins=4,
            keep=["a", "b"],
            drop=["c"],
            categorical=["a"],
        ),
    ),
    ("--weights c --rows 5", "read", ReadOptions(weights="c", rows=5)),
    ("--ordered a=x,y --ordered b", "read", ReadOptions(ordered={"a": ["x", "y"], "b": None})),
    (
        "--continuous a --missing-tokens - --no-header --encoding latin1",
        "read",
        ReadOptions(continuous=["a"], missing_tokens=["-"], header=False, encoding="latin1"),
    ),
    (
        "--decimal-comma --comment # --sheet May",
        "read",
        ReadOptions(decimal_comma=True, comment="#", sheet="May"),
    ),
]
SCORE: list[tuple[str, str, Any]] = [
    ("--score bds --ess 3", "score", BDs(ess=3.0)),
    ("--ess auto", "score", BDeu(ess="auto")),
    ("--score mit --alpha 0.9", "score", MIT(alpha=0.9)),
    ("--max-parents 2", "max_parents", 2),
    ("--max-parents all", "max_parents", "all"),
    ("--max-memory 2GB", "max_memory", "2GB"),
    ("--threads 2", "threads", 2),
]
COMMANDS: dict[str, tuple[str, str, list[tuple[str, str, Any]]]] = {
    "learn table.csv": (
        "learn",
        "learn_network",
        [
            *SEARCH,
            *READ,
            *SCORE,
            ("--score auto", "score", "auto"),
            ("--holdout 0.2", "holdout", 0.2),
            ("--cache folder", "cache", Path("folder")),
            ("--no-cache", "cache", False),
        ],
    ),
    "search sets.jkl": ("search", "find_network", [*SEARCH, ("--seconds 9", "time_limit", 9.0)]),
    "score table.csv -o out.cps": (
        "score",
        "score_parent_sets",
        [
            *SCORE,
            ("--drop c", "read", ReadOptions(drop=["c"])),
            ("--time-limit 9", "time_limit", 9.0),
            ("--max-sets-per-variable 4", "max_sets_per_variable", 4),
            ("--max-candidates 5", "max_candidates", 5),
        ],
    ),
    "validate table.csv": (
        "validate",
        "validate_table",
        [
            ("--folds 3", "folds", 3),
            ("--max-parents 2", "max_parents", 2),
            ("--generations 4", "generations", 4),
            ("--time-limit 9", "time_limit", 9.0),
            ("--drop c", "read", ReadOptions(drop=["c"])),
        ],
    ),
    "bootstrap table.csv": (
        "bootstrap",
        "bootstrap_averages",
        [
            ("--replicates 3", "replicates", 3),
            ("--score bds --ess 3", "score", BDs(ess=3.0)),
            ("--seed 7", "seed", 7),
            ("--drop c", "read", ReadOptions(drop=["c"])),
        ],
    ),
    "posterior table.csv": (
        "posterior",
        "sample_posterior",
        [
            ("--prior uniform", "prior", "uniform"),
            ("--sweeps 9", "sweeps", 9),
            ("--chains 2", "chains", 2),
            ("--temperatures 2", "temperatures", 2),
            ("--margin 3", "margin", 3.0),
            ("--score bds --ess 3", "score", BDs(ess=3.0)),
            ("--ess auto", "score", BDeu(ess="auto")),
            ("--drop c", "read", ReadOptions(drop=["c"])),
        ],
    ),
}
CASES = [
    (command, module, function, *case)
    for command, (module, function, cases) in COMMANDS.items()
    for case in cases
]


def same(given: Any, expected: Any) -> bool:
    """Compare two values; of knowledge, the statements only, not their sources."""
    if isinstance(expected, Knowledge):
        return [one[:3] for one in given.statements] == [one[:3] for one in expected.statements]
    return bool(given == expected)


@pytest.mark.parametrize(
    ("command", "module", "function", "options", "name", "value"),
    CASES,
    ids=[f"{case[1]} {case[3]}" for case in CASES],
)
def test_an_option_reaches_the_function(
    command: str,
    module: str,
    function: str,
    options: str,
    name: str,
    value: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = {
        "table.csv": "a,b,c\n" + "0,1,0\n1,0,1\n" * 9,
        "sets.jkl": "2\na 1\n-1 0\nb 2\n-1 1 a\n-2 0\n",
        "order.txt": "1 0",
        "tiers.txt": "a\nb\n",
        "dag.txt": "~b<-a\n",
    }
    for file, text in texts.items():
        Path(file).write_text(text)
    calls: list[dict[str, Any]] = []

    def stand_in(_: Any, **given: Any) -> None:
        calls.append(given)
        raise ForebearError("called")

    monkeypatch.setattr(f"forebear.cli.{module}.{function}", stand_in)
    assert main([*command.split(), *options.split(), "-q"]) == 2
    assert same(calls[0][name], value)
