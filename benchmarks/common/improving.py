"""Better networks for the library: searched from the best known, and written where they are."""

from __future__ import annotations

import datetime
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from common import rescoring
from forebear import ParentSets, find_network, learn, read_network, write_network

if TYPE_CHECKING:
    from common.library import Instance, Problem
    from forebear import Network

LEAST = 1e-3
"""Nats: less is rounding."""


def search(
    instance: Instance, problem: Problem, content: bytes, start: Path, seconds: float, seed: int
) -> Network:
    """Search from the best network known."""
    begin = read_network(start)
    with TemporaryDirectory() as folder:
        path = Path(folder) / instance.file
        path.write_bytes(content)
        if instance.is_collection:
            sets = ParentSets.load(path)
            return find_network(
                sets, start=begin, time_limit=seconds, seed=seed, certify=False
            ).network
        return learn(
            path,
            score=problem.score,
            max_parents=problem.max_parents if isinstance(problem.max_parents, int) else None,
            start=begin,
            time_limit=seconds,
            seed=seed,
            certify=False,
            cache=False,
        ).network


def rescore(instance: Instance, problem: Problem, network: Path, content: bytes) -> float:
    """Score a network by the code that does not use forebear."""
    parents = rescoring.read_arcs(network.read_text("utf-8"))
    if instance.is_collection:
        return rescoring.score_of_collection(parents, content)
    rows = rescoring.read_rows(content)
    return rescoring.score_of_rows(parents, rows, problem.score, two_states=instance.has_two_states)


def improve(
    instance: Instance,
    problem: Problem,
    content: bytes,
    *,
    networks: Path,
    table: Path,
    seconds: float,
    seed: int,
) -> float:
    """Search, keep what is better, and return the best score then known."""
    place = networks / problem.network
    found = search(instance, problem, content, place, seconds, seed)
    with TemporaryDirectory() as folder:
        draft = Path(folder) / "found.edges.csv"
        write_network(found, draft)
        score = rescore(instance, problem, draft, content)
        if score <= problem.best + LEAST:
            return problem.best
        place.write_bytes(draft.read_bytes())
    text = table.read_text("utf-8")
    table.write_text(with_score(text, problem.network, score), "utf-8")
    return score


def with_score(text: str, network: str, score: float) -> str:
    """Change the score and the date of a problem, which its network names."""
    blocks = re.split(r"(?m)^(?=\[)", text)
    (at,) = (i for i, block in enumerate(blocks) if f'network = "{network}"' in block)
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    block = re.sub(r"(?m)^best = .*$", f"best = {score:.4f}", blocks[at])
    blocks[at] = re.sub(r"(?m)^found = .*$", f'found = "{today}"', block)
    return "".join(blocks)
