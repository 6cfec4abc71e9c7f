"""The network in a result file (``.json``); ``Result`` reads the other fields."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from forebear._util.errors import FileError
from forebear._util.file_kinds import Format, describe_file
from forebear.data.coding import Coding
from forebear.network.network import Network

FORMAT = Format("forebear result", 1)
"""The format of result files; their field ``version`` is that of forebear."""


def read_result_fields(path: Path | str) -> dict[str, Any]:
    """Read the fields of a result file as plain values."""
    try:
        text = Path(path).read_text("utf-8")
        fields = json.loads(text)
        if "\\ud" in text.lower():  # perhaps half of a surrogate pair, which cannot be encoded
            json.dumps(fields, ensure_ascii=False).encode()
    except OSError as error:
        raise FileError.unreadable(path, error) from error
    except (ValueError, RecursionError) as error:
        raise _not_a_result(path, f"it is not valid JSON ({error})") from error
    if isinstance(fields, dict):
        FORMAT.reject_newer(path, fields.get("format"), fields.get("version"))
    if not isinstance(fields, dict) or fields.get("format") != str(FORMAT):
        raise _not_a_result(path, "it was not written by Result.save")
    return fields


def read_network_of_result(path: Path | str) -> Network:
    """Read the network of a result file."""
    fields = read_result_fields(path)
    try:
        parents = tuple(map(tuple, fields["parents"]))
        row_sets = fields.get("provenance", {}).get("row_sets")
        return Network(tuple(map(str, fields["variables"])), parents, coding_of(fields), row_sets)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise FileError(f"{path}: the result file is damaged: {error}") from error


def coding_of(fields: dict[str, Any]) -> Coding | None:
    """Return how the table was coded; None in files of earlier versions."""
    given = fields.get("coding")
    return None if given is None else Coding.of_fields(given)


def _not_a_result(path: Path | str, why: str) -> FileError:
    """Return the error about another kind of file, or an unknown one."""
    kind = describe_file(path)
    if kind is None or kind.startswith("a result"):
        return FileError(f"{path}: not a result file: {why}")
    return FileError(f"{path}: not a result file: this is {kind}")
