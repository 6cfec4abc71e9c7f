"""Which public instances are there, what is the best known of each, and is it so?

    python benchmarks/instances.py list
    python benchmarks/instances.py check --data DIR
    python benchmarks/instances.py check --data DIR --only audio-train alarm-5000

The library is benchmarks/instances/instances.toml; the networks are beside it. "check" verifies the
checksums of the files in DIR (at any depth, also with .gz), scores every network again from them by
code of its own, without forebear, and compares the score with the one stated. It exits with 1 if
one differs. Files are not fetched: "list" shows where they are.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from common import rescoring
from common.library import NETWORKS, PUBLISHED, chosen, find_instance, read_library

if TYPE_CHECKING:
    from common.library import Instance, Problem

ROUNDED = 1e-3
"""Scores are stated to four digits; those of collections are sums of rounded numbers."""


def check_problem(instance: Instance, problem: Problem, content: bytes) -> str | None:
    """Score a network again; return what is wrong, if something is."""
    parents = rescoring.read_arcs((NETWORKS / problem.network).read_text("utf-8"))
    if len(parents) != instance.variables:
        return f"the network has {len(parents)} variables instead of {instance.variables}"
    if not rescoring.is_acyclic(parents):
        return "the network has a cycle"
    most = max(map(len, parents.values()))
    if isinstance(problem.max_parents, int) and most > problem.max_parents:
        return f"a variable has {most} parents"
    if problem.score == PUBLISHED:
        score = rescoring.score_of_collection(parents, content)
    else:
        rows = rescoring.read_rows(content)
        if rows.shape != (instance.rows, instance.variables):
            return f"the table has {rows.shape[0]:,} rows and {rows.shape[1]:,} columns"
        score = rescoring.score_of_rows(
            parents, rows, problem.score, two_states=instance.has_two_states
        )
    if abs(score - problem.best) > ROUNDED:
        return f"the network scores {score:,.4f}, and {problem.best:,.4f} is stated"
    if problem.bound is not None and score > problem.bound + ROUNDED:
        return f"the network scores {score:,.4f}, more than the bound {problem.bound:,.4f}"
    return None


def check(instances: list[Instance], directory: Path) -> int:
    """Check all problems and print a line for each; return the exit code."""
    done = failed = 0
    for instance in instances:
        content, wrong = find_instance(instance, directory)
        if content is None:
            failed += "checksum" in wrong
            print(f"{instance.name}: not checked: {wrong}", flush=True)
            continue
        for problem in instance.problems:
            done += 1
            wrong_here = check_problem(instance, problem, content)
            failed += wrong_here is not None
            shown = f"{problem.best:,.4f}" if wrong_here is None else f"WRONG: {wrong_here}"
            print(f"{instance.name}, {problem.label}: {shown}", flush=True)
    print(f"{done} scores checked, {failed} wrong")
    return 1 if failed or not done else 0


def show(instance: Instance) -> list[str]:
    """Describe an instance."""
    rows = "" if instance.rows is None else f", {instance.rows:,} rows"
    lines = [f"{instance.name}: {instance.about}; {instance.variables:,} variables{rows}"]
    lines += [f"  save as {instance.file}: {instance.source}", f"  SHA-256 {instance.sha256}"]
    for one in instance.problems:
        gap = ""
        if one.bound is not None:
            left = max(0.0, one.bound - one.best)
            gap = ", optimal" if left < ROUNDED * 10 else f", at most {left:,.3f} below the optimum"
        lines.append(f"  {one.label}: {one.best:,.4f}{gap}; {one.found_by}, {one.found}")
        lines += [f"    reported: {who}: {score:,.3f}" for who, score in one.reported.items()]
        lines += [f"    bound: {one.bound_by}"] * (one.bound_by is not None)
    lines.append(f"  python benchmarks/instances.py check --data DIR --only {instance.name}")
    return lines


def main() -> None:
    """List or check the library."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("what", choices=["list", "check"])
    parser.add_argument("--data", type=Path, metavar="DIR", help="where the files are")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="instances [default: all]")
    options = parser.parse_args()
    instances = list(chosen(read_library(), options.only))
    if options.what == "list":
        print("\n".join(line for one in instances for line in show(one)))
        return
    if options.data is None or not options.data.is_dir():
        raise SystemExit("check needs --data DIR, the directory with the files")
    raise SystemExit(check(instances, options.data))


if __name__ == "__main__":
    main()
