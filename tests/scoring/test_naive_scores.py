"""The brute-force scores against numbers computed by hand, identities, pgmpy and pyAgrum."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from importlib import import_module
from itertools import permutations, product
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from naive_scores import count, local_score, multinomial_normalizer
from strategies import datasets
from tables import random_table

from forebear.data.dataset import Dataset


def table(*columns: list[int], arities: tuple[int, ...]) -> Dataset:
    return Dataset(
        codes=np.array(columns, dtype=np.uint8),
        names=tuple("ABCDEF"[: len(columns)]),
        states=tuple(tuple(f"s{k}" for k in range(arity)) for arity in arities),
    )


# The parent B and the child A of four rows: N(B=0) = (1, 1), N(B=1) = (0, 2).
TINY = table([0, 1, 1, 1], [0, 0, 1, 1], arities=(2, 2))
# The same with a third state of either variable, declared only.
TINY_UNSEEN = table([0, 1, 1, 1], [0, 0, 1, 1], arities=(3, 3))


BINARY = random_table([2, 2, 2, 2], 70, seed=1)
MIXED = random_table([3, 2, 4, 5], 90, seed=2)
# Twelve rows for up to 4 x 2 x 5 configurations: most of them do not occur.
SPARSE = random_table([3, 4, 2, 5], 12, seed=3)
TABLES = pytest.mark.parametrize(
    "dataset", [BINARY, MIXED, SPARSE], ids=["binary", "mixed", "sparse"]
)


def families(dataset: Dataset, max_parents: int = 3) -> list[tuple[int, tuple[int, ...]]]:
    return [
        (child, parents)
        for child in range(dataset.n_variables)
        for parents in naive.allowed_sets(dataset.n_variables, child, max_parents)
    ]


@pytest.mark.parametrize(
    ("score", "empty", "with_parent"),
    [
        # G(1)/G(5) * G(1.5)/G(.5) * G(3.5)/G(.5) = 1/24 * 1/2 * 15/8; then, at 1/2 and 1/4 a
        # cell, 4/3 * 1/16 for (1, 1) and 4/3 * 5/16 for (0, 2).
        ("bdeu", math.log(15 / 384), math.log(1 / 12) + math.log(5 / 12)),
        ("bds", math.log(15 / 384), math.log(1 / 12) + math.log(5 / 12)),
        # 1! 3! / 5!; then 1! 1! / 3! and 0! 2! / 3!.
        ("k2", math.log(1 / 20), math.log(1 / 6) + math.log(1 / 3)),
        ("ll", math.log(1 / 4) + 3 * math.log(3 / 4), -2 * math.log(2)),
        ("aic", math.log(27 / 256) - 1, -2 * math.log(2) - 2),
        ("bic", math.log(27 / 256) - math.log(2), -2 * math.log(2) - 2 * math.log(2)),
        # C(2, 4) = (256 + 4*27 + 6*16 + 4*27 + 256) / 256 = 103/32, C(2, 2) = 5/2.
        ("fnml", math.log(27 / 256) - math.log(103 / 32), math.log(1 / 4) - 2 * math.log(5 / 2)),
        # C(3, 4) = 103/32 + 4, C(4, 4) = C(3, 4) + 4/2 * C(2, 4) = 437/32; L(A, B) = 1/4^2 1/2^2.
        (
            "qnml",
            math.log(27 / 256) - math.log(103 / 32),
            math.log(1 / 64) - math.log(437 / 32) - (math.log(1 / 16) - math.log(103 / 32)),
        ),
        # MI is the gain of ll over N; the 0.999 quantile at one degree is 10.8276.
        ("mit", 0.0, 2 * (-2 * math.log(2) - math.log(27 / 256)) - 10.827566170662733),
    ],
)
def test_local_scores_by_hand(score: str, empty: float, with_parent: float) -> None:
    assert local_score(TINY, 0, (), score) == pytest.approx(empty, abs=1e-12)
    assert local_score(TINY, 0, (1,), score) == pytest.approx(with_parent, abs=1e-12)


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        # 1/3 a configuration and 1/9 a cell: (1/9)^2 / (1/3 * 4/3) and 1/9 * 10/9 / (1/3 * 4/3).
        ("bdeu", math.log(1 / 36) + math.log(10 / 36)),
        # 1/2 a configuration and 1/6 a cell: only two configurations occur.
        ("bds", math.log(1 / 27) + math.log(7 / 27)),
        ("k2", math.log(1 / 12) + math.log(1 / 6)),
        ("ll", -2 * math.log(2)),
        ("aic", -2 * math.log(2) - 6),
        ("bic", -2 * math.log(2) - 6 * math.log(2)),
        # C(3, 2) = 5/2 + 2.
        ("fnml", -2 * math.log(2) - 2 * math.log(9 / 2)),
        # C(3, 4) = 231/32, C(9, 4) = 3582/32; the likelihoods are 1/64 and 1/16.
        ("qnml", math.log(231 / (4 * 3582))),
        # Four degrees of freedom.
        ("mit", 2 * (-2 * math.log(2) - math.log(27 / 256)) - 18.466826952903173),
    ],
)
def test_declared_states_count_though_unseen(score: str, expected: float) -> None:
    assert local_score(TINY_UNSEEN, 0, (1,), score) == pytest.approx(expected, abs=1e-12)


def test_mit_penalizes_the_parent_of_most_states_first() -> None:
    # A binary child of 2 and 3 states: 2 degrees of freedom for the latter, then 1 * 1 * 3.
    dataset = table([0, 1] * 6, [0, 0, 1, 1] * 3, [0, 1, 2] * 4, arities=(2, 2, 3))
    information = local_score(dataset, 0, (1, 2), "mit", alpha=0.0)
    assert local_score(dataset, 0, (1, 2), "mit") == pytest.approx(
        information - (-2 * math.log(0.001)) - 16.26623619623813
    )


@pytest.mark.parametrize(("states", "rows"), [(2, 5), (3, 4), (4, 3), (5, 2), (3, 0), (1, 7)])
def test_multinomial_normalizer_sums_the_maximized_likelihood_of_every_sample(
    states: int, rows: int
) -> None:
    total = Fraction(0)
    for sample in product(range(states), repeat=rows):
        total += math.prod((Fraction(sample.count(state), rows) for state in sample), start=1)
    assert multinomial_normalizer(states, rows) == total


@pytest.mark.parametrize("score", ["bdeu", "qnml", "ll", "aic", "bic"])
@given(dataset=datasets(min_variables=3))
@settings(max_examples=20)
def test_equivalent_networks_have_the_same_score(score: str, dataset: Dataset) -> None:
    """All complete networks over three variables are equivalent."""
    totals = [
        local_score(dataset, a, (), score)
        + local_score(dataset, b, (a,), score)
        + local_score(dataset, c, (a, b), score)
        for a, b, c in permutations(range(3))
    ]
    assert totals == pytest.approx([totals[0]] * len(totals), rel=1e-11, abs=1e-9)


@given(dataset=datasets(min_variables=3))
@settings(max_examples=50)
def test_bds_is_bdeu_where_all_configurations_occur(dataset: Dataset) -> None:
    """One parent whose states are the configurations that occur leaves out all others."""
    pairs = list(zip(*dataset.codes[1:3].tolist(), strict=True))
    states = sorted(set(pairs))
    merged = table(
        dataset.codes[0].tolist(),
        [states.index(pair) for pair in pairs],
        arities=(int(dataset.arities[0]), len(states)),
    )
    bdeu = local_score(merged, 0, (1,), "bdeu")
    assert local_score(merged, 0, (1,), "bds") == bdeu
    assert local_score(dataset, 0, (1, 2), "bds") == pytest.approx(bdeu, rel=1e-12, abs=1e-12)


PGMPY_CLASSES = {"bdeu": "BDeu", "bds": "BDs", "k2": "K2", "bic": "BIC", "aic": "AIC"}
PGMPY_CLASSES["ll"] = "LogLikelihood"


def pgmpy_score(
    dataset: Dataset, child: int, parents: Sequence[int], score: str, **params: float
) -> float:
    """Return pgmpy's local score; ``ess`` is its equivalent_sample_size."""
    options = {"equivalent_sample_size": params["ess"]} if "ess" in params else {}
    scorer = getattr(import_module("pgmpy.structure_score"), PGMPY_CLASSES[score])(
        dataset.to_frame().to_pandas(),
        state_names={n: list(s) for n, s in zip(dataset.names, dataset.states, strict=True)},
        **options,
    )
    names = tuple(dataset.names[parent] for parent in parents)
    return float(scorer.local_score(dataset.names[child], names))


def pgmpy_is_exact(dataset: Dataset, child: int, parents: Sequence[int], score: str) -> bool:
    """Tell whether pgmpy 1.1 follows the definition for this family.

    Its table of counts has only the child's states and the configurations that
    occur, and not every score makes up for what is missing:

    - BDeu, BDs: a child's unseen state lacks its lgG(a/(rq)) once there are parents;
    - BDs: its prior cells are ess/(r q) where Scutari has ess/(r q~), the same
      only if all configurations occur;
    - K2: configurations that do not occur each add lgG(r), zero up to r = 2.
    """
    family = count(dataset, child, parents)
    all_states = len({state for _, state in family.cells}) == family.child_arity
    all_configurations = len(family.configurations) == family.n_configurations
    if score == "bdeu":
        return all_states or not parents
    if score == "bds":
        return (all_states or not parents) and all_configurations
    if score == "k2":
        return all_configurations or family.child_arity <= 2
    return True


@pytest.mark.filterwarnings("ignore")
@TABLES
@pytest.mark.parametrize("score", PGMPY_CLASSES)
def test_pgmpy_agrees(dataset: Dataset, score: str) -> None:
    pytest.importorskip("pgmpy")
    params = {"ess": 7.5} if score in ("bdeu", "bds") else {}
    compared = [f for f in families(dataset) if pgmpy_is_exact(dataset, *f, score)]
    assert len(compared) >= 6
    for child, parents in compared:
        theirs = pgmpy_score(dataset, child, parents, score, **params)
        ours = local_score(dataset, child, parents, score, **params)
        assert ours == pytest.approx(theirs, rel=1e-12)


def pyagrum_learner(dataset: Dataset, folder: Path) -> Any:
    """Return a learner that has the declared states, from a network without arcs."""
    pyagrum = pytest.importorskip("pyagrum")
    template = pyagrum.BayesNet()
    for name, states in zip(dataset.names, dataset.states, strict=True):
        template.add(pyagrum.LabelizedVariable(name, name, list(states)))
    path = folder / "table.csv"
    dataset.to_frame().write_csv(path)
    learner = pyagrum.BNLearner(str(path), template)
    learner.setNumberOfThreads(1)
    return learner


@pytest.mark.filterwarnings("ignore")
@TABLES
def test_pyagrum_agrees_on_fnml(dataset: Dataset, tmp_path: Path) -> None:
    """Its corrected mutual information contains the mean of two differences of fNML scores.

    pyAgrum rounds every normalizer to six decimals, in bits.
    """
    learner = pyagrum_learner(dataset, tmp_path)
    learner.useMIIC()
    learner.useNMLCorrection()
    for first, second, *others in [(0, 1), (2, 3), (0, 1, 2), (3, 2, 1), (0, 2, 1, 3)]:
        gains = [
            local_score(dataset, child, (parent, *others), "fnml")
            - local_score(dataset, child, others, "fnml")
            for child, parent in [(first, second), (second, first)]
        ]
        names = [dataset.names[v] for v in (first, second, *others)]
        bits = learner.correctedMutualInformation(*names[:2], names[2:])
        family = count(dataset, first, (second, *others))
        rounded = 2 * (len(family.cells) + len(family.configurations))
        assert sum(gains) / 2 == pytest.approx(
            bits * math.log(2) * dataset.n_rows, rel=0, abs=rounded * 1e-6 * math.log(2)
        )


@pytest.mark.filterwarnings("ignore")
@TABLES
def test_pyagrum_agrees_on_mit(dataset: Dataset, tmp_path: Path) -> None:
    """Without penalties (the quantiles of probability 0), MIT is the G2 statistic."""
    learner = pyagrum_learner(dataset, tmp_path)
    for child, parent in permutations(range(dataset.n_variables), 2):
        statistic, _ = learner.G2(dataset.names[child], dataset.names[parent], [])
        ours = local_score(dataset, child, (parent,), "mit", alpha=0.0)
        assert ours == pytest.approx(statistic, rel=1e-11)
