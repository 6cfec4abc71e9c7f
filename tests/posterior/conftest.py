"""Draws that several tests look at."""

from __future__ import annotations

import pytest
from naive_posterior import drawn

from forebear import Posterior


@pytest.fixture(scope="session")
def posterior() -> Posterior:
    return drawn()
