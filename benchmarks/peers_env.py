"""The Python that other libraries run under, for ``peers.py``: made once, and reused."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

# The versions that were measured, or later; pandas since pyAgrum reads tables with it.
REQUIREMENTS = {
    "pgmpy": ("pgmpy>=1.1.2",),
    "pyagrum": ("pyagrum>=3.3", "pandas>=2.1"),
    "causal-learn": ("causal-learn>=0.1.4.8",),
}


@dataclass(frozen=True)
class Environment:
    """A Python, the versions of the libraries in it, and why others are not."""

    python: Path
    versions: dict[str, str]
    missing: dict[str, str]


def default_folder() -> Path:
    """Where it lies if nobody says: in the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "forebear" / "peers"


def make_environment(folder: Path) -> Environment:
    """Make a virtual environment, unless it is there, and install what is missing in it."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    versions, missing = {}, {}
    for library, requirements in REQUIREMENTS.items():
        complaint = install(python, requirements)
        if complaint is None:
            versions[library] = version(python, library)
        else:
            missing[library] = complaint
    return Environment(python, versions, missing)


def install(python: Path, requirements: tuple[str, ...]) -> str | None:
    """Install by pip, which does nothing where all is there; return its complaint."""
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run([*command, *requirements], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    said = [line for line in done.stderr.splitlines() if line.strip()]
    errors = [line for line in said if line.startswith("ERROR:")]
    return (errors or said or ["pip failed"])[-1].removeprefix("ERROR:").strip()


def version(python: Path, library: str) -> str:
    """Ask for the version of what is installed."""
    question = f"from importlib.metadata import version; print(version({library!r}))"
    return subprocess.run(
        [python, "-c", question], stdout=subprocess.PIPE, text=True, check=True
    ).stdout.strip()
