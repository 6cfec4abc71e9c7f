"""SetMask: which values of a table were set by intervention."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebear._util.errors import ForebearError, Parameter


@dataclass(frozen=True, eq=False)
class SetMask:
    """Which values of a table were set by intervention, rows by columns.

    Attributes
    ----------
    values
        The mask.
    names
        The columns, or None if they are those of the table.
    """

    values: NDArray[np.bool_]
    names: tuple[str, ...] | None = None

    @classmethod
    def of(cls, mask: Any) -> SetMask:
        """Return a mask given as an array or as a data frame of booleans."""
        # Imported here, because that module imports this one through ReadOptions.
        from forebear.data.frames import is_frame, polars_from_frame

        if isinstance(mask, cls):
            return mask
        names = None
        if is_frame(mask):
            frame = polars_from_frame(mask)
            mask, names = frame.to_numpy(), tuple(frame.columns)
        values = np.asarray(mask)
        if values.ndim != 2 or values.dtype != np.bool_:
            raise ForebearError(
                Parameter("intervened"),
                " must be the name of a column, or an array or a data frame of booleans, rows by "
                f"columns, got the type {values.dtype} and the shape {values.shape}",
            )
        return cls(values, names)

    def __repr__(self) -> str:
        """Show the shape."""
        return f"<mask of {self.values.shape[0]} x {self.values.shape[1]}>"
