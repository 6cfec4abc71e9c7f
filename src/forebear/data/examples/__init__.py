"""Example data that is part of the package.

``orchard``: 2,000 rows of 18 variables about a year in an apple orchard, drawn
from the network in ``orchard.bif`` with seed 1.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from forebear._util.errors import ForebearError
from forebear._util.names import did_you_mean

EXAMPLES: tuple[str, ...] = ("orchard",)

PREFIX = "example:"
"""What a path starts with if it names an example."""


def example_path(name: str) -> Path:
    """Return the path of an example.

    Parameters
    ----------
    name
        The name of the example for its table, or ``name.bif`` for its network.

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
    stem = name.removesuffix(".bif")
    if stem not in EXAMPLES:
        known = ", ".join(f"{one} and {one}.bif" for one in EXAMPLES)
        hint = did_you_mean(stem, EXAMPLES) or f": there are {known}"
        raise ForebearError(f'no example is called "{name}"{hint}')
    # The package is always installed as plain files, because it has a compiled core.
    return Path(str(files(__name__))) / (name if name != stem else f"{stem}.csv.gz")


def resolve_example(path: Path | str) -> Path | str:
    """Return the path of an example for ``"example:NAME"``, and any other path as it is."""
    if isinstance(path, str) and path.startswith(PREFIX):
        return example_path(path.removeprefix(PREFIX))
    return path
