"""What does it gain to search a sample of the parent sets?

    python benchmarks/sampling.py --data DIR
    python benchmarks/sampling.py --data DIR --only audio-train --seeds 1 --time-limit 2

DIR holds the paper's tables (audio-train.data, ...). Parent sets are scored once
and kept in --cache. One chain searches a sample of fixed rate, as in the paper
(chain 1: the first ranks), for rates from 0.1 to 1; the last line starts on a
quarter and widens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.settings import compare_settings

from forebear import PSMINOBS

if TYPE_CHECKING:
    from collections.abc import Iterator

RATES = (0.1, 0.2, 0.25, 0.33, 0.5, 0.8, 1.0)
"""Those of the paper, and everything."""


def settings() -> Iterator[PSMINOBS]:
    """Yield every rate, fixed; then one of them widened."""
    for rate in RATES:
        yield PSMINOBS(rate=rate, widen=False)
    yield PSMINOBS(rate=0.25, widen=True)


def main() -> None:
    """Print a table per data set."""
    compare_settings(__doc__, settings)


if __name__ == "__main__":
    main()
