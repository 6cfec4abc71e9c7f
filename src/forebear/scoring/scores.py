"""The scores: BDeu, BDs, BIC, AIC, fNML, qNML, MIT, K2 and log-likelihood.

Each score is a small class whose ``of_counts`` defines it in NumPy. The core computes the same
numbers for millions of families. These definitions check results independently of the core and the
search.

Counts are a table with one row per parent configuration that occurs and one column per state of the
child. ``q`` is the number of configurations of the parents' declared states, including those that
do not occur. Logarithms are natural.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import combinations_with_replacement
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from forebear._util.checks import check_choice, check_positive, with_python_numbers
from forebear._util.errors import ForebearError, LimitError, Parameter
from forebear.data.columns import counted_columns
from forebear.data.dataset import Dataset
from forebear.scoring.available_cases import AvailableCases
from forebear.scoring.contingency import Counts, contingency, log_gamma, log_regret, x_log_x
from forebear.scoring.priors import check_prior, log_priors, show_prior

AVERAGED_ESS = (0.25, 1.0, 4.0, 16.0, 64.0)
"""The equivalent sample sizes that BDeu with ``ess="auto"`` averages over, equally probable.

On three tables of hailfinder with 1,000 rows, the log loss of arcs was 170 with nine sizes from 1/4
to 64, 176 with five from 1 to 16, and 173 with five from 1 to 256 (one size of 1: 269); on two of
insurance 66, 63 and 70 (63). So the range matters little, and larger steps cost less time."""

_MOST_TESTS = 1_000_000
"""Most chi-squared quantiles of MIT; more would take longer than scoring."""


@dataclass(frozen=True)
class Score(ABC):
    """A decomposable score: the score of a network is the sum over its families.

    Scores are natural logarithms; higher is better. This is the base class of all scores.

    Parameters
    ----------
    prior
        The prior over networks, which is part of every local score: "uniform", "sparse", or the
        probability of an arc, above 0 and at most 0.5. Default "uniform".
    """

    name: ClassVar[str]
    equivalent: ClassVar[bool] = False  # whether equivalent networks have the same score
    prior: str | float = field(default="uniform", kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "prior", check_prior(self.prior))

    def of_counts(
        self, counts: Counts, parent_arities: Sequence[int], rows: float | None = None
    ) -> float:
        """Score one family from its contingency table, without the prior over networks.

        Parameters
        ----------
        counts
            One row per parent configuration that occurs, one column per state of the child.
            Expected counts need not be integers.
        parent_arities
            The number of states of every parent.
        rows
            The number of rows that determines the penalty. Default: the sum of the counts.

        Returns
        -------
        float
            The local score.
        """
        return self._value(counts, parent_arities, float(counts.sum()) if rows is None else rows)

    @abstractmethod
    def _value(self, counts: Counts, parent_arities: Sequence[int], rows: float) -> float:
        """Return the score of a table of counts: its definition."""

    def local(self, data: Dataset, child: int, parents: Iterable[int] = ()) -> float:
        """Score one family of a table.

        Parameters
        ----------
        data
            The table.
        child
            The index of the child.
        parents
            The indices of its parents.

        Returns
        -------
        float
            The local score, which includes the prior over networks.
        """
        members = sorted(parents)
        if data.has_missing:
            return AvailableCases(self, data).value(child, members)
        return self._of_rows(data, child, members) + self.log_prior(len(members), data.n_variables)

    def _of_rows(self, data: Dataset, child: int, members: Sequence[int]) -> float:
        columns, weights = counted_columns(data, (*members, child))
        states = [int(data.arities[p]) for p in members]
        counts = contingency(columns, states, int(data.arities[child]), weights)
        if data.copies == 1:
            return self.of_counts(counts, states)
        return self.of_counts(
            counts / data.copies, states, math.ceil(int(counts.sum()) / data.copies)
        )

    def log_prior(self, n_parents: int, n_variables: int) -> float:
        """Return the part of a local score that is the prior over networks."""
        return log_priors(self.prior, n_variables)[n_parents]

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the score, by name."""
        return {name: value for name, value in asdict(self).items() if name != "prior"}

    @property
    def sizes(self) -> tuple[float, ...]:
        """The equivalent sample size, or those to average over; 1 for scores without one."""
        return (float(self.parameters.get("ess", 1.0)),)

    @property
    def provenance(self) -> dict[str, Any]:
        """What ``score_from`` needs to create the score again; "uniform" is not recorded."""
        prior = {} if self.prior == "uniform" else {"prior": self.prior}
        return {"score": self.name, "parameters": self.parameters, **prior}

    def check(self, arities: NDArray[np.int32], max_parents: int) -> None:  # noqa: B027
        """Reject data whose critical values cannot be tabulated; this concerns MIT only."""

    def critical_values(self, arities: NDArray[np.int32], max_parents: int) -> dict[float, float]:
        """Tabulate the critical values that the core does not compute; this concerns MIT only."""
        del arities, max_parents
        return {}


def _check_ess(ess: Any, *names: str) -> Any:
    """Return a validated equivalent sample size: a name, a number, or the text of a number."""
    if isinstance(ess, str):
        if ess in names:
            return ess
        try:
            ess = float(ess)
        except ValueError:
            raise ForebearError(
                Parameter("ess"), f" must be a number, or auto with bdeu, got {ess!r}"
            ) from None
    check_positive(ess=ess)
    if math.isinf(ess):
        raise ForebearError(Parameter("ess"), " must be finite")
    return ess


def _log_likelihood(counts: Counts) -> float:
    return float(x_log_x(counts).sum() - x_log_x(counts.sum(axis=1)).sum())


def _free_parameters(counts: Counts, parent_arities: Sequence[int]) -> int:
    return int(math.prod(parent_arities) * (counts.shape[1] - 1))


def _dirichlet(counts: Counts, cell: float) -> float:
    """Return the log marginal likelihood with the same prior weight on every cell."""
    row = cell * counts.shape[1]
    cells = log_gamma(counts + cell) - math.lgamma(cell)
    return float(cells.sum() - (log_gamma(counts.sum(axis=1) + row) - math.lgamma(row)).sum())


@dataclass(frozen=True)
class BDeu(Score):
    """Bayesian Dirichlet equivalent uniform (Heckerman, Geiger and Chickering, 1995).

    The log marginal likelihood of the data under a uniform prior. Equivalent networks have the
    same score.

    Parameters
    ----------
    ess
        The equivalent sample size: the weight of the prior, in rows. Larger values favor more arcs.
        "auto" averages the marginal likelihood of every set of variables over sizes of 1/4, 1, 4,
        16 and 64.
    prior
        The prior over networks: "uniform", "sparse" or the probability of an arc.
    """

    name: ClassVar[str] = "bdeu"
    equivalent: ClassVar[bool] = True
    ess: float | Literal["auto"] = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "ess", _check_ess(self.ess, "auto"))

    @property
    def sizes(self) -> tuple[float, ...]:
        """The equivalent sample size, or those to average over."""
        return AVERAGED_ESS if self.ess == "auto" else super().sizes

    def _value(self, counts: Counts, parent_arities: Sequence[int], rows: float) -> float:
        """The prior's ``ess`` rows are spread over all cells."""
        configurations = math.prod(parent_arities)
        if self.ess != "auto":
            return _dirichlet(counts, self.ess / (counts.shape[1] * configurations))
        # The mean likelihood of parents and child, divided by that of the parents. It is a
        # probability of the child's column, because for each size, the likelihoods of parents and
        # child add up to that of the parents over all columns of the child.
        sets = [(counts, configurations * counts.shape[1]), (counts.sum(axis=1), configurations)]
        whole, parents = (
            np.logaddexp.reduce([_log_likelihood_of_cells(own, cells, ess) for ess in AVERAGED_ESS])
            for own, cells in sets
        )
        return float(whole - parents)


def _log_likelihood_of_cells(counts: Counts, cells: int, ess: float) -> float:
    """Return the log marginal likelihood of a table under a prior of ``ess`` rows in all cells."""
    each = log_gamma(counts + ess / cells) - math.lgamma(ess / cells)
    return float(each.sum()) + math.lgamma(ess) - math.lgamma(float(counts.sum()) + ess)


@dataclass(frozen=True)
class BDs(Score):
    """Bayesian Dirichlet sparse (Scutari, 2016).

    Like BDeu, but the prior is distributed only over the parent configurations that occur.

    Parameters
    ----------
    ess
        The equivalent sample size: the weight of the prior, in rows. Larger values favor more arcs.
    prior
        The prior over networks: "uniform", "sparse" or the probability of an arc.
    """

    name: ClassVar[str] = "bds"
    ess: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "ess", _check_ess(self.ess))

    def _value(self, counts: Counts, parent_arities: Sequence[int], rows: float) -> float:
        """The prior's ``ess`` rows are spread over the configurations that occur."""
        return _dirichlet(counts, self.ess / max(counts.size, 1))


@dataclass(frozen=True)
class K2(Score):
    """K2 (Cooper and Herskovits, 1992): like BDeu, but with a prior count of one in every cell.

    Equivalent networks can have different scores.

    Parameters
    ----------
    prior
        The prior over networks: "uniform", "sparse" or the probability of an arc.
    """

    name: ClassVar[str] = "k2"

    def _value(self, counts: Counts, parent_arities: Sequence[int], rows: float) -> float:
        """The marginal likelihood under a prior of one row in every cell."""
        return _dirichlet(counts, 1.0)


@dataclass(frozen=True)
class LogLikelihood(Score):
    """The maximized log-likelihood, without a penalty: it never prefers a smaller parent set.

    Parameters
    ----------
    prior
        The prior over networks: "uniform", "sparse" or the probability of an arc.
    """

    name: ClassVar[str] = "ll"
    equivalent: ClassVar[bool] = True

    def _value(self, counts: Counts, parent_arities: Sequence[int], rows: float) -> float:
        """The maximized log-likelihood."""
        return _log_likelihood(counts)


@dataclass(frozen=True)
class AIC(Score):
    """Akaike information criterion (Akaike, 1974): a penalty of one nat per free parameter.

    Parameters
    ----------
    prior
        The prior over networks: "uniform", "sparse" or the probability of an arc.
    """

    name: ClassVar[str] = "aic"
    equivalent: ClassVar[bool] = True

    def _value(self, counts: Counts, parent_arities: Sequence[int], rows: float) -> float:
        """Log-likelihood minus the number of free parameters."""
        return _log_likelihood(counts) - _free_parameters(counts, parent_arities)


@dataclass(frozen=True)
class BIC(Score):
    """Bayesian information criterion (Schwarz, 1978), also called MDL.

    The penalty per free parameter is half the logarithm of the number of rows.

    Parameters
    ----------
    prior
        The prior over networks: "uniform", "sparse" or the probability of an arc.
    """

    name: ClassVar[str] = "bic"
    equivalent: ClassVar[bool] = True

    def _value(self, counts: Counts, parent_arities: Sequence[int], rows: float) -> float:
        """Log-likelihood minus half the logarithm of the number of rows per free parameter."""
        parameters = _free_parameters(counts, parent_arities)
        # A variable that was set in every row has no rows.
        return _log_likelihood(counts) - 0.5 * math.log(max(rows, 1.0)) * parameters


@dataclass(frozen=True)
class FNML(Score):
    """Factorized normalized maximum likelihood (Silander, Roos, Kontkanen and Myllymäki, 2008).

    It has no parameters. Equivalent networks can have different scores.

    Parameters
    ----------
    prior
        The prior over networks: "uniform", "sparse" or the probability of an arc.
    """

    name: ClassVar[str] = "fnml"

    def _value(self, counts: Counts, parent_arities: Sequence[int], rows: float) -> float:
        """Log-likelihood minus the regret of each configuration's multinomial."""
        regrets = (log_regret(counts.shape[1], float(n)) for n in counts.sum(axis=1))
        return _log_likelihood(counts) - math.fsum(regrets)


@dataclass(frozen=True)
class QNML(Score):
    """Quotient normalized maximum likelihood (Silander, Leppä-aho, Jääsaari and Roos, 2018).

    It has no parameters. Equivalent networks have the same score.

    Parameters
    ----------
    prior
        The prior over networks: "uniform", "sparse" or the probability of an arc.
    """

    name: ClassVar[str] = "qnml"
    equivalent: ClassVar[bool] = True

    def _value(self, counts: Counts, parent_arities: Sequence[int], rows: float) -> float:
        """NML of child and parents as one variable, minus that of the parents."""
        q = math.prod(parent_arities)
        regret = log_regret(q * counts.shape[1], rows) - log_regret(q, rows)
        return _log_likelihood(counts) - regret


@dataclass(frozen=True)
class MIT(Score):
    """Mutual information tests (de Campos, 2006).

    Parameters
    ----------
    alpha
        Confidence of the chi-squared tests, between 0 and 1. Larger values favor fewer arcs.
    prior
        The prior over networks: "uniform", "sparse" or the probability of an arc.
    """

    name: ClassVar[str] = "mit"
    alpha: float = 0.999

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(alpha=self.alpha)
        if not self.alpha < 1.0:
            raise ForebearError(Parameter("alpha"), f" must be below 1, got {self.alpha:g}")

    def _value(self, counts: Counts, parent_arities: Sequence[int], rows: float) -> float:
        """Twice the mutual information with the child, minus the critical values of the tests."""
        information = _log_likelihood(counts) - _log_likelihood(counts.sum(axis=0, keepdims=True))
        freedoms = self._freedoms(counts.shape[1], parent_arities)
        return 2.0 * information - float(self._quantiles([f for f in freedoms if f > 0]).sum())

    def check(self, arities: NDArray[np.int32], max_parents: int) -> None:
        """Reject data whose numbers of states would require too many quantiles."""
        seen = len(np.unique(arities))
        tests = seen * math.comb(seen + max_parents, max_parents)
        if tests > _MOST_TESTS:
            raise LimitError(
                f"mit would need up to {tests:.1e} chi-squared quantiles, since the variables "
                f"have {seen} different numbers of states: lower ",
                Parameter("max_parents"),
            )

    def critical_values(self, arities: NDArray[np.int32], max_parents: int) -> dict[float, float]:
        """Return the chi-squared quantiles for all degrees of freedom that families can have."""
        self.check(arities, max_parents)
        seen, count = np.unique(arities, return_counts=True)
        room = dict(zip(seen.tolist(), count.tolist(), strict=True))
        needed = {
            freedom
            for size in range(1, max_parents + 1)
            for parents in combinations_with_replacement(seen.tolist(), size)
            if all(parents.count(arity) <= room[arity] for arity in set(parents))
            for child in seen.tolist()
            for freedom in self._freedoms(child, parents)
        }
        freedoms = sorted(needed - {0.0})
        return dict(zip(freedoms, self._quantiles(freedoms).tolist(), strict=True))

    def _quantiles(self, freedoms: Sequence[float]) -> NDArray[np.float64]:
        """Return chi-squared quantiles. Importing scipy.stats for them would take half a second."""
        halves = np.asarray(freedoms, dtype=np.float64) / 2.0
        from scipy.special import gammaincinv

        return np.asarray(2.0 * gammaincinv(halves, self.alpha), dtype=np.float64)

    @staticmethod
    def _freedoms(child_arity: int, parent_arities: Sequence[int]) -> list[float]:
        """Return the degrees of freedom of each parent's test, by decreasing number of states."""
        freedoms, before = [], 1.0
        for arity in sorted(parent_arities, reverse=True):
            # The core looks these numbers up, so they must be rounded as in the core.
            freedoms.append((child_arity - 1.0) * (arity - 1.0) * before)
            before *= arity
        return freedoms


SCORES: dict[str, type[Score]] = {
    score.name: score for score in (BDeu, BDs, BIC, AIC, FNML, QNML, MIT, K2, LogLikelihood)
}
"""Every score by name."""

DEFAULT_SCORE = BDeu("auto", prior="sparse")
"""The score if none is given. docs/guide/choose-a-score.md compares it with others."""

_OTHER_NAMES = {"mdl": "bic"}


def as_score(
    score: Score | str | None, *also: str, prior: str | float | None = None, **parameters: Any
) -> Score:
    """Create a score from its name and its parameters; all other parameters must be ``None``.

    If neither a score nor a prior nor a parameter is given, the score is ``DEFAULT_SCORE``.
    Otherwise, what is left out is as in the literature: BDeu, an equivalent sample size of 1 and
    the uniform prior. The prior also replaces that of a score object. The error message also lists
    the names in ``also``, which the caller handles itself.
    """
    if score is None:
        if all(value is None for value in (prior, *parameters.values())):
            return DEFAULT_SCORE
        score = BDeu.name
    created = _as_score(score, also, parameters)
    return created if prior is None else replace(created, prior=prior)


def score_from(provenance: Mapping[str, Any]) -> Score:
    """Create the score that is recorded in the provenance of parent sets."""
    parameters = provenance.get("parameters", {})
    return as_score(str(provenance["score"]), prior=provenance.get("prior"), **parameters)


def show_settings(parameters: Mapping[str, Any], prior: str | float) -> str:
    """Describe the parameters and the prior: ``ess 1, prior sparse`` or ``averaged over ess``."""
    shown = [
        f"averaged over {name}" if value == "auto" else f"{name} {show_parameter(value)}"
        for name, value in parameters.items()
    ]
    return ", ".join(shown if prior == "uniform" else [*shown, f"prior {show_prior(prior)}"])


def show_parameter(value: Any) -> str:
    """Describe the value of a parameter: ``auto``, or ``0.999``."""
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def _as_score(score: Score | str, also: Sequence[str], parameters: Mapping[str, Any]) -> Score:
    if isinstance(score, Score):
        checked: Score = with_python_numbers(score)
        return checked
    if isinstance(score, type) and issubclass(score, Score):
        return score(**{key: value for key, value in parameters.items() if value is not None})
    name = str(score).lower()
    name = _OTHER_NAMES.get(name, name)
    check_choice([*SCORES, *also], score=name)
    kind = SCORES[name]
    values = {key: value for key, value in parameters.items() if value is not None}
    accepted = {field.name for field in fields(kind)}
    for key in values:
        if key not in accepted:
            raise ForebearError(f"the score {kind.name} has no parameter ", Parameter(key))
    return kind(**values)
