"""``forebear score``: options, output and files."""

from __future__ import annotations

import json
import re

import pytest

from forebear import find_network, simulate
from forebear._util.errors import TimeLimitError
from forebear.cli import main
from forebear.data.writing import write_table
from forebear.parentsets.collection import ParentSets
from forebear.scoring.job import Job
from forebear.scoring.score_job import score_job


def test_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "example:orchard", "-o", "o.cps", "-v"]) == 0
    out, err = capsys.readouterr()
    assert re.fullmatch(
        r"18 variables, 2,000 rows: 15,012 families to score on \d+ threads?, "
        r"about [\d.]+ [kMG]B of memory if all sets are kept\n",
        err,
    )
    sets = ParentSets.load("o.cps")
    assert f"{len(sets):,} of 15,012 parent sets kept in " in out
    assert out.endswith("Next: forebear search o.cps -o o.json\n")
    assert main(["score", "example:orchard", "-o", "o.cps", "--threads", "1", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["variables"], facts["rows"], facts["threads"]) == (18, 2000, 1)
    assert (facts["families_scored"], facts["parent_sets"]) == (15_012, len(sets))


def test_a_time_limit_that_ends_scoring(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_table(simulate(200, 20, states=(2, 2), seed=1).data, "wide.csv")

    def score(job: Job, **where: object) -> ParentSets:
        if job.max_parents > 1:
            raise TimeLimitError("slow")
        return score_job(job, **where)  # type: ignore[arg-type]

    monkeypatch.setattr("forebear.scoring.score_job.score_job", score)
    assert (
        main(["score", "wide.csv", "-o", "w.cps", "--max-parents", "2", "--time-limit", "60"]) == 0
    )
    out, err = capsys.readouterr()
    assert out.startswith("The time limit was reached: parent sets have at most 1 parent\n")
    assert err.endswith(
        "forebear: warning: the time limit ended the scoring of larger sets: the result has all of "
        "up to 1 parent; for larger sets, increase --time-limit\n"
    )
    sets = ParentSets.load("w.cps")
    assert (sets.provenance["max_parents"], sets.provenance["families"]) == (1, 40_000)
    covers = find_network(sets, generations=1, seed=1, certify=False).covers
    assert covers.endswith("at most 1 parent (the time limit ended the scoring of larger sets)")
