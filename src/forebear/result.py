"""Result: what a search found, how good it is, and how it was found."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from forebear.alternatives import of_fields, to_fields
from forebear.errors import FileError, ForebearError
from forebear.files import atomic_path
from forebear.network import Network
from forebear.search.trace import Improvement, Trace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.alternatives import Alternative
    from forebear.parentsets import ParentSet, ParentSets

FORMAT = "forebear result 1"


def negligible(score: float) -> float:
    """A difference in scores that rounding may make: a billionth, at least a millionth of a nat."""
    return 1e-9 * max(1000.0, abs(score))


class Choice(NamedTuple):
    """The parent set that one variable has in the network."""

    rank: int
    sets: int
    score: float


@dataclass(frozen=True, eq=False)
class Result:
    """A network with its score, where each parent set ranks, and how it came about.

    ``order`` lists the variables parents first. ``choices[v]`` tells the rank
    (1 is the best) of variable ``v``'s parent set among its candidates, of how
    many, and its score (the paper's Table 5). ``winner`` is the process that
    found it, counted from 1. ``phases`` tells the seconds that each step took,
    as far as known. ``bound`` is a score that no network exceeds, where one was
    proven. ``lost`` tells what was lost on the way, of work sent elsewhere.

    ``alternatives`` are distinct good networks found on the way, this one
    first and then the best first: at most 100. ``arc_probabilities`` tells how
    far they agree. Results of older versions have none.
    """

    network: Network
    score: float
    order: tuple[int, ...]
    choices: tuple[Choice, ...]
    algorithm: str
    settings: dict[str, Any]
    seed: int
    winner: int
    stop_reason: str
    seconds: float
    generations: tuple[int, ...]
    trace: Trace
    provenance: dict[str, Any]
    version: str
    phases: dict[str, float] = field(default_factory=dict)
    bound: float | None = None
    lost: tuple[str, ...] = ()
    alternatives: tuple[Alternative, ...] = ()

    @property
    def gap(self) -> float | None:
        """How far the score may be from the best there is, as a share of the score."""
        nats = self.gap_nats
        return None if nats is None else nats / abs(self.score) if self.score else 0.0

    @property
    def gap_nats(self) -> float | None:
        """How far the score may be from the best there is."""
        return None if self.bound is None else max(0.0, self.bound - self.score)

    @property
    def status(self) -> str:
        """Whether it is proven that no network is better ("optimal") or not ("feasible")."""
        nats = self.gap_nats
        return "optimal" if nats is not None and nats <= negligible(self.score) else "feasible"

    @classmethod
    def of_order(cls, parent_sets: ParentSets, order: tuple[int, ...], **about: Any) -> Result:
        """Build the result that an order gives, scored from the parent sets alone."""
        chosen = parent_sets.best_of_order(order)
        return cls.of_choices(parent_sets, chosen, order=order, **about)

    @classmethod
    def of_choices(
        cls, parent_sets: ParentSets, chosen: Sequence[ParentSet], **about: Any
    ) -> Result:
        """Build the result of one parent set a variable."""
        counts = parent_sets.counts.tolist()
        return cls(
            network=Network(parent_sets.names, tuple(choice.parents for choice in chosen)),
            score=math.fsum(choice.score for choice in chosen),
            choices=tuple(
                Choice(choice.rank, count, choice.score)
                for choice, count in zip(chosen, counts, strict=True)
            ),
            provenance=parent_sets.provenance,
            **about,
        )

    def over(self, parent_sets: ParentSets) -> Result:
        """The same order over other parent sets of the same variables."""
        plain = Result.of_order(parent_sets, self.order, **self._about())
        return replace(plain, phases=self.phases, bound=self.bound, lost=self.lost)

    def _about(self) -> dict[str, Any]:
        names = ("algorithm", "settings", "seed", "winner", "stop_reason", "seconds")
        return {name: getattr(self, name) for name in (*names, "generations", "trace", "version")}

    def to_frame(self) -> pl.DataFrame:
        """Return one row a variable: its parents, their rank among how many sets, the score."""
        names = self.network.names
        return pl.DataFrame(
            {
                "variable": list(names),
                "parents": [[names[p] for p in family] for family in self.network.parents],
                "rank": [choice.rank for choice in self.choices],
                "sets": [choice.sets for choice in self.choices],
                "score": [choice.score for choice in self.choices],
            },
            schema_overrides={"parents": pl.List(pl.String)},
        )

    def save(self, path: Path | str) -> None:
        """Write everything to a JSON file, which ``Result.load`` reads back."""
        with atomic_path(path) as temporary:
            temporary.write_text(self.to_json(), "utf-8")

    def to_json(self) -> str:
        """Return everything as one line of JSON."""
        return json.dumps(self._fields(), ensure_ascii=False) + "\n"

    @classmethod
    def load(cls, path: Path | str) -> Result:
        """Read a result back from its JSON file."""
        try:
            fields = json.loads(Path(path).read_text("utf-8"))
        except OSError as error:
            raise FileError(f"{path}: cannot be read: {error.strerror or error}") from error
        except (ValueError, RecursionError) as error:
            raise FileError(f"{path}: not a result: {error}") from error
        if not isinstance(fields, dict) or fields.get("format") != FORMAT:
            raise FileError(f"{path}: not a result of forebear")
        try:
            return cls._of_fields(fields)
        except (KeyError, TypeError, ValueError) as error:
            raise FileError(f"{path}: a damaged result: {error}") from error

    def _fields(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": self.version,
            "algorithm": self.algorithm,
            "score": self.score,
            "bound": self.bound,
            "seconds": self.seconds,
            "phases": self.phases,
            "lost": list(self.lost),
            "stop_reason": self.stop_reason,
            "seed": self.seed,
            "winner": self.winner,
            "generations": list(self.generations),
            "settings": self.settings,
            "provenance": self.provenance,
            "variables": list(self.network.names),
            "parents": [list(family) for family in self.network.parents],
            "choices": [list(choice) for choice in self.choices],
            "order": list(self.order),
            "trace": [list(improvement) for improvement in self.trace],
            "alternatives": to_fields(self.alternatives, self.network.parents),
        }

    @classmethod
    def _of_fields(cls, fields: dict[str, Any]) -> Result:
        network = Network(tuple(fields["variables"]), tuple(map(tuple, fields["parents"])))
        order = tuple(int(v) for v in fields["order"])
        _check_order(network, order)
        return cls(
            network=network,
            score=float(fields["score"]),
            order=order,
            choices=tuple(Choice(int(r), int(n), float(s)) for r, n, s in fields["choices"]),
            algorithm=str(fields["algorithm"]),
            settings=dict(fields["settings"]),
            seed=int(fields["seed"]),
            winner=int(fields["winner"]),
            stop_reason=str(fields["stop_reason"]),
            seconds=float(fields["seconds"]),
            generations=tuple(int(g) for g in fields["generations"]),
            trace=Trace(
                [Improvement(int(p), float(t), int(g), float(s)) for p, t, g, s in fields["trace"]]
            ),
            provenance=dict(fields["provenance"]),
            version=str(fields["version"]),
            phases={str(name): float(s) for name, s in fields.get("phases", {}).items()},
            lost=tuple(str(loss) for loss in fields.get("lost", ())),
            bound=None if fields.get("bound") is None else float(fields["bound"]),
            alternatives=of_fields(fields.get("alternatives", ()), network.parents),
        )

    def report(self, path: Path | str) -> None:
        """Write a page with the network, how good it is and how it was found.

        It is one HTML file that needs nothing else, and no connection.
        """
        from forebear.report.page import write_report

        write_report(self, path)

    def _repr_html_(self) -> str:
        """Show the network and its score in notebooks."""
        from forebear.report.notebook import result_html

        return result_html(self)


def _check_order(network: Network, order: tuple[int, ...]) -> None:
    if sorted(order) != list(range(network.n_variables)):
        raise ForebearError("the order does not list every variable once")
    place = {v: i for i, v in enumerate(order)}
    if any(place[parent] > place[child] for parent, child in network.arcs):
        raise ForebearError("the order puts a child before its parent")
