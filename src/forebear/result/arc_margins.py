"""ArcMargins: how much lower networks without an edge or a direction are proven to score."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from forebear._util.checks import check_choice, check_real
from forebear._util.errors import ForebearError, Parameter
from forebear._util.text import counted, show_facts, show_seconds
from forebear._util.variable_names import Variable, VariableNames
from forebear.result.validation import real, whole

if TYPE_CHECKING:
    import polars as pl

KINDS = ("edge", "direction", "pair")
LEVELS = (10.0, 3.0)
"""Margins that the report and the summary distinguish, in nats. Under a marginal likelihood, 3 nats
are a ratio of 20 and 10 nats one of 22,000: "strong" and far beyond "very strong" (Kass and
Raftery, 1995)."""
_EXACT = 1e-3
"""A margin is exact if a network within this many nats of the bound was found. Linear programs are
solved to seven digits: on alarm the largest difference was 0.0001 nats."""
_ROUNDING = 1e-6  # a margin below this does not exclude a tie


class ArcMargin(NamedTuple):
    """What is proven about one edge, direction or pair.

    Attributes
    ----------
    kind
        "edge": networks in which the two variables are not adjacent. "direction": networks without
        this arc, which may have the opposite one. "pair": networks in which two variables are
        adjacent that are not adjacent in the network.
    parent, child
        The indices of the variables.
    margin
        These networks score at least this much less than the network, in nats. Infinite if there
        are none, 0 if nothing is proven.
    at_most
        How much lower the best such network found scores; infinite if none was found.
    """

    kind: str
    parent: int
    child: int
    margin: float
    at_most: float

    @property
    def exact(self) -> bool:
        """Whether the loss is known, up to rounding."""
        return self.margin == math.inf or self.at_most - self.margin <= _EXACT


@dataclass(frozen=True, repr=False)
class ArcMargins(VariableNames):
    """The margins of the arcs of a network, from ``certify_arcs``.

    Every network without an edge is proven to score lower by at least the margin of the edge.

    Attributes
    ----------
    names
        The names of the variables.
    items
        The margins: every edge of the network, the direction of every compelled arc and, if
        requested, every pair of variables that are not adjacent.
    score
        The score of the network that margins refer to.
    optimal
        Whether this network is proven optimal. If not, the margins are relative to it, not to the
        best network.
    cutoff
        The margin, in nats, at which proofs ended; None if exact margins were requested.
    covers
        The networks that the proofs cover: "among networks with at most 3 parents".
    stop_reason
        "complete" if nothing remains to be proven, otherwise "time", "limit", "interrupted" or
        "cancelled".
    seconds
        The time spent.
    """

    names: tuple[str, ...]
    items: tuple[ArcMargin, ...]
    score: float
    optimal: bool
    cutoff: float | None
    covers: str
    stop_reason: str
    seconds: float = field(default=0.0, compare=False)

    def of_kind(self, kind: str) -> tuple[ArcMargin, ...]:
        """Return the margins of one kind: "edge", "direction" or "pair"."""
        check_choice(KINDS, kind=kind)
        return tuple(item for item in self.items if item.kind == kind)

    def item(self, a: Variable, b: Variable, *, direction: bool = False) -> ArcMargin:
        """Return what is proven about two variables.

        Parameters
        ----------
        a, b
            The names or the indices of the variables, in any order unless ``direction``.
        direction
            Whether only the arc from ``a`` to ``b`` is excluded. It must be a compelled arc of the
            network. Default False.

        Returns
        -------
        ArcMargin
            The margin, and the smallest loss that was found.

        Raises
        ------
        ForebearError
            If this margin was not computed.
        """
        first, second = self.index(a), self.index(b)
        for one in self.items:
            ends = (one.parent, one.child)
            if (one.kind == "direction") == direction and (
                ends == (first, second) or (not direction and ends == (second, first))
            ):
                return one
        names = f"{self.names[first]} and {self.names[second]}"
        if first == second:
            raise ForebearError(f"{self.names[first]} is named twice: name two variables")
        if direction:
            raise ForebearError(
                f"{self.names[first]} -> {self.names[second]} is not a compelled arc of the network"
            )
        raise ForebearError(f"{names} are not adjacent in the network: pass ", Parameter("pairs"))

    def margin(self, a: Variable, b: Variable, *, direction: bool = False) -> float:
        """Return the margin of an edge, a direction or an absent edge, in nats.

        Parameters
        ----------
        a, b, direction
            As for ``item``.

        Returns
        -------
        float
            How much lower all networks without the edge are proven to score; infinite if there are
            none. If the variables are not adjacent in the network: how much lower all networks in
            which they are adjacent score.
        """
        return self.item(a, b, direction=direction).margin

    def proven(
        self, a: Variable, b: Variable, at_least: float = 0.0, *, direction: bool = False
    ) -> bool:
        """Return whether every network without the edge is proven to score lower.

        Parameters
        ----------
        a, b, direction
            As for ``item``.
        at_least
            By how much lower, in nats. Default 0: by any amount.

        Returns
        -------
        bool
            Whether this is proven. If not, it may still be true.
        """
        check_real(0, at_least=at_least)
        margin = self.margin(a, b, direction=direction)
        return margin > _ROUNDING and margin >= at_least

    def needed(self, at_least: float) -> int:
        """Return how many edges are proven to be in every network within this many nats."""
        return sum(
            one.margin > _ROUNDING and one.margin >= at_least for one in self.of_kind("edge")
        )

    @property
    def sentence(self) -> str:
        """A sentence: "21 of 26 edges are in every network within 10 nats of the best"."""
        edges = self.of_kind("edge")
        level = LEVELS[0] if self.cutoff is None else min(self.cutoff, LEVELS[0])
        best = "the best" if self.optimal else "this one"
        are = "is" if len(edges) == 1 else "are"
        return (
            f"{self.needed(level):,} of {counted(len(edges), 'edge')} {are} in every network "
            f"within {level:g} nats of {best}"
        )

    def to_frame(self) -> pl.DataFrame:
        """Return the margins.

        Returns
        -------
        polars.DataFrame
            One row per edge, and per pair if requested, with the columns ``from``, ``to``,
            ``adjacent`` (whether the network has the edge), ``margin``, ``exact`` and
            ``direction_margin`` (null unless the direction is compelled).
        """
        import polars as pl

        directions = {(one.parent, one.child): one.margin for one in self.of_kind("direction")}
        rows = [one for one in self.items if one.kind != "direction"]
        return pl.DataFrame(
            {
                "from": [self.names[one.parent] for one in rows],
                "to": [self.names[one.child] for one in rows],
                "adjacent": [one.kind == "edge" for one in rows],
                "margin": [one.margin for one in rows],
                "exact": [one.exact for one in rows],
                "direction_margin": [directions.get((one.parent, one.child)) for one in rows],
            },
            schema={
                "from": pl.String,
                "to": pl.String,
                "adjacent": pl.Boolean,
                "margin": pl.Float64,
                "exact": pl.Boolean,
                "direction_margin": pl.Float64,
            },
        )

    def to_fields(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON; null stands for infinity."""
        return {
            "score": self.score,
            "optimal": self.optimal,
            "cutoff": self.cutoff,
            "covers": self.covers,
            "stop_reason": self.stop_reason,
            "seconds": self.seconds,
            "items": [
                [one.kind, one.parent, one.child, _finite(one.margin), _finite(one.at_most)]
                for one in self.items
            ],
        }

    @classmethod
    def of_fields(cls, fields: Mapping[str, Any], names: tuple[str, ...]) -> ArcMargins:
        """Restore margins from the values of ``to_fields``; reject anything else."""
        items = []
        for kind, parent, child, margin, at_most in fields["items"]:
            check_choice(KINDS, kind=kind)
            ends = (whole(parent, len(names) - 1), whole(child, len(names) - 1))
            items.append(ArcMargin(kind, *ends, _infinite(margin), _infinite(at_most)))
        cutoff = fields["cutoff"]
        return cls(
            names,
            tuple(items),
            real(fields["score"]),
            fields["optimal"] is True,
            None if cutoff is None else real(cutoff),
            str(fields["covers"]),
            str(fields["stop_reason"]),
            real(fields["seconds"]),
        )

    def __repr__(self) -> str:
        """Show the number of needed edges and what the proofs cover."""
        edges = self.of_kind("edge")
        facts = [(f"needed by {level:g} nats", f"{self.needed(level):,}") for level in LEVELS]
        if edges:
            least = min(edges, key=lambda one: one.margin)
            arc = f"{self.names[least.parent]} - {self.names[least.child]}"
            facts.append(("least", f"{least.margin:.4g} nats ({arc})"))
        relative = "the optimum" if self.optimal else "a network that is not proven optimal"
        facts.append(("relative to", f"{relative}, {self.covers}"))
        facts.append(("time", f"{show_seconds(self.seconds)}: {self.stop_reason}"))
        return show_facts(f"ArcMargins of {counted(len(edges), 'edge')}", facts)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _infinite(value: Any) -> float:
    return math.inf if value is None else real(value)
