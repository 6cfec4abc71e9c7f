"""The network inside a result file (``.json``); the rest of the file is ``Result``'s business."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from forebear._util.errors import FileError
from forebear.network.network import Network

FORMAT = "forebear result 1"
"""The format that result files name."""


def read_result_fields(path: Path | str) -> dict[str, Any]:
    """Read what a result file holds, as plain values."""
    try:
        text = Path(path).read_text("utf-8")
        fields = json.loads(text)
        if "\\ud" in text.lower():  # maybe half a character, which could not be written again
            json.dumps(fields, ensure_ascii=False).encode()
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise FileError(f"{path}: not a result: {error}") from error
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        raise FileError(f"{path}: not a result of forebear")
    return fields


def read_network_of_result(path: Path | str) -> Network:
    """Read the network of a result file."""
    fields = read_result_fields(path)
    try:
        return Network(tuple(map(str, fields["variables"])), tuple(map(tuple, fields["parents"])))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise FileError(f"{path}: a damaged result: {error}") from error
