"""Comparison of a learned network with the true one: SHD, precision, recall, F1, BSF."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from forebear._util.errors import ForebearError
from forebear._util.text import counted, listing, show_facts
from forebear.network.network import Network, NetworkLike, as_network, with_same_experiments

NamedArcs: TypeAlias = "tuple[tuple[str, str], ...]"


@dataclass(frozen=True, repr=False)
class Comparison:
    """The differences between a learned network and the true one.

    Arcs are (parent, child) pairs of names. The precision of a network without
    arcs is 1, and so is the recall if the true network has no arcs.

    Attributes
    ----------
    n_variables
        The number of variables.
    common
        The arcs in both networks.
    reversed
        The arcs that have opposite directions in the two networks, as learned.
    missing
        The arcs that are only in the true network.
    extra
        The arcs that are only in the learned network.
    shd_cpdag
        The structural Hamming distance of the CPDAGs (Tsamardinos, Brown and
        Aliferis, 2006): the number of pairs of variables with an edge in one
        CPDAG only, or with edges of different kind or direction. 0 means that
        the networks are equivalent. If the learned network is from a table with
        experiments, both CPDAGs are the interventional ones.
    """

    n_variables: int
    common: NamedArcs
    reversed: NamedArcs
    missing: NamedArcs
    extra: NamedArcs
    shd_cpdag: int

    @property
    def true_arcs(self) -> int:
        """The number of arcs of the true network."""
        return len(self.common) + len(self.reversed) + len(self.missing)

    @property
    def learned_arcs(self) -> int:
        """The number of arcs of the learned network."""
        return len(self.common) + len(self.reversed) + len(self.extra)

    @property
    def shd(self) -> int:
        """The structural Hamming distance of the DAGs: the arcs to add, remove or reverse."""
        return len(self.missing) + len(self.extra) + len(self.reversed)

    @property
    def arc_precision(self) -> float:
        """The share of the learned arcs that are in the true network, with the same direction."""
        return _share(len(self.common), self.learned_arcs)

    @property
    def arc_recall(self) -> float:
        """The share of the true arcs that were learned, with the same direction."""
        return _share(len(self.common), self.true_arcs)

    @property
    def arc_f1(self) -> float:
        """The harmonic mean of ``arc_precision`` and ``arc_recall``."""
        return _share(2 * len(self.common), self.learned_arcs + self.true_arcs)

    @property
    def skeleton_precision(self) -> float:
        """The share of the learned arcs that are in the true network, in either direction."""
        return _share(self._adjacent, self.learned_arcs)

    @property
    def skeleton_recall(self) -> float:
        """The share of the true arcs that were learned, in either direction."""
        return _share(self._adjacent, self.true_arcs)

    @property
    def skeleton_f1(self) -> float:
        """The harmonic mean of ``skeleton_precision`` and ``skeleton_recall``."""
        return _share(2 * self._adjacent, self.learned_arcs + self.true_arcs)

    @property
    def _adjacent(self) -> int:
        return len(self.common) + len(self.reversed)

    @property
    def bsf(self) -> float:
        """The balanced scoring function of Constantinou (2019), from -1 to 1.

        It is (TP/a + TN/i - FP/i - FN/a) / 2, where a is the number of true
        arcs and i the number of pairs of variables without an arc. A reversed
        arc counts as half found and half missed, as in Bayesys. It is 1 for the
        true network, and 0 for the empty network and for one that connects all
        pairs.
        """
        independences = self.n_variables * (self.n_variables - 1) // 2 - self.true_arcs
        hits = _share(len(self.common) + 0.5 * len(self.reversed), self.true_arcs)
        rejections = _share(independences - len(self.extra), independences)
        # FN/a = 1 - TP/a and FP/i = 1 - TN/i.
        return hits + rejections - 1.0

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers, and under ``arcs`` the lists of arcs, ready for JSON.

        Returns
        -------
        dict
            Plain numbers, strings and lists.
        """
        lists = self._lists
        numbers = {name: getattr(self, name) for name in MEASURES}
        counts = {name: len(arcs) for name, arcs in lists.items()}
        arcs = {name: [list(arc) for arc in arcs] for name, arcs in lists.items()}
        return {"variables": self.n_variables, **numbers, **counts, "arcs": arcs}

    @property
    def _lists(self) -> dict[str, NamedArcs]:
        return {name: getattr(self, name) for name in ("common", "reversed", "missing", "extra")}

    def __repr__(self) -> str:
        """Show the counts of arcs and the main measures."""
        facts = [
            *((name, f"{len(arcs):,}") for name, arcs in self._lists.items()),
            ("SHD", f"{self.shd:,}; {self.shd_cpdag:,} between the CPDAGs"),
            ("F1", f"{self.arc_f1:.3f}; {self.skeleton_f1:.3f} without directions"),
        ]
        learned, true = (
            counted(self.learned_arcs, "learned arc"),
            counted(self.true_arcs, "true arc"),
        )
        return show_facts(f"Comparison of {learned} with {true}", facts)


MEASURES = (
    *("shd", "shd_cpdag", "arc_precision", "arc_recall", "arc_f1", "skeleton_precision"),
    *("skeleton_recall", "skeleton_f1", "bsf", "true_arcs", "learned_arcs"),
)
"""The names of the numbers of a comparison."""


def compare_networks(learned: NetworkLike, true: NetworkLike) -> Comparison:
    """Compare a learned network with the true one.

    Parameters
    ----------
    learned
        A Network, a FittedNetwork or a Result.
    true
        Of the same types. Variables are matched by name.

    Returns
    -------
    Comparison
        The arcs in which the networks agree and differ, and measures computed from them.

    Raises
    ------
    ForebearError
        If the networks have different variables.

    Examples
    --------
    >>> from forebear import Network, compare_networks
    >>> truth = Network.from_arcs(["a", "b", "c"], [("a", "b"), ("b", "c")])
    >>> learned = Network.from_arcs(["a", "b", "c"], [("a", "b"), ("c", "b")])
    >>> comparison = compare_networks(learned, truth)
    >>> comparison.shd, comparison.reversed, comparison.skeleton_f1
    (1, (('c', 'b'),), 1.0)
    """
    learned, true = as_network(learned), as_network(true)
    _check_variables(learned.names, true.names)
    true = true.reordered(learned.names)
    ours, theirs = set(learned.arcs), set(true.arcs)

    def named(arcs: Iterable[tuple[int, int]]) -> NamedArcs:
        return tuple((learned.names[p], learned.names[v]) for p, v in arcs)

    return Comparison(
        n_variables=learned.n_variables,
        common=named(arc for arc in learned.arcs if arc in theirs),
        reversed=named(arc for arc in learned.arcs if arc[::-1] in theirs),
        missing=named(arc for arc in true.arcs if not {arc, arc[::-1]} & ours),
        extra=named(arc for arc in learned.arcs if not {arc, arc[::-1]} & theirs),
        shd_cpdag=_class_distance(learned, true),
    )


def _check_variables(learned: Sequence[str], true: Sequence[str]) -> None:
    differences = []
    for side, names, others in (("learned", learned, set(true)), ("true", true, set(learned))):
        if only := [name for name in names if name not in others]:
            differences.append(f"only the {side} network has {listing(only)}")
    if differences:
        raise ForebearError(f"the networks have different variables: {'; '.join(differences)}")


def _class_distance(learned: Network, true: Network) -> int:
    """Count the pairs whose edge is in one CPDAG only, or differs in kind or direction."""
    ours, theirs = (one.cpdag() for one in with_same_experiments(learned, true))
    changed = {*ours.directed} ^ {*theirs.directed}, {*ours.undirected} ^ {*theirs.undirected}
    return len({frozenset(pair) for pairs in changed for pair in pairs})


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 1.0
