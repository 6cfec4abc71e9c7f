"""The native file of parent sets (``.cps``): memory-mapped, and validated when it is read.

It is a safetensors file: a JSON header, then plain arrays. Other programs can
open it with that library. The arrays are ``offsets``, ``scores`` and ``parents``
as in ``ParentSets``. The metadata of the header holds the version of forebear
that wrote the file, names, provenance and checksums. The file contains no code.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from forebear import _core
from forebear._util.atomic import atomic_path
from forebear._util.errors import FileError
from forebear._util.file_kinds import BINARY, OWN_VERSION, Format, describe_content
from forebear._util.memory_maps import map_bytes, release_pages
from forebear._util.text import counted

if TYPE_CHECKING:
    from forebear.parentsets.collection import ParentSets

Put: TypeAlias = Callable[[int, NDArray[np.float64], NDArray[Any]], None]

FORMAT = Format("forebear parent sets", 1)
_Shapes: TypeAlias = dict[str, tuple[str, tuple[int, ...]]]
_LENGTH_BYTES = 8
_TYPES = {"I64": np.int64, "F64": np.float64, "U16": np.uint16, "U32": np.uint32}
_ARRAYS = {"offsets": (("I64",), 1), "scores": (("F64",), 1), "parents": (("U16", "U32"), 2)}
"""The types that each array may have, and its number of dimensions."""


def write_cps(parent_sets: ParentSets, path: Path | str) -> None:
    """Write parent sets; the same sets and provenance give the same bytes."""
    sets = parent_sets
    about = (sets.names, sets.provenance, sets.offsets, sets.max_parents, sets.parents.dtype)
    with cps_writer(path, *about) as put:
        put(0, sets.scores, sets.parents)


@contextmanager
def cps_writer(
    path: Path | str,
    names: tuple[str, ...],
    provenance: dict[str, Any],
    offsets: NDArray[np.int64],
    slots: int,
    id_type: np.dtype[Any],
) -> Iterator[Put]:
    """Yield a function that writes some ranked sets at their position, to save memory.

    The file has a temporary name until it is complete. It is not mapped, because
    writing to a mapped file on a full disk would crash the program.
    """
    total = int(offsets[-1])
    shapes: _Shapes = {
        "offsets": ("int64", offsets.shape),
        "scores": ("float64", (total,)),
        "parents": (id_type.name, (slots, total)),
    }
    # Placeholders for the checksums have the final length, so that the header does not grow.
    end = _LENGTH_BYTES + len(_header(names, provenance, shapes, dict.fromkeys(shapes, "0" * 16)))
    starts: dict[str, int] = {}
    for name, about in shapes.items():
        starts[name] = end
        end += _bytes_of(*about)
    with atomic_path(path) as draft, draft.open("wb") as file:

        def put_array(name: str, at: int, values: NDArray[Any]) -> None:
            array = np.ascontiguousarray(values, shapes[name][0])
            file.seek(starts[name] + at * array.itemsize)
            file.write(array.data.cast("B") if array.size else b"")

        def put(at: int, scores: NDArray[np.float64], parents: NDArray[Any]) -> None:
            put_array("scores", at, scores)
            for slot, row in enumerate(parents):
                put_array("parents", slot * total + at, row)

        def checksum(name: str) -> str:
            if not (size := _bytes_of(*shapes[name])):
                return _checksum(np.zeros(0, np.uint8))
            mapped = np.memmap(draft, np.uint8, "r", offset=starts[name], shape=(size,))
            with release_pages(mapped):
                return _checksum(mapped)

        file.truncate(end)
        put_array("offsets", 0, offsets)
        yield put
        file.flush()
        header = _header(names, provenance, shapes, {name: checksum(name) for name in shapes})
        file.seek(0)
        file.write(len(header).to_bytes(_LENGTH_BYTES, "little") + header)


def _bytes_of(dtype: str, shape: tuple[int, ...]) -> int:
    return int(np.prod(shape, dtype=object)) * np.dtype(dtype).itemsize


def read_cps(path: Path | str) -> dict[str, Any]:
    """Map a file and return the fields of ``ParentSets``; reject a damaged file."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
            size = path.stat().st_size
            if not 2 <= length <= size - _LENGTH_BYTES:
                raise _not_parent_sets(path)
            header = file.read(length)
    except OSError as error:
        raise FileError.unreadable(path, error) from error
    names, provenance, shapes, checksums, writer = _parse(path, header)
    if not _is_header(header, names, provenance, shapes, checksums, writer):
        raise FileError(f"{path}: the file is damaged: its header does not match its checksum")
    mapped = map_bytes(path)
    with release_pages(mapped):
        arrays = _checked_arrays(path, mapped, length, shapes, checksums)
    return {"names": names, "provenance": provenance, "path": path, **arrays}


def _checked_arrays(
    path: Path,
    mapped: NDArray[np.uint8],
    length: int,
    shapes: _Shapes,
    checksums: dict[str, str],
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a mapped file, checked against the header."""
    arrays: dict[str, NDArray[Any]] = {}
    at = _LENGTH_BYTES + length
    for name, (dtype, shape) in shapes.items():
        nbytes = _bytes_of(dtype, shape)
        if at + nbytes > len(mapped):
            raise FileError(f"{path}: the file is incomplete: it ends after {len(mapped):,} bytes")
        raw = mapped[at : at + nbytes]
        if _checksum(raw) != checksums[name]:
            raise FileError(f"{path}: the file is damaged: its {name} do not match their checksum")
        arrays[name] = raw.view(dtype).reshape(shape)
        at += nbytes
    if at != len(mapped):
        raise FileError(
            f"{path}: the file is damaged: it is {counted(len(mapped) - at, 'byte')} too long"
        )
    return arrays


def _checksum(array: NDArray[Any]) -> str:
    flat = array.reshape(-1).view(np.uint8) if array.size else np.zeros(0, np.uint8)
    return f"{_core.checksum(flat):016x}"


def _header(
    names: tuple[str, ...],
    provenance: dict[str, Any],
    shapes: _Shapes,
    checksums: dict[str, str],
    writer: str = OWN_VERSION,
) -> bytes:
    """Write the header; the same contents always give the same bytes."""
    about = json.dumps(
        {
            "format": str(FORMAT),
            "forebear": writer,
            "names": names,
            "provenance": provenance,
            "checksums": checksums,
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )
    kinds = {np.dtype(kind).name: name for name, kind in _TYPES.items()}
    digest = _checksum(np.frombuffer(about.encode(), np.uint8))
    header: dict[str, Any] = {"__metadata__": {"about": about, "digest": digest}}
    at = 0
    for name, (dtype, shape) in shapes.items():
        end = at + _bytes_of(dtype, shape)
        header[name] = {"dtype": kinds[dtype], "shape": list(shape), "data_offsets": [at, end]}
        at = end
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    return text + b" " * (-(len(text) + _LENGTH_BYTES) % 64)  # arrays start aligned


def _is_header(header: bytes, *contents: Any) -> bool:
    """Return whether this is the header of these contents."""
    try:
        return header == _header(*contents)
    except (UnicodeEncodeError, RecursionError):  # write_cps cannot have written this
        return False


def _shape(name: str, entry: dict[str, Any]) -> tuple[str, tuple[int, ...]]:
    """Parse the type and the dimensions of an array."""
    kinds, dimensions = _ARRAYS[name]
    kind, shape = entry["dtype"], tuple(int(length) for length in entry["shape"])
    if kind not in kinds or len(shape) != dimensions or min(shape) < 0:
        raise ValueError(f"{name} have a wrong type or shape")
    return np.dtype(_TYPES[kind]).name, shape


def _parse(
    path: Path, header: bytes
) -> tuple[tuple[str, ...], dict[str, Any], _Shapes, dict[str, str], str]:
    """Parse a header; ``_is_header`` then checks it, by writing it again."""
    try:
        fields = json.loads(header)
        about = json.loads(fields["__metadata__"]["about"])
        FORMAT.reject_newer(path, about["format"], about.get("forebear"))
        if about["format"] != str(FORMAT):
            raise ValueError("another format")
        shapes = {name: _shape(name, fields[name]) for name in _ARRAYS}
        names = tuple(str(name) for name in about["names"])
        checksums = {name: str(about["checksums"][name]) for name in _ARRAYS}
        return names, dict(about["provenance"]), shapes, checksums, str(about["forebear"])
    except FileError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise _not_parent_sets(path) from error


def _not_parent_sets(path: Path) -> FileError:
    """Return the error about another kind of file, or an unknown one."""
    kind = describe_content(path)
    if kind is None or kind == BINARY or "parent sets" in kind:
        return FileError(f"{path}: not a file of parent sets, or an incomplete one")
    return FileError(f"{path}: not a file of parent sets: this is {kind}")
