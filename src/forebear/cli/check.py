"""``forebear check``: verify a proof."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from forebear._util.errors import FileError, ForebearError, Parameter
from forebear._util.text import counted, listing
from forebear.checker.check import Checked, check_certificate
from forebear.checker.problem import RefusedError
from forebear.cli._support.inputs import located_table
from forebear.cli._support.options import OPTIONS, PROOF
from forebear.cli._support.summary import print_json
from forebear.knowledge.statements import PAIR_KINDS
from forebear.learning.score import score_parent_sets
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.coverage import SCORED_UP_TO, coverage
from forebear.result.report.wording import score_name
from forebear.scoring.scores import as_score

_SETS = (".cps", ".jkl", ".jkl.gz")


def check(
    certificate: Annotated[
        Path, typer.Argument(metavar="FILE", help="The certificate.", show_default=False)
    ],
    sets: Annotated[
        str,
        typer.Argument(
            metavar="SETS",
            help="The parent sets of the proof (.cps, .jkl), or the table.",
            show_default=False,
        ),
    ],
    threads: Annotated[int | None, OPTIONS["threads"]._replace(panel=PROOF)] = None,
    json_: bool = False,
    quiet: bool = False,
) -> None:
    """Verify the certificate of a proof.

    The checker shares no code with the solver and computes with integers only.
    With a table, the parent sets are scored again first.

    \b
    Examples:
      forebear search orchard.cps -o orchard.json --certificate orchard.cert
      forebear check orchard.cert orchard.cps
    """
    left = _load(certificate, sets, threads)
    try:
        checked = check_certificate(
            certificate, left.names, left.offsets, left.scores, left.parents
        )
    except OSError as error:
        raise FileError.unreadable(certificate, error) from error
    except RefusedError as error:
        raise ForebearError(f"{certificate} is not a valid certificate: {error}") from error
    if json_:
        print_json(_facts(checked, left))
    elif not quiet:
        print("\n".join(_summary(checked, left, sets)))


def _load(certificate: Path, sets: str, threads: int | None) -> ParentSets:
    if sets.endswith(_SETS):
        return ParentSets.load(sets, threads=threads)
    made = _provenance(certificate)
    scored = made.get(SCORED_UP_TO)
    some = isinstance(scored, list)  # a time limit ended the scoring
    if some or "grown_families" in made or "constrained" in made or "score" not in made:
        raise ForebearError(
            "the parent sets of this certificate cannot be scored again from the table alone: "
            "pass the parent sets that ",
            Parameter("save_sets"),
            " writes",
        )
    kept = made.get("max_sets_per_variable")
    return score_parent_sets(
        located_table(sets),
        score=as_score(str(made["score"]), **made.get("parameters", {})),
        max_parents="all" if made.get("complete") or scored else int(made["max_parents"]),
        max_sets_per_variable=None if kept is None else int(kept),
        threads=threads,
    )


def _provenance(certificate: Path) -> dict[str, Any]:
    try:
        with certificate.open(encoding="utf-8") as file:
            made = json.load(file)["provenance"]
    except OSError as error:
        raise FileError.unreadable(certificate, error) from error
    except (ValueError, KeyError, TypeError) as error:
        raise FileError(f"{certificate}: not a certificate") from error
    return made if isinstance(made, dict) else {}


def _facts(checked: Checked, sets: ParentSets) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "valid": True,
        "bound": None if checked.no_network else float(checked.bound),
        "no_network": checked.no_network,
        "nodes": checked.nodes,
        "cuts": checked.cuts,
        "statements": _statements(checked, sets),
        "score_name": sets.provenance.get("score"),
        "parameters": sets.provenance.get("parameters", {}),
    }
    if checked.score is not None:
        facts |= {"score": float(checked.score), "gap_nats": float(checked.bound - checked.score)}
    return facts


def _statements(checked: Checked, sets: ParentSets) -> list[str]:
    """Return the statements that hold in the networks that the proof covers."""
    return [
        PAIR_KINDS[kind].value.format(sets.names[a], sets.names[b])
        for kind, pairs in checked.statements.items()
        for a, b in pairs
    ]


def _summary(checked: Checked, sets: ParentSets, source: str) -> list[str]:
    covers = coverage(sets.provenance, sets.n_variables, len(sets))
    statements = _statements(checked, sets)
    lines = [f"Checked {counted(checked.nodes, 'node')} and {counted(checked.cuts, 'cut')}"]
    if checked.no_network:
        what = "there is no network of these parent sets"
        if statements:
            what = (
                f"no network of these parent sets satisfies all statements: {listing(statements)}"
            )
        return [f"Valid: {what}", *lines]
    if checked.score is not None:
        gap = float(checked.bound - checked.score)
        lines.insert(
            0,
            f"The network in the certificate scores {float(checked.score):,.6f}: "
            f"at most {gap:,.6f} nats below the best",
        )
    if statements:
        lines.insert(0, f"The proof covers the networks in which {listing(statements)}")
    top = f"Valid: no network scores more than {float(checked.bound):,.6f}, {covers}"
    return [top, _score_of(sets, source), *lines]


def _score_of(sets: ParentSets, source: str) -> str:
    """Return which score was checked, and whether it was computed or read from a file."""
    if "score" not in sets.provenance:
        return f"Score: not stated in {source}"
    how = f"as stated in {source}" if source.endswith(_SETS) else "computed again from the table"
    return f"Score: {score_name(sets.provenance)}, {how}"
