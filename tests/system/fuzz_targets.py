"""The targets of fuzzing: valid files of every format, and how they are damaged."""

from __future__ import annotations

import gzip
import io
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from fuzz_bytes import damage, twist
from fuzz_forge import (
    forge_checkpoint,
    forge_draws,
    forge_frame,
    forge_json,
    forge_native,
    forge_zipped,
)
from fuzz_uses import (
    QUICK,
    use_binary_table,
    use_checkpoint,
    use_draws,
    use_network,
    use_result,
    use_schema,
    use_sets,
    use_started,
    use_table,
)

from forebear import (
    MINOBS,
    PSMINOBS,
    Dataset,
    FittedNetwork,
    ForebearWarning,
    Network,
    ParentSets,
    Trial,
    Validation,
    find_network,
    sample_posterior,
    score_parent_sets,
)
from forebear.data.writing import write_table
from forebear.network.file_formats import write_network
from forebear.parentsets.cps import write_cps
from forebear.search.checkpoint import Checkpoint, write_started
from forebear.search.multistart import INOBS
from forebear.search.trace import Trace

Change = Callable[[Random, bytes], bytes]
Use = Callable[[Path, bytes, Random], None]


TABLE = Dataset(
    np.array([[0, 1, 0, 1, 1, 0, 0, 1], [1, 1, 0, 0, 1, 0, 1, 0], [0, 1, 0, 1, 2, 0, 0, 2]]),
    ("A", "B", "C d"),
    (("0", "1"), ("no", "yes"), ("x", "y", "z")),
)
FITTED = Network(("A", "B", "C d"), ((), (0,), (0, 1))).fit(TABLE)
JKL_SEEDS = (
    b"3\nA 2\n-1.5 1 C\n-2 0\nB 3\n-1 2 A C\n-3 1 A\n-4 0\nC 1\n-7 0\n",
    b"# by number\n4\n0 2\n-1.5 2 1 3\n-2 0\n1 1\n-3 0\n3 1\n-1 0\n2 2\n-4,5 1 0\n-9 0\n",
    b"\xef\xbb\xbf2\r\nx 2\r\n0 1 y\r\n-1e2 0\r\ny 2\r\n-1 1 x\r\n-2 0\r\n",
)
_CSV_SEEDS = (
    b"a;b\n1;x\n2;y\n1;x\n",
    b'"a","b, c"\n"1","x\ny"\n"2",""\n',
    b"# title\na;b;c\n1,5;2024-01-01;x\n2,25;2024-02-01 10:30;NA\n",
    b'a,b\n"NA",1\nx,2\nNA,1\n',
    "a,b\nK\u00f6ln,1\nBonn,2\n".encode("utf-16"),
)
_SCHEMA = b"""missing = "state"
discretize = "quantile"
bins = 3
missing_tokens = ["-"]
[columns]
id = "drop"
age = { kind = "continuous", bins = [1, 2.5] }
size = { kind = "ordered", states = ["low", "mid", "high"], missing_tokens = ["-9"] }
"""
STARTED = {"data": "t.csv", "output": ["o.json"], "generations": 1, "seed": 1, "quiet": True}


@dataclass(frozen=True)
class Target:
    """A format: its file names, valid files, ways to damage them, and their use.

    Of ``sealed`` formats every byte is checked: damage must be refused. What is
    ``foreign`` is read by Polars, which may end the program over damage: that is
    counted, because most inputs are not tried in a process of their own first.
    """

    name: str
    extension: str
    seeds: tuple[bytes, ...]
    use: Use
    changes: tuple[Change, ...] = (twist,)
    sealed: bool = False
    foreign: bool = False
    weight: int = 1

    def make(self, rng: Random) -> tuple[bytes, bool]:
        """Create an input; return whether it must be rejected."""
        seed = rng.choice(self.seeds)
        if rng.random() < 0.4:
            data = damage(rng, seed, self.seeds)
            return data, self.sealed and data not in self.seeds
        return rng.choice(self.changes)(rng, seed), False


# ---- sound files -----------------------------------------------------------------------


def _written(extension: str, write: Callable[[Path], Any]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"seed{extension}"
        write(path)
        return path.read_bytes()


def _sets_of(score: str) -> ParentSets:
    return score_parent_sets(TABLE, score=score, max_parents=2)


def _checkpoint(folder: Path, algorithm: Any) -> bytes:
    sets = folder / "sets.cps"
    if not sets.exists():
        _sets_of("ll").save(sets)
    state = folder / f"state-{type(algorithm).__name__}"
    find_network(
        ParentSets.load(sets), algorithm=algorithm, generations=2, seed=1, checkpoint=state
    )
    # The same bytes in every folder, and every time.
    checkpoint = Checkpoint.read(state)
    checkpoint.recipe.parent_sets["path"] = sets.name
    for chain in checkpoint.chains:
        assert chain is not None
        chain["improved_at"][0] = 0.25
    steps = [[chain, 0.25, *found] for chain, _, *found in checkpoint.trace]
    replace(checkpoint, seconds=0.5, trace=sorted(steps)).write(state)
    return state.read_bytes()


def _result() -> bytes:
    result = find_network(_sets_of("bdeu"), generations=1, seed=1)
    steps = [step._replace(seconds=0.25) for step in result.trace]
    trials = tuple(Trial("bic", {}, limit, "light", -2.0, 0.1) for limit in (None, 1))
    tried = Validation(trials, chosen=0, rows=4, folds=1)
    made = replace(result, seconds=0.5, trace=Trace(steps), validation=tried)
    return made.to_json().encode()


def _draws() -> bytes:
    found = sample_posterior(TABLE, sweeps=60, chains=2, temperatures=1, seed=1, threads=1)
    made = replace(found, about={**found.about, "seconds": 0.5})
    return _written(".npz", made.save)


def _started(folder: Path) -> bytes:
    write_table(TABLE, folder / "t.csv")
    write_started(folder / "started", {**STARTED, "folder": "."})
    return (folder / "started").read_bytes()


def _table_targets() -> list[Target]:
    targets = []
    for extension in (".csv", ".tsv", ".txt", ".dat"):
        seed = _written(extension, lambda path: write_table(_plain_table(), path))
        more = _CSV_SEEDS * (extension == ".csv")
        targets.append(Target(extension, extension, (seed, *more), use_table, weight=3))
    zeros = Dataset(TABLE.codes[:2], ("0", "1"), (("0", "1"),) * 2)
    bits = _written(".data", lambda path: write_table(zeros, path))
    targets.append(Target(".data", ".data", (bits,), use_table, weight=3))
    targets.append(Target("schema", ".toml", (_SCHEMA,), use_schema))
    stream = io.BytesIO()
    TABLE.to_frame().write_ipc_stream(stream)
    for name in ("parquet", "arrow"):
        seeds = [_written(f".{name}", lambda path: write_table(TABLE, path))]
        seeds += [stream.getvalue()] * (name == "arrow")
        odd: Any = {"changes": (forge_frame,), "foreign": True, "weight": 2}
        targets.append(Target(name, f".{name}", tuple(seeds), use_binary_table, **odd))
    return targets


def _plain_table() -> Dataset:
    return Dataset(TABLE.codes, ("A", "B", "C"), TABLE.states)


def _write_quietly(network: FittedNetwork, path: Path) -> None:
    """Write a network without the warning about names that other programs cannot read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ForebearWarning)
        write_network(network, path)


def _network_targets() -> list[Target]:
    formats = [".bif", ".xmlbif", ".net", ".xdsl", ".dsc", ".modelstring"]
    formats += [".edges.csv", ".adjacency.csv"]
    targets = []
    for extension in formats:
        plain = FittedNetwork(
            Network(("A", "B", "C"), FITTED.network.parents), FITTED.states, FITTED.tables
        )
        seeds = [
            _written(extension, lambda path, n=network: _write_quietly(n, path))  # type: ignore[misc]
            for network in (FITTED, plain)
        ]
        if extension == ".edges.csv":
            seeds.append(b"ID,Variable 1,Dependency,Variable 2\n1,A,->,B\n2,B,->,C\n")
        targets.append(Target(extension, extension, tuple(seeds), use_network, weight=8))
    return targets


_SAMPLES = PSMINOBS(chains=2, rate=0.5, minobs=MINOBS(variant="published", population=4))


def _zipped(*seeds: bytes) -> tuple[bytes, ...]:
    return tuple(gzip.compress(seed, mtime=0) for seed in seeds)


def targets_in(folder: Path, name: str | None = None) -> list[Target]:
    """Create all targets, or one; some files refer to others in the folder."""
    native = tuple(
        _written(".cps", lambda path, s=score: write_cps(_sets_of(s), path))  # type: ignore[misc]
        for score in ("bdeu", "ll")
    )
    states = tuple(_checkpoint(folder, a) for a in (QUICK, _SAMPLES, INOBS(climbs=2)))
    started = (_started(folder),)
    zipped, csv = _zipped(*JKL_SEEDS), _zipped(b"a,b\n1,2\n2,2\n1,1\n")
    sealed = (forge_checkpoint,)
    made = [
        Target("jkl", ".jkl", JKL_SEEDS, use_sets, weight=24),
        Target("cps", ".cps", native, use_sets, (forge_native,), sealed=True, weight=20),
        Target("result", ".json", (_result(),), use_result, (forge_json,), weight=8),
        Target("draws", ".npz", (_draws(),), use_draws, (forge_draws,), weight=4),
        Target("checkpoint", ".state", states, use_checkpoint, sealed, sealed=True, weight=6),
        Target("started", ".started", started, use_started, sealed, sealed=True),
        *_network_targets(),
        *_table_targets(),
        Target("jkl.gz", ".jkl.gz", zipped, use_sets, (forge_zipped,), weight=2),
        Target("csv.gz", ".csv.gz", csv, use_table, (forge_zipped,)),
    ]
    chosen = [target for target in made if name in (None, target.name)]
    if not chosen:
        raise SystemExit(f"there is no format {name}: {', '.join(one.name for one in made)}")
    return chosen
