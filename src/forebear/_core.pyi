from typing import Any

import numpy as np
from numpy.typing import NDArray

class JklError(ValueError):
    """What is wrong with a .jkl file: ``line: what``."""

class JklTable:
    """The parsed sets of a .jkl file."""

    @property
    def names(self) -> list[str]: ...
    @property
    def n_sets(self) -> int: ...
    @property
    def max_parents(self) -> int: ...
    @property
    def without_sets(self) -> list[int]: ...
    def fill(
        self,
        offsets: NDArray[np.int64],
        scores: NDArray[np.float64],
        parents: NDArray[Any],
    ) -> None: ...

def parse_jkl(text: bytes) -> JklTable: ...
def format_jkl(
    names: list[str],
    offsets: NDArray[np.int64],
    scores: NDArray[np.float64],
    parents: NDArray[Any],
    begin: int,
    end: int,
) -> bytes: ...
