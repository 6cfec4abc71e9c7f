"""The main findings as sentences: dependencies, hubs, how sure they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from forebear._util.text import counted, printable
from forebear.network.graphs import degrees
from forebear.network.network import Network
from forebear.result.report.arc_probabilities import ArcProbabilities
from forebear.result.report.strength import ROWS
from forebear.result.report.what_if import WhatIf
from forebear.result.report.wording import comparison_sentence, format_number

if TYPE_CHECKING:
    from forebear.result import Result


class VariableMention(NamedTuple):
    """A variable in a sentence, which the reader can select."""

    variable: int
    name: str


class StrongArc(NamedTuple):
    """An arc with its strength, as text in bits and as a share of the strongest."""

    parent: VariableMention
    child: VariableMention
    bits: str
    share: float


class Finding(NamedTuple):
    """A heading, sentences of words and variables, and the arcs listed below them."""

    heading: str
    sentences: Sequence[Sequence[str | VariableMention]]
    arcs: Sequence[StrongArc] = ()
    remark: str = ""


def findings(
    result: Result, what_if: WhatIf, probabilities: ArcProbabilities | None
) -> list[Finding]:
    """Return the findings at the top of the page: dependencies, hubs, how sure they are.

    ``what_if`` holds the strengths of the arcs, or why there are none.
    """
    network = result.network
    sure = [[sentence] for sentence in _certainty(result, probabilities)]
    return [
        *_dependencies(network, what_if),
        *_hubs(network),
        *([Finding("How sure it is", sure)] if sure else []),
    ]


def _named(network: Network, v: int) -> VariableMention:
    return VariableMention(v, printable(network.names[v]))


def _dependencies(network: Network, what_if: WhatIf) -> Iterator[Finding]:
    strengths = what_if.strengths
    if not network.arcs:
        yield Finding(
            "Dependencies", [["No variable depends on another: the network has no arcs."]]
        )
        return
    if strengths is None:
        yield Finding("Strongest dependencies", [[what_if.why_not or ""]])
        return
    ranked = sorted(strengths, key=lambda arc: (-strengths[arc], arc))[:5]
    most = strengths[ranked[0]]
    strong = [
        StrongArc(
            _named(network, p),
            _named(network, v),
            f"{format_number(strengths[p, v], 2)} bits",
            strengths[p, v] / most if most else 0.0,
        )
        for p, v in ranked
    ]
    first = strong[0]
    text: list[str | VariableMention] = [
        first.parent,
        " and ",
        first.child,
        " depend on each other most.",
    ]
    if len(strong) > 1:
        text.append(" The strongest arcs are:")
    yield Finding(
        "Strongest dependencies",
        [text],
        strong,
        "Strength is conditional mutual information: the information about the child that a parent "
        "adds to the other parents, in bits per row. It is estimated from "
        f"{ROWS:,} rows simulated from the network.",
    )


def _hubs(network: Network) -> Iterator[Finding]:
    """Name the variables with the most neighbors, and count those without any."""
    degree = degrees(network.parents)
    ranked = sorted(range(network.n_variables), key=lambda v: (-degree[v], v))
    hubs = [v for v in ranked[:3] if degree[v]]
    if not hubs:
        return
    text: list[str | VariableMention] = ["Most neighbors: "]
    for k, v in enumerate(hubs):
        text += [", " * bool(k), _named(network, v), f" ({degree[v]:,})"]
    alone = degree.count(0)
    have = "variable has" if alone == 1 else "variables have"
    yield Finding("Hubs", [[*text, "."], *([[f"{alone:,} {have} no neighbors."]] if alone else [])])


def _certainty(result: Result, probabilities: ArcProbabilities | None) -> Iterator[str]:
    network = result.network
    arcs = len(network.arcs)
    if arcs:
        yield (
            f"The data determine the direction of {len(network.compelled):,} of "
            f"{counted(arcs, 'arc')}; the directions of the others are arbitrary."
            if len(network.compelled) < arcs
            else f"The data determine the direction of {'the arc' if arcs == 1 else 'all arcs'}."
        )
    if result.margins is not None and arcs:
        yield f"{result.margins.sentence}, {result.margins.covers}: proven."
    if probabilities is not None:
        yield from _probable(network, probabilities)
    elif arcs:
        yield from _alternatives(result)
        yield "Arc probabilities were not computed (see forebear posterior)."
    if result.chance is not None:
        yield f"{result.chance.sentence().capitalize()}."
    if result.validation is not None:
        own = result.validation.own
        yield (
            f"Networks learned this way predict {counted(result.validation.rows, 'held-out row')} "
            f"with {format_number(own.held_out, 3)} nats per row "
            f"(standard error {format_number(own.held_out_se, 3)}). "
            f"{comparison_sentence(result.validation)}"
        )
    if arcs:
        yield "Arcs show dependence; they show causes only under further assumptions."


def _probable(network: Network, probabilities: ArcProbabilities) -> Iterator[str]:
    share = {(p, v): either / 1000 for p, v, _, either in probabilities.arcs}
    own = {arc: share.get(arc, 0.0) for arc in network.arcs}
    if own:
        sure = sum(value >= 0.9 for value in own.values())
        least = min(own, key=lambda arc: (own[arc], arc))
        p, v = (printable(network.names[u]) for u in least)
        written = format_number(own[least], probabilities.digits)
        yield (
            f"{sure:,} of {counted(len(own), 'pair')} of neighbors are linked with a probability "
            f"of at least 0.9; the least sure are {p} and {v} ({written})."
            if float(written) < 1
            else "All neighbors are linked in all or nearly all of these networks."
        )
    yield probabilities.verdict


def _alternatives(result: Result) -> Iterator[str]:
    """Count the edges that all good networks found by the search share.

    Networks within 3 nats of the best are at least a twentieth as probable.
    """
    close = [a for a in result.alternatives if a.score >= result.score - 3.0]
    if len(close) < 2:
        return
    shared = set.intersection(*(_edges(a.parents) for a in close))
    edges = _edges(result.network.parents)
    yield (
        f"The search found {counted(len(close), 'network')} within 3 nats of the best score. "
        f"All of them share {len(shared & edges):,} of {counted(len(edges), 'pair')} of "
        "neighbors."
    )


def _edges(parents: Sequence[Sequence[int]]) -> set[frozenset[int]]:
    return {frozenset((p, v)) for v, own in enumerate(parents) for p in own}
