"""Conversion of data frames of any library, and of NumPy arrays, to Polars frames.

Columns that declare their states (a pandas categorical, a Polars Enum, an Arrow
dictionary) become Polars Enums, so that the rest of forebear has to handle one
type only.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from forebear._util.errors import DataError, Parameter
from forebear._util.forks import check_not_forked
from forebear._util.text import counted, listing
from forebear.data.distinct import state_name
from forebear.data.encoding import check_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import narwhals as nw
    from numpy.typing import NDArray

# pandas' markers of missing values, by name, so that pandas is not imported.
_MISSING_TYPES = frozenset({"NAType", "NaTType"})
_NUMBERS = (int, float, np.integer, np.floating)
_TIMES = (datetime.date, datetime.time, datetime.timedelta)


def is_frame(data: object) -> bool:
    """Return whether narwhals can read this object as a table."""
    import narwhals as nw  # here and below: files are read without it

    return isinstance(_opened(data), (nw.DataFrame, nw.LazyFrame))


def polars_from_frame(data: Any) -> pl.DataFrame:
    """Convert any eager or lazy frame that narwhals reads to a Polars frame."""
    import narwhals as nw

    check_not_forked()
    frame = _opened(data)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, nw.DataFrame):
        raise DataError(f"a data frame is expected, got {type(data).__name__}")
    if frame.implementation.is_polars():
        native: pl.DataFrame = frame.to_native()
        return native
    check_names([str(name) for name in frame.columns])
    convert = _from_arrow if frame.implementation.is_pyarrow() else _from_pandas_like
    return pl.DataFrame([convert(frame.get_column(name)) for name in frame.columns])


def polars_from_array(array: Any, names: Sequence[str] | None) -> pl.DataFrame:
    """Convert a two-dimensional array, rows by columns, or an array of records to a Polars frame.

    Without names, the columns are called as the fields of records, or "0", "1", ... by position.
    """
    check_not_forked()
    array = np.asanyarray(array)
    columns = _columns(array, names) if array.dtype.names is None else _fields(array, names)
    return pl.DataFrame([series_from_array(*column) for column in columns.items()])


def _columns(array: NDArray[Any], names: Sequence[str] | None) -> dict[str, NDArray[Any]]:
    """Return the columns of a plain array by name."""
    if array.ndim != 2:
        raise DataError(
            "an array must have two dimensions, rows by columns, "
            f"got {counted(array.ndim, 'dimension')}"
        )
    n_columns = array.shape[1]
    labels = list(map(str, range(n_columns) if names is None else names))
    if len(labels) != n_columns:
        raise DataError(
            f"{counted(len(labels), 'name')} given for {counted(n_columns, 'column')}: "
            "give one name per column"
        )
    check_names(labels)
    # Columns contiguous in memory, because every later step reads one column at a time.
    masked = isinstance(array, np.ma.MaskedArray)
    return dict(zip(labels, array.T if masked else np.ascontiguousarray(array.T), strict=True))


def _fields(records: NDArray[Any], names: Sequence[str] | None) -> dict[str, NDArray[Any]]:
    """Return the fields of a structured array by name."""
    fields = {name: records[name] for name in records.dtype.names or ()}
    if names is not None:
        raise DataError(
            Parameter("names"), " is for plain arrays: the fields of records have names"
        )
    if records.ndim != 1:
        raise DataError(
            "an array of records must have one dimension, the rows, "
            f"got {counted(records.ndim, 'dimension')}"
        )
    if nested := [name for name, values in fields.items() if values.ndim != 1]:
        raise DataError(f"each field of a record must hold one value, but {listing(nested)} do not")
    return fields


def series_from_array(name: str, values: NDArray[Any]) -> pl.Series:
    """Convert one column of an array; masked values are nulls."""
    if isinstance(values, np.ma.MaskedArray):
        series = series_from_array(name, values.data)
        return series.set(pl.Series(np.ma.getmaskarray(values)), None)
    kind, values = values.dtype.kind, np.ascontiguousarray(values)
    if kind == "M":
        return pl.Series(name, values.astype("datetime64[us]"))
    if kind == "m":
        return pl.Series(name, values.astype("timedelta64[us]"))
    if kind == "f" and values.dtype not in (np.float32, np.float64):
        return pl.Series(name, values.astype(np.float64))
    if kind in "biuf":
        return pl.Series(name, values)
    if kind == "S":
        values = np.char.decode(values, "utf-8")
    if kind in "SUOT":
        return series_from_objects(name, values.tolist())
    raise DataError(
        f"column {name!r} has the type {values.dtype}, which has no discrete states: name it in ",
        Parameter("drop"),
    )


def series_from_objects(name: str, values: list[Any]) -> pl.Series:
    """Convert a column of Python objects: to text unless all are booleans, numbers or times."""
    kinds = set(map(type, values))
    if kinds - {str, type(None)}:
        values = [None if _is_missing(value) else value for value in values]
        kinds = set(map(type, values))
    kinds.discard(type(None))
    if kinds <= {str}:
        return pl.Series(name, values, dtype=pl.String if kinds else pl.Null)
    if kinds <= {bool, np.bool_}:
        return pl.Series(name, values, dtype=pl.Boolean)
    if not kinds & {bool, np.bool_} and _all_of(kinds, _NUMBERS):
        whole = _all_of(kinds, (int, np.integer))
        if not whole or all(value is None or -(2**63) <= value < 2**63 for value in values):
            dtype = pl.Int64 if whole else pl.Float64
            numbers = pl.Series(name, values, dtype=dtype, strict=False)
            if whole or _are_distinct(numbers, values):
                return numbers
        # The rest is text: as floats, different whole numbers could become the same state.
    elif len(kinds) == 1 and _all_of(kinds, _TIMES):
        return pl.Series(name, values)
    texts = [None if value is None else state_name(value) for value in values]
    return pl.Series(name, texts, dtype=pl.String)


def enum_series(name: str, codes: NDArray[Any], states: Iterable[Any]) -> pl.Series:
    """Make a Polars Enum of codes and their states; negative codes are nulls."""
    names = [state_name(state) for state in states]
    if len(set(names)) < len(names):
        twice = sorted({state for state in names if names.count(state) > 1})
        raise DataError(f"column {name!r} has several states called {listing(twice)}")
    places: pl.Series = pl.Series(codes.astype(np.int64))
    if len(codes) and codes.min() < 0:
        places = places.set(places < 0, None)
    return pl.Series(name, names, dtype=pl.Enum(names)).gather(places)


def codes_of_enum(column: pl.Series) -> NDArray[np.int64]:
    """Return the codes of a Polars Enum; nulls are -1."""
    return column.to_physical().cast(pl.Int64).fill_null(-1).to_numpy()


def _opened(data: Any) -> Any:
    """Return the narwhals view of a frame; anything else as it is."""
    import narwhals as nw

    try:
        return nw.from_native(data, pass_through=True)
    except ValueError:
        # Most likely two columns have the same name, which narwhals refuses.
        check_names([str(name) for name in data.columns])
        raise


def _from_pandas_like(column: nw.Series[Any]) -> pl.Series:
    """Convert a column of pandas or a similar library, without pyarrow."""
    import narwhals as nw

    name = str(column.name)
    if column.dtype in (nw.Categorical, nw.Enum):
        accessor = column.to_native().cat
        return enum_series(name, np.asarray(accessor.codes), list(accessor.categories))
    values = column.to_numpy()
    # Whole numbers with gaps come as floats, which are not exact.
    if values.dtype.kind in "biufmM" and (values.dtype.kind != "f" or column.dtype.is_float()):
        return series_from_array(name, values)
    return series_from_objects(name, column.to_list())


def _from_arrow(column: nw.Series[Any]) -> pl.Series:
    """Convert a column of a pyarrow table; a dictionary declares its values as states."""
    import narwhals as nw

    native = column.to_native()
    if column.dtype not in (nw.Categorical, nw.Enum):
        values = pl.from_arrow(native)
        if not isinstance(values, pl.Series):
            raise DataError(
                f"column {column.name!r} has the type {native.type}, "
                "which has no discrete states: name it in ",
                Parameter("drop"),
            )
        return values.alias(column.name)
    chunks = native.unify_dictionaries().chunks
    states = chunks[0].dictionary.to_pylist() if chunks else []
    # Indices may be unsigned, and then could not hold -1 for null.
    indices = [chunk.indices.cast("int64").fill_null(-1) for chunk in chunks]
    codes = [part.to_numpy(zero_copy_only=False) for part in indices]
    return enum_series(column.name, np.concatenate([np.empty(0, np.int64), *codes]), states)


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in _MISSING_TYPES:
        return True
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def _are_distinct(numbers: pl.Series, values: list[Any]) -> bool:
    """Return whether different values are different floats; one too large for a float is null."""
    return numbers.n_unique() == len(set(values)) and numbers.null_count() == values.count(None)


def _all_of(kinds: Iterable[type], bases: tuple[type, ...]) -> bool:
    return all(issubclass(kind, bases) for kind in kinds)
