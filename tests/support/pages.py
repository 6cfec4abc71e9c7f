"""The fenced blocks of the documentation, to be run in order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md"))

RUN = ("python", "sh", "console")
SHOWN = ("text", "r")
"""Languages of blocks that are run, and of those that are only shown."""

_BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>needs|not run): (?P<about>[^>]+) -->\n)?"
    r"^```(?P<language>\w*)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """A fenced block: its place, its text, and what it needs to run."""

    line: int
    language: str
    text: str
    title: str | None
    needs: tuple[str, ...]
    unrun: str | None
    """Why it is not run, if the page says so."""


def blocks(page: str) -> list[Block]:
    """Read the fenced blocks of a page.

    Before a block, ``<!-- not run: reason -->`` keeps it from being run, and
    ``<!-- needs: package, package -->`` names what must be installed for it.
    """
    text = (DOCS / page).read_text(encoding="utf-8")
    found = []
    for match in _BLOCK.finditer(text):
        about = match["about"] or ""
        found.append(
            Block(
                line=text.count("\n", 0, match.start("language")) + 1,
                language=match["language"],
                text=match["text"],
                title=match["title"],
                needs=tuple(about.split(", ")) if match["mark"] == "needs" else (),
                unrun=about if match["mark"] == "not run" else None,
            )
        )
    return found


def script(path: str) -> ModuleType:
    """Load a script in the folder of the pages."""
    spec = spec_from_file_location(Path(path).stem, DOCS / path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def seeded_arguments(arguments: list[str]) -> list[str]:
    """Let a command find the same network every time, and commands that use all their time end."""
    if arguments[0] == "posterior" and "--time-limit" in arguments:
        return [*arguments, "--sweeps", "200"]
    if arguments[0] == "validate" or {"auto", "--holdout"} & set(arguments):
        return [*arguments, "--generations", "2"]
    if arguments[0] not in ("learn", "search") or "--seed" in arguments:
        return arguments
    return [*arguments, "--seed", "1"]


def steady(output: str) -> str:
    """Replace what differs between runs and between machines."""
    output = re.sub(r"less than 0\.01 s\b|[\d.,]+ (s|min|h)\b", "TIME", output)
    output = re.sub(r"[\d.,]+ [kMGT]?B\b", "SIZE", output)
    output = re.sub(r"\bseed \d+", "seed S", output)
    output = re.sub(r"\b\d+ nodes? and \d+ cuts?\b", "some nodes and cuts", output)
    output = re.sub(r"(\.\d{4})\d+", r"\1", output)  # of a bound: within the tolerance of a proof
    return re.sub(r"on \d+ threads?\b", "on all threads", output)
