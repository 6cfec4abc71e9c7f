"""ProofRun: what all steps of a proof share, and how much effort they make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from forebear.budget import Clock
from forebear.proof.certificate import ProofTree
from forebear.proof.separation import DEPTHS


@dataclass(frozen=True)
class Effort:
    """The effort spent on a node before it is split. It affects the speed of proofs only.

    Pairs hold the values for the root and for all other nodes. The dual ascent
    before the root ends by the same rule as the rounds of the root.

    Parameters
    ----------
    most_sets
        Linear programs are used if the dual ascent leaves at most this many sets: a coefficient
        takes 16 bytes, so 1,000 cuts require up to 5 GB.
    ascent_rounds
        The largest number of rounds of the dual ascent before branch and cut.
    depth
        The largest depth of the search for cuts.
    few_cuts
        With fewer cuts than this, the search goes deeper.
    slow
        After a round of cuts that closes less than this share of the gap, the search goes deeper as
        well.
    rounds, progress
        Rounds of cuts end if this many of them shrink the gap by less than the share ``progress``.
    """

    most_sets: int = 300_000
    ascent_rounds: int | None = None
    depth: int = DEPTHS
    few_cuts: int = 5
    slow: float = 0.02
    rounds: tuple[int, int] = (10, 3)
    progress: tuple[float, float] = (0.02, 0.08)


USUAL_EFFORT = Effort()


@dataclass
class ProofRun:
    """The limits, the callbacks and the record of a proof.

    Parameters
    ----------
    clock
        The time limit.
    threads
        Number of threads.
    effort
        The effort spent on a node.
    tree
        The record of the proof, for a certificate. None: nothing is recorded.
    on_step
        Called before every round of the dual ascent and every linear program. Dynamic programming
        counts as the number of linear programs that take the same time.
    on_progress
        Called with the number of nodes and the bound, after every round of the dual ascent and
        every node.
    """

    clock: Clock
    threads: int
    effort: Effort = USUAL_EFFORT
    tree: ProofTree | None = None
    on_step: Callable[[], None] = lambda: None
    on_progress: Callable[[int, float], None] = lambda nodes, bound: None
