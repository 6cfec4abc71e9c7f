"""Errors that a test expects, by their exact words."""

from __future__ import annotations

import re
from typing import Any

import pytest

from forebear._util.errors import DataError, ForebearError


def error(match: str, kind: type[ForebearError] = DataError) -> Any:
    """Expect an error of this kind that contains these words."""
    return pytest.raises(kind, match=re.escape(match))
