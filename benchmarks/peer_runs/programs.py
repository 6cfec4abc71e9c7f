"""MINOBS, GOBNILP and BLIP on our ranked parent sets, for ``peers.py``.

None of them is part of this repository; the command line gives their paths. All read a
.jkl file whose variables are called 0, 1, ..., and take a time limit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    NumberedArcs = list[tuple[int, int]]

TABLE, SETS, ANSWER, SETTINGS = "table.dat", "sets.jkl", "answer.txt", "settings.txt"


@dataclass(frozen=True)
class Answer:
    """A network; when it was found and how long the search took, in seconds, if known."""

    arcs: NumberedArcs
    found: float | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Program:
    """How to call a program in a folder, and how to read its answer."""

    name: str
    command: Callable[[Path, Path, float, int], list[str]]
    read: Callable[[Path, str], Answer]


def minobs_command(program: Path, folder: Path, seconds: float, seed: int) -> list[str]:
    """MINOBS: parent sets, seconds, seed, and a file for its progress."""
    return [str(program), str(folder / SETS), f"{seconds:g}", str(seed), str(folder / ANSWER)]


def read_minobs(folder: Path, said: str) -> Answer:
    """Read one line per variable from its output; its file has milliseconds and scores."""
    families = re.findall(r"^Ordering\[\d+\]\s*= (\d+)\s.*\{([\d ]*)\}", said, re.MULTILINE)
    arcs = [(int(parent), int(child)) for child, own in families for parent in own.split()]
    times = re.findall(r"^(\d+)\t\d+$", (folder / ANSWER).read_text(), re.MULTILINE)
    return Answer(arcs, int(times[-1]) / 1000)


def gobnilp_command(program: Path, folder: Path, seconds: float, seed: int) -> list[str]:
    """GOBNILP: a file of settings, and the parent sets. It takes no seed."""
    del seed
    (folder / SETTINGS).write_text(
        f'gobnilp/outputfile/solution = "{folder / ANSWER}"\nlimits/time = {seconds:g}\n'
    )
    return [str(program), "-f=jkl", f"-g={folder / SETTINGS}", str(folder / SETS)]


def read_gobnilp(folder: Path, said: str) -> Answer:
    """Read lines such as ``3<-1,7, -12.5``; the last is the score of the network."""
    del said
    families = re.findall(r"^(\d+)<-([\d,]*)", (folder / ANSWER).read_text(), re.MULTILINE)
    return Answer(
        [
            (int(parent), int(child))
            for child, own in families
            for parent in own.split(",")
            if parent
        ]
    )


def blip_command(program: Path, folder: Path, seconds: float, seed: int) -> list[str]:
    """BLIP: WINASOBS with orders by entropy, as its page recommends, on one core."""
    # On one core, Java also collects garbage on one thread.
    java = ["java", "-XX:ActiveProcessorCount=1", "-jar", str(program)]
    files = ["-d", folder / TABLE, "-j", folder / SETS, "-r", folder / ANSWER]
    limits = ["-t", f"{seconds:.0f}", "-b", "1", "-seed", str(seed), "-v", "1"]
    return [*java, "solver.winasobs.adv", "-smp", "ent", *map(str, files), *limits]


def read_blip(folder: Path, said: str) -> Answer:
    """Read lines such as ``4: -2797.39 (10,17,18)``, and the progress that it printed."""
    families = re.findall(r"^(\d+): \S+ +\(([\d,]+)\)", (folder / ANSWER).read_text(), re.MULTILINE)
    arcs = [(int(parent), int(child)) for child, own in families for parent in own.split(",")]
    times = re.findall(r"^New improvement! .*\(after (\S+) s\.\)", said, re.MULTILINE)
    return Answer(arcs, float(times[-1]) if times else None)


MINOBS = Program("MINOBS", minobs_command, read_minobs)
GOBNILP = Program("GOBNILP", gobnilp_command, read_gobnilp)
BLIP = Program("BLIP WINASOBS", blip_command, read_blip)
