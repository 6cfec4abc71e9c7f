"""Dataset: any table as small integer codes, with state names."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table of discrete variables, coded.

    ``codes[v, row]`` is the state of variable ``v`` in that row: an index into
    ``states[v]``. States may be declared without being seen; they count in the
    arity, and so in scores such as BDeu.
    """

    codes: NDArray[Any]
    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]

    @property
    def n_variables(self) -> int:
        """The number of columns of the table."""
        return len(self.names)

    @property
    def n_rows(self) -> int:
        """The number of rows of the table."""
        return int(self.codes.shape[1])

    @cached_property
    def arities(self) -> NDArray[np.int32]:
        """The number of states of every variable, declared ones included."""
        return np.array([len(states) for states in self.states], dtype=np.int32)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the content, the same wherever the table came from."""
        digest = hashlib.blake2b(digest_size=16)
        digest.update(repr((self.names, self.states)).encode())
        digest.update(np.ascontiguousarray(self.codes, dtype=np.uint16).tobytes())
        return digest.hexdigest()
