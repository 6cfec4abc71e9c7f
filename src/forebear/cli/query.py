"""``forebear query``: probabilities in a network, given evidence."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection
from typing import Annotated, Any

import typer

from forebear._util.errors import ForebearError, Parameter
from forebear.cli._support.inputs import FittedArgument, parse_evidence, read_with_probabilities
from forebear.cli._support.options import DATA, OUTPUT, Option
from forebear.cli._support.printing import print_json, show_facts
from forebear.network.distribution import Distribution, Explanation, show_probability
from forebear.network.effect import Effect
from forebear.network.probability_table import ProbabilityTable


def query(
    network: FittedArgument,
    variables: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="VARIABLE",
            help="Variables to query; several give their joint distribution.  [default: all]",
            show_default=False,
        ),
    ] = None,
    evidence: Annotated[
        list[str] | None,
        Option(
            DATA, "NAME=STATE", "Observed state of a variable. Repeatable.", ("--evidence", "-e")
        ),
    ] = None,
    do: Annotated[
        list[str] | None,
        Option(
            DATA,
            "NAME=STATE",
            "Set a variable to a state by intervention, as if arcs were causes. Repeatable.",
        ),
    ] = None,
    most_probable: Annotated[
        bool, Option(OUTPUT, None, "Show the most probable joint state of all variables.")
    ] = False,
    table: Annotated[
        str | None,
        Option(OUTPUT, "NAME", "Show the probabilities of a variable given its parents."),
    ] = None,
    effect_of: Annotated[
        str | None,
        Option(
            OUTPUT,
            "NAME",
            "Show the effect of this variable on VARIABLE, and what to adjust for, if arcs are "
            "causes.",
        ),
    ] = None,
    json_: bool = False,
) -> None:
    """Compute probabilities in a network, given evidence.

    Inference is exact. Without VARIABLE, the distribution of each variable is shown.

    \b
    Examples:
      forebear query example:orchard.bif harvest
      forebear query example:orchard.bif harvest price -e spring_frost=yes -e bloom=early
      forebear query example:orchard.bif scab --do spraying=never
      forebear query example:orchard.bif scab --effect-of spraying
      forebear query example:orchard.bif --most-probable -e harvest=poor
      forebear query example:orchard.bif --table harvest
    """
    fitted = read_with_probabilities(network)
    observed, forced = parse_evidence(evidence or []), parse_evidence(do or [], "do")
    if table is not None:
        if variables or observed or forced or most_probable or effect_of:
            raise ForebearError(
                Parameter("table"), " shows a table of the network: leave out the other options"
            )
        _show_table(fitted.cpt(table), json_=json_)
    elif effect_of is not None:
        if len(variables or []) != 1 or observed or forced or most_probable:
            raise ForebearError(
                Parameter("effect_of"), " requires one VARIABLE, and no other option"
            )
        _show_table(fitted.effect(effect_of, (variables or [])[0]), json_=json_)
    elif most_probable:
        if variables:
            raise ForebearError(
                Parameter("most_probable"), " covers all variables: leave out the names"
            )
        _show_explanation(fitted.most_probable(observed, do=forced), observed, forced, json_=json_)
    elif variables:
        _show_joint(fitted.query(variables, observed, do=forced), json_=json_)
    else:
        _show_marginals(fitted.marginals(observed, do=forced), json_=json_)


def _show_table(table: ProbabilityTable, *, json_: bool) -> None:
    if not json_:
        print(table.to_text())
        return
    keys = itertools.product(*table.parent_states)
    rows = table.probabilities.reshape(-1, len(table.states)).tolist()
    about: dict[str, Any] = {"variable": table.variable, "parents": list(table.parents)}
    if isinstance(table, Effect):
        about = {"variable": table.variable, "do": list(table.parents)}
        about |= {"adjustment_set": table.adjustment_set, "difference": table.difference}
    print_json(
        {
            **about,
            "table": [
                {
                    "given": dict(zip(table.parents, key, strict=True)),
                    "probabilities": dict(zip(table.states, row, strict=True)),
                }
                for key, row in zip(keys, rows, strict=True)
            ],
        }
    )


def _show_joint(joint: Distribution, *, json_: bool) -> None:
    if not json_:
        print(joint)
        _print_evidence(joint)
        return
    facts = _facts(joint, {name: joint.marginal(name) for name in joint.variables})
    if len(joint.variables) > 1:
        facts["joint"] = [
            {"states": dict(zip(joint.variables, states, strict=True)), "probability": p}
            for *states, p in joint.to_frame().iter_rows()
        ]
    print_json(facts)


def _show_marginals(marginals: dict[str, Distribution], *, json_: bool) -> None:
    if not marginals:
        raise ForebearError(
            Parameter("evidence"), " gives the state of every variable: nothing is left to query"
        )
    first = next(iter(marginals.values()))
    if json_:
        print_json(_facts(first, marginals))
        return
    show_facts(
        [
            *((name, f"{state} (set)") for name, state in first.do.items()),
            *((name, f"{state} (given)") for name, state in first.evidence.items()),
            *(
                (name, ", ".join(f"{state} {show_probability(p)}" for state, p in one.items()))
                for name, one in marginals.items()
            ),
        ]
    )
    _print_evidence(first)


def _show_explanation(
    explanation: Explanation, observed: Collection[str], forced: Collection[str], *, json_: bool
) -> None:
    if json_:
        print_json(
            {
                "do": {name: explanation.states[name] for name in forced},
                "evidence": {name: explanation.states[name] for name in observed},
                "states": explanation.states,
                "probability": explanation.probability,
                "log_joint": explanation.log_joint,
            }
        )
        return
    how = {**dict.fromkeys(observed, " (given)"), **dict.fromkeys(forced, " (set)")}
    show_facts([(n, f"{state}{how.get(n, '')}") for n, state in explanation.states.items()])
    given = " given the evidence" if observed else ""
    print(
        f"Joint probability{given}: {show_probability(explanation.probability)}, the highest of all"
    )


def _print_evidence(distribution: Distribution) -> None:
    if distribution.evidence:
        probability = show_probability(math.exp(distribution.log_evidence))
        print(f"Probability of the evidence: {probability}")


def _facts(distribution: Distribution, marginals: dict[str, Distribution]) -> dict[str, Any]:
    return {
        "do": distribution.do,
        "evidence": distribution.evidence,
        "log_evidence": distribution.log_evidence,
        "marginals": {name: dict(one) for name, one in marginals.items()},
    }
