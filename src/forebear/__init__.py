"""forebear: learn the structure of Bayesian networks from high-dimensional discrete data."""

from importlib import import_module as _import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING as _TYPE_CHECKING

if _TYPE_CHECKING:
    from forebear.alternatives import Alternative
    from forebear.averaging import Averages, arc_probabilities, averaged_network
    from forebear.bootstrap import bootstrap_averages
    from forebear.bound import Bound, find_bound, surviving_sets
    from forebear.compare import Comparison, compare_networks
    from forebear.data import Dataset, as_dataset
    from forebear.errors import DataError, FileError, ForebearError, ForebearWarning, LimitError
    from forebear.exact.kbest import k_best_networks
    from forebear.fitting import fit_network
    from forebear.formats.networks import read_fitted, read_network, write_network
    from forebear.graphs import PartialGraph
    from forebear.knowledge.knowledge import Knowledge
    from forebear.learning import learn
    from forebear.network import FittedNetwork, Network
    from forebear.orders import order_probabilities
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
    from forebear.simulation import simulate

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
    "Alternative",
    "AnyOf",
    "Averages",
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
    "arc_probabilities",
    "as_dataset",
    "averaged_network",
    "bootstrap_averages",
    "compare_networks",
    "family_scores",
    "find_bound",
    "find_network",
    "fit_network",
    "k_best_networks",
    "learn",
    "order_probabilities",
    "read_fitted",
    "read_network",
    "resume_search",
    "score_network",
    "score_parent_sets",
    "simulate",
    "surviving_sets",
    "write_network",
]

_PLACES = {
    "order_probabilities": "forebear.orders",
    "bootstrap_averages": "forebear.bootstrap",
    "averaged_network": "forebear.averaging",
    "arc_probabilities": "forebear.averaging",
    "Alternative": "forebear.alternatives",
    "Averages": "forebear.averaging",
    "AIC": "forebear.scores",
    "AnyOf": "forebear.search.stop",
    "BDeu": "forebear.scores",
    "BDs": "forebear.scores",
    "BIC": "forebear.scores",
    "Bound": "forebear.bound",
    "Comparison": "forebear.compare",
    "DataError": "forebear.errors",
    "Dataset": "forebear.data",
    "FNML": "forebear.scores",
    "FileError": "forebear.errors",
    "FittedNetwork": "forebear.network",
    "ForebearError": "forebear.errors",
    "ForebearWarning": "forebear.errors",
    "K2": "forebear.scores",
    "Knowledge": "forebear.knowledge.knowledge",
    "LimitError": "forebear.errors",
    "LogLikelihood": "forebear.scores",
    "MINOBS": "forebear.search.minobs",
    "MIT": "forebear.scores",
    "MaxGenerations": "forebear.search.stop",
    "MaxSeconds": "forebear.search.stop",
    "Network": "forebear.network",
    "NoImprovement": "forebear.search.stop",
    "PSMINOBS": "forebear.search.psminobs",
    "ParentSet": "forebear.parentsets",
    "ParentSets": "forebear.parentsets",
    "PartialGraph": "forebear.graphs",
    "QNML": "forebear.scores",
    "Result": "forebear.result",
    "Score": "forebear.scores",
    "Target": "forebear.search.stop",
    "Watcher": "forebear.progress",
    "as_dataset": "forebear.data",
    "compare_networks": "forebear.compare",
    "family_scores": "forebear.rescoring",
    "find_bound": "forebear.bound",
    "find_network": "forebear.search.find",
    "fit_network": "forebear.fitting",
    "k_best_networks": "forebear.exact.kbest",
    "learn": "forebear.learning",
    "read_fitted": "forebear.formats.networks",
    "read_network": "forebear.formats.networks",
    "resume_search": "forebear.search.resume",
    "score_network": "forebear.rescoring",
    "score_parent_sets": "forebear.scoring",
    "simulate": "forebear.simulation",
    "surviving_sets": "forebear.bound",
    "write_network": "forebear.formats.networks",
}
"""The module of each name: loaded when it is used, so that the import is quick."""


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(_import_module(_PLACES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__]
