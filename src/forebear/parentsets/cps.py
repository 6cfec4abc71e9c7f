"""The native file of parent sets (``.cps``): memory-mapped, and checked when it is read.

It is a safetensors file (a JSON header, then plain arrays), which other
programs can open with that library. The arrays are ``offsets``, ``scores`` and
``parents`` as in ``ParentSets``; the metadata of the header holds the version
that wrote it, names, provenance and checksums. It contains no code.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np

from forebear import _core
from forebear._util.atomic import atomic_path
from forebear._util.errors import FileError
from forebear._util.filekinds import BINARY, describe_content
from forebear._util.formats import OWN_VERSION, Format
from forebear._util.mapped import map_bytes, sparing
from forebear._util.text import counted

if TYPE_CHECKING:
    from types import TracebackType

    from numpy.typing import NDArray

    from forebear.parentsets.collection import ParentSets

FORMAT = Format("forebear parent sets", 1)
_Shapes: TypeAlias = dict[str, tuple[str, tuple[int, ...]]]
_LENGTH_BYTES = 8
_MAX_HEADER = 1 << 28
_TYPES = {"I64": np.int64, "F64": np.float64, "U16": np.uint16, "U32": np.uint32}
_ARRAYS = {"offsets": (("I64",), 1), "scores": (("F64",), 1), "parents": (("U16", "U32"), 2)}
"""The types that each array may have, and its number of dimensions."""


def write_cps(parent_sets: ParentSets, path: Path | str) -> None:
    """Write parent sets; the same sets and provenance give the same bytes."""
    sets = parent_sets
    about = (sets.names, sets.provenance, sets.offsets, sets.max_parents, sets.parents.dtype)
    with CpsWriter(path, *about) as file:
        file.put(0, sets.scores, sets.parents)


class CpsWriter:
    """Writes a file of parent sets piece by piece, so that they need not fit in memory.

    Until it is complete, the file has a temporary name. It is written and not
    mapped, because writing to a mapped file on a full disk ends the program.
    """

    def __init__(
        self,
        path: Path | str,
        names: tuple[str, ...],
        provenance: dict[str, Any],
        offsets: NDArray[np.int64],
        slots: int,
        id_type: np.dtype[Any],
    ) -> None:
        total = int(offsets[-1])
        self._target = path
        self._about = (names, provenance)
        self._shapes: _Shapes = {
            "offsets": ("int64", offsets.shape),
            "scores": ("float64", (total,)),
            "parents": (id_type.name, (slots, total)),
        }
        self._offsets = offsets

    def __enter__(self) -> Self:
        # Placeholders for the checksums have the final length, so that the header does not grow.
        at = _LENGTH_BYTES + len(self._header(dict.fromkeys(self._shapes, "0" * 16)))
        self._starts: dict[str, int] = {}
        for name, about in self._shapes.items():
            self._starts[name] = at
            at += _bytes_of(*about)
        with ExitStack() as stack:
            self._path = stack.enter_context(atomic_path(self._target))
            self._file = stack.enter_context(self._path.open("wb"))
            self._file.truncate(at)
            self._put("offsets", 0, self._offsets)
            self._open = stack.pop_all()
        return self

    def put(self, at: int, scores: NDArray[np.float64], parents: NDArray[Any]) -> None:
        """Write ranked sets at their position."""
        total = self._shapes["scores"][1][0]
        self._put("scores", at, scores)
        for slot, row in enumerate(parents):
            self._put("parents", slot * total + at, row)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._open.__exit__(kind, error, trace)
            return
        with self._open:
            self._file.flush()
            header = self._header({name: self._checksum(name) for name in self._shapes})
            self._file.seek(0)
            self._file.write(len(header).to_bytes(_LENGTH_BYTES, "little"))
            self._file.write(header)

    def _put(self, name: str, at: int, values: NDArray[Any]) -> None:
        dtype = np.dtype(self._shapes[name][0])
        self._file.seek(self._starts[name] + at * dtype.itemsize)
        array = np.ascontiguousarray(values, dtype)
        self._file.write(array.data.cast("B") if array.size else b"")

    def _checksum(self, name: str) -> str:
        size = _bytes_of(*self._shapes[name])
        if not size:
            return _checksum(np.zeros(0, np.uint8))
        mapped = np.memmap(self._path, np.uint8, "r", offset=self._starts[name], shape=(size,))
        with sparing(mapped):
            return _checksum(mapped)

    def _header(self, checksums: dict[str, str]) -> bytes:
        names, provenance = self._about
        return _header(names, provenance, self._shapes, checksums)


def _bytes_of(dtype: str, shape: tuple[int, ...]) -> int:
    return int(np.prod(shape, dtype=object)) * np.dtype(dtype).itemsize


def read_cps(path: Path | str) -> dict[str, Any]:
    """Map a file and return the fields of ``ParentSets``; refuse a damaged file."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
            size = path.stat().st_size
            if not 2 <= length <= min(_MAX_HEADER, size - _LENGTH_BYTES):
                raise _not_parent_sets(path)
            header = file.read(length)
    except OSError as error:
        raise FileError.unreadable(path, error) from error
    names, provenance, shapes, checksums, writer = _parse(path, header)
    if not _is_header(header, names, provenance, shapes, checksums, writer):
        raise FileError(f"{path}: the file is damaged: its header does not match its checksum")
    mapped = map_bytes(path)
    with sparing(mapped):
        arrays = _checked_arrays(path, mapped, length, shapes, checksums)
    return {"names": names, "provenance": provenance, "path": path, **arrays}


def _checked_arrays(
    path: Path,
    mapped: NDArray[np.uint8],
    length: int,
    shapes: _Shapes,
    checksums: dict[str, str],
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a mapped file, after a check against the header."""
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
    """Tell whether this is the header of these contents."""
    try:
        return header == _header(*contents)
    except (UnicodeEncodeError, RecursionError):  # no header that we write has such contents
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
    """Parse a header; ``_is_header`` finds what does not fit, by writing it again."""
    try:
        fields = json.loads(header)
        about = json.loads(fields["__metadata__"]["about"])
        FORMAT.refuse_newer(path, about["format"], about.get("forebear"))
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
    """Say what the file is instead of parent sets, if that is known."""
    found = describe_content(path)
    if found is None or found == BINARY or "parent sets" in found:
        return FileError(f"{path}: not a file of parent sets, or an incomplete one")
    return FileError(f"{path}: not a file of parent sets: this is {found}")
