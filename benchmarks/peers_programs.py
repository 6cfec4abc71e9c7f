"""MINOBS, GOBNILP and BLIP on our ranked parent sets, for ``peers.py``.

None of them is part of this repository; where they are is told on the command line.
All read a .jkl file with variables called 0, 1, ..., and are told the time they have.
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
    """A network; when it was found, and what the search alone took, in seconds, if that is told."""

    arcs: NumberedArcs
    found: float | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Program:
    """How a program is called in a folder, and what it says there."""

    name: str
    command: Callable[[Path, Path, float, int], list[str]]
    read: Callable[[Path, str], Answer]


def minobs_command(program: Path, folder: Path, seconds: float, seed: int) -> list[str]:
    """MINOBS: sets, seconds, seed, a file for its progress."""
    return [str(program), str(folder / SETS), f"{seconds:g}", str(seed), str(folder / ANSWER)]


def read_minobs(folder: Path, said: str) -> Answer:
    """Read a line a variable of what it said; the file has its milliseconds and scores."""
    families = re.findall(r"^Ordering\[\d+\]\s*= (\d+)\s.*\{([\d ]*)\}", said, re.MULTILINE)
    arcs = [(int(parent), int(child)) for child, own in families for parent in own.split()]
    times = re.findall(r"^(\d+)\t\d+$", (folder / ANSWER).read_text(), re.MULTILINE)
    return Answer(arcs, int(times[-1]) / 1000)


def gobnilp_command(program: Path, folder: Path, seconds: float, seed: int) -> list[str]:
    """GOBNILP: a file of settings, and the sets; what it does depends on no seed."""
    del seed
    (folder / SETTINGS).write_text(
        f'gobnilp/outputfile/solution = "{folder / ANSWER}"\nlimits/time = {seconds:g}\n'
    )
    return [str(program), "-f=jkl", f"-g={folder / SETTINGS}", str(folder / SETS)]


def read_gobnilp(folder: Path, said: str) -> Answer:
    """Read lines such as ``3<-1,7, -12.5``; the last says the score of the network."""
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
    """BLIP: WINASOBS from orders by entropy, as its page recommends, on one core."""
    # A Java of one core collects garbage on one thread, too.
    java = ["java", "-XX:ActiveProcessorCount=1", "-jar", str(program)]
    files = ["-d", folder / TABLE, "-j", folder / SETS, "-r", folder / ANSWER]
    limits = ["-t", f"{seconds:.0f}", "-b", "1", "-seed", str(seed), "-v", "1"]
    return [*java, "solver.winasobs.adv", "-smp", "ent", *map(str, files), *limits]


def read_blip(folder: Path, said: str) -> Answer:
    """Read lines such as ``4: -2797.39 (10,17,18)``, and what it said of its progress."""
    families = re.findall(r"^(\d+): \S+ +\(([\d,]+)\)", (folder / ANSWER).read_text(), re.MULTILINE)
    arcs = [(int(parent), int(child)) for child, own in families for parent in own.split(",")]
    times = re.findall(r"^New improvement! .*\(after (\S+) s\.\)", said, re.MULTILINE)
    return Answer(arcs, float(times[-1]) if times else None)


MINOBS = Program("MINOBS", minobs_command, read_minobs)
GOBNILP = Program("GOBNILP", gobnilp_command, read_gobnilp)
BLIP = Program("BLIP WINASOBS", blip_command, read_blip)
