"""Knowledge: arcs, orders, ancestors, tiers and limits that a network must respect."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from forebear._util.checks import check_parameter_names
from forebear._util.errors import ForebearError, Parameter
from forebear._util.variable_names import Variable, VariableNames
from forebear.knowledge.contradictions import check_consistent
from forebear.knowledge.relations import Relations
from forebear.knowledge.statement_files import read_statements
from forebear.knowledge.statements import PAIR_KINDS, Kind, Statement, as_statements
from forebear.network.network import NetworkLike, as_network

Pairs: TypeAlias = Iterable[tuple[Variable, Variable]]
Arcs: TypeAlias = (
    Mapping[int, Collection[Variable]]  # the keys of a mapping are not covariant
    | Mapping[str, Collection[Variable]]
    | Mapping[Variable, Collection[Variable]]
    | Pairs
)

Pair: TypeAlias = tuple[str, str]


@dataclass(frozen=True, init=False, repr=False)
class Knowledge:
    """Constraints on the network that are known before learning.

    Pass it to ``learn`` or ``score_parent_sets`` as ``knowledge``. Every algorithm respects it.
    Variables are given by name or by index; indices refer to the columns of the table that the
    knowledge is used with.

    Parameters
    ----------
    required
        Arcs that the network must have: (parent, child) pairs, or ``{child: parents}``.
    forbidden
        Arcs that the network must not have: (parent, child) pairs, or ``{child: parents}``.
    adjacent
        Pairs of variables that must be joined by an arc, in either direction.
    before
        (earlier, later) pairs. The network must have an order of its variables, parents first, in
        which each earlier variable precedes the later one.
    ancestors
        (ancestor, descendant) pairs: a directed path must lead from the first to the second.
    not_ancestors
        Pairs where no directed path may lead from the first variable to the second.
    tiers
        Groups of variables, earliest first. A variable has no parent in a later tier. Variables
        in no tier are unrestricted.
    max_parents
        ``{variable: number}``: the largest parent set of single variables. The ``max_parents`` of
        ``learn`` applies to all variables.

    Attributes
    ----------
    statements
        The individual statements.

    Raises
    ------
    ForebearError
        If a parameter is invalid, or if no network can satisfy the knowledge. If variables are
        given by index, contradictions are detected when the knowledge is used.

    Examples
    --------
    >>> import forebear
    >>> knowledge = forebear.Knowledge(
    ...     required={"scab": ["rainfall"]},
    ...     not_ancestors=[("price", "harvest")],
    ...     tiers=[["winter", "rainfall"], ["harvest"]],
    ...     max_parents={"price": 2},
    ... )
    >>> result = forebear.learn("example:orchard", knowledge=knowledge, generations=5, seed=1)
    >>> knowledge.violations(result)
    []
    """

    statements: tuple[Statement, ...]

    @check_parameter_names
    def __init__(
        self,
        *,
        required: Arcs = (),
        forbidden: Arcs = (),
        adjacent: Pairs = (),
        before: Pairs = (),
        ancestors: Pairs = (),
        not_ancestors: Pairs = (),
        tiers: Sequence[Iterable[Variable]] = (),
        max_parents: Mapping[Any, int] | None = None,
    ) -> None:
        pairs = {
            "required": required,
            "forbidden": forbidden,
            "adjacent": adjacent,
            "before": before,
            "ancestors": ancestors,
            "not_ancestors": not_ancestors,
        }
        self._set(as_statements(pairs, tiers, max_parents))

    def _set(self, statements: Iterable[Statement]) -> None:
        object.__setattr__(self, "statements", tuple(statements))
        if not self._has_indices:
            check_consistent(self.statements)

    @classmethod
    def of_statements(cls, statements: Iterable[Statement]) -> Knowledge:
        """Build knowledge from single statements."""
        knowledge = cls.__new__(cls)
        knowledge._set(statements)
        return knowledge

    @classmethod
    def read(cls, *paths: Path | str) -> Knowledge:
        """Read knowledge from files in the formats of other programs.

        The name of a file determines its format. Files of Bayesys: ``constraintsDirected*.csv``,
        ``constraintsForbidden*.csv``, ``constraintsUndirected*.csv`` and
        ``constraintsTemporal*.csv``. Lists of arcs with the header ``from,to``, as bnlearn uses
        them: ``*whitelist*.csv`` and ``*blacklist*.csv``. All other files have lines as in the
        dagconstraints files of GOBNILP: ``A<-B``, ``~A<-B``, ``A--B``, ``~A--B`` and ``A<B``. Two
        more kinds of lines are accepted: ``A=>B`` requires A to be an ancestor of B, and ``~A=>B``
        forbids it.

        Parameters
        ----------
        *paths
            The files.

        Returns
        -------
        Knowledge
            The knowledge of all files together.

        Raises
        ------
        FileError
            If a file cannot be read. The message gives the line.
        ForebearError
            If the knowledge is contradictory. The message gives the lines that contradict each
            other.

        Examples
        --------
        >>> from pathlib import Path
        >>> import forebear
        >>> _ = Path("orchard.txt").write_text("scab<-rainfall\\nwinter<harvest\\n")
        >>> forebear.Knowledge.read("orchard.txt")
        Knowledge(required=[('rainfall', 'scab')], before=[('winter', 'harvest')])
        """
        return cls.of_statements(statement for path in paths for statement in read_statements(path))

    @classmethod
    def from_pgmpy(cls, expert: Any, names: Sequence[str] | None = None) -> Knowledge:
        """Convert an ``ExpertKnowledge`` of pgmpy.

        Parameters
        ----------
        expert
            An object with ``required_edges``, ``forbidden_edges`` and ``temporal_order``, and
            optionally a ``search_space`` of allowed arcs.
        names
            The names of all variables. Required if there is a ``search_space``, because all other
            arcs are then forbidden. Default: None.

        Returns
        -------
        Knowledge
            The same knowledge.

        Raises
        ------
        ForebearError
            If there is a ``search_space`` but no ``names``.

        Examples
        --------
        >>> from pgmpy.causal_discovery import ExpertKnowledge  # doctest: +SKIP
        >>> expert = ExpertKnowledge(required_edges=[("rainfall", "scab")])  # doctest: +SKIP
        >>> forebear.Knowledge.from_pgmpy(expert)  # doctest: +SKIP
        Knowledge(required=[('rainfall', 'scab')])
        """
        if not hasattr(expert, "required_edges"):
            got = type(expert).__name__
            raise ForebearError(Parameter("expert"), f" must be an ExpertKnowledge, got {got}")
        space = set(getattr(expert, "search_space", None) or ())
        if space and names is None:
            raise ForebearError(
                "this ExpertKnowledge has a search_space: pass ",
                Parameter("names"),
                ", the names of all variables",
            )
        outside = [
            (a, b) for a in names or () for b in names or () if a != b and (a, b) not in space
        ]
        return cls(
            required=sorted(expert.required_edges),
            forbidden=sorted({*expert.forbidden_edges, *(outside if space else ())}),
            tiers=[tier for tier in expert.temporal_order if tier],
        )

    def __or__(self, other: Knowledge) -> Knowledge:
        """Combine the knowledge of two objects."""
        return Knowledge.of_statements((*self.statements, *other.statements))

    def __repr__(self) -> str:
        """Show the non-empty parameters."""
        given: dict[str, Any] = {
            name: [
                (statement.first, statement.second)
                for statement in self.statements
                if statement.kind is kind
            ]
            for name, kind in PAIR_KINDS.items()
        }
        given |= {"tiers": [list(tier) for tier in self.tiers], "max_parents": self.max_parents}
        shown = ", ".join(f"{name}={value!r}" for name, value in given.items() if value)
        return f"Knowledge({shown})"

    def pairs(self, kind: Kind) -> frozenset[Pair]:
        """Return the pairs of one kind, by name."""
        return frozenset(statement.pair for statement in self.statements if statement.kind is kind)

    @property
    def required(self) -> frozenset[Pair]:
        """The (parent, child) arcs that the network must have."""
        return self.pairs(Kind.REQUIRED)

    @property
    def forbidden(self) -> frozenset[Pair]:
        """The (parent, child) arcs that the network must not have."""
        return self.pairs(Kind.FORBIDDEN)

    @cached_property
    def tiers(self) -> tuple[tuple[Variable, ...], ...]:
        """The tiers, earliest first, without empty ones."""
        tiers: dict[int, list[Variable]] = {}
        for statement in self.statements:
            if statement.kind is Kind.TIER and statement.first not in tiers.setdefault(
                statement.number, []
            ):
                tiers[statement.number].append(statement.first)
        return tuple(tuple(tiers[number]) for number in sorted(tiers))

    @cached_property
    def max_parents(self) -> dict[Variable, int]:
        """The largest parent set of each variable that has a limit of its own."""
        limits: dict[Variable, int] = {}
        for statement in self.statements:
            if statement.kind is Kind.MAX_PARENTS:
                limits[statement.first] = min(
                    statement.number, limits.get(statement.first, statement.number)
                )
        return limits

    @cached_property
    def _has_indices(self) -> bool:
        """Whether some variable is given by index."""
        return any(
            not isinstance(v, str) for statement in self.statements for v in statement.variables
        )

    def named(self, names: Sequence[str]) -> Knowledge:
        """Return the same knowledge with all variables given by name.

        Parameters
        ----------
        names
            The names of all variables.

        Returns
        -------
        Knowledge
            The knowledge without indices.

        Raises
        ------
        ForebearError
            If a variable does not exist, or if the knowledge is contradictory.
        """
        index = VariableNames(names).index
        statements = [statement.named(lambda v: names[index(v)]) for statement in self.statements]
        return Knowledge.of_statements(statements) if self._has_indices else self

    def violations(self, network: NetworkLike) -> list[str]:
        """List the statements that a network violates.

        Parameters
        ----------
        network
            A network, a fitted network or a result.

        Returns
        -------
        list of str
            One sentence per violation, with the file and line that the statement comes from.
            Empty if the network agrees with everything.

        Raises
        ------
        ForebearError
            If a variable does not exist in the network.

        Examples
        --------
        >>> import forebear
        >>> network = forebear.Network.from_arcs(["A", "B", "C"], [("A", "B")])
        >>> forebear.Knowledge(required=[("A", "C")], tiers=[["B"], ["A"]]).violations(network)
        ['A -> C is required', 'A -> B leads to an earlier tier']
        """
        checked = as_network(network)
        knowledge, names = self.named(checked.names), checked.names
        arcs = set(checked.arc_names)
        violated = Relations.of(knowledge, names, {}).violations(checked.parents)
        wrong: dict[Kind, Collection[Pair]] = {
            Kind.REQUIRED: knowledge.required - arcs,
            Kind.FORBIDDEN: knowledge.forbidden & arcs,
        }
        for name, pairs in asdict(violated).items():
            wrong[PAIR_KINDS[name]] = [(names[a], names[b]) for a, b in pairs]
        sentences = [
            str(statement)
            for statement in knowledge.statements
            if statement.pair in wrong.get(statement.kind, ())
            or (
                statement.kind is Kind.MAX_PARENTS
                and len(checked.parents[checked.index(statement.first)]) > statement.number
            )
        ]
        tier = {str(v): number for number, own in enumerate(knowledge.tiers) for v in own}
        late = [(a, b) for a, b in sorted(arcs) if a in tier and b in tier and tier[a] > tier[b]]
        return sentences + [f"{a} -> {b} leads to an earlier tier" for a, b in late]


def as_knowledge(value: Knowledge | Path | str | Iterable[Path | str] | None) -> Knowledge:
    """Convert a Knowledge, a file, a list of files or None to a Knowledge."""
    if value is None:
        return Knowledge()
    if isinstance(value, Knowledge):
        return value
    paths = [value] if isinstance(value, Path | str) else value
    if not isinstance(paths, Iterable) or isinstance(paths, Mapping | bytes):
        raise _not_knowledge(value)
    paths = list(paths)
    if not all(isinstance(path, Path | str) for path in paths):
        raise _not_knowledge(value)
    return Knowledge.read(*paths)


def _not_knowledge(value: object) -> ForebearError:
    return ForebearError(
        Parameter("knowledge"), f" must be a Knowledge, a file or a list of files, got {value!r}"
    )
