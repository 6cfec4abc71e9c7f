"""Recorded runs: what a benchmark printed, with its command, version, machine and date."""

from __future__ import annotations

import datetime
import os
import platform
import re
import tomllib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parents[1]
RUNS = BENCHMARKS / "results" / "runs"
LINE = "-" * 72
PROGRAMS = ("numpy", "scikit-learn", "pyagrum", "pgmpy")
"""Packages whose versions are recorded, because their figures or ours depend on them."""


@dataclass(frozen=True)
class Part:
    """A run of ``parts.toml``: its name, the command, its page and its length on two idle cores."""

    name: str
    command: str
    minutes: int
    page: str

    @property
    def shown(self) -> str:
        """The command as a person would type it."""
        return f"python benchmarks/{self.command}"

    def arguments(self, data: Path, work: Path) -> list[str]:
        """Return the command with the folders in the places of DIR and WORK."""
        folders = {"DIR": str(data.resolve()), "WORK": str(work.resolve())}
        names = re.compile(r"\b(DIR|WORK)\b")
        return [names.sub(lambda m: folders[m[1]], word) for word in self.command.split()]


def read_parts(path: Path = BENCHMARKS / "parts.toml") -> list[Part]:
    """Read the list of runs."""
    listed = tomllib.loads(path.read_text("utf-8"))
    return [
        Part(
            name,
            entry["command"],
            entry["minutes"],
            entry.get("page", entry["command"].partition(".py")[0]),
        )
        for name, entry in listed.items()
    ]


@dataclass(frozen=True)
class Record:
    """What a part printed, and where and when."""

    name: str
    command: str
    version: str
    machine: str
    when: str
    printed: str

    @property
    def caption(self) -> str:
        """Describe the run in one line."""
        return f"`{self.command}`; forebear {self.version}, {self.machine}; {self.when}."

    def write(self, folder: Path = RUNS) -> None:
        """Write the record as text."""
        head = [self.command, self.version, self.machine, self.when, LINE]
        folder.mkdir(parents=True, exist_ok=True)
        text = "\n".join([*head, self.printed.rstrip()]) + "\n"
        (folder / f"{self.name}.txt").write_text(text, "utf-8")


def read_record(name: str, folder: Path = RUNS) -> Record | None:
    """Read a record; None if there is none."""
    path = folder / f"{name}.txt"
    if not path.exists():
        return None
    head, _, printed = path.read_text("utf-8").partition(f"\n{LINE}\n")
    command, version, machine, when = head.split("\n")
    return Record(name, command, version, machine, when, printed)


def machine() -> str:
    """Describe the processor, its load, the memory, and the versions of programs."""
    cpu = platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        text = info.read_text("utf-8")
        found = re.search(r"model name\s*: (.*)", text)
        cpu = found[1] if found else cpu
        cpu += ", AVX-512" if "avx512f" in text else ", AVX2" if "avx2" in text else ""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    parts = [cpu, f"{cores} cores"]
    if hasattr(os, "getloadavg"):
        parts.append(f"load {os.getloadavg()[0]:.1f} at the start")
    parts.append(f"Python {platform.python_version()}")
    for name in PROGRAMS:
        try:
            parts.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            parts.append(f"no {name}")
    return ", ".join(parts)


def today(seconds: float) -> str:
    """Return the date and the length of a run."""
    return f"{datetime.datetime.now(datetime.UTC):%d %B %Y}, {seconds / 60:.1f} min".lstrip("0")
