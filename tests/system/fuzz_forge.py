"""Forged files: the checksums are correct, but the contents are not."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
from random import Random
from typing import Any

import numpy as np
import polars as pl
from fuzz_bytes import damage, twist_json

from forebear import _core

_NAMES = ("offsets", "scores", "parents")
_TYPES = {"I64": np.int64, "F64": np.float64, "U16": np.uint16, "U32": np.uint32}
_NUMBERS = [-1, 0, 1, 2, 3, 4, 100, 65534, 65535, 65536, 2**31, 2**62, -(2**63)]
_SCORES = [0.0, -0.0, 1e308, -1e308, 1e200, float("nan"), float("inf"), float("-inf"), -5e-324]


def forge_native(rng: Random, seed: bytes) -> bytes:
    """Change a native file of parent sets, and recompute all its checksums."""
    header, about, arrays = open_native(seed)
    for _ in range(rng.choice([1, 1, 2])):
        kind = rng.randrange(5)
        if kind <= 1:
            _spoil(rng, rng.choice(arrays))
        elif kind == 2:
            about = twist_json(rng, about)
        elif kind == 3:
            header = twist_json(rng, header)
        else:
            arrays[rng.randrange(3)] = np.resize(rng.choice(arrays), rng.randint(0, 30))
    return seal_native(header, about, arrays)


def open_native(data: bytes) -> tuple[Any, Any, list[np.ndarray]]:
    """Split a native file into its header, its metadata and its arrays."""
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    about = json.loads(header["__metadata__"]["about"])
    arrays, at = [], 8 + length
    for name in _NAMES:
        size = header[name]["data_offsets"][1] - header[name]["data_offsets"][0]
        arrays.append(np.frombuffer(data[at : at + size], _TYPES[header[name]["dtype"]]).copy())
        at += size
    return header, about, arrays


def _spoil(rng: Random, array: np.ndarray) -> None:
    """Put an invalid number into an array, or exchange two numbers."""
    if not array.size:
        return
    i, j = rng.randrange(array.size), rng.randrange(array.size)
    if rng.random() < 0.3:
        array[i], array[j] = array[j], array[i]
    elif array.dtype.kind == "f":
        array[i] = rng.choice(_SCORES)
    else:
        array[i] = np.array(rng.choice(_NUMBERS)).astype(array.dtype)


def seal_native(header: Any, about: Any, arrays: list[np.ndarray]) -> bytes:
    """Assemble a native file as forebear would, as far as the changes allow it."""
    if isinstance(about, dict) and isinstance(about.get("checksums"), dict):
        about["checksums"] = {
            name: sum_ if name not in _NAMES else _sum(arrays[_NAMES.index(name)].tobytes())
            for name, sum_ in about["checksums"].items()
        }
    text = json.dumps(about, ensure_ascii=False, separators=(",", ":"))
    try:
        digest = _sum(text.encode())
    except UnicodeEncodeError:
        text = json.dumps(about, separators=(",", ":"))
        digest = _sum(text.encode())
    if isinstance(header, dict):
        header["__metadata__"] = {"about": text, "digest": digest}
    packed = json.dumps(header, ensure_ascii=True, separators=(",", ":")).encode()
    packed += b" " * (-(len(packed) + 8) % 64)
    return len(packed).to_bytes(8, "little") + packed + b"".join(a.tobytes() for a in arrays)


def _sum(data: bytes) -> str:
    return f"{_core.checksum(np.frombuffer(data, np.uint8)):016x}"


def forge_checkpoint(rng: Random, seed: bytes) -> bytes:
    """Change the content of a checkpoint, and recompute its digest."""
    head, body = seed.decode().rstrip("\n").split("\n")
    return seal_checkpoint(json.loads(head), json.loads(forge_json(rng, body.encode())))


def seal_checkpoint(head: dict[str, Any], content: Any) -> bytes:
    """Write a checkpoint with the digest of its content."""
    text = json.dumps(content)
    digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    return f"{json.dumps({**head, 'digest': digest})}\n{text}\n".encode()


def forge_json(rng: Random, seed: bytes) -> bytes:
    """Change a value somewhere in a JSON file."""
    content = json.loads(seed)
    for _ in range(rng.choice([1, 1, 2])):
        content = twist_json(rng, content)
    return json.dumps(content).encode()


def forge_draws(rng: Random, seed: bytes) -> bytes:
    """Change an array of a file of draws, and write it again."""
    with np.load(io.BytesIO(seed)) as file:
        arrays = {name: file[name].copy() for name in file.files}
    for _ in range(rng.choice([1, 1, 2])):
        name = rng.choice(sorted(arrays))
        own = arrays[name]
        kind = rng.randrange(5)
        if name == "about" and kind < 4:
            content = twist_json(rng, json.loads(own.tobytes()))
            arrays[name] = np.frombuffer(json.dumps(content).encode(), dtype=np.uint8)
        elif kind < 2 and own.size:
            values = _SCORES if own.dtype.kind == "f" else [n for n in _NUMBERS if abs(n) < 2**31]
            flat = own.reshape(-1)
            flat[rng.randrange(own.size)] = np.array(rng.choice(values)).astype(own.dtype)
        elif kind == 2:
            arrays[name] = own[: rng.randrange(len(own) + 1)] if own.ndim else own
        elif kind == 3:
            arrays[name] = own.astype(rng.choice(["f4", "i8", "U3", "c8"]))
        else:
            arrays[name] = own.reshape(1, *own.shape)
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)
    return out.getvalue()


def forge_zipped(rng: Random, seed: bytes) -> bytes:
    """Damage the content of a gzip file, and compress it again."""
    return gzip.compress(damage(rng, gzip.decompress(seed), [seed]), mtime=0)


def forge_frame(rng: Random, seed: bytes) -> bytes:
    """Write a valid Parquet or Arrow file with columns that no table should have."""
    rows = rng.choice([slice(6), slice(0), slice(1), slice(3, 4)])
    columns = [_odd_column(rng, f"c{i}")[rows] for i in range(rng.randint(0, 4))]
    frame = pl.DataFrame(columns)
    if rng.random() < 0.2 and frame.width:
        frame = frame.rename({frame.columns[0]: rng.choice(["", "\0", "x" * 300, "a,b"])})
    out = io.BytesIO()
    if seed.startswith(b"PAR1"):
        frame.write_parquet(out)
    elif seed.startswith(b"ARROW1"):
        frame.write_ipc(out)
    else:
        frame.write_ipc_stream(out)
    return out.getvalue()


def _odd_column(rng: Random, name: str) -> pl.Series:
    made: dict[str, Any] = {
        "text": (["", "\0", "é", "1e5", None, "x" * 300], pl.String),
        "floats": ([0.0, float("nan"), float("inf"), -1e308, None, 5e-324], pl.Float64),
        "whole": ([1.0, 2.0, 1e300, 1.0, None, -0.0], pl.Float64),
        "large": ([2**63 - 1, -(2**63), 0, None, 1, 2], pl.Int64),
        "unsigned": ([2**64 - 1, 0, 1, None, 2, 3], pl.UInt64),
        "lists": ([[1], [], None, [2, 3], [1], [1]], pl.List(pl.Int64)),
        "bytes": ([b"a", b"", None, b"\xff", b"b", b"a"], pl.Binary),
        "nothing": ([None] * 6, pl.Null),
        "truth": ([True, False, None, True, True, False], pl.Boolean),
        "kinds": (["a", "b", None, "a", "a", "b"], pl.Categorical),
        "declared": (["a", "b", None, "a", "a", "b"], pl.Enum(["b", "a", "never", "é"])),
        "days": ([0, 1, None, 10**6, -(10**6), 3], pl.Date),
        "spans": ([0, 1, None, 10**12, -1, 3], pl.Duration),
        "records": (
            [{"a": 1}, None, {"a": 2}, {"a": 1}, {"a": 3}, None],
            pl.Struct({"a": pl.Int8}),
        ),
    }
    values, dtype = made[rng.choice(list(made))]
    return pl.Series(name, values, dtype=dtype)
