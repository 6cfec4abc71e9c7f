"""Real data for tests: the folder ``shared`` beside the repository, or another one."""

from __future__ import annotations

import os
from pathlib import Path

SHARED = Path(os.environ.get("FOREBEAR_SAMPLES", Path(__file__).parents[3] / "shared"))
