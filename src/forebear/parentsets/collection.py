"""ParentSets: the candidate parent sets of every variable, best first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from forebear._util.checks import check_kind, check_whole
from forebear._util.errors import FileError, ForebearError, Parameter
from forebear._util.html import html_facts, html_figure
from forebear._util.machine import thread_count
from forebear._util.text import counted, listing, show_facts
from forebear._util.variable_names import Variable
from forebear.parentsets.parent_set_files import read_fields, write_parent_sets
from forebear.parentsets.ranked_sets import RankedSets


class ParentSet(NamedTuple):
    """One parent set of a variable.

    Attributes
    ----------
    rank
        Its rank among the sets of the variable; 1 is the best.
    score
        Its local score.
    parents
        The indices of the parents, ascending.
    """

    rank: int
    score: float
    parents: tuple[int, ...]


@dataclass(frozen=True, eq=False, repr=False)
class ParentSets(RankedSets):
    """The candidate parent sets of every variable with their local scores, best first.

    Create it with ``score_parent_sets`` or ``ParentSets.load``. Sets with the
    same score are ordered by size, then lexicographically. Every variable has
    the empty set; if it is not allowed, its score is minus infinity.

    Parameters
    ----------
    names
        The names of the variables.
    offsets
        The sets of variable ``v`` are the columns ``offsets[v]:offsets[v + 1]``
        of ``parents``.
    scores
        The score of every set.
    parents
        Parents by sets, as uint16 or uint32. Every column lists the parents of
        one set in ascending order; unused entries hold ``none``.
    provenance
        How the sets were scored: the score, its parameters, the data. Default: empty.
    path
        The file that the sets were read from. Default None.
    threads
        Number of threads that check the sets. Default 1.

    Raises
    ------
    ForebearError
        If the arrays do not fit together or are not sorted.

    Examples
    --------
    >>> from forebear import score_parent_sets, simulate
    >>> sets = score_parent_sets(simulate(4, 200, seed=1).data, max_parents=2)
    >>> sets.n_variables, sets.max_parents
    (4, 2)
    >>> best = sets.at("X1", 1)
    >>> best.rank, sets.find("X1", best.parents) == best
    (1, True)
    """

    def of(
        self, variable: Variable, first: int = 1, last: int | None = None
    ) -> Iterator[ParentSet]:
        """Iterate over the sets of a variable, best first.

        Parameters
        ----------
        variable
            Its name or its index.
        first
            The first rank. Default 1.
        last
            The last rank. Default None: the rank of the worst set.

        Yields
        ------
        ParentSet
            The sets with these ranks.
        """
        v = self.index(variable)
        last = int(self.counts[v]) if last is None else min(last, int(self.counts[v]))
        for rank in range(max(first, 1), last + 1):
            yield self._set(v, rank)

    def at(self, variable: Variable, rank: int) -> ParentSet:
        """Return the set of a variable with a given rank.

        Parameters
        ----------
        variable
            Its name or its index.
        rank
            The rank; 1 is the best.

        Returns
        -------
        ParentSet
            The set.

        Raises
        ------
        ForebearError
            If there is no such variable or rank.
        """
        v = self.index(variable)
        check_whole(1, int(self.counts[v]), rank=rank)
        return self._set(v, int(rank))

    def _set(self, v: int, rank: int) -> ParentSet:
        column = int(self.offsets[v]) + rank - 1
        members = tuple(int(p) for p in self.parents[:, column] if p != self.none)
        return ParentSet(rank, float(self.scores[column]), members)

    def find(self, variable: Variable, parents: Collection[Variable]) -> ParentSet | None:
        """Find the set with given parents.

        Parameters
        ----------
        variable
            The name or the index of the variable.
        parents
            The names or the indices of the parents.

        Returns
        -------
        ParentSet or None
            The set; None if the variable has no such set.
        """
        v = self.index(variable)
        column = sorted({self.index(p) for p in parents})
        if len(column) > self.max_parents:
            return None
        column += [self.none] * (self.max_parents - len(column))
        span = self.span(v)
        matches = np.ones(span.stop - span.start, dtype=bool)
        for slot, parent in zip(self.parents, column, strict=True):
            matches &= slot[span] == parent
        place = int(np.argmax(matches))
        return self._set(v, place + 1) if matches[place] else None

    def best(self, variable: Variable, allowed: Collection[Variable]) -> ParentSet:
        """Return the best set whose parents are all allowed.

        Parameters
        ----------
        variable
            The name or the index of the variable.
        allowed
            The names or the indices of the allowed parents.

        Returns
        -------
        ParentSet
            The best set; the empty set if no other is allowed.
        """
        usable = np.zeros(self.n_variables + 1, dtype=bool)
        usable[[self.index(p) for p in allowed]] = True
        return self.best_among(self.index(variable), usable)

    def best_of_order(self, order: Iterable[int]) -> list[ParentSet]:
        """Return the best set of every variable, given an order.

        Parameters
        ----------
        order
            The indices of all variables. The parents of a variable must come
            before it.

        Returns
        -------
        list of ParentSet
            The best set of every variable, by index.

        Raises
        ------
        ForebearError
            If the order does not list every variable once.
        """
        usable = np.zeros(self.n_variables + 1, dtype=bool)
        chosen: dict[int, ParentSet] = {}
        for v in order:
            chosen[v] = self.best_among(v, usable)
            usable[v] = True
        if len(chosen) != self.n_variables:
            raise ForebearError(Parameter("order"), " must list every variable once")
        return [chosen[v] for v in range(self.n_variables)]

    def best_among(self, v: int, usable: NDArray[np.bool_]) -> ParentSet:
        """Return the best set of ``v`` with usable parents only.

        ``usable`` has one entry per variable, and one more.
        """
        usable[-1] = True  # unused entries are clipped to this index
        span = self.span(v)
        # In blocks, because the best usable set is usually near the top.
        block = 4096
        for start in range(span.start, span.stop, block):
            stop = min(start + block, span.stop)
            places = np.minimum(self.parents[:, start:stop], self.n_variables)
            feasible = usable[places].all(axis=0)
            if feasible.any():
                return self._set(v, start - span.start + int(np.argmax(feasible)) + 1)
        raise AssertionError("every variable has the empty set")

    def add(self, other: ParentSets, *, dominated: bool = False) -> ParentSets:
        """Add those sets of a small collection that score higher than all their subsets here.

        Parameters
        ----------
        other
            The collection, of the same variables.
        dominated
            Whether to add the other new sets as well. Default False.

        Returns
        -------
        ParentSets
            The combined collection, or this collection itself if nothing is added.
        """

        def is_new(v: int, one: ParentSet) -> bool:
            if dominated:
                return self.find(v, one.parents) is None
            best = self.best(v, one.parents).score
            return one.score > best + 1e-9 * abs(best)  # equal scores may differ by rounding

        new = [is_new(v, one) for v in range(self.n_variables) for one in other.of(v)]
        return self.merge(other.filter(np.array(new))) if any(new) else self

    def save(self, path: Path | str, *, ids: bool = False) -> None:
        """Write the sets to a file. If this fails, an existing file is left unchanged.

        Parameters
        ----------
        path
            The file: ``.cps``, the native file, or ``.jkl`` or ``.jkl.gz``,
            which GOBNILP, MINOBS and BLIP read.
        ids
            For ``.jkl`` files: write the variables as numbers from 0 instead of
            their names. Default False.

        Raises
        ------
        FileError
            If the extension is unknown or the file cannot be written.
        ForebearError
            If a ``.jkl`` file cannot hold a name.
        """
        write_parent_sets(self, path, ids=ids)

    @classmethod
    def load(cls, path: Path | str, *, threads: int | None = None) -> ParentSets:
        """Read parent sets from a file.

        Parameters
        ----------
        path
            A ``.cps`` file, which is memory-mapped, or a ``.jkl`` or
            ``.jkl.gz`` file, which is read into memory.
        threads
            Number of threads that check the sets. Default: one per core.

        Returns
        -------
        ParentSets
            The sets.

        Raises
        ------
        FileError
            If the file cannot be read, is damaged, or does not hold parent sets.
        """
        fields = read_fields(path)
        try:
            return cls(**fields, threads=thread_count(threads))
        except ForebearError as error:
            raise FileError(f"{path}: ", error.message) from error

    def _facts(self) -> list[tuple[str, str]]:
        """Describe the contents in a few lines."""
        facts = [("variables", listing(self.names))]
        about = [f"up to {counted(self.max_parents, 'parent')} per set"]
        if "score" in self.provenance:
            about.append(f"score {self.provenance['score']}")
        facts.append(("sets", ", ".join(about)))
        if self.path is not None:
            facts.append(("file", str(self.path)))
        return facts

    @property
    def _size(self) -> str:
        sets, variables = counted(len(self), "parent set"), counted(self.n_variables, "variable")
        return f"{sets} of {variables}"

    def __repr__(self) -> str:
        """Show the size, the names, the score and the file."""
        return show_facts(f"ParentSets with {self._size}", self._facts())

    def _repr_html_(self) -> str:
        """Show the size, the names, the score and the file in notebooks."""
        return html_figure(f"<strong>ParentSets</strong> · {self._size}", html_facts(self._facts()))


def check_parent_sets(parent_sets: object) -> None:
    """Reject anything that is not ``ParentSets``, the first parameter of many functions."""
    advice = "score a table with score_parent_sets, or read a file with ParentSets.load"
    check_kind(ParentSets, "ParentSets", advice, parent_sets=parent_sets)
