"""Which public instances are there, what is the best known of each, and is it so?

    python benchmarks/instances.py list
    python benchmarks/instances.py check --data DIR
    python benchmarks/instances.py check --data DIR --only audio-train alarm-5000

The library is benchmarks/instances/instances.toml; the networks are beside it. "check" verifies the
checksums of the files in DIR (at any depth, also with .gz), scores every network again from them by
code of its own, without forebear, and compares the score with the one stated. It exits with 1 if
one differs. Files are not fetched: "list" shows where they are.

    python benchmarks/instances.py improve --data DIR --only audio-train --time-limit 60

searches from the networks of the library, and puts better ones into it.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from common import rescoring
from common.library import NETWORKS, PUBLISHED, TABLE, chosen, find_instance, read_library

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


def improve(instances: list[Instance], options: argparse.Namespace) -> None:
    """Search for better networks, problem by problem."""
    from common import improving  # it needs forebear, and the rest does not

    for instance in instances:
        content, wrong = find_instance(instance, options.data)
        if content is None:
            print(f"{instance.name}: left out: {wrong}", flush=True)
            continue
        for problem in instance.problems:
            score = improving.improve(
                instance,
                problem,
                content,
                networks=NETWORKS,
                table=TABLE,
                seconds=options.time_limit,
                seed=options.seed,
            )
            better = "nothing better" if score == problem.best else f"now {score:,.4f}"
            print(f"{instance.name}, {problem.label}: {problem.best:,.4f}, {better}", flush=True)


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
    """List, check or improve the library."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("what", choices=["list", "check", "improve"])
    parser.add_argument("--data", type=Path, metavar="DIR", help="where the files are")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="instances [default: all]")
    parser.add_argument(
        "--time-limit", type=float, default=60.0, help="seconds of a search [default: 60]"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the searches [default: 1]")
    options = parser.parse_args()
    instances = list(chosen(read_library(), options.only))
    if options.what == "list":
        print("\n".join(line for one in instances for line in show(one)))
        return
    if options.data is None or not options.data.is_dir():
        raise SystemExit(f"{options.what} needs --data DIR, the directory with the files")
    if options.what == "improve":
        improve(instances, options)
        return
    raise SystemExit(check(instances, options.data))


if __name__ == "__main__":
    main()
