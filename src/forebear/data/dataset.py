"""Dataset: any table as small integer codes, with state names."""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import polars as pl

from forebear._util.errors import DataError, ForebearWarning
from forebear._util.text import listing
from forebear.data.encoding import (
    DEFAULT_BINS,
    Missing,
    Options,
    check_names,
    check_rows,
    check_states,
    code_type,
    encode,
)
from forebear.data.formats.table import read_table
from forebear.data.frames import enum_series, is_frame, polars_from_array, polars_from_frame

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from forebear.data.discretization import Discretize


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

    def __post_init__(self) -> None:
        # Tuples, whatever was given: lists of the same names have the same fingerprint.
        object.__setattr__(self, "codes", np.asarray(self.codes))
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "states", tuple(map(tuple, self.states)))
        check_names(self.names)
        if self.codes.ndim != 2:
            raise DataError(f"codes must be variables by rows, got {self.codes.ndim} dimensions")
        if not len(self.codes) == len(self.names) == len(self.states):
            raise DataError(
                f"codes are of {len(self.codes)} variables, but there are "
                f"{len(self.names)} names and {len(self.states)} lists of states"
            )
        check_rows(self.n_rows)
        check_states(self.names, self.states)
        self._check_codes()
        wanted = np.ascontiguousarray(self.codes, dtype=code_type(self.states))
        object.__setattr__(self, "codes", wanted)

    def _check_codes(self) -> None:
        if self.codes.dtype.kind not in "iu":
            raise DataError(f"codes must be integers, got {self.codes.dtype}")
        too_large = self.codes.max(axis=1) >= self.arities
        if self.codes.dtype.kind == "i":
            too_large |= self.codes.min(axis=1) < 0
        if too_large.any():
            worst = int(np.argmax(too_large))
            raise DataError(
                f"column {self.names[worst]!r} has codes outside its "
                f"{self.arities[worst]} states: codes run from 0 to {self.arities[worst] - 1}"
            )

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        missing: Missing = "error",
        discretize: Discretize | None = None,
        bins: int | Mapping[str, int] = DEFAULT_BINS,
        states: Mapping[str, Sequence[Any]] | None = None,
    ) -> Self:
        """Code a pandas, Polars, pyarrow or other frame that narwhals reads.

        States: declared ones where a column declares them (a pandas categorical,
        a Polars Enum, an Arrow dictionary), seen or not, in their order; "false"
        and "true" for booleans; otherwise the values seen, in natural order.
        ``states`` declares them for any column, and wins.

        ``missing`` values are an error, or "drop" leaves their rows out, or
        "state" gives the columns that have them one more state, called "missing".

        Continuous columns are an error unless ``discretize`` says how to cut
        them into ``bins`` intervals: at "quantile"s or in "uniform" steps.
        Continuous are dates and times, numbers that are not all whole, and
        whole numbers with more than 32 distinct values that also are more than
        5 % of the rows or more than 256. ``bins`` may be a dictionary; the
        columns it names are cut even if they do not look continuous.
        """
        options = Options(missing, discretize, bins, states or {})
        return cls._encoded(polars_from_frame(frame), options)

    @classmethod
    def from_array(
        cls,
        array: Any,
        names: Sequence[str] | None = None,
        *,
        missing: Missing = "error",
        discretize: Discretize | None = None,
        bins: int | Mapping[str, int] = DEFAULT_BINS,
        states: Mapping[str, Sequence[Any]] | None = None,
    ) -> Self:
        """Code a NumPy array of rows by columns; the options are those of ``from_frame``.

        Without ``names`` the columns are called "0", "1", ... by their place.
        """
        options = Options(missing, discretize, bins, states or {})
        return cls._encoded(polars_from_array(array, names), options)

    @classmethod
    def read(
        cls,
        path: Path | str,
        *,
        missing: Missing = "error",
        discretize: Discretize | None = None,
        bins: int | Mapping[str, int] = DEFAULT_BINS,
        states: Mapping[str, Sequence[Any]] | None = None,
        header: bool | None = None,
    ) -> Self:
        """Read a table from a file, by its extension; "-" is CSV on standard input.

        The formats, and what ``header=None`` (find out) looks for, are described
        in ``forebear.data.formats.table``; the other options are those of ``from_frame``.
        """
        options = Options(missing, discretize, bins, states or {})
        return cls._encoded(read_table(path, header=header), options)

    @classmethod
    def _encoded(cls, frame: pl.DataFrame, options: Options) -> Self:
        dataset = cls(*encode(frame, options))
        constant = [dataset.names[v] for v in np.flatnonzero(dataset.arities == 1)]
        if constant:
            what = "column has" if len(constant) == 1 else "columns have"
            message = f"{len(constant)} {what} only one state ({listing(constant)})"
            # Three up: past this function and from_frame or its siblings, to their caller.
            warnings.warn(message, ForebearWarning, stacklevel=3)
        return dataset

    def to_frame(self) -> pl.DataFrame:
        """The table as a Polars frame of Enum columns, which keep declared states."""
        columns = zip(self.names, self.codes, self.states, strict=True)
        return pl.DataFrame([enum_series(*column) for column in columns])

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


def as_dataset(data: Any, **options: Any) -> Dataset:
    """A Dataset of whatever holds a table: a Dataset itself, a path, a frame or an array.

    The options are those of ``Dataset.read``, ``from_frame`` or ``from_array``;
    a Dataset is returned as it is.
    """
    if isinstance(data, Dataset):
        return data
    if isinstance(data, (str, Path)):
        return Dataset.read(data, **options)
    if isinstance(data, np.ndarray):
        return Dataset.from_array(data, **options)
    if is_frame(data):
        return Dataset.from_frame(data, **options)
    raise DataError(
        f"a table is expected (a path, a data frame, a 2-D array or a Dataset), "
        f"got {type(data).__name__}"
    )
