from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

class UpperBounds:
    """Upper bounds on the scores of a parent set and its supersets."""

    @staticmethod
    def make(
        table: PackedTable, score: str, ess: list[float], prior: list[float], threads: int = ...
    ) -> UpperBounds: ...
    def of(self, child: int, candidates: list[int], members: int) -> float: ...
    def larger(
        self,
        child: int,
        candidates: list[int],
        masks: list[int],
        scores: list[float],
        scored_size: int,
        required: int,
        most_explored: int,
        most_found: int,
        budget: Budget,
    ) -> tuple[list[int], bool]: ...

class GrowingSets:
    """Parent sets that are extended by the neighbors of sets in use."""

    @staticmethod
    def make(
        table: PackedTable,
        score: str,
        ess: list[float],
        chi_squared: dict[float, float],
        prior: list[float],
        max_parents: list[int],
        allowed: NDArray[np.uint8] | None,
        required: list[list[int]],
        candidates: list[list[int]],
        most_sets: int,
        most_families: int,
        threads: int = ...,
        margin: float = 0.0,
        complete: int = 0,
        useful: NDArray[np.uint8] | None = None,
        most_useful: int = 0,
    ) -> GrowingSets: ...
    def clear(self, allowed: NDArray[np.uint8] | None, required: list[list[int]]) -> None: ...
    def add(
        self,
        offsets: NDArray[np.int64],
        scores: NDArray[np.float64],
        parents: NDArray[np.uint16],
        whole: bool,
        threads: int,
    ) -> int: ...
    def grow(self, ranks: NDArray[np.int32], threads: int, budget: Budget) -> int: ...
    def score(self, families: list[tuple[int, list[int]]]) -> int: ...
    def gains(
        self, network: list[list[int]], scores: NDArray[np.float64], threads: int
    ) -> NDArray[np.float64]: ...
    def translate(self, ranks: NDArray[np.int32]) -> NDArray[np.int32]: ...
    def arrays(
        self, threads: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.uint16]]: ...
    def extended(self) -> NDArray[np.uint8]: ...
    def requested(self, child: int) -> list[int]: ...
    def note_requested(self, child: int, keys: NDArray[np.uint64]) -> None: ...
    @property
    def families(self) -> int: ...
    @property
    def requests(self) -> int: ...
    @property
    def bytes(self) -> int: ...

def complete(
    rows: NDArray[np.int32],
    arities: list[int],
    parents: list[list[int]],
    tables: list[NDArray[np.float64]],
    configurations: list[NDArray[np.int64] | None],
    copies: int,
    seed: int,
    threads: int,
    budget: Budget,
    log_probabilities: NDArray[np.float64],
    completed: NDArray[np.int32],
) -> int: ...

class PackedTable:
    """A table in the form that the kernels read."""

    @staticmethod
    def make(
        codes: NDArray[Any],
        arities: list[int],
        missing: bool = ...,
        copies: int = ...,
        weights: NDArray[np.int64] | None = ...,
        threads: int = ...,
        others: list[tuple[list[int], PackedTable]] = ...,
    ) -> PackedTable: ...
    @property
    def rows(self) -> int: ...
    def stored(self) -> tuple[NDArray[Any], NDArray[np.int64]]: ...

class Scoring:
    """A scoring run, and the parent sets that it keeps."""

    @staticmethod
    def make(
        table: PackedTable,
        score: str,
        ess: list[float],
        chi_squared: dict[float, float],
        max_parents: int,
        threads: int,
        max_sets: int,
        together: bool,
        allowed: NDArray[np.uint8] | None,
        required: list[list[int]],
        byte_limit: int,
        first_member: int = ...,
        last_member: int = ...,
        useful: NDArray[np.uint8] | None = None,
        most_useful: int = 0,
        prior: list[float] = ...,
        margin: float = 0.0,
    ) -> Scoring: ...
    def run(self, budget: Budget) -> str: ...
    @property
    def done(self) -> int: ...
    @property
    def slots(self) -> int: ...
    def counts(self) -> list[int]: ...
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[Any]]: ...

def bytes_of_all_sets(variables: int, classes: int, threads: int) -> int: ...

most_variables_of_all_sets: int

def kernels() -> str: ...
def available_kernels() -> list[str]: ...
def use_kernels(name: str) -> bool: ...
def checksum(data: NDArray[np.uint8]) -> int: ...
def find_defect(
    offsets: NDArray[np.int64],
    scores: NDArray[np.float64],
    parents: NDArray[Any],
    threads: int,
) -> str: ...

class Random:
    """Random numbers, the same on every machine."""

    def __init__(self, seed: list[int]) -> None: ...
    def below(self, bound: int) -> int: ...
    @property
    def state(self) -> list[int]: ...
    def uniform(self) -> float: ...
    def spawn(self) -> Random: ...
    def permutation(self, n: int) -> NDArray[np.int32]: ...

class Budget:
    """A time limit that can also be cancelled."""

    def __init__(self, seconds: float | None = None) -> None: ...
    def cancel(self) -> None: ...
    @property
    def cancelled(self) -> bool: ...
    @property
    def left(self) -> float | None: ...
    @property
    def spent(self) -> bool: ...

class OrderSets:
    """Ranked parent sets as the order search reads them."""

    def __init__(
        self,
        offsets: NDArray[np.int64],
        scores: NDArray[np.float64],
        parents: NDArray[np.uint16],
        largest_square: int = ...,
        threads: int = 1,
        earlier: list[list[int]] = ...,
    ) -> None: ...
    square_variables: ClassVar[int]
    most_parents: ClassVar[int]
    def sample(self, starts: NDArray[np.int64], ranks: NDArray[np.int32]) -> OrderSets: ...
    def total(self, ranks: NDArray[np.int32]) -> int: ...
    @property
    def n(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def ticks_per_nat(self) -> float: ...
    @property
    def counts(self) -> NDArray[np.int32]: ...
    def full_ranks(self, ranks: NDArray[np.int32]) -> NDArray[np.int32]: ...
    def repair_order(self, order: NDArray[np.int32]) -> NDArray[np.int32]: ...
    def cross(self, x: Individual, y: Individual, random: Random) -> NDArray[np.int32]: ...

class Individual:
    """A climbed order and the sets it gives its variables.

    ``score`` counts ticks below the sum of the best sets: an integer, so that
    equal networks compare equal. ``ranks`` are those of the sets searched.
    """

    def __init__(self, score: int, order: NDArray[np.int32], ranks: NDArray[np.int32]) -> None: ...
    @property
    def score(self) -> int: ...
    @property
    def order(self) -> NDArray[np.int32]: ...
    @property
    def ranks(self) -> NDArray[np.int32]: ...

class ChildPolicy:
    """How a child is created and climbed: see core/search/individual.h."""

    def __init__(self, window: int, margin: int, swaps: int) -> None: ...
    @property
    def window(self) -> int: ...
    @property
    def margin(self) -> int: ...
    @property
    def swaps(self) -> int: ...

class Job:
    """Work for a thread of the search."""

    @staticmethod
    def climb(
        sets: OrderSets, order: NDArray[np.int32], random: Random, always: bool = False
    ) -> Job: ...
    @staticmethod
    def adapt(
        sets: OrderSets,
        order: NDArray[np.int32],
        ranks: NDArray[np.int32],
        window: int,
        random: Random,
    ) -> Job: ...
    @staticmethod
    def select(sets: OrderSets, order: NDArray[np.int32]) -> Job: ...

class Batch:
    """Jobs that were submitted together."""

    def wait(self) -> list[Individual | None]: ...
    def drop(self) -> None: ...

class Queue:
    """The jobs of a chain."""

    def submit(self, jobs: list[Job]) -> Batch: ...
    def breed(
        self,
        sets: OrderSets,
        policy: ChildPolicy,
        plans: list[tuple[Individual, Individual | None, Random]],
    ) -> Batch: ...
    def close(self) -> None: ...

class ThreadPool:
    """The threads of a search, shared by its chains."""

    def __init__(self, threads: int, budget: Budget) -> None: ...
    def open(self) -> Queue: ...
    def shut(self) -> None: ...

class Climber:
    """Hill climbing over orders by insertion."""

    def __init__(self, sets: OrderSets) -> None: ...
    def start(self, order: NDArray[np.int32]) -> None: ...
    def climb(self, random: Random, budget: Budget) -> None: ...
    def mark_changes(self, ranks: NDArray[np.int32]) -> None: ...
    def climb_marked(self, random: Random, window: int, budget: Budget) -> None: ...
    def mark_touched(self) -> None: ...
    def improve(self, v: int, window: int) -> bool: ...
    @property
    def score(self) -> int: ...
    @property
    def order(self) -> NDArray[np.int32]: ...
    @property
    def ranks(self) -> NDArray[np.int32]: ...

def best_sets(sets: OrderSets, order: NDArray[np.int32]) -> tuple[int, NDArray[np.int32]]: ...
def order_of(
    sets: OrderSets, ranks: NDArray[np.int32], preference: NDArray[np.int32]
) -> NDArray[np.int32]: ...

class SwapClimber:
    """Greedy search over orders by swaps of adjacent variables."""

    def __init__(self, sets: OrderSets, tabu_length: int, patience: int) -> None: ...
    def start(self, order: NDArray[np.int32]) -> None: ...
    def climb(self, steps: int) -> bool: ...
    @property
    def best_order(self) -> NDArray[np.int32]: ...
    @property
    def best_score(self) -> int: ...

class DagClimber:
    """Greedy search over networks by single arcs."""

    def __init__(self, sets: OrderSets, tabu_length: int, patience: int) -> None: ...
    def start(self, ranks: NDArray[np.int32]) -> None: ...
    def perturb(self, random: Random, moves: int) -> None: ...
    def climb(self, steps: int) -> bool: ...
    @property
    def best_ranks(self) -> NDArray[np.int32]: ...
    @property
    def best_score(self) -> int: ...

class DualAscent:
    """A lower bound on the cost of every network in ticks, improved in rounds."""

    def __init__(
        self,
        offsets: NDArray[np.int64],
        costs: NDArray[np.int64],
        parents: NDArray[np.uint16],
        cuts: Sequence[tuple[list[int], int, int, list[int], int]],
        local_cuts: bool,
    ) -> None: ...
    def set_incumbent(self, cost: int, target: int) -> None:
        """Drop sets that only networks of this cost or more have; end when target is proven."""

    def advance(self, budget: Budget, threads: int) -> None: ...
    def proofs(self) -> list[list[tuple[list[int], int, int, list[int], int]]]: ...
    def avoided(self, proof: int, threads: int) -> NDArray[np.int64]: ...
    @property
    def least_cost(self) -> int:
        """The proven lower bound."""

    @property
    def closed(self) -> bool:
        """Whether the target is proven."""

    @property
    def drops(self) -> int:
        """The number of times that sets were dropped."""

    @property
    def clusters(self) -> int:
        """The number of clusters and local cuts with a price in the proof."""

def cluster_cuts(
    n: int,
    child: NDArray[np.int32],
    parents: NDArray[np.int32],
    weight: NDArray[np.float64],
    budget: Budget,
    threads: int,
    most_level: int = ...,
) -> list[tuple[list[int], int, float]]: ...
def local_cuts(
    n: int,
    child: NDArray[np.int32],
    parents: NDArray[np.int32],
    weight: NDArray[np.float64],
    variables: int,
    choices: int,
    budget: Budget,
    threads: int,
) -> list[tuple[list[int], list[int], int, float]]: ...
def propagate_ancestry(
    starts: NDArray[np.int64],
    parents: NDArray[np.int32],
    before: list[tuple[int, int]],
    allowed: NDArray[np.uint8],
) -> bool: ...
def bytes_of_best_order(n: int, threads: int) -> int: ...

class SubsetOrder:
    """Dynamic programming over sets of variables."""

    def __init__(
        self,
        starts: NDArray[np.int64],
        masks: NDArray[np.uint32],
        costs: NDArray[np.float64],
        low: int = ...,
    ) -> None: ...
    def advance(self, budget: Budget, threads: int) -> bool: ...
    def order(self) -> tuple[float, list[int]]: ...

class Sampler:
    """Markov chains in the space of networks."""

    def __init__(
        self,
        offsets: NDArray[np.int64],
        scores: NDArray[np.float64],
        parents: NDArray[np.uint16],
        betas: list[float],
        starts: NDArray[np.int32],
        seeds: list[Random],
        tail: float,
        relations: list[list[tuple[int, int]]],
    ) -> None: ...
    def advance(self, samples: int, thin: int, threads: int, budget: Budget) -> None: ...
    def forget(self) -> None: ...
    def halve(self) -> None: ...
    def samples(self, chain: int) -> tuple[NDArray[np.int32], NDArray[np.float64]]: ...
    def visits(self, chain: int) -> tuple[NDArray[np.uint32], int]: ...
    def move_counts(self, chain: int) -> dict[str, tuple[int, int]]: ...
    def exchanges(self, chain: int) -> list[tuple[int, int]]: ...
    def networks(self) -> NDArray[np.int32]: ...
    @property
    def chains(self) -> int: ...
    @property
    def left_out(self) -> float: ...

def exact_sums(
    offsets: NDArray[np.int64],
    scores: NDArray[np.float64],
    parents: NDArray[np.uint16],
    scale: NDArray[np.float64],
    budget: Budget,
) -> tuple[float, NDArray[np.float64], bool]: ...

class FieldBatch:
    """What was read of a text."""

    rows: int
    consumed: int
    lines: int
    error: str
    error_line: int
    error_offset: int
    found: int

class FieldCoder:
    """Codes the fields of delimited text."""

    def __init__(
        self,
        *,
        separators: str,
        runs: bool,
        quotes: bool,
        skip_blank: bool,
        comments: list[str],
        tokens: list[str],
        mark: str,
        used: list[bool],
    ) -> None: ...
    def add(self, text: bytes, line: int, last: bool, keep: NDArray[np.uint8]) -> FieldBatch: ...
    def codes(self, rows: int) -> tuple[NDArray[np.uint8], dict[int, NDArray[Any]]]: ...
    def lines(self) -> NDArray[np.int64]: ...
    def sizes(self) -> NDArray[np.int64]: ...
    def texts(self, column: int) -> str: ...
    def forget(self, column: int) -> None: ...
    def first_lines(self, column: int) -> NDArray[np.int64]: ...
    @property
    def any_unquoted(self) -> bool: ...
