"""What do several chains gain, and what does it gain that they cooperate?

    python benchmarks/chains.py --data DIR
    python benchmarks/chains.py --data DIR --only audio-train --seeds 1 --time-limit 2

DIR holds the paper's tables (audio-train.data, ...). Parent sets are scored once
and kept in --cache. One chain on all parent sets is compared with two and four
chains, on all sets and on samples, independent and cooperating. All settings
have the same number of threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.settings import compare_settings

from forebear import PSMINOBS

if TYPE_CHECKING:
    from collections.abc import Iterator


def settings() -> Iterator[PSMINOBS]:
    """Yield one chain on all sets, then several side by side."""
    yield PSMINOBS()
    for chains in (2, 4):
        for rate in (1.0, 0.25):
            for cooperate in (False, True):
                yield PSMINOBS(chains=chains, rate=rate, cooperate=cooperate)


def main() -> None:
    """Print a table per data set."""
    compare_settings(__doc__, settings)


if __name__ == "__main__":
    main()
