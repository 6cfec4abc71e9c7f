"""Groups of options that several commands share, and their conversion to Python objects."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from forebear._util.checks import check_positive, check_real
from forebear._util.errors import ForebearError, Parameter
from forebear.data.discretization import Discretize
from forebear.data.read_options import Missing, ReadOptions
from forebear.knowledge.knowledge import Knowledge
from forebear.knowledge.statement_files import read_lines
from forebear.knowledge.statements import PAIR_KINDS, Kind, Statement
from forebear.learning.algorithms import algorithm_from
from forebear.search.stop import AnyOf, MaxGenerations, NoImprovement, StopRule, Target


@dataclass
class TableOptions:
    """The options about reading a table, as they were typed."""

    schema: Path | None = None
    missing: Missing | None = None
    discretize: Discretize | None = None
    bins: list[str] | None = None
    keep: list[str] | None = None
    drop: list[str] | None = None
    categorical: list[str] | None = None
    ordered: list[str] | None = None
    continuous: list[str] | None = None
    weights: str | None = None
    intervened: str | None = None
    missing_tokens: list[str] | None = None
    header: bool | None = None
    encoding: str | None = None
    decimal_comma: bool | None = None
    comment: str | None = None
    sheet: str | None = None
    rows: int | None = None

    def as_read_options(self) -> ReadOptions | None:
        """Parse the options; None if there are none, so that the coding of a network applies."""
        given = {name: value for name, value in asdict(self).items() if value not in (None, [])}
        schema = given.pop("schema", None)
        if self.bins:
            given["bins"] = _parse_bins(self.bins)
        if self.ordered:
            given["ordered"] = dict(_parse_ordered(one) for one in self.ordered)
        if schema is not None:
            return ReadOptions.from_schema(schema, **given)
        return ReadOptions(**given) if given else None


def _parse_bins(typed: list[str]) -> int | dict[str | None, Any]:
    """Read ``5``, ``age=4`` and ``age=18,65``."""
    bins: dict[str | None, Any] = {}
    for one in typed:
        name, equals, value = one.rpartition("=")
        try:
            numbers = [float(part) for part in value.split(",") if part.strip()]
            bins[name if equals else None] = numbers if "," in value else int(value)
        except ValueError:
            raise ForebearError(
                Parameter("bins"),
                f" must be a number, COLUMN=NUMBER or COLUMN=CUT,CUT,..., got {one!r}",
            ) from None
    return bins[None] if list(bins) == [None] else bins


def _parse_ordered(typed: str) -> tuple[str, list[str] | None]:
    """Read ``size`` and ``size=low,mid,high``."""
    name, equals, states = typed.partition("=")
    return name, [state.strip() for state in states.split(",")] if equals else None


@dataclass
class KnowledgeOptions:
    """The options about knowledge, as they were typed."""

    required: list[str] | None = None
    forbidden: list[str] | None = None
    tiers: Path | None = None
    knowledge: list[Path] | None = None
    ancestors: list[str] | None = None
    not_ancestors: list[str] | None = None
    before: list[str] | None = None
    adjacent: list[str] | None = None

    def as_knowledge(self) -> Knowledge | None:
        """Combine the knowledge of all options; return None if there is none."""
        statements = [
            Statement(kind, *_ends(name, typed), f'{Parameter(name).option} "{typed}"')
            for name, kind in PAIR_KINDS.items()
            for typed in getattr(self, name) or ()
        ]
        if self.tiers is not None:
            statements += _read_tiers(self.tiers)
        knowledge = Knowledge.of_statements(statements) if statements else None
        if self.knowledge:
            read = Knowledge.read(*self.knowledge)
            knowledge = read if knowledge is None else knowledge | read
        return knowledge


def _ends(option: str, typed: str) -> tuple[str, str]:
    """Split a pair such as ``A->B``."""
    sign = "--" if option == "adjacent" else "->"
    first, found, second = typed.partition(sign)
    if not found:
        what = f'a pair such as "A{sign}B"'
        if option in ("required", "forbidden"):
            what = 'an arc such as "A->B" (parent->child)'
        raise ForebearError(Parameter(option), f' must be {what}, got "{typed}"')
    return first.strip(), second.strip()


def _read_tiers(path: Path) -> list[Statement]:
    """Read tiers, first to last: one per line, names separated by commas."""
    statements: list[Statement] = []
    tier = 0
    for number, fields in enumerate(csv.reader(read_lines(path), skipinitialspace=True), start=1):
        names = [name.strip() for name in fields if name.strip()]
        tier += bool(names)
        statements += [Statement(Kind.TIER, name, tier, f"{path}:{number}") for name in names]
    return statements


@dataclass
class SearchOptions:
    """The options about the algorithm and when it stops, as they were typed."""

    algorithm: str = "ps-minobs"
    chains: int | None = None
    rate: float | None = None
    widen: bool | None = None
    variant: str | None = None
    method: str | None = None
    target: float | None = None
    idle_limit: float | None = None

    def as_algorithm(self) -> Any:
        """Return the settings of the algorithm."""
        given = asdict(self)
        del given["target"], given["idle_limit"]
        return algorithm_from(given.pop("algorithm"), **given)

    def as_stop_rule(self, generations: int | None) -> int | StopRule | None:
        """Return the stop rule; exact search has none."""
        rules: list[Any] = []
        if self.target is not None:
            check_real(-math.inf, target=self.target)
            rules.append(Target(self.target))
        if self.idle_limit is not None:
            check_positive(idle_limit=self.idle_limit)
            rules.append(NoImprovement(seconds=self.idle_limit))
        if not rules:
            return generations
        if self.algorithm == "exact":
            raise ForebearError(
                "exact search ends with its proof or at ",
                Parameter("time_limit"),
                ": leave out ",
                Parameter("target" if self.target is not None else "idle_limit"),
            )
        return AnyOf(*rules, *([] if generations is None else [MaxGenerations(generations)]))


def as_certify(certify: bool | None, certificate: Path | None) -> bool | Path | None:
    """Return the value of the Python parameter ``certify``: a flag, or the certificate file."""
    if certificate is not None and certify is False:
        raise ForebearError(Parameter("certificate"), " requires ", Parameter("certify", True))
    return certify if certificate is None else certificate


def parse_max_parents(text: str | None) -> int | Literal["all"] | None:
    """Return the number, "all", or None if nothing was given."""
    try:
        return None if text is None else "all" if text == "all" else int(text)
    except ValueError:
        raise ForebearError(
            Parameter("max_parents"), f' must be a whole number or "all", got "{text}"'
        ) from None


@contextmanager
def dask_executor(address: str | None, timeout: float = 10.0) -> Iterator[Any]:
    """Connect to the Dask cluster at an address; without one, yield None."""
    if address is None:
        yield None
        return
    try:
        distributed = import_module("distributed")
    except ImportError:
        raise ForebearError("Dask is not installed: pip install distributed") from None
    try:
        client = distributed.Client(address, timeout=timeout)
    except (OSError, ValueError) as error:
        raise ForebearError(f"--dask {address}: no Dask cluster responds there: {error}") from error
    with client:
        yield client.get_executor()
