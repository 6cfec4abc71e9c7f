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

class Scoring:
    """A scoring run: make it, run it, write what it kept."""

    @staticmethod
    def make(
        codes: NDArray[Any],
        arities: list[int],
        score: str,
        ess: float,
        chi_squared: dict[float, float],
        max_parents: int,
        threads: int,
        max_sets: int,
        together: bool,
        allowed: NDArray[np.uint8] | None,
        required: list[list[int]],
        byte_limit: int,
        seconds: float,
    ) -> Scoring: ...
    def run(self) -> str: ...
    def cancel(self) -> None: ...
    @property
    def families_done(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    def counts(self) -> list[int]: ...
    def write(
        self,
        offsets: NDArray[np.int64],
        scores: NDArray[np.float64],
        parents: NDArray[Any],
    ) -> None: ...

def kernels() -> str: ...
def available_kernels() -> list[str]: ...
def use_kernels(name: str) -> bool: ...
def checksum(data: NDArray[np.uint8]) -> int: ...
def find_defect(
    offsets: NDArray[np.int64], scores: NDArray[np.float64], parents: NDArray[Any]
) -> str: ...
