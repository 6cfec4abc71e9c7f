"""Small stand-ins for the paper's data and networks, under their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebear.data.dataset import Dataset
from forebear.data.writing import write_table
from forebear.network.file_formats import write_network
from forebear.network.simulation import simulate

if TYPE_CHECKING:
    from pathlib import Path

THERE = ("audio-train", "pumsb-star-test")
"""The data sets that have one."""


def stand_ins(folder: Path) -> None:
    """Write tables of seven variables, and networks of five."""
    folder.mkdir()
    for seed, name in enumerate(THERE):
        drawn = simulate(7, 150, states=(2, 2), seed=seed).data
        binary = Dataset(drawn.codes, drawn.names, (("0", "1"),) * drawn.n_variables)
        write_table(binary, folder / f"{name}.data")
    for name in ("alarm", "pathfinder"):
        write_network(simulate(5, 1, seed=3).network, folder / f"{name}.bif.gz")
