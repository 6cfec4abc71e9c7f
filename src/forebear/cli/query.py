"""``forebear query``: ask a network."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from forebear._util.errors import ForebearError, Parameter
from forebear.cli._support.inputs import FittedArgument, evidence_from, fitted_from
from forebear.cli._support.options import DATA, OUTPUT, Option
from forebear.cli._support.summary import bar, show_facts
from forebear.network.distribution import show_probability

if TYPE_CHECKING:
    from forebear.network.distribution import Distribution, Explanation


def query(
    network: FittedArgument,
    variables: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="VARIABLE",
            help="What to ask about; several give their joint distribution.  [default: all]",
            show_default=False,
        ),
    ] = None,
    evidence: Annotated[
        list[str] | None,
        Option(DATA, "NAME=STATE", "What is known. Repeatable.", ("--evidence", "-e")),
    ] = None,
    most_probable: Annotated[
        bool, Option(OUTPUT, None, "Show the most probable states of all variables.")
    ] = False,
    json_: bool = False,
) -> None:
    """Ask a network how probable states are, given what is known.

    The answer is exact. Without variables, the distribution of each one is shown.

    \b
    Examples:
      forebear query example:orchard.bif harvest
      forebear query example:orchard.bif harvest price -e spring_frost=yes -e bloom=early
      forebear query example:orchard.bif --most-probable -e harvest=poor
    """
    fitted = fitted_from(network)
    known = evidence_from(evidence or [], fitted.network.names)
    if most_probable:
        if variables:
            raise ForebearError(
                Parameter("most_probable"), " is about all variables: leave the names out"
            )
        _show_explanation(fitted.most_probable(known), known, json_=json_)
    elif variables:
        _show_joint(fitted.query(variables, known), json_=json_)
    else:
        _show_marginals(fitted.marginals(known), json_=json_)


def _show_joint(found: Distribution, *, json_: bool) -> None:
    marginals = {name: found.marginal(name) for name in found.variables}
    if json_:
        joint = [
            {"states": dict(zip(found.variables, states, strict=True)), "probability": p}
            for *states, p in found.to_frame().iter_rows()
        ]
        several = {"joint": joint} if len(found.variables) > 1 else {}
        _print_json(found, {"marginals": _plain(marginals), **several})
        return
    if len(found.variables) > 1:
        print(found)
    else:
        print(found.title)
        width = max(map(len, found.states[0]))
        for state, p in zip(found.states[0], found.probabilities.tolist(), strict=True):
            line = f"  {state:<{width}}  {show_probability(p)}  {bar(round(1000 * p), 1000)}"
            print(line.rstrip())
    _print_evidence(found)


def _show_marginals(found: dict[str, Distribution], *, json_: bool) -> None:
    if not found:
        raise ForebearError(
            Parameter("evidence"), " gives the state of every variable: nothing is left to ask"
        )
    first = next(iter(found.values()))
    if json_:
        _print_json(first, {"marginals": _plain(found)})
        return
    show_facts(
        [
            *((name, f"{state} (given)") for name, state in first.evidence.items()),
            *((name, _in_one_line(one)) for name, one in found.items()),
        ]
    )
    _print_evidence(first)


def _in_one_line(found: Distribution) -> str:
    shown = zip(found.states[0], found.probabilities.tolist(), strict=True)
    return ", ".join(f"{state} {show_probability(p)}" for state, p in shown)


def _show_explanation(found: Explanation, known: dict[str, str], *, json_: bool) -> None:
    if json_:
        facts = {
            "evidence": {name: found.states[name] for name in known},
            "states": found.states,
            "probability": found.probability,
            "log_joint": found.log_joint,
        }
        print(json.dumps(facts, ensure_ascii=False))
        return
    show_facts(
        [
            (name, f"{state} (given)" if name in known else state)
            for name, state in found.states.items()
        ]
    )
    what = "These states have" if not known else "Given the evidence, these states have"
    print(f"{what} the probability {show_probability(found.probability)}; no others have more")


def _print_evidence(found: Distribution) -> None:
    if found.evidence:
        probability = show_probability(math.exp(found.log_evidence))
        print(f"The evidence has the probability {probability}")


def _print_json(found: Distribution, facts: dict[str, Any]) -> None:
    about = {"evidence": found.evidence, "log_evidence": found.log_evidence, **facts}
    print(json.dumps(about, ensure_ascii=False))


def _plain(found: dict[str, Distribution]) -> dict[str, dict[str, float]]:
    return {
        name: dict(zip(one.states[0], one.probabilities.tolist(), strict=True))
        for name, one in found.items()
    }
