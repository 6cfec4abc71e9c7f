"""Connecting to a Dask cluster."""

from __future__ import annotations

from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from forebear._util.errors import ForebearError

if TYPE_CHECKING:
    from collections.abc import Iterator

CONNECT_SECONDS = 10


@contextmanager
def executor_at(address: str | None) -> Iterator[Any]:
    """Connect to the Dask cluster at an address; without one, yield None."""
    if address is None:
        yield None
        return
    try:
        distributed = import_module("distributed")
    except ImportError:
        raise ForebearError("Dask is not installed: pip install distributed") from None
    try:
        client = distributed.Client(address, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise ForebearError(f"--dask {address}: no Dask cluster answers there: {error}") from error
    with client:
        yield client.get_executor()
