"""Tables as plain arrays in a file, for other processes, other machines and later runs."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from forebear._util.atomic import atomic_path
from forebear._util.errors import FileError, ForebearError
from forebear._util.file_kinds import Format
from forebear.data.dataset import Dataset

FORMAT = Format("forebear table", 1)


def write_arrays(data: Dataset, path: Path | str) -> None:
    """Write a table, whole or not at all."""
    about = json.dumps(
        {
            **FORMAT.marks,
            "names": data.names,
            "states": data.states,
            "missing": data.missing,
            "copies": data.copies,
        }
    ).encode()
    arrays: dict[str, Any] = {"codes": data.codes, "about": np.frombuffer(about, np.uint8)}
    if data.weights is not None:
        arrays["weights"] = data.weights
    if data.intervened is not None:
        arrays["intervened"] = data.intervened
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        np.savez(file, **arrays)


def read_arrays(path: Path | str) -> Dataset:
    """Read a table written by ``write_arrays``."""
    try:
        with np.load(path, allow_pickle=False) as file:
            about = json.loads(file["about"].tobytes())
            FORMAT.reject_newer(path, about["format"], about.get("forebear"))
            if about["format"] != str(FORMAT):
                raise ValueError("another format")
            return Dataset(
                file["codes"],
                tuple(about["names"]),
                tuple(map(tuple, about["states"])),
                about["missing"],
                int(about["copies"]),
                file.get("weights"),
                intervened=file.get("intervened"),
            )
    except FileError:
        raise
    except ForebearError as error:
        raise FileError(f"{path}: ", error.message) from error
    except OSError as error:
        raise FileError.unreadable(path, error) from error
    except (ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        raise FileError(f"{path}: not a table written by forebear") from error
