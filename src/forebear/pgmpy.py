"""Estimators with the interface of pgmpy that return pgmpy graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from networkx import to_pandas_adjacency
from pgmpy.base import DAG
from pgmpy.causal_discovery._base import _BaseCausalDiscovery

from forebear._util.checks import check_choice
from forebear._util.errors import ForebearError, Parameter
from forebear.data.dataset import Dataset
from forebear.data.frames import polars_from_frame, with_sample_weight
from forebear.data.read_options import ReadOptions
from forebear.data.set_mask import SetMask
from forebear.interop import from_networkx
from forebear.knowledge.knowledge import Knowledge
from forebear.learning.learn import learn
from forebear.result import Result
from forebear.scoring.scores import Score, as_score

_PGMPY_SCORES = {"k2": "k2", "bdeu": "bdeu", "bds": "bds", "bic-d": "bic", "aic-d": "aic"}
"""Our names of the scores of discrete data, by their names in pgmpy."""


class StructureSearch(_BaseCausalDiscovery):  # type: ignore[misc]
    """Learn a network with forebear, through the interface of ``pgmpy.causal_discovery``.

    It replaces ``HillClimbSearch`` and accepts its parameters where they apply.

    Parameters
    ----------
    scoring_method
        The score to maximize: a name of pgmpy ("k2", "bdeu", "bds", "bic-d", "aic-d"), a discrete
        score object of pgmpy, a name of forebear such as "bic" or "qnml", or an object such as
        ``forebear.BDeu(1)``.
    equivalent_sample_size
        The equivalent sample size of "bdeu" and "bds". Default: 10, as in pgmpy.
    prior
        The prior over networks, as in ``forebear.learn``: "uniform", "sparse" or the probability of
        an arc. Default: that of a score object, otherwise "uniform", as in pgmpy.
    start_dag
        A DAG to start from. Default: None.
    max_indegree
        The largest parent set. Default: as in ``forebear.learn``.
    expert_knowledge
        pgmpy's ``ExpertKnowledge``, or a ``forebear.Knowledge``.
    return_type
        "dag", or "pdag" for the equivalence class, as in pgmpy.
    algorithm
        A name or settings, as in ``forebear.learn``.
    time_limit
        Time limit in seconds. Default: 60, or less if the search stops improving; no limit with
        ``generations``.
    generations
        Stop after this many generations: with a ``seed``, the network is then the same every time.
    n_jobs
        Number of threads. Default: one per core.
    seed
        Random seed. Default: random.
    show_progress
        Accepted for compatibility with pgmpy, and ignored.

    Attributes
    ----------
    causal_graph_
        The learned ``pgmpy.base.DAG`` or ``PDAG``.
    adjacency_matrix_
        The adjacency matrix as a data frame of 0 and 1.
    result_
        The ``forebear.Result``, with the score, the bound and the history of the search.
    n_features_in_
        The number of columns.
    feature_names_in_
        The names of the columns.
    """

    def __init__(
        self,
        scoring_method: Score | str | Any = "bdeu",
        equivalent_sample_size: float = 10.0,
        start_dag: DAG | None = None,
        max_indegree: int | None = None,
        expert_knowledge: Any = None,
        return_type: Literal["dag", "pdag"] = "dag",
        algorithm: Any = "ps-minobs",
        time_limit: float | None = None,
        generations: int | None = None,
        n_jobs: int | None = None,
        seed: int | None = None,
        show_progress: bool = True,
        prior: str | float | None = None,
    ) -> None:
        self.scoring_method = scoring_method
        self.equivalent_sample_size = equivalent_sample_size
        self.start_dag = start_dag
        self.max_indegree = max_indegree
        self.expert_knowledge = expert_knowledge
        self.return_type = return_type
        self.algorithm = algorithm
        self.time_limit = time_limit
        self.generations = generations
        self.n_jobs = n_jobs
        self.seed = seed
        self.show_progress = show_progress
        self.prior = prior

    def fit(
        self,
        X: Any,  # noqa: N803
        y: Any = None,
        sample_weight: Any = None,
        intervened: Any = None,
    ) -> StructureSearch:
        """Learn the network.

        Parameters
        ----------
        X
            A data frame of discrete columns, or an array of rows by columns.
        y
            Ignored.
        sample_weight
            How many rows each row stands for, as the weights of ``forebear.ReadOptions``. Default:
            every row counts once.
        intervened
            Which values were set by intervention, as the mask of ``forebear.ReadOptions``. Default:
            none.

        Returns
        -------
        StructureSearch
            The estimator itself.
        """
        del y
        return self._fit(self._check_fit_data(X), sample_weight, intervened)

    def _fit(
        self,
        X: Any,  # noqa: N803
        sample_weight: Any = None,
        intervened: Any = None,
    ) -> StructureSearch:
        """Learn from a data frame that pgmpy has checked."""
        check_choice(("dag", "pdag"), return_type=self.return_type)
        self.result_ = self._learn(X, {}, sample_weight, intervened)
        self.causal_graph_ = self._as_graph(self.result_, list(X.columns))
        self.adjacency_matrix_ = to_pandas_adjacency(self.causal_graph_, weight=1, dtype="int")
        return self

    def _learn(
        self,
        frame: Any,
        declared: Mapping[Any, Sequence[Any]],
        sample_weight: Any = None,
        intervened: Any = None,
    ) -> Result:
        """Learn from a pandas frame, whose column names need not be text."""
        named = frame.set_axis([str(name) for name in frame.columns], axis=1)
        states = {str(name): [str(s) for s in own] for name, own in declared.items()}
        mask = None if intervened is None else SetMask.of(intervened)
        how = ReadOptions(missing="error", states=states or None, intervened=mask)
        if sample_weight is not None:
            named, how = with_sample_weight(polars_from_frame(named), how, sample_weight)
        data = Dataset.from_frame(named, how)
        return learn(
            data,
            score=_as_score(self.scoring_method, self.equivalent_sample_size),
            prior=self.prior,
            max_parents=self.max_indegree,
            knowledge=_as_knowledge(self.expert_knowledge, data.names),
            algorithm=self.algorithm,
            time_limit=self.time_limit,
            generations=self.generations,
            threads=self.n_jobs,
            seed=self.seed,
            start=None if self.start_dag is None else from_networkx(self.start_dag),
        )

    def _as_graph(self, result: Result, columns: Sequence[Any]) -> DAG:
        """Return a graph of pgmpy; its nodes are the columns of the frame."""
        graph = DAG()
        graph.add_nodes_from(columns)
        graph.add_edges_from((columns[p], columns[v]) for p, v in result.network.arcs)
        return graph if self.return_type == "dag" else graph.to_pdag()


class SearchEstimator:
    """Learn a network with forebear, through the interface of ``pgmpy.estimators``.

    The data are passed to the constructor, and ``estimate`` returns a DAG. pgmpy is replacing this
    interface with that of ``StructureSearch``, so its base class is not used here.

    Parameters
    ----------
    data
        A pandas data frame of discrete columns.
    state_names
        The states of each column, including those that do not occur. Default: the states that
        occur.

    Attributes
    ----------
    variables
        The columns.
    state_names
        The states of each column.
    result
        The ``forebear.Result`` of the last estimate.
    """

    def __init__(self, data: Any, state_names: Mapping[Any, Sequence[Any]] | None = None) -> None:
        self.data = data
        self.variables = list(data.columns)
        self._declared = dict(state_names or {})
        self.state_names = {
            name: list(self._declared.get(name, sorted(data[name].dropna().unique())))
            for name in self.variables
        }
        self.result: Result | None = None

    def estimate(self, scoring_method: Score | str | Any = "bdeu", **settings: Any) -> DAG:
        """Learn the network with the highest score.

        Parameters
        ----------
        scoring_method
            As for ``StructureSearch``.
        **settings
            The other parameters of ``StructureSearch``.

        Returns
        -------
        pgmpy.base.DAG
            The network, or a ``PDAG``.
        """
        search = StructureSearch(scoring_method, **settings)
        self.result = search._learn(self.data, self._declared)
        return search._as_graph(self.result, list(self.data.columns))


def _as_score(method: Any, ess: Any) -> Score:
    """Return the score that a name or an object of pgmpy represents."""
    if isinstance(method, Score):
        return method
    if not isinstance(method, str):  # an object of pgmpy: its class has the name
        ess = getattr(method, "equivalent_sample_size", ess)
        kind = type(method).__name__.lower()
        method = kind if kind in _PGMPY_SCORES else f"{kind}-d"
        if method not in _PGMPY_SCORES:
            raise ForebearError(
                Parameter("scoring_method"),
                f" must be a score of discrete data, got {kind}: use one of "
                f"{', '.join(_PGMPY_SCORES)}",
            )
    name = _PGMPY_SCORES.get(method, method)
    return as_score(name, ess=ess if name in ("bdeu", "bds") else None)


def _as_knowledge(expert: Any, names: Sequence[str]) -> Knowledge | None:
    if expert is None or isinstance(expert, Knowledge):
        return expert
    return Knowledge.from_pgmpy(expert, names)
