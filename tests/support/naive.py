"""Slow and obviously right twins of the kernels, written from the definitions.

Pure Python on purpose: rows are counted with dictionaries and every sum is
``math.fsum``, so that two scores whose terms are the same are the same to the
last bit and ties stay ties.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, product
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from scipy.stats import chi2

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from forebear.data.dataset import Dataset
    from forebear.network.fitted import FittedNetwork
    from forebear.parentsets.collection import ParentSets

Parents: TypeAlias = tuple[int, ...]
ScoredSet: TypeAlias = tuple[float, Parents]
ScoredSets: TypeAlias = list[list[ScoredSet]]
Arc: TypeAlias = tuple[int, int]


class Family(NamedTuple):
    """A child and its parents, counted.

    ``cells`` maps (parent configuration j, child state k) to N_jk, and
    ``configurations`` maps j to N_j. Only what occurs in the data is there.
    """

    rows: int
    child_arity: int
    parent_arities: tuple[int, ...]
    cells: Counter[tuple[tuple[int, ...], int]]
    configurations: Counter[tuple[int, ...]]

    @property
    def n_configurations(self) -> int:
        """The number of parent configurations by the declared states: q."""
        return math.prod(self.parent_arities)


def count(dataset: Dataset, child: int, parents: Collection[int]) -> Family:
    """Count the cells of the contingency table of a family, one row after the other."""
    columns = [[int(code) for code in dataset.codes[parent]] for parent in parents]
    configurations = list(zip(*columns, strict=True)) if columns else [()] * dataset.n_rows
    states = [int(code) for code in dataset.codes[child]]
    return Family(
        rows=dataset.n_rows,
        child_arity=int(dataset.arities[child]),
        parent_arities=tuple(int(dataset.arities[parent]) for parent in parents),
        cells=Counter(zip(configurations, states, strict=True)),
        configurations=Counter(configurations),
    )


def _dirichlet(family: Family, prior_cell: float) -> float:
    """Return the log marginal likelihood when every cell has the same prior weight.

    Configurations that do not occur are left out: they contribute lgG(p) - lgG(p) = 0.
    """
    prior_configuration = family.child_arity * prior_cell
    configurations = (
        math.lgamma(prior_configuration) - math.lgamma(n + prior_configuration)
        for n in family.configurations.values()
    )
    cells = (math.lgamma(n + prior_cell) - math.lgamma(prior_cell) for n in family.cells.values())
    return math.fsum([*configurations, *cells])


def _bdeu(family: Family, ess: float = 1.0) -> float:
    return _dirichlet(family, ess / (family.child_arity * family.n_configurations))


def _bds(family: Family, ess: float = 1.0) -> float:
    """Scutari (2016): the prior is spread over the configurations that occur."""
    return _dirichlet(family, ess / (family.child_arity * len(family.configurations)))


def _k2(family: Family) -> float:
    return _dirichlet(family, 1.0)


def _ll(family: Family) -> float:
    return math.fsum(
        n * math.log(n / family.configurations[configuration])
        for (configuration, _), n in family.cells.items()
    )


def _free_parameters(family: Family) -> int:
    return family.n_configurations * (family.child_arity - 1)


def _aic(family: Family) -> float:
    return _ll(family) - _free_parameters(family)


def _bic(family: Family) -> float:
    return _ll(family) - 0.5 * math.log(family.rows) * _free_parameters(family)


@cache
def multinomial_normaliser(states: int, rows: int) -> Fraction:
    """Return C(states, rows), the exact sum of the maximised likelihoods of all samples.

    The recursion is that of Kontkanen and Myllymäki (2007). C(2, n) is its
    defining sum, put over the common denominator n^n; 0^0 = 1.
    """
    if rows == 0 or states == 1:
        return Fraction(1)
    likelihoods = sum(math.comb(rows, h) * h**h * (rows - h) ** (rows - h) for h in range(rows + 1))
    before, current = Fraction(1), Fraction(likelihoods, rows**rows)
    for r in range(1, states - 1):
        before, current = current, current + Fraction(rows, r) * before
    return current


def log_multinomial_normaliser(states: int, rows: int) -> float:
    """Return log C(states, rows)."""
    normaliser = multinomial_normaliser(states, rows)
    # C may be beyond the largest float; the logarithm of an integer may not.
    return math.log(normaliser.numerator) - math.log(normaliser.denominator)


def _fnml(family: Family) -> float:
    penalties = (
        log_multinomial_normaliser(family.child_arity, n) for n in family.configurations.values()
    )
    return _ll(family) - math.fsum(penalties)


def _nml(counts: Iterable[int], states: int, rows: int) -> float:
    """Return the NML score of a set of variables taken as one variable of ``states`` states."""
    likelihood = math.fsum(n * math.log(n / rows) for n in counts)
    return likelihood - log_multinomial_normaliser(states, rows)


def _qnml(family: Family) -> float:
    """Silander et al. (2018): the NML of the family less the NML of the parents."""
    q, rows = family.n_configurations, family.rows
    joint = _nml(family.cells.values(), q * family.child_arity, rows)
    return joint - _nml(family.configurations.values(), q, rows)


def _mit(family: Family, alpha: float = 0.999) -> float:
    """De Campos (2006): 2 N MI(child; parents) less chi-squared quantiles."""
    children: Counter[int] = Counter()
    for (_, state), n in family.cells.items():
        children[state] += n
    information = math.fsum(
        n * math.log(n * family.rows / (family.configurations[configuration] * children[state]))
        for (configuration, state), n in family.cells.items()
    )
    return 2 * information - math.fsum(_mit_penalties(family, alpha))


def _mit_penalties(family: Family, alpha: float) -> list[float]:
    penalties = []
    before = 1
    # Descending arities give the largest total penalty of all orders (de Campos, 2006).
    for arity in sorted(family.parent_arities, reverse=True):
        degrees = (family.child_arity - 1) * (arity - 1) * before
        penalties.append(float(chi2.ppf(alpha, degrees)) if degrees else 0.0)
        before *= arity
    return penalties


SCORES: dict[str, Callable[..., float]] = {
    "bdeu": _bdeu,
    "bds": _bds,
    "ll": _ll,
    "aic": _aic,
    "bic": _bic,
    "k2": _k2,
    "fnml": _fnml,
    "qnml": _qnml,
    "mit": _mit,
}


def local_score(
    dataset: Dataset, child: int, parents: Collection[int], score: str, **params: float
) -> float:
    """Return the local score of one family, natural logarithm.

    ``params`` are ``ess`` of bdeu and bds (1) and ``alpha`` of mit (0.999).
    """
    return SCORES[score](count(dataset, child, sorted(parents)), **params)


def number_of_parent_sets(n_variables: int, max_parents: int) -> int:
    """Count the candidate parent sets of all variables (equation 5 of the paper)."""
    return n_variables * sum(math.comb(n_variables - 1, size) for size in range(max_parents + 1))


def allowed_sets(
    n_variables: int,
    child: int,
    max_parents: int,
    required: Collection[int] = (),
    forbidden: Collection[int] = (),
) -> list[Parents]:
    """List the parent sets that the constraints leave to a child."""
    others = [v for v in range(n_variables) if v != child and v not in forbidden]
    sets = (parents for size in range(max_parents + 1) for parents in combinations(others, size))
    return [parents for parents in sets if set(required) <= set(parents)]


def drop_dominated(scored: Iterable[ScoredSet]) -> list[ScoredSet]:
    """Drop every set of which some proper subset scores at least as high."""
    scored = list(scored)
    return [
        (score, parents)
        for score, parents in scored
        if not any(
            set(subset) < set(parents) and subset_score >= score for subset_score, subset in scored
        )
    ]


def best_first(scored: Iterable[ScoredSet]) -> list[ScoredSet]:
    """Sort by score, best first; ties by size, then lexicographic."""
    return sorted(scored, key=lambda item: (-item[0], len(item[1]), item[1]))


def parent_sets(
    dataset: Dataset,
    max_parents: int,
    score: str,
    required: Mapping[int, Collection[int]] | None = None,
    forbidden: Mapping[int, Collection[int]] | None = None,
    max_sets: int | None = None,
    **params: float,
) -> ScoredSets:
    """Return every variable's candidate parent sets as (score, parents), best first.

    The empty set is always the last one. Where ``required`` rules it out, its
    score is minus infinity and it makes no other set dominated.
    """
    result = []
    for child in range(dataset.n_variables):
        sets = allowed_sets(
            dataset.n_variables,
            child,
            max_parents,
            (required or {}).get(child, ()),
            (forbidden or {}).get(child, ()),
        )
        scored = [
            (local_score(dataset, child, parents, score, **params), parents) for parents in sets
        ]
        if () not in sets:
            scored.append((-math.inf, ()))
        *kept, empty = best_first(drop_dominated(scored))
        result.append([*(kept if max_sets is None else kept[: max_sets - 1]), empty])
    return result


def is_valid(
    offsets: Sequence[int], scores: Sequence[float], members: Sequence[Sequence[int]], none: int
) -> bool:
    """Whether these are parent sets; ``members`` has one sequence per set, padded with none."""
    for v, (begin, end) in enumerate(pairwise(offsets)):
        own = scores[begin:end]
        if any(math.isnan(score) or score == math.inf for score in own):
            return False
        if any(a < b for a, b in pairwise(own)):
            return False
        sets = [[p for p in places if p != none] for places in members[begin:end]]
        if sum(not parents for parents in sets) != 1:
            return False
        for parents, places in zip(sets, members[begin:end], strict=True):
            if list(places[: len(parents)]) != sorted(set(parents)):
                return False
            if v in parents or any(p >= len(offsets) - 1 for p in parents):
                return False
    return True


def order_parents(parent_sets: ScoredSets, order: Sequence[int]) -> list[ScoredSet]:
    """Return every variable's best (score, parents) among those that precede it in ``order``."""
    result = []
    for variable, scored in enumerate(parent_sets):
        predecessors = set(order[: list(order).index(variable)])
        result.append(
            best_first(item for item in scored if predecessors.issuperset(item[1]))[0],
        )
    return result


def as_lists(parent_sets: ParentSets) -> ScoredSets:
    """Spell a ``ParentSets`` out as the lists that the functions here take and give."""
    none = parent_sets.none
    result = []
    for v in range(parent_sets.n_variables):
        columns = range(int(parent_sets.offsets[v]), int(parent_sets.offsets[v + 1]))
        result.append(
            [
                (
                    float(parent_sets.scores[column]),
                    tuple(int(p) for p in parent_sets.parents[:, column] if int(p) != none),
                )
                for column in columns
            ]
        )
    return result


def order_score(parent_sets: ScoredSets, order: Sequence[int]) -> float:
    """Return the score of the best network that an order allows."""
    return math.fsum(score for score, _ in order_parents(parent_sets, order))


def best_score(parent_sets: ScoredSets) -> float:
    """Return the best score of any network: dynamic programming over sets of variables.

    The best network of a set of variables ends in one of them, which takes its best
    set among the others (Silander and Myllymäki, 2006).
    """
    n = len(parent_sets)
    best = [0.0] + [-math.inf] * (2**n - 1)
    for members in range(1, 2**n):
        for last in range(n):
            if members >> last & 1:
                before = members & ~(1 << last)
                choice = next(
                    score
                    for score, parents in best_first(parent_sets[last])
                    if all(before >> parent & 1 for parent in parents)
                )
                best[members] = max(best[members], best[before] + choice)
    return best[-1]


def best_within(scored: Sequence[ScoredSet], members: Collection[int]) -> int:
    """Return the rank of the best set whose members are all among those given."""
    return next(rank for rank, (_, parents) in enumerate(scored) if set(members) >= set(parents))


def is_acyclic(parents: Sequence[Collection[int]]) -> bool:
    """Tell if variables can be taken one by one, each after its parents."""
    placed: set[int] = set()
    while ready := [v for v, own in enumerate(parents) if v not in placed and placed >= set(own)]:
        placed.update(ready)
    return len(placed) == len(parents)


def arc_moves(
    parent_sets: ScoredSets, ranks: Sequence[int], max_parents: int
) -> list[tuple[str, int, int, list[int]]]:
    """List the moves of one arc from a network as (kind, parent, child, ranks after it).

    A move changes the parents of a child, or of two where the arc is reversed; each
    then takes its best candidate within. An arc that no candidate asks for is no move.
    """
    parents = [set(sets[rank][1]) for sets, rank in zip(parent_sets, ranks, strict=True)]
    pairs = [(p, u) for p in range(len(ranks)) for u in range(len(ranks)) if p != u]
    moves = []
    for p, u in pairs:
        if p in parents[u]:
            changes = [("remove", {u: parents[u] - {p}})]
            changes.append(("reverse", {u: parents[u] - {p}, p: parents[p] | {u}}))
        else:
            changes = [("add", {u: parents[u] | {p}})]
        for kind, changed in changes:
            graph = [changed.get(v, own) for v, own in enumerate(parents)]
            after = [best_within(sets, own) for sets, own in zip(parent_sets, graph, strict=True)]
            gainer = {"add": u, "reverse": p}.get(kind)
            idle = gainer is not None and after[gainer] == ranks[gainer]
            if is_acyclic(graph) and max(map(len, graph)) <= max_parents and not idle:
                moves.append((kind, p, u, after))
    return moves


def acyclic_selection(parent_sets: ScoredSets, order: Sequence[int]) -> list[int]:
    """Return the ranks that ASOBS chooses: from last to first, the best set that makes no cycle."""
    parents: list[Parents] = [() for _ in order]
    ranks = [0 for _ in order]
    for v in reversed(order):
        for rank, (_, members) in enumerate(parent_sets[v]):
            ranks[v], parents[v] = rank, members
            if is_acyclic(parents):
                break
    return ranks


def joint_log_probability(fitted: FittedNetwork, codes: Sequence[int]) -> float:
    """Return the log of the probability of one whole row, a factor a variable."""
    terms = []
    for v, (parents, table) in enumerate(zip(fitted.network.parents, fitted.tables, strict=True)):
        cell = table
        for u in (*parents, v):
            cell = cell[codes[u]]
        terms.append(math.log(float(cell)))
    return math.fsum(terms)


def best_scores(parent_sets: ScoredSets, k: int) -> list[float]:
    """Return the k best scores of networks, best first: every choice of sets is tried."""
    scores = []
    for choice in product(*parent_sets):
        score = math.fsum(score for score, _ in choice)
        if score > -math.inf and is_acyclic([parents for _, parents in choice]):
            scores.append(score)
    return sorted(scores, reverse=True)[:k]


def score_of_ranks(sets: ScoredSets, ranks: Sequence[int]) -> float:
    """The score of the network that has the set of this rank (from 0) for every variable."""
    return math.fsum(own[rank][0] for own, rank in zip(sets, ranks, strict=True))


def best_distinct(
    sets: ScoredSets, networks: Iterable[Sequence[int]]
) -> list[tuple[float, tuple[int, ...]]]:
    """All networks that have a finite score, each once, best first."""
    scored = {(score_of_ranks(sets, ranks), tuple(ranks)) for ranks in networks}
    return sorted((one for one in scored if math.isfinite(one[0])), reverse=True)


def feature_probabilities(
    networks: Sequence[Sequence[Parents]], weights: Sequence[Fraction]
) -> tuple[dict[Arc, Fraction], dict[Arc, Fraction], dict[Arc, Fraction]]:
    """How probable every arc, edge and Markov-blanket pair is: one pair after the other."""
    n = len(networks[0])
    weighted = [(g, weight / sum(weights)) for g, weight in zip(networks, weights, strict=True)]
    zero = Fraction()
    arcs, edges, blankets = {}, {}, {}
    for u, v in product(range(n), repeat=2):
        arcs[u, v] = sum((w for g, w in weighted if u in g[v]), zero)
    for u, v in combinations(range(n), 2):
        linked = [(g, w, u in g[v] or v in g[u]) for g, w in weighted]
        edges[u, v] = sum((w for _, w, link in linked if link), zero)
        blankets[u, v] = sum((w for g, w, link in linked if link or _marry(g, u, v)), zero)
    return arcs, edges, blankets


def _marry(network: Sequence[Parents], u: int, v: int) -> bool:
    return any(u in family and v in family for family in network)


def averaged_arcs(
    n: int, arcs: Mapping[Arc, float], edges: Mapping[Arc, float], threshold: float
) -> set[Arc]:
    """The surest arcs first, turned round where a cycle would close; no edges too rare."""
    kept: set[Arc] = set()
    for arc in sorted(arcs, key=lambda arc: (-arcs[arc], arc[1], arc[0])):
        probable = edges[min(arc), max(arc)] >= threshold
        if probable and not {arc, arc[::-1]} & kept:
            kept.add(arc if _is_acyclic(n, kept | {arc}) else arc[::-1])
    return kept


def _is_acyclic(n: int, arcs: set[Arc]) -> bool:
    """Take away variables without parents, again and again: if all go, there is no cycle."""
    left = set(range(n))
    while sources := {v for v in left if not any(u in left and (u, v) in arcs for u in left)}:
        left -= sources
    return not left


def weighted_networks_of_orders(
    sets: ScoredSets, orders: Iterable[Sequence[int]]
) -> tuple[list[tuple[Parents, ...]], list[Fraction]]:
    """Every network that each order allows, weighted by exp(score)."""
    networks, weights = [], []
    for order in orders:
        before = {v: set(order[:place]) for place, v in enumerate(order)}
        allowed = [
            [one for one in own if before[v].issuperset(one[1])] for v, own in enumerate(sets)
        ]
        for chosen in product(*allowed):
            networks.append(tuple(parents for _, parents in chosen))
            weights.append(Fraction(math.exp(math.fsum(score for score, _ in chosen))))
    return networks, weights


def back_off(
    rows: Sequence[tuple[int, ...]],
    state: int,
    given: Mapping[int, int],
    order: Sequence[int],
    levels: Sequence[tuple[float, float]],
    n_states: int,
) -> float:
    """Return a probability by back-off smoothing; the last entry of a row is the child's state."""
    if not levels:
        return 1 / n_states
    weight, share = levels[-1]
    like = [row for row in rows if all(row[p] == given[p] for p in order)]
    fewer = back_off(rows, state, given, order[:-1], levels[:-1], n_states)
    prior = (1 - share) * fewer + share / n_states
    return (sum(row[-1] == state for row in like) + weight * prior) / (len(like) + weight)


def left_out(
    rows: Sequence[tuple[int, ...]],
    order: Sequence[int],
    levels: Sequence[tuple[float, float]],
    n_states: int,
) -> float:
    """Predict every row from the others by back-off smoothing; sum the logarithms."""
    found = []
    for place, row in enumerate(rows):
        others = [*rows[:place], *rows[place + 1 :]]
        given = dict(enumerate(row[:-1]))
        found.append(math.log(back_off(others, row[-1], given, order, levels, n_states)))
    return math.fsum(found)
