"""The public names of the package. Each is imported on first use."""

from ._util.errors import (
    DataError as DataError,
    FileError as FileError,
    ForebearError as ForebearError,
    ForebearWarning as ForebearWarning,
    LimitError as LimitError,
)
from ._util.watcher import Watcher as Watcher
from .data.dataset import Dataset as Dataset, as_dataset as as_dataset
from .data.read_options import ReadOptions as ReadOptions
from .data.summarize_table import summarize_table as summarize_table
from .data.table_summary import ColumnSummary as ColumnSummary, TableSummary as TableSummary
from .knowledge.knowledge import Knowledge as Knowledge
from .learning.bootstrap import bootstrap_averages as bootstrap_averages
from .learning.certify_arcs import certify_arcs as certify_arcs
from .learning.find_network import find_network as find_network
from .learning.learn import learn as learn
from .learning.resume_search import resume_search as resume_search
from .learning.sample_posterior import sample_posterior as sample_posterior
from .learning.score_parent_sets import score_parent_sets as score_parent_sets
from .learning.validate import validate as validate
from .network.averages import averaged_network as averaged_network
from .network.averages import Averages as Averages
from .network.comparison import Comparison as Comparison, compare_networks as compare_networks
from .network.distribution import Distribution as Distribution, Explanation as Explanation
from .network.effect import Effect as Effect
from .network.file_formats import (
    read_fitted as read_fitted,
    read_network as read_network,
    write_network as write_network,
)
from .network.fitted_network import FittedNetwork as FittedNetwork
from .network.fit_network import fit_network as fit_network
from .network.graphs import PartialGraph as PartialGraph
from .network.network import Network as Network
from .network.distribution import Prediction as Prediction
from .network.probability_table import ProbabilityTable as ProbabilityTable
from .network.simulation import simulate as simulate
from .parentsets.collection import ParentSet as ParentSet, ParentSets as ParentSets
from .posterior.diagnostics import Diagnostics as Diagnostics
from .posterior.exact_posterior import (
    ExactPosterior as ExactPosterior,
    exact_posterior as exact_posterior,
)
from .posterior.posterior import Posterior as Posterior
from .proof.bound import Bound as Bound, find_bound as find_bound, surviving_sets as surviving_sets
from .proof.exact_search import Exact as Exact
from .proof.k_best import k_best_networks as k_best_networks
from .result.chance import Chance as Chance
from .result import Result as Result
from .result.arc_margins import ArcMargin as ArcMargin, ArcMargins as ArcMargins
from .result.validation import Trial as Trial, Validation as Validation
from .scoring.network_score import family_scores as family_scores, score_network as score_network
from .scoring.scores import (
    AIC as AIC,
    BIC as BIC,
    FNML as FNML,
    K2 as K2,
    MIT as MIT,
    QNML as QNML,
    BDeu as BDeu,
    BDs as BDs,
    LogLikelihood as LogLikelihood,
    Score as Score,
)
from .search.alternatives import Alternative as Alternative
from .search.multistart import ASOBS as ASOBS
from .search.hill_climbing import HillClimbing as HillClimbing, Tabu as Tabu
from .search.multistart import OBS as OBS
from .search.multistart import INOBS as INOBS
from .search.minobs import MINOBS as MINOBS
from .search.psminobs import PSMINOBS as PSMINOBS
from .search.stop import (
    AnyOf as AnyOf,
    MaxGenerations as MaxGenerations,
    MaxSeconds as MaxSeconds,
    NoImprovement as NoImprovement,
    Target as Target,
)

__version__: str
