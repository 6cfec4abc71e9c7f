"""The Python environment of the other libraries, for ``peers.py``: created once, then reused."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

# The measured versions or later. pyAgrum reads tables with pandas.
REQUIREMENTS = {
    "pgmpy": ("pgmpy>=1.1.2",),
    "pyagrum": ("pyagrum>=3.3", "pandas>=2.1"),
    "causal-learn": ("causal-learn>=0.1.4.8",),
}


@dataclass(frozen=True)
class Environment:
    """A Python, the versions of the libraries in it, and why others are missing."""

    python: Path
    versions: dict[str, str]
    missing: dict[str, str]


def default_folder() -> Path:
    """The default place: in the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "forebear" / "peers"


def make_environment(folder: Path) -> Environment:
    """Create a virtual environment unless it exists, and install what is missing."""
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
    """Install with pip, which does nothing if all is there. Return its error message, if any."""
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run([*command, *requirements], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    said = [line for line in done.stderr.splitlines() if line.strip()]
    errors = [line for line in said if line.startswith("ERROR:")]
    return (errors or said or ["pip failed"])[-1].removeprefix("ERROR:").strip()


def version(python: Path, library: str) -> str:
    """Return the version of an installed library."""
    question = f"from importlib.metadata import version; print(version({library!r}))"
    return subprocess.run(
        [python, "-c", question], stdout=subprocess.PIPE, text=True, check=True
    ).stdout.strip()
