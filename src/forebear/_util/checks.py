"""Checks of parameters, before any work is done; the errors name the parameter."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import fields, is_dataclass, replace
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar

import numpy as np

from forebear._util.errors import ForebearError, Parameter, UnknownParameterError
from forebear._util.watcher import Watcher

P = ParamSpec("P")
R = TypeVar("R")


def check_whole(least: int, most: float = 1_000_000, /, **values: Any) -> None:
    """Reject values that are not whole numbers from ``least`` to ``most``.

    NumPy integers are accepted, booleans are not. The default maximum is a million: with larger
    settings, a generation would not end.
    """
    for name, value in values.items():
        if not isinstance(value, Integral) or isinstance(value, bool):
            raise ForebearError(Parameter(name), f" must be a whole number, got {value!r}")
        if int(value) < least:
            raise ForebearError(Parameter(name), f" must be at least {least}, got {value}")
        if int(value) > most:
            raise ForebearError(Parameter(name), f" must be at most {most:,}, got {value:,}")


def check_real(least: float, most: float = math.inf, /, **values: Any) -> None:
    """Reject values that are not numbers from ``least`` to ``most``."""
    for name, value in values.items():
        _check_number(name, value)
        if not float(value) >= least:
            raise ForebearError(Parameter(name), f" must be at least {least:g}, got {value:g}")
        if float(value) > most:
            raise ForebearError(Parameter(name), f" must be at most {most:g}, got {value:g}")


def check_positive(**values: Any) -> None:
    """Reject values that are not numbers above 0."""
    for name, value in values.items():
        _check_number(name, value)
        if not float(value) > 0:
            raise ForebearError(Parameter(name), f" must be positive, got {value:g}")


def check_kind(kind: type, noun: str, advice: str = "", /, **values: Any) -> None:
    """Reject values that are not objects of a class; ``advice`` explains how to create one."""
    for name, value in values.items():
        if not isinstance(value, kind):
            got = type(value).__name__ + (f": {advice}" if advice else "")
            raise ForebearError(Parameter(name), f" must be {noun}, got {got}")


def check_choice(choices: Collection[str], **values: Any) -> None:
    """Reject values that are not among the choices, and suggest the nearest one."""
    for name, value in values.items():
        if value not in choices:
            listed = ", ".join(choices)
            near = get_close_matches(str(value), list(choices), n=1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise ForebearError(
                Parameter(name), f" must be one of {listed}, got {str(value)!r}{hint}"
            )


def check_run(
    *,
    time_limit: float | None = None,
    generations: int | None = None,
    threads: int | None = None,
    seed: int | None = None,
    watcher: Watcher | None = None,
) -> None:
    """Check the parameters that most functions share; None is always allowed."""
    if time_limit is not None:
        check_positive(time_limit=time_limit)
        if math.isinf(time_limit):
            raise ForebearError(Parameter("time_limit"), " must be finite: omit it for no limit")
    if generations is not None:
        check_whole(1, math.inf, generations=generations)
    if threads is not None:
        check_whole(1, 2**16, threads=threads)
    if seed is not None:
        check_whole(0, math.inf, seed=seed)
    if watcher is not None:
        check_kind(Watcher, "a Watcher", watcher=watcher)


def with_python_numbers(settings: Any) -> Any:
    """Return settings with NumPy numbers converted to Python's, which JSON can represent."""
    if isinstance(settings, np.generic):
        return settings.item()
    if not is_dataclass(settings) or isinstance(settings, type):
        return settings
    values = {f.name: with_python_numbers(getattr(settings, f.name)) for f in fields(settings)}
    return replace(settings, **values)


def _check_number(name: str, value: Any) -> None:
    if not isinstance(value, Real) or isinstance(value, bool) or math.isnan(value):
        raise ForebearError(Parameter(name), f" must be a number, got {value!r}")


_OTHER_NAMES = {
    "max_parents": "max_indegree max_in_degree indegree in_degree",
    "time_limit": "seconds timeout max_time",
    "max_memory": "memory",
    "threads": "n_jobs num_threads n_threads",
    "seed": "random_state",
    "score": "scoring scoring_method criterion",
    "required": "whitelist white_list required_edges required_arcs",
    "forbidden": "blacklist black_list forbidden_edges forbidden_arcs",
    "tiers": "temporal_order",
    "generations": "stop",
    "certify": "certificate",
}
_PARAMETER_OF = {other: own for own, names in _OTHER_NAMES.items() for other in names.split()}
"""Our parameters, by the names that other libraries have for them."""

_READ = "missing discretize bins states keep drop categorical ordered continuous missing_tokens"
_FILE = "header encoding decimal_comma comment sheet"
_KNOWLEDGE = "required forbidden tiers ancestors not_ancestors before adjacent"

_SETTING_OF = {
    **{name: f"read=ReadOptions({name}={{}})" for name in f"{_READ} {_FILE}".split()},
    **{name: f"knowledge=Knowledge({name}={{}})" for name in _KNOWLEDGE.split()},
    **{name: f"algorithm=PSMINOBS({name}={{}})" for name in ("chains", "rate", "widen")},
    "schema": "read=ReadOptions.from_schema({})",
    "ess": "score=BDeu(ess={})",
    "equivalent_sample_size": "score=BDeu(ess={})",
    "iss": "score=BDeu(ess={})",
    "alpha": "score=MIT(alpha={})",
    "whitelist": "knowledge=Knowledge(required={})",
    "blacklist": "knowledge=Knowledge(forbidden={})",
    "samples": "algorithm=PSMINOBS(chains={})",
    "variant": "algorithm=MINOBS(variant={})",
    "method": "algorithm=Exact(method={})",
    "target": "generations=Target({})",
    "no_improvement": "generations=NoImprovement(seconds={})",
    "idle_limit": "generations=NoImprovement(seconds={})",
}
"""Parameters of settings objects, and how to pass them."""


def check_parameter_names(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function so that the error about an unknown parameter suggests the right one."""
    parameters = signature(function).parameters
    # Users call the class, not its __init__.
    shown = function.__qualname__.removesuffix(".__init__").rpartition(".")[2]

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        for name, value in kwargs.items():
            if name not in parameters:
                raise UnknownParameterError(
                    f"{shown}() has no parameter {name!r}: ",
                    _advice(name, value, [other for other in parameters if other != "self"]),
                )
        return function(*args, **kwargs)

    return checked


def _advice(name: str, value: object, parameters: list[str]) -> str:
    own = _PARAMETER_OF.get(name)
    if own in parameters:
        return f"it is called {own}"
    if name in _SETTING_OF and _SETTING_OF[name].partition("=")[0] in parameters:
        shown = repr(value)
        return f"pass {_SETTING_OF[name].format(shown if len(shown) <= 40 else '...')}"
    near = get_close_matches(name, parameters, n=1)
    return f"did you mean {near[0]}?" if near else f"it has {', '.join(parameters)}"
