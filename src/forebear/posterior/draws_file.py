"""The file of a posterior (``.npz``): plain arrays, validated when they are read."""

from __future__ import annotations

import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from forebear._util.atomic import atomic_path, check_writable
from forebear._util.errors import FileError, ForebearError
from forebear._util.file_kinds import Format
from forebear._util.variable_names import check_unique
from forebear.network.graphs import topological_order
from forebear.posterior.posterior import Posterior

EXTENSION = ".npz"
FORMAT = Format("forebear posterior", 1)

_ARRAYS = {
    "about": ("u", 1),
    "draws": ("i", 3),
    "scores": ("f", 2),
    "counts": ("i", 1),
    "sizes": ("i", 1),
    "members": ("i", 1),
    "arcs": ("i", 2),
    "probabilities": ("f", 1),
}
"""The kind of number in every array, and its dimensions."""


def check_posterior_file(path: Path | str) -> None:
    """Raise an error if draws cannot be written to a path."""
    if Path(path).suffix.lower() != EXTENSION:
        raise FileError(f"{path}: draws must be written to {EXTENSION} files")
    check_writable(path)


def write_posterior(posterior: Posterior, path: Path | str) -> None:
    """Write a posterior: the names and settings as JSON, everything else as arrays."""
    check_posterior_file(path)
    about = {**FORMAT.marks, "names": posterior.names, "about": posterior.about}
    families = [family for own in posterior.families for family in own]
    arrays: dict[str, Any] = {
        "about": np.frombuffer(json.dumps(about).encode(), dtype=np.uint8),
        "draws": posterior.draws,
        "scores": posterior.scores,
        "counts": np.array([len(own) for own in posterior.families], dtype=np.int64),
        "sizes": np.array([len(family) for family in families], dtype=np.int64),
        "members": np.array([p for family in families for p in family], dtype=np.int64),
        "arcs": np.array(list(posterior.arcs), dtype=np.int64).reshape(-1, 2),
        "probabilities": np.array(list(posterior.arcs.values())),
    }
    with atomic_path(path) as temporary:
        np.savez_compressed(temporary, **arrays)


def read_posterior(path: Path | str) -> dict[str, Any]:
    """Read the fields of a posterior; every number is checked."""
    try:
        # Given a path, NumPy would leave a damaged file open.
        with Path(path).open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            arrays = {name: file[name] for name in _ARRAYS}
        for name, (kind, dimensions) in _ARRAYS.items():
            if arrays[name].dtype.kind != kind or arrays[name].ndim != dimensions:
                raise ValueError(name)
        about = json.loads(arrays["about"].tobytes())
        FORMAT.reject_newer(path, about["format"], about.get("forebear"))
        if about["format"] != str(FORMAT):
            raise ValueError("format")
        return _fields(about, arrays)
    except FileError:
        raise
    except OSError as error:
        raise FileError.unreadable(path, error) from error
    except (
        KeyError,
        ValueError,
        TypeError,
        AttributeError,
        EOFError,
        RecursionError,
        NotImplementedError,  # an archive that is encrypted, or compressed in another way
        ForebearError,
        zipfile.BadZipFile,
        zlib.error,
    ) as error:
        raise FileError(
            f"{path}: not a file of draws, or damaged: forebear posterior -o writes such files"
        ) from error


def _fields(about: dict[str, Any], arrays: dict[str, Any]) -> dict[str, Any]:
    names = tuple(str(name) for name in about["names"])
    check_unique(names, "variable")
    n = len(names)
    draws, scores = arrays["draws"].astype(np.int32), arrays["scores"].astype(np.float64)
    counts, arcs = arrays["counts"], arrays["arcs"]
    if draws.shape != (*scores.shape, n) or not draws.size or not np.isfinite(scores).all():
        raise ValueError("draws")
    families = _families(n, counts, arrays["sizes"].tolist(), arrays["members"])
    if (draws < 0).any() or (draws >= counts).any():
        raise ValueError("draws")
    for row in np.unique(draws.reshape(-1, n), axis=0).tolist():
        topological_order([own[place] for own, place in zip(families, row, strict=True)])
    shares = arrays["probabilities"]
    if arcs.shape != (len(shares), 2) or ((arcs < 0) | (arcs >= n)).any():
        raise ValueError("arcs")
    if not ((shares >= 0.0) & (shares <= 1.0)).all() or not isinstance(about["about"], dict):
        raise ValueError("probabilities")
    return {
        "names": names,
        "families": families,
        "draws": draws,
        "scores": scores,
        "arcs": {
            (p, v): share for (p, v), share in zip(arcs.tolist(), shares.tolist(), strict=True)
        },
        "about": about["about"],
    }


def _families(
    n: int, counts: Any, sizes: list[int], members: Any
) -> tuple[tuple[tuple[int, ...], ...], ...]:
    if len(counts) != n or (counts < 1).any() or sum(sizes) != len(members) or min(sizes) < 0:
        raise ValueError("families")
    if len(sizes) != int(counts.sum()) or ((members < 0) | (members >= n)).any():
        raise ValueError("families")
    ends = np.cumsum(sizes).tolist()
    flat = [tuple(members[e - s : e].tolist()) for e, s in zip(ends, sizes, strict=True)]
    stops = np.cumsum(counts).tolist()
    return tuple(tuple(flat[e - c : e]) for e, c in zip(stops, counts.tolist(), strict=True))
