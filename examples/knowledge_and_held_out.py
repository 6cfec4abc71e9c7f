"""What knowledge is worth: networks learnt without and with it, judged in two ways.

    python examples/knowledge_and_held_out.py [FOLDER]

One network is learnt from 300 rows of the example alone, another with an order of
the seasons as well. Both are fitted to these rows, scored on the rows held out,
and compared with the network that all rows were drawn from. The rows are split
in three ways, since one split proves little. Writes differences.svg, a picture
of the last network with seasons beside the truth, into the folder.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import forebear
from forebear.data.examples import example_path
from forebear.drawing.differences import differences_svg

TRAINING_ROWS = 300
SPLITS = (1, 2, 3)

SEASONS = [
    ["winter", "spring_frost", "rainfall", "summer", "soil"],
    ["bloom", "frost_damage", "irrigation", "soil_moisture", "spraying", "bees", "scab", "hail"],
    ["fruit_set", "fruit_size"],
    ["harvest", "quality"],
    ["price"],
]
"""What comes later is a parent of nothing that comes earlier."""


def rows_of(data: forebear.Dataset, rows: np.ndarray) -> forebear.Dataset:
    """Some rows of a table; all states stay declared, so that scores can be compared."""
    return forebear.Dataset(data.codes[:, rows], data.names, data.states)


def split(data: forebear.Dataset, seed: int) -> tuple[forebear.Dataset, forebear.Dataset]:
    """Rows to learn from and rows to judge by."""
    shuffled = np.random.default_rng(seed).permutation(data.n_rows)
    return rows_of(data, shuffled[:TRAINING_ROWS]), rows_of(data, shuffled[TRAINING_ROWS:])


def draw(learnt: forebear.Network, truth: forebear.Network, picture: Path) -> None:
    """Draw a network beside the truth, and say what it missed."""
    comparison = forebear.compare_networks(learnt, truth)
    title = "Learnt with seasons, beside the truth"
    picture.write_text(differences_svg(learnt, comparison, title=title), encoding="utf-8")
    missed = ", ".join(f"{parent} -> {child}" for parent, child in comparison.missing)
    print(f"Missed by the last: {missed or 'nothing'}")
    print(f"Written: {picture}")


def main(folder: Path) -> None:
    """Learn without and with knowledge from each split, compare, draw."""
    data = forebear.as_dataset(example_path("orchard"))
    truth = forebear.read_network(example_path("orchard.bif"))
    seasons = forebear.Knowledge(tiers=SEASONS)
    print(f"{'split':<7}{'':<14}{'score':>10}{'held out':>10}{'SHD':>5}{'CPDAG':>7}{'F1':>7}")
    for seed in SPLITS:
        train, test = split(data, seed)
        for name, known in (("data alone", None), ("with seasons", seasons)):
            result = forebear.learn(train, max_parents=3, knowledge=known, generations=30, seed=1)
            held_out = result.network.fit(train).log_likelihood(test) / test.n_rows
            to_truth = forebear.compare_networks(result.network, truth)
            print(
                f"{seed:<7}{name:<14}{result.score:>10,.1f}{held_out:>10.3f}"
                f"{to_truth.shd:>5}{to_truth.shd_cpdag:>7}{to_truth.arc_f1:>7.3f}"
            )
    folder.mkdir(parents=True, exist_ok=True)
    draw(result.network, truth, folder / "differences.svg")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
