"""The library's sentences in the words of the command line, and how they are said."""

from __future__ import annotations

import re
import sys
from contextlib import suppress

# Parameters whose option has another name than the one with dashes.
_RENAMED = {
    "n_variables": "variables",
    "n_rows": "rows",
    "n_processes": "processes",
    "time_limit": "seconds",
}
_PARAMETERS = (
    *(
        "n_processes",
        "max_parents",
        "max_sets_per_variable",
        "max_candidates",
        "max_memory",
        "missing",
        "discretize",
        "ids",
    ),
    *_RENAMED,
)
_ONLY_AS_SUBJECT = (
    "alpha",
    "bins",
    "ess",
    "replicates",
    "seed",
    "states",
    "threads",
    "threshold",
)

# Neither in quotes nor part of a file name: those are the user's own words.
_SETTING = re.compile(rf"""(?<!['"\w./-])({"|".join(_PARAMETERS)})=("?)([\w.]+)\2(?![\w/])""")
_NAME = re.compile(
    rf"""(?<!['"\w./-])({"|".join(name for name in _PARAMETERS if "_" in name)})(?!['"\w./=-])"""
)
_SUBJECT = re.compile(rf"^({'|'.join(_ONLY_AS_SUBJECT)})(?= must be )")


def say(line: str) -> None:
    """Print a line on standard error. That nobody is there to read it stops no work."""
    with suppress(OSError):  # the terminal was closed, the log is full
        print(line, file=sys.stderr, flush=True)


def in_options(sentence: str) -> str:
    """Say ``--max-parents 2`` where the library says ``max_parents=2``."""
    sentence = _SETTING.sub(_setting, sentence)
    sentence = _NAME.sub(lambda match: _option(match[1]), sentence)
    return _SUBJECT.sub(lambda match: _option(match[1]), sentence)


def _setting(match: re.Match[str]) -> str:
    name, quote, value = match.groups()
    if value == "True":
        return _option(name)
    return f"{_option(name)} {value if quote else value.replace('_', '')}"


def _option(name: str) -> str:
    return "--" + _RENAMED.get(name, name).replace("_", "-")
