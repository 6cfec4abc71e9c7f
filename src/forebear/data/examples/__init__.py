"""Example data that is part of the package.

``orchard``: 2,000 rows of 18 variables about a year in an apple orchard, drawn
from the network in ``orchard.bif`` with seed 1.

``survey``: answers of 500 invented people about their work and health, with an
identifier, numbers and missing values, drawn once by a script that is not
included.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from forebear._util.errors import ForebearError
from forebear._util.variable_names import did_you_mean

_FILES = {
    "orchard": "orchard.csv.gz",
    "orchard.bif": "orchard.bif",
    "survey": "survey.csv.gz",
}

EXAMPLES: tuple[str, ...] = tuple(_FILES)
"""The names of the examples: tables, and the network of one of them."""

PREFIX = "example:"
"""What a path starts with if it names an example."""


def example_path(name: str) -> Path:
    """Return the path of an example.

    Parameters
    ----------
    name
        One of ``EXAMPLES``.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    ForebearError
        If there is no such example.

    Examples
    --------
    >>> from forebear.data.examples import example_path
    >>> example_path("orchard").name
    'orchard.csv.gz'
    """
    if name not in _FILES:
        *most, last = EXAMPLES
        others = f": there are {', '.join(most)} and {last}"
        raise ForebearError(f'there is no example "{name}"{did_you_mean(name, EXAMPLES) or others}')
    # The package is always installed as plain files, because it has a compiled core.
    return Path(str(files(__name__))) / _FILES[name]


def resolve_example(path: Path | str) -> Path | str:
    """Return the path of an example for ``"example:NAME"``, and any other path unchanged."""
    if isinstance(path, str) and path.startswith(PREFIX):
        return example_path(path.removeprefix(PREFIX))
    return path
