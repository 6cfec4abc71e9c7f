"""From a pandas frame to a report: missing values and a continuous column on the way.

    python examples/frame_to_report.py [FOLDER]

Writes report.html, to be opened in a browser, and network.bif, for other
programs, into the folder (by default the current one).
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

import forebear
from forebear.data.examples import example_path


def orchard_frame() -> pd.DataFrame:
    """The example as a table from the field: weighed apples, and some cells left empty."""
    frame = pd.read_csv(example_path("orchard"))
    rng = np.random.default_rng(1)
    grade = frame["harvest"].astype("category").cat.codes
    frame["tonnes"] = rng.normal(20.0 + 5.0 * grade, 2.0).round(2)
    frame.loc[rng.choice(len(frame), 40, replace=False), "bees"] = None
    return frame.drop(columns="harvest")


def main(folder: Path) -> None:
    """Learn, look, keep."""
    frame = orchard_frame()
    # Rows with an empty cell are left out; tonnes are cut into 4 intervals of as many rows each.
    options = forebear.ReadOptions(missing="drop", discretize="quantile", bins=4)
    data = forebear.as_dataset(frame, options)
    result = forebear.learn(data, time_limit=20, seed=1)

    print(f"{len(frame):,} rows, {data.n_rows:,} of them complete")
    print(f"Score {result.score:,.1f}, {len(result.network.arcs)} arcs ({result.stop_reason})")
    for parents, rank, sets in (
        result.to_frame().filter(variable="tonnes").select("parents", "rank", "sets").iter_rows()
    ):
        print(f"The tonnes depend on {' and '.join(parents)}: rank {rank} of {sets} sets")

    folder.mkdir(parents=True, exist_ok=True)
    result.report(folder / "report.html")
    forebear.write_network(result.network.fit(data), folder / "network.bif")
    print(f"Written: {folder / 'report.html'}, {folder / 'network.bif'}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
