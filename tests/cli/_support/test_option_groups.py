"""A Dask cluster that does not respond."""

from __future__ import annotations

import pytest

from forebear import ForebearError
from forebear.cli._support.option_groups import dask_executor


def test_no_dask_cluster() -> None:
    with dask_executor(None) as executor:
        assert executor is None
    nowhere = dask_executor("tcp://127.0.0.1:1", timeout=0.5)
    with pytest.raises(ForebearError, match=r"Dask is not installed|no Dask cluster"):
        nowhere.__enter__()
