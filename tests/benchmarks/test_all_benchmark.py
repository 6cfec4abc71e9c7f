"""all.py: runs are recorded once per version, and pages quote only what was recorded."""

from __future__ import annotations

from pathlib import Path

import pytest
from common.pages import fill, unsupported
from common.records import BENCHMARKS, Part, Record, read_parts, read_record

TABLE = "| table | seconds |\n|---|---|\n| asia | 1.234 |"


def record(printed: str = f"searching\n\n{TABLE}\n\n2 of 2 tables\n") -> Record:
    return Record("exact", "python benchmarks/exact.py", "1.0", "a machine", "1 May 2026", printed)


def test_every_part_runs_a_script_for_at_most_an_hour() -> None:
    for part in read_parts():
        assert (BENCHMARKS / part.command.split()[0]).exists(), part.name
        assert (BENCHMARKS / "results" / f"{part.page}.md").exists(), part.name
        assert 0 < part.minutes <= 60, part.name


def test_folders_are_inserted_into_the_command(tmp_path: Path) -> None:
    part = Part("scale", "scale.py --data DIR -o WORK/scale", 2, "scale")
    assert part.arguments(tmp_path / "data", tmp_path) == [
        "scale.py",
        "--data",
        str(tmp_path / "data"),
        "-o",
        f"{tmp_path}/scale",
    ]


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert read_record("exact", tmp_path) is None
    record().write(tmp_path)
    assert read_record("exact", tmp_path) == record(record().printed.rstrip() + "\n")


def test_tables_of_a_record_are_filled_in_and_filled_in_again() -> None:
    page = "before\n\n<!-- run: exact -->\nold\n<!-- end of run -->\n\nafter\n"
    filled = fill(page, {"exact": record()})
    assert TABLE in filled
    assert "forebear 1.0, a machine; 1 May 2026" in filled
    assert "old" not in filled
    assert "searching" not in filled
    assert fill(filled, {"exact": record()}) == filled
    assert fill(page, {}) == page


def test_a_run_without_tables_is_shown_as_it_was_printed() -> None:
    page = "<!-- run: exact -->\n<!-- end of run -->"
    assert "```text\nseed 1: 5 s\n```" in fill(page, {"exact": record("seed 1: 5 s\n")})


@pytest.mark.parametrize(
    ("page", "missing"),
    [
        ("It took 1.2 s (`exact.md`).", []),
        ("It took 1.234 s ([exact](../benchmarks/results/exact.md)).", []),
        ("It took 1.3 s (`exact.md`).", ["1.3"]),
        ("It took 1.3 s.", []),
        ("Of 2 tables (`exact.md`):\n\n| table | s |\n|---|---|\n| asia | 1.5 |", ["1.5"]),
        ("`learn(3)` took 1.23 s (`exact.md`).", []),
        ("```\n7.7\n```\n\n(`exact.md`)", []),
        ("It took 1,234 s (`exact.md`).", ["1,234"]),
    ],
)
def test_figures_that_no_record_has_are_found(page: str, missing: list[str]) -> None:
    assert [figure for figure, _ in unsupported(page, {"exact": [record()]})] == missing
