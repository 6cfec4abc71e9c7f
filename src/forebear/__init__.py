"""forebear: learn the structure of Bayesian networks from high-dimensional discrete data."""

from importlib.metadata import version as _version

from forebear.bound import Bound, find_bound, surviving_sets
from forebear.compare import Comparison, compare_networks
from forebear.data import Dataset, as_dataset
from forebear.errors import DataError, FileError, ForebearError, ForebearWarning, LimitError
from forebear.exact.kbest import k_best_networks
from forebear.fitting import fit_network
from forebear.formats.networks import read_fitted, read_network, write_network
from forebear.graphs import PartialGraph
from forebear.knowledge.knowledge import Knowledge
from forebear.learn import learn
from forebear.network import FittedNetwork, Network
from forebear.parentsets import ParentSet, ParentSets
from forebear.progress import Watcher
from forebear.rescoring import family_scores, score_network
from forebear.result import Result
from forebear.scores import AIC, BIC, FNML, K2, MIT, QNML, BDeu, BDs, LogLikelihood, Score
from forebear.scoring import score_parent_sets
from forebear.search.find import find_network
from forebear.search.minobs import MINOBS
from forebear.search.psminobs import PSMINOBS
from forebear.search.resume import resume_search
from forebear.search.stop import AnyOf, MaxGenerations, MaxSeconds, NoImprovement, Target
from forebear.simulate import simulate

__version__ = _version("forebear")

__all__ = [
    "AIC",
    "BIC",
    "FNML",
    "K2",
    "MINOBS",
    "MIT",
    "PSMINOBS",
    "QNML",
    "AnyOf",
    "BDeu",
    "BDs",
    "Bound",
    "Comparison",
    "DataError",
    "Dataset",
    "FileError",
    "FittedNetwork",
    "ForebearError",
    "ForebearWarning",
    "Knowledge",
    "LimitError",
    "LogLikelihood",
    "MaxGenerations",
    "MaxSeconds",
    "Network",
    "NoImprovement",
    "ParentSet",
    "ParentSets",
    "PartialGraph",
    "Result",
    "Score",
    "Target",
    "Watcher",
    "__version__",
    "as_dataset",
    "compare_networks",
    "family_scores",
    "find_bound",
    "find_network",
    "fit_network",
    "k_best_networks",
    "learn",
    "read_fitted",
    "read_network",
    "resume_search",
    "score_network",
    "score_parent_sets",
    "simulate",
    "surviving_sets",
    "write_network",
]
