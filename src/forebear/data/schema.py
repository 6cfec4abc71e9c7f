"""Schema files: TOML files that define how a table is read, column by column.

The top level has the options of ``ReadOptions``. The table ``columns`` has a line per column: a
kind ("keep", "drop", "categorical", "ordered" or "continuous"), or a table with ``kind``, ``bins``
(a number or a list of cuts), ``states`` and ``missing_tokens``. ``format`` and ``forebear``
identify the version that wrote the file; they are optional.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

from forebear._util.atomic import atomic_path
from forebear._util.checks import check_choice
from forebear._util.errors import FileError, ForebearError
from forebear._util.file_kinds import Format
from forebear._util.text import counted, printable
from forebear.data.formats.binary import ARROW, EXCEL, PARQUET
from forebear.data.read_options import FILE_OPTIONS, MISSING_TOKENS, Missing, ReadOptions
from forebear.data.table_summary import ColumnSummary, TableSummary

FORMAT = Format("forebear schema", 1)
KINDS = ("keep", "drop", "categorical", "ordered", "continuous")
_OF_COLUMN = ("kind", "bins", "states", "missing_tokens")
_OPTIONS = tuple(field.name for field in fields(ReadOptions))
_LISTS = ("drop", "categorical", "continuous")
_TABLES = ("bins", "states", "ordered", "missing_tokens")


def options_from_schema(path: Path | str, changes: Mapping[str, Any]) -> ReadOptions:
    """Read a schema file; ``changes`` replace or extend its settings."""
    given = _parsed(path)
    form, writer = given.pop("format", str(FORMAT)), given.pop("forebear", None)
    FORMAT.reject_newer(path, form, writer)
    if form != str(FORMAT):
        raise FileError(f"{path}: format must be {str(FORMAT)!r}, got {form!r}")
    try:
        options = _checked(given)
        if not changes:
            return ReadOptions(**_changed(options, {}))
    except ForebearError as error:
        raise FileError(f"{path}: {error}") from None
    return ReadOptions(**_changed(options, changes))


def _changed(options: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Replace or extend the options of a file."""
    merged = {**options, **changes}
    named = {str(n) for o in (*_LISTS, "ordered") for n in changes.get(o) or ()}
    for option in _LISTS:
        kept = [name for name in options[option] if name not in named]
        merged[option] = kept + list(changes.get(option) or ())
    for option in _TABLES:
        own = _table_of(option, changes.get(option))
        others = {name: v for name, v in options[option].items() if name not in named - set(own)}
        merged[option] = {**others, **own}
    return {name: value for name, value in merged.items() if value not in ({}, [])}


def _table_of(option: str, value: Any) -> dict[Any, Any]:
    """Return an option as a dictionary from column to value; None means all other columns."""
    if value is None or isinstance(value, Mapping):
        return dict(value or {})
    return dict.fromkeys(value) if option == "ordered" else {None: value}


def _parsed(path: Path | str) -> dict[str, Any]:
    try:
        return tomllib.loads(Path(path).read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise FileError.unreadable(path, error) from error
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: not a schema file: its text is not UTF-8") from error
    except (ValueError, RecursionError) as error:  # also numbers of thousands of digits
        raise FileError(f"{path}: not a schema file: {error}") from error


def _checked(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a file; settings of single columns become lists and dictionaries."""
    columns = given.pop("columns", {})
    for name in given:
        check_choice(_OPTIONS, **{"an option": name})
    ReadOptions(**given)  # rejects values of the wrong type
    if not isinstance(columns, Mapping):
        raise ForebearError("columns must be a table with a line per column")
    lists = {option: list(given.get(option, ())) for option in _LISTS}
    tables = {option: _table_of(option, given.get(option)) for option in _TABLES}
    for name, line in columns.items():
        entry = {"kind": line} if isinstance(line, str) else line
        if not isinstance(entry, Mapping):
            raise ForebearError(f"column {name!r} must be a kind or a table, got {line!r}")
        for key in entry:
            check_choice(_OF_COLUMN, **{f"a setting of column {name!r}": key})
        kind = entry.get("kind", "keep")
        check_choice(KINDS, **{f"the kind of column {name!r}": kind})
        if kind in _LISTS:
            lists[kind].append(name)
        elif kind == "ordered":
            tables["ordered"][name] = entry.get("states")
        for key in ("bins", "states", "missing_tokens"):
            if key in entry and kind != "drop" and (key, kind) != ("states", "ordered"):
                tables[key][name] = entry[key]
    return {**given, **lists, **tables}


def write_schema(summary: TableSummary, options: ReadOptions, path: Path | str, table: str) -> None:
    """Write a schema of a table, for people to edit."""
    with atomic_path(path) as draft:
        draft.write_text("\n".join(_lines(summary, options, table)) + "\n", encoding="utf-8")


def _lines(summary: TableSummary, options: ReadOptions, table: str) -> list[str]:
    continuous = any(column.kind == "continuous" for column in summary.columns)
    # Other files have missing values of their own, so that no text has to stand for them.
    is_text = not table.lower().removesuffix(".gz").endswith((PARQUET, *ARROW, *EXCEL))
    tokens = options.default_tokens
    if tokens is None and is_text:
        tokens = MISSING_TOKENS
    settings = {
        "missing": (options.missing, f"  # {', '.join(get_args(Missing))}"),
        "discretize": (
            options.discretize or ("quantile" if continuous else None),
            "  # how continuous columns are cut",
        ),
        "bins": (options.default_bins, "  # the intervals of such a column"),
        "weights": (options.weights, "  # column with the number of rows that each row stands for"),
        "intervened": (options.intervened, "  # column that names the variables that were set"),
        "missing_tokens": (tokens, "  # what means a missing value, besides an empty field"),
        **{name: (getattr(options, name), "") for name in (*FILE_OPTIONS, "rows")},
    }
    return [
        f"# How to read {' '.join(table.split())}. Change it, then pass it with --schema.",
        *(f"{name} = {_toml(value)}" for name, value in FORMAT.marks.items()),
        "",
        *(
            f"{name} = {_toml(value)}{note}"
            for name, (value, note) in settings.items()
            if value is not None
        ),
        "",
        "# Kinds: keep (as detected), drop, categorical, ordered, continuous.",
        '# Also: bins = 4 or bins = [18, 65], states = ["low", "high"], missing_tokens = ["-9"].',
        "[columns]",
        *(_column(column, options) for column in summary.columns),
    ]


def _column(column: ColumnSummary, options: ReadOptions) -> str:
    entry: dict[str, Any] = {"kind": column.kind}
    by_column = {
        "bins": options.bins_by_column,
        "missing_tokens": options.tokens_by_column,
        "states": options.declared,
    }
    entry |= {key: own[column.name] for key, own in by_column.items() if column.name in own}
    inner = ", ".join(f"{key} = {_toml(value)}" for key, value in entry.items())
    count = counted(len(column.states), "state")
    notes = [column.content if column.kind == "continuous" else count]
    notes += [f"{column.n_missing:,} missing"] * (column.n_missing > 0)
    notes += [f"{s.suspect.value}: {s.words}" for s in column.suspicions]
    note = " ".join("; ".join(notes).split())
    return f"{_toml(column.name)} = {{ {inner} }}  # {printable(note)}"


def _toml(value: Any) -> str:
    """Write a value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # JSON's strings are TOML's, but for one control character.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int | float):
        return repr(value)
    return f"[{', '.join(map(_toml, value))}]"
