"""forebear: learn the structure of Bayesian networks from high-dimensional discrete data."""

from importlib.metadata import version as _version

from forebear.data import Dataset, as_dataset
from forebear.errors import DataError, FileError, ForebearError, ForebearWarning, LimitError
from forebear.network import FittedNetwork, Network
from forebear.parentsets import ParentSet, ParentSets
from forebear.scores import AIC, BIC, FNML, K2, MIT, QNML, BDeu, BDs, LogLikelihood, Score
from forebear.scoring import score_parent_sets
from forebear.simulate import simulate

__version__ = _version("forebear")

__all__ = [
    "AIC",
    "BIC",
    "FNML",
    "K2",
    "MIT",
    "QNML",
    "BDeu",
    "BDs",
    "DataError",
    "Dataset",
    "FileError",
    "FittedNetwork",
    "ForebearError",
    "ForebearWarning",
    "LimitError",
    "LogLikelihood",
    "Network",
    "ParentSet",
    "ParentSets",
    "Score",
    "__version__",
    "as_dataset",
    "score_parent_sets",
    "simulate",
]
