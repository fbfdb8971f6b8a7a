#!/usr/bin/env python3
"""Compares the speed of this tree with another one. Builds the benchmarks of both and runs them alternately, so that both
see the same machine conditions. Prints the ratio new / old of each figure, from the medians over all turns.

    bench/against.py OLD_TREE [--turns 3] [--only framework photos] [--limit 0.03]

OLD_TREE: another checkout (git worktree add ../old COMMIT). Ratios that differ from 1 by more than the limit are marked;
whether more is better depends on the table's unit. Figures that only one tree has are left out. The rows that matter are
plumbline's own; those of others (by hand, range-v3) show how the machine's speed changed meanwhile.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ARGUMENTS = {"framework": ["--targets"], "tracing": ["--targets"], "photos": ["--quick"], "tune": ["--quick"], "memory": ["--quick"]}


def build(tree, programs, jobs):
    quiet = {"stdout": subprocess.DEVNULL, "check": True, "cwd": tree}
    subprocess.run(["cmake", "--preset", "bench"], **quiet)
    subprocess.run(["cmake", "--build", "--preset", "bench", "--parallel", str(jobs), "--target", *(f"bench_{p}" for p in programs)], **quiet)


def figures(tree, program, turn):
    """Returns a map from (table, unit, who, count of rows before it with the same) to the median of one run."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "figures.json"
        command = [str(tree / "build/bench/bench" / f"bench_{program}"), *ARGUMENTS.get(program, []), "--json", str(out)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tree)
        if done.returncode != 0 or not out.exists():
            sys.exit(f"against: turn {turn}: {' '.join(command)} failed:\n{done.stdout[-2000:]}")
        tables = json.loads(out.read_text())["tables"]
    found = {}
    for t in tables:
        for r in t["rows"]:
            alike = sum(key[:3] == (t["title"], t["unit"], r["who"]) for key in found)  # rows of the same name
            found[t["title"], t["unit"], r["who"], alike] = r["median"]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--only", nargs="+", default=["framework", "photos", "tracing", "tune"])
    parser.add_argument("--limit", type=float, default=0.03)
    options = parser.parse_args()
    new, old = pathlib.Path(__file__).resolve().parent.parent, options.old.resolve()
    for tree in (old, new):
        build(tree, options.only, os.cpu_count() or 1)

    for program in options.only:
        got = {old: {}, new: {}}
        for turn in range(options.turns):
            for tree in (old, new) if turn % 2 == 0 else (new, old):
                for key, value in figures(tree, program, turn).items():
                    got[tree].setdefault(key, []).append(value)
        print(f"\n{program}: medians of {options.turns} turns")
        print(f"  {'old':>12} {'new':>12} {'new/old':>8}")
        for key, values in got[old].items():
            if key not in got[new]:
                continue
            a, b = statistics.median(values), statistics.median(got[new][key])
            ratio = b / a if a else float("nan")
            mark = " <-" if abs(ratio - 1) > options.limit else ""
            title, unit, who, _ = key
            print(f"  {a:12.5g} {b:12.5g} {ratio:8.3f}{mark:3}  {who}  ({title} [{unit}])", flush=True)


if __name__ == "__main__":
    main()
