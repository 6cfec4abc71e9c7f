"""Knowledge: arcs, orders, ancestors, tiers and limits that a network has to respect."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from forebear._util.errors import ForebearError, ForebearWarning
from forebear._util.names import no_variable
from forebear._util.text import listing
from forebear.knowledge.agreement import violated
from forebear.knowledge.contradictions import check_consistent, precedence
from forebear.knowledge.files import read_statements
from forebear.knowledge.statements import Kind, Statement
from forebear.parentsets.collection import ParentSets

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from forebear.network.network import Network

Pair: TypeAlias = tuple[str, str]


class ScoringConstraints(NamedTuple):
    """What ``score_parent_sets`` and ``learn`` take: pass it as ``**constraints._asdict()``."""

    required: list[Pair]
    forbidden: list[Pair]
    tiers: list[list[str]]


@dataclass(frozen=True)
class Knowledge:
    """What is known of a network; built, it is free of contradictions.

    Pairs are (parent, child), (earlier, later) or (ancestor, descendant).
    ``adjacent`` pairs are joined by an arc in either direction. All ``before``
    pairs stand so in one order of the variables, parents first. A variable of
    an earlier one of the ``tiers`` has no parent in a later one.
    """

    statements: tuple[Statement, ...] = field(default=())

    def __post_init__(self) -> None:
        object.__setattr__(self, "statements", tuple(self.statements))
        check_consistent(self.statements)

    @classmethod
    def of(
        cls,
        *,
        required: Iterable[Pair] = (),
        forbidden: Iterable[Pair] = (),
        adjacent: Iterable[Pair] = (),
        before: Iterable[Pair] = (),
        ancestors: Iterable[Pair] = (),
        not_ancestors: Iterable[Pair] = (),
        tiers: Sequence[Iterable[str]] = (),
        max_parents: Mapping[str, int] | None = None,
    ) -> Knowledge:
        """Gather knowledge by kind."""
        pairs = {
            Kind.REQUIRED: required,
            Kind.FORBIDDEN: forbidden,
            Kind.ADJACENT: adjacent,
            Kind.BEFORE: before,
            Kind.ANCESTOR: ancestors,
            Kind.NOT_ANCESTOR: not_ancestors,
        }
        said = [Statement(kind, a, b) for kind, given in pairs.items() for a, b in given]
        said += [Statement(Kind.TIER, v, t) for t, tier in enumerate(tiers, 1) for v in tier]
        said += [Statement(Kind.MAX_PARENTS, v, most) for v, most in (max_parents or {}).items()]
        return cls(tuple(said))

    @classmethod
    def read(cls, *paths: Any) -> Knowledge:
        """Read files of knowledge; see ``forebear.knowledge.files``."""
        return cls(tuple(said for path in paths for said in read_statements(path)))

    @classmethod
    def from_pgmpy(cls, expert: Any, names: Sequence[str] | None = None) -> Knowledge:
        """Take over pgmpy's ExpertKnowledge.

        Its ``search_space`` lists all arcs that may be, so that the names of all
        variables are needed to know those that may not.
        """
        space = set(getattr(expert, "search_space", None) or ())
        if space and names is None:
            raise ForebearError(
                "this ExpertKnowledge has a search_space: give the names of all variables, too"
            )
        outside = [
            (a, b) for a in names or () for b in names or () if a != b and (a, b) not in space
        ]
        return cls.of(
            required=sorted(expert.required_edges),
            forbidden=sorted({*expert.forbidden_edges, *(outside if space else ())}),
            tiers=[tier for tier in expert.temporal_order if tier],
        )

    def __or__(self, other: Knowledge) -> Knowledge:
        """Join what two say."""
        return Knowledge((*self.statements, *other.statements))

    def pairs(self, kind: Kind) -> frozenset[Pair]:
        """The pairs of one kind."""
        return frozenset((s.first, str(s.second)) for s in self.statements if s.kind is kind)

    @property
    def required(self) -> frozenset[Pair]:
        """Arcs that must be."""
        return self.pairs(Kind.REQUIRED)

    @property
    def forbidden(self) -> frozenset[Pair]:
        """Arcs that must not be."""
        return self.pairs(Kind.FORBIDDEN)

    @cached_property
    def tiers(self) -> tuple[tuple[str, ...], ...]:
        """The tiers, first to last; those that nobody is in are left out."""
        tiers: dict[int, list[str]] = {}
        for said in self.statements:
            if said.kind is Kind.TIER and said.first not in tiers.setdefault(int(said.second), []):
                tiers[int(said.second)].append(said.first)
        return tuple(tuple(tiers[number]) for number in sorted(tiers))

    @cached_property
    def max_parents(self) -> dict[str, int]:
        """The most parents of variables that have a limit of their own."""
        limits: dict[str, int] = {}
        for said in self.statements:
            if said.kind is Kind.MAX_PARENTS:
                limits[said.first] = min(int(said.second), limits.get(said.first, int(said.second)))
        return limits

    def to_constraints(self, names: Sequence[str]) -> ScoringConstraints:
        """Say it as required and forbidden arcs and tiers, which scoring keeps to.

        Orders and ancestors forbid single arcs, not the paths that are made of
        several; a pair to be joined is required in the direction that is left to
        it. Where more is said than scoring can keep to, a warning tells, and
        ``violations`` tells whether the network does.
        """
        self.check_names(names)
        forbidden = set(self.forbidden) | self.pairs(Kind.NOT_ANCESTOR)
        forbidden |= {(b, a) for a, b in precedence(self.statements)}
        required = set(self.required)
        free = []
        for a, b in sorted(self.pairs(Kind.ADJACENT)):
            ways = [arc for arc in ((a, b), (b, a)) if arc not in forbidden | self._against_tiers]
            if len(ways) == 1:
                required.add(ways[0])
            elif not required & {(a, b), (b, a)}:
                free.append(f"{a} and {b} are joined")
        self._warn_of(free)
        return ScoringConstraints(sorted(required), sorted(forbidden), [*map(list, self.tiers)])

    def _warn_of(self, free: list[str]) -> None:
        paths = [
            str(said)
            for said in self.statements
            if said.kind in (Kind.BEFORE, Kind.ANCESTOR, Kind.NOT_ANCESTOR)
        ]
        if loose := [*free, *paths]:
            warnings.warn(
                f"scoring cannot make sure that {listing(loose)}: "
                "Knowledge.violations tells if the network agrees",
                ForebearWarning,
                stacklevel=3,
            )

    @cached_property
    def _against_tiers(self) -> frozenset[Pair]:
        """Arcs from a later tier to an earlier one."""
        tier = {v: number for number, members in enumerate(self.tiers) for v in members}
        return frozenset((a, b) for a in tier for b in tier if tier[a] > tier[b])

    def check_names(self, names: Sequence[str]) -> None:
        """Refuse knowledge of variables that are not there."""
        known = set(names)
        for said in self.statements:
            for term in (said.first, said.second):
                if isinstance(term, str) and term not in known:
                    place = f"{said.where}: " if said.where else ""
                    raise ForebearError(f"{place}{no_variable(term, names)}")

    def limited(self, parent_sets: ParentSets) -> ParentSets:
        """Return the parent sets that the limits of single variables leave."""
        sizes = (parent_sets.parents != parent_sets.none).sum(axis=0)
        most = np.full(parent_sets.n_variables, parent_sets.max_parents)
        for name, limit in self.max_parents.items():
            most[parent_sets.index(name)] = limit
        child = np.repeat(np.arange(parent_sets.n_variables), parent_sets.counts)
        keep = sizes <= most[child]
        counts = np.bincount(child[keep], minlength=parent_sets.n_variables)
        return ParentSets(
            names=parent_sets.names,
            offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            scores=parent_sets.scores[keep],
            parents=np.ascontiguousarray(parent_sets.parents[:, keep]),
            provenance=parent_sets.provenance,
        )

    def violations(self, network: Network) -> list[str]:
        """List what a network does not respect, each with the place where it was said."""
        self.check_names(network.names)
        found = [str(said) for said in violated(network, self.statements)]
        arcs = set(network.arc_names) & self._against_tiers
        return found + [f"{a} -> {b} leads to an earlier tier" for a, b in sorted(arcs)]
