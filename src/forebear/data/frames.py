"""Conversion of data frames of any library, and of NumPy arrays, to Polars frames.

Columns that declare their states (a pandas categorical, a Polars Enum, an Arrow
dictionary) become Polars Enums, so that the rest of forebear handles only one
type.
"""

from __future__ import annotations

import datetime
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from forebear._util.errors import DataError, Parameter
from forebear._util.fork_check import check_not_forked
from forebear._util.text import counted
from forebear.data.distinct import state_name
from forebear.data.encoding import check_distinct, check_names, unused_name
from forebear.data.normalization import without_states
from forebear.data.read_options import ReadOptions
from forebear.data.table_batches import Batches

if TYPE_CHECKING:
    import narwhals as nw

BATCH_ROWS = 1 << 17
"""Rows of a batch, as in the row groups that Polars writes; with 100 columns of text they take some
hundred megabytes."""

# pandas' markers of missing values, by name, so that pandas is not imported.
_MISSING_TYPES = frozenset({"NAType", "NaTType"})
_NUMBERS = (int, float, np.integer, np.floating)
_TIMES = (datetime.date, datetime.time, datetime.timedelta)


def is_frame(data: object) -> bool:
    """Return whether this object is a table: one that narwhals reads, or a dataset of pyarrow."""
    import narwhals as nw  # here and below: files are read without it

    return _is_arrow_dataset(data) or isinstance(_opened(data), (nw.DataFrame, nw.LazyFrame))


def frame_batches(data: Any, select: Callable[[list[str]], list[str]]) -> Batches:
    """Return the rows of a frame that narwhals reads; lazy ones of Polars are streamed."""
    check_not_forked()
    if isinstance(data, pl.LazyFrame):
        return Batches("the lazy frame", _streamed(data, select))
    if _is_arrow_dataset(data):
        return Batches("the dataset", _from_dataset(data, select))
    return Batches("the table", iter([polars_from_frame(data)]))


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


def _streamed(
    frame: pl.LazyFrame, select: Callable[[list[str]], list[str]]
) -> Iterator[pl.DataFrame]:
    """Run a query, and yield the rows of the result as they are computed."""
    try:
        schema = frame.collect_schema()
        yield pl.DataFrame(schema=schema)
        names = select(schema.names())
        yield from frame.select(names).collect_batches(maintain_order=True)
    except pl.exceptions.PolarsError as error:
        why = str(error).partition("\n")[0]
        raise DataError(f"the query of the lazy frame fails: {why}") from error


def _is_arrow_dataset(data: Any) -> bool:
    dataset = sys.modules.get("pyarrow.dataset")
    return dataset is not None and isinstance(data, dataset.Dataset)


def _from_dataset(dataset: Any, select: Callable[[list[str]], list[str]]) -> Iterator[pl.DataFrame]:
    import pyarrow as pa

    yield polars_from_frame(dataset.schema.empty_table())
    names = select(dataset.schema.names)
    for batch in dataset.to_batches(columns=names, batch_size=BATCH_ROWS):
        yield polars_from_frame(pa.Table.from_batches([batch]))


def polars_from_array(array: Any, names: Sequence[str] | None) -> pl.DataFrame:
    """Convert a two-dimensional array, rows by columns, or an array of records to a Polars frame.

    Without names, the columns are called as the fields of records, or "0", "1", ... by position.
    """
    check_not_forked()
    array = np.asanyarray(array)
    if array.dtype.names is not None:
        fields = {name: array[name] for name in array.dtype.names}
        if names is not None or any(values.ndim != 1 for values in fields.values()):
            raise DataError(
                "an array of records has one dimension, one value per field, and names of its own"
            )
        return pl.DataFrame([series_from_array(*field) for field in fields.items()])
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
    columns = array.T if isinstance(array, np.ma.MaskedArray) else np.ascontiguousarray(array.T)
    return pl.DataFrame([series_from_array(*pair) for pair in zip(labels, columns, strict=True)])


def polars_from_records(data: Mapping[Any, Any] | Sequence[Any]) -> pl.DataFrame:
    """Convert a dictionary of lists, one per column, or a list of dictionaries, one per row.

    A value that a dictionary lacks is missing.
    """
    check_not_forked()
    if not isinstance(data, Mapping):
        other = next((type(row).__name__ for row in data if not isinstance(row, Mapping)), None)
        if other is not None:
            raise DataError(
                f"a list must have paths only or dictionaries only, one per row, got {other}: "
                "convert rows of values with numpy.array"
            )
        names = dict.fromkeys(name for row in data for name in row)
        data = {name: [row.get(name) for row in data] for name in names}
    columns = {str(name): values for name, values in data.items()}
    if len(columns) < len(data):
        check_names([str(name) for name in data])
    for name, values in columns.items():
        if isinstance(values, str | bytes) or not isinstance(values, Iterable):
            raise DataError(f"column {name!r} must be a list of values, got {values!r}")
    series = [_series_of(*column) for column in columns.items()]
    for one in series:
        if len(one) != len(series[0]):
            first = f"column {series[0].name!r} has {counted(len(series[0]), 'value')}"
            raise DataError(f"{first}, but column {one.name!r} has {len(one):,}")
    return pl.DataFrame(series)


def _series_of(name: str, values: Any) -> pl.Series:
    if isinstance(values, pl.Series):
        return values.alias(name)
    if isinstance(values, np.ndarray) and values.ndim == 1:
        return series_from_array(name, values)
    return series_from_objects(name, list(values))


def series_from_array(name: str, values: NDArray[Any]) -> pl.Series:
    """Convert one column of an array; masked values are nulls."""
    if isinstance(values, np.ma.MaskedArray):
        series = series_from_array(name, values.data)
        return series.set(pl.Series(np.ma.getmaskarray(values)), None)
    kind, values = values.dtype.kind, np.ascontiguousarray(values)
    if kind in "mM":
        return pl.Series(name, values.astype(f"{kind}8[us]"))
    if kind == "f" and values.dtype not in (np.float32, np.float64):
        return pl.Series(name, values.astype(np.float64))
    if kind in "biuf":
        return pl.Series(name, values)
    if kind == "S":
        values = np.char.decode(values, "utf-8")
    if kind in "SUOT":
        return series_from_objects(name, values.tolist())
    raise without_states(name, values.dtype)


def with_sample_weight(
    frame: pl.DataFrame, options: ReadOptions, sample_weight: Any
) -> tuple[pl.DataFrame, ReadOptions]:
    """Add the weights of an estimator's rows as a column, whose values are checked by encoding."""
    weights = np.asarray(sample_weight)
    if weights.shape != (frame.height,):
        raise DataError(
            Parameter("sample_weight"),
            f" must have one value per row, {frame.height:,}, got the shape {weights.shape}",
        )
    name = unused_name("sample_weight", frame.columns)
    return frame.with_columns(series_from_array(name, weights)), replace(options, weights=name)


def series_from_objects(name: str, values: list[Any]) -> pl.Series:
    """Convert a column of Python objects: to text unless all are booleans, numbers or times."""
    values = [None if _is_missing(value) else value for value in values]
    kinds = set(map(type, values)) - {type(None)}
    if not kinds:
        return pl.Series(name, values, dtype=pl.Null)
    booleans = kinds & {bool, np.bool_}
    if kinds == booleans:
        return pl.Series(name, values, dtype=pl.Boolean)
    if not booleans and all(issubclass(kind, _NUMBERS) for kind in kinds):
        whole = all(issubclass(kind, int | np.integer) for kind in kinds)
        if whole and all(value is None or -(2**63) <= value < 2**63 for value in values):
            return pl.Series(name, values, dtype=pl.Int64, strict=False)
        numbers = pl.Series(name, values, dtype=pl.Float64, strict=False)
        # Otherwise text: as floats, different whole numbers could become the same state.
        if not whole and _are_distinct(numbers, values):
            return numbers
    elif len(kinds) == 1 and all(issubclass(kind, _TIMES) for kind in kinds):
        return pl.Series(name, values)
    texts = [None if value is None else state_name(value) for value in values]
    return pl.Series(name, texts, dtype=pl.String)


def enum_series(name: str, codes: NDArray[Any], states: Iterable[Any]) -> pl.Series:
    """Make a Polars Enum of codes and their states; negative codes are nulls."""
    names = [state_name(state) for state in states]
    check_distinct(name, names)
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
        # Most likely two columns have the same name, which narwhals rejects.
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
    # Whole numbers with missing values come as floats, which are not exact.
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
            raise without_states(column.name, native.type)
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
