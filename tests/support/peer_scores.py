"""Local scores by other libraries, put on the same footing as ours: nats, declared states.

Each function says where its library departs from the definitions, because
that decides which families can be compared at all.
"""

from __future__ import annotations

import math
import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from naive_scores import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.data.dataset import Dataset

# The libraries are looked up by name, since not all of them have types.
Frame: TypeAlias = Any
Learner: TypeAlias = Any

PGMPY_CLASSES = {
    "bdeu": "BDeu",
    "bds": "BDs",
    "k2": "K2",
    "bic": "BIC",
    "aic": "AIC",
    "ll": "LogLikelihood",
}


def _frame(dataset: Dataset) -> Frame:
    pd = import_module("pandas")
    return pd.DataFrame(
        {
            name: pd.Categorical.from_codes(dataset.codes[v], categories=dataset.states[v])
            for v, name in enumerate(dataset.names)
        }
    )


def pgmpy_score(
    dataset: Dataset, child: int, parents: Sequence[int], score: str, **params: float
) -> float:
    """Return pgmpy's local score; ``ess`` is its equivalent_sample_size."""
    options = {"equivalent_sample_size": params["ess"]} if "ess" in params else {}
    scorer = getattr(import_module("pgmpy.structure_score"), PGMPY_CLASSES[score])(
        _frame(dataset),
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


def _pyagrum_learner(dataset: Dataset) -> Learner:
    """Build a learner that knows the declared states, through a network without arcs."""
    pyagrum = import_module("pyagrum")
    template = pyagrum.BayesNet()
    for name, states in zip(dataset.names, dataset.states, strict=True):
        template.add(pyagrum.LabelizedVariable(name, name, list(states)))
    # From a file: of a frame it would make one itself, and leave it behind.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        _frame(dataset).astype(str).to_csv(path, index=False)
        learner = pyagrum.BNLearner(str(path), template)
    learner.setNumberOfThreads(1)
    return learner


def pyagrum_tolerance(dataset: Dataset, child: int, parents: Sequence[int]) -> float:
    """Bound pyAgrum's rounding of one score with log-gammas or NML normalisers, in nats.

    It reads both from tables of six decimals, in bits, or beyond them from
    series as good as that, so each of a family's look-ups is off by less than
    1e-6 bits. For log-gammas this holds at multiples of 0.01 only: up to 50 it
    rounds any other argument to the nearest of them, and a prior cell of 1/64
    or so is then wrong by enough to shift a BDeu of sample size 1 by nats.
    """
    family = count(dataset, child, parents)
    look_ups = 2 * (len(family.cells) + len(family.configurations))
    return look_ups * 1e-6 * math.log(2)


def pyagrum_corrected_information(
    dataset: Dataset, first: int, second: int, given: Sequence[int]
) -> float:
    """Return N times pyAgrum's NML-corrected mutual information of two variables, in nats.

    This is the one door to its fNML: the correction is the mean of the fNML
    penalties of ``second`` as a new parent of ``first`` and the reverse.
    """
    learner = _pyagrum_learner(dataset)
    learner.useMIIC()
    learner.useNMLCorrection()
    names = dataset.names
    bits = learner.correctedMutualInformation(
        names[first], names[second], [names[v] for v in given]
    )
    return float(bits) * math.log(2) * dataset.n_rows


def pyagrum_g2(dataset: Dataset, first: int, second: int) -> float:
    """Return pyAgrum's G2 statistic, 2 N times the mutual information in nats."""
    statistic, _ = _pyagrum_learner(dataset).G2(dataset.names[first], dataset.names[second], [])
    return float(statistic)
