"""``forebear check``: verify the certificate of a proof."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from forebear._util.errors import FileError, ForebearError, Parameter
from forebear._util.text import counted, listing
from forebear.checker.check import CertifiedBound, CertifiedMargin, check_certificate
from forebear.checker.subproblem import CertificateError
from forebear.cli._support.inputs import resolve_table
from forebear.cli._support.option_groups import TableOptions
from forebear.cli._support.options import OPTIONS, PROOF
from forebear.cli._support.printing import print_json
from forebear.data.dataset import as_dataset
from forebear.knowledge.statements import PAIR_KINDS
from forebear.learning.score_parent_sets import score_parent_sets
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.coverage import SCORED_UP_TO, coverage
from forebear.parentsets.parent_set_files import is_parent_sets
from forebear.result.report.wording import score_name
from forebear.scoring.priors import prior_of, show_prior, with_prior
from forebear.scoring.scores import score_from


def check(
    certificate: Annotated[
        Path, typer.Argument(metavar="CERTIFICATE", help="The proof.", show_default=False)
    ],
    sets: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="The table, or the parent sets of the proof (.cps, .jkl).",
            show_default=False,
        ),
    ],
    threads: Annotated[int | None, OPTIONS["threads"]._replace(panel=PROOF)] = None,
    *,
    table_options: TableOptions,
    json_: bool = False,
    quiet: bool = False,
) -> None:
    """Verify the certificate of a proof.

    The checker shares no code with the solver and computes with integers only.
    If DATA is a table, the parent sets are scored again first; pass the options
    for reading it (--drop, ...) that were used for the proof.

    \b
    Examples:
      forebear search orchard.cps -o orchard.json --certificate orchard.cert
      forebear check orchard.cert orchard.cps
    """
    loaded = _load(certificate, sets, threads, table_options)
    try:
        checked = check_certificate(
            certificate,
            loaded.names,
            loaded.offsets,
            loaded.scores,
            loaded.parents,
        )
    except OSError as error:
        raise FileError.unreadable(certificate, error) from error
    except CertificateError as error:
        raise ForebearError(f"{certificate} is not a valid certificate: {error}") from error
    if "prior" in loaded.provenance and prior_of(loaded.provenance) != checked.prior:
        raise ForebearError(
            f"{certificate} is about scores with the prior {show_prior(checked.prior)}, but those "
            f"in {sets} include the prior {show_prior(prior_of(loaded.provenance))}"
        )
    if json_:
        print_json(_facts(checked, loaded))
    elif not quiet:
        print("\n".join(_summary(checked, loaded, sets)))


def _load(
    certificate: Path, sets: str, threads: int | None, table_options: TableOptions
) -> ParentSets:
    provenance = _provenance(certificate)
    if is_parent_sets(sets):
        loaded = ParentSets.load(sets, threads=threads)
        # If only the certificate states the score, the file was converted to .jkl, which does not
        # record that its scores include the prior.
        converted = "score" in provenance and "score" not in loaded.provenance
        if converted or "prior" in loaded.provenance:
            return loaded
        return with_prior(loaded, provenance["prior"])
    scored_up_to = provenance.get(SCORED_UP_TO)
    cut_short = isinstance(scored_up_to, list)  # a time limit ended the scoring
    if (
        cut_short
        or "grown_families" in provenance
        or "constrained" in provenance
        or "score" not in provenance
    ):
        raise ForebearError(
            "the parent sets of this certificate cannot be scored again from the table alone: "
            "pass the parent sets that ",
            Parameter("save_sets"),
            " writes",
        )
    read = table_options.as_read_options()
    if "row_sets" in provenance and (read is None or read.intervened is None):
        raise ForebearError(
            "the certificate is about a table with experiments: pass ", Parameter("intervened")
        )
    table = as_dataset(resolve_table(sets), read)
    if list(table.names) != provenance["variables"]:  # scoring another table could take hours
        raise ForebearError(f"{certificate} is not a valid certificate: it is for other variables")
    max_sets = provenance.get("max_sets_per_variable")
    return score_parent_sets(
        table,
        score=score_from(provenance),
        max_parents="all"
        if provenance.get("complete") or scored_up_to
        else int(provenance["max_parents"]),
        max_sets_per_variable=None if max_sets is None else int(max_sets),
        threads=threads,
    )


def _provenance(certificate: Path) -> dict[str, Any]:
    try:
        with certificate.open(encoding="utf-8") as file:
            content = json.load(file)
        provenance = content["provenance"]
        stated = {"prior": content.get("prior", "uniform"), "variables": content.get("variables")}
    except OSError as error:
        raise FileError.unreadable(certificate, error) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FileError(f"{certificate}: not a certificate") from error
    return {**(provenance if isinstance(provenance, dict) else {}), **stated}


def _facts(checked: CertifiedBound, sets: ParentSets) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "valid": True,
        "bound": None if checked.no_network else float(checked.bound),
        "no_network": checked.no_network,
        "nodes": checked.nodes,
        "cuts": checked.cuts,
        "statements": _statements(checked, sets),
        "score_name": sets.provenance.get("score"),
        "parameters": sets.provenance.get("parameters", {}),
        "prior": checked.prior,
    }
    if checked.margins:
        facts["margins"] = [
            {"absent": _arcs(one, sets), "margin": _margin(checked, one)} for one in checked.margins
        ]
    if checked.score is not None:
        facts |= {"score": float(checked.score), "gap_nats": float(checked.bound - checked.score)}
        facts["log_prior"] = checked.log_prior
    return facts


def _arcs(margin: CertifiedMargin, sets: ParentSets) -> list[str]:
    """Return the arcs that the networks of a margin lack."""
    return [f"{sets.names[a]} -> {sets.names[b]}" for a, b in margin.absent]


def _margin(checked: CertifiedBound, margin: CertifiedMargin) -> float | None:
    """Return the margin of these networks; None if there are none, or no score."""
    if margin.bound is None or checked.score is None:
        return None
    return max(0.0, float(checked.score - margin.bound))


def _margin_lines(checked: CertifiedBound, sets: ParentSets) -> list[str]:
    """Describe the margins: how many there are, and the smallest one."""
    found = [(_margin(checked, one), one) for one in checked.margins]
    finite = [(margin, one) for margin, one in found if margin is not None]
    if not found:
        return []
    lines = [f"Margins of {counted(len(found), 'edge or direction', 'edges and directions')}"]
    if finite:
        least, one = min(finite, key=lambda pair: pair[0])
        lines[0] += (
            f": networks without {listing(_arcs(one, sets))} lose at least {least:,.6f} nats, "
            "those without the others at least as much"
        )
    return lines


def _statements(checked: CertifiedBound, sets: ParentSets) -> list[str]:
    """Return the statements that restrict the networks covered by the proof."""
    return [
        PAIR_KINDS[kind].value.format(sets.names[a], sets.names[b])
        for kind, pairs in checked.statements.items()
        for a, b in pairs
    ]


def _summary(checked: CertifiedBound, sets: ParentSets, source: str) -> list[str]:
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
            f"The network in the certificate scores {float(checked.score):,.6f}{_prior(checked)}: "
            f"at most {gap:,.6f} nats below the best",
        )
    if statements:
        lines.insert(0, f"The proof covers the networks in which {listing(statements)}")
    lines[-1:-1] = _margin_lines(checked, sets)
    top = f"Valid: no network scores more than {float(checked.bound):,.6f}, {covers}"
    return [top, _score_of(sets, source), *lines]


def _prior(checked: CertifiedBound) -> str:
    if checked.prior == "uniform":
        return ""
    return f" (log prior {checked.log_prior:,.6f}, {show_prior(checked.prior)})"


def _score_of(sets: ParentSets, source: str) -> str:
    """Return the name of the score, and whether it was recomputed or read from a file."""
    if "score" not in sets.provenance:
        return f"Score: not stated in {source}"
    how = f"as stated in {source}" if is_parent_sets(source) else "computed again from the table"
    return f"Score: {score_name(sets.provenance)}, {how}"
