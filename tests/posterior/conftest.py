"""Draws that several tests look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from naive_posterior import drawn

if TYPE_CHECKING:
    from forebear import Posterior


@pytest.fixture(scope="session")
def posterior() -> Posterior:
    return drawn()
