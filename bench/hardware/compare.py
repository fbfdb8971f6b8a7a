#!/usr/bin/env python3
"""The operators' shares of instructions in the hardware map, next to those of each operator alone under callgrind.

    compare.py PROGRAM INPUT OPERATOR... [--callers N] [--threads N] [--within POINTS] [--to-operators SHARE] [--json FILE]

PROGRAM is one of bench/hardware: `PROGRAM map INPUT` runs the pipeline with frames, `PROGRAM decode INPUT` calls that operator
alone, without a pipeline. NAME=A+B: what NAME is alone, the operators A and B are in the map. Fails if a share differs by more than
POINTS (3) percentage points, if less than SHARE (95 %) of the instructions are operators', or if an operator's part of a memcpy that
several use differs by more than POINTS percent from what it is alone.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from hardware import callgrind  # noqa: E402


def alone(program, operator, given):
    """Instructions of the operator alone, and those of every function of it itself."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        subprocess.run(["valgrind", "--tool=callgrind", "--demangle=no", "--toggle-collect=plumbline_alone", f"--callgrind-out-file={out}",
                        f"--log-file={folder}/log", program, operator, given], check=True, stderr=subprocess.DEVNULL)
        text = out.read_text(errors="replace")
        functions = collections.Counter()
        for node in callgrind.read(text.splitlines()).nodes:
            functions[node.stack[0]] += node.total(1)[0]
        total = int(re.search(r"^(?:totals|summary): (\d+)", text, re.M)[1])
        if total == 0:
            sys.exit(f"{operator}: plumbline_alone was not found in {program}")
        return total, functions


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("input")
    parser.add_argument("operators", nargs="+")
    parser.add_argument("--callers", default="40")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--within", type=float, default=3.0)
    parser.add_argument("--to-operators", type=float, default=0.95)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "map.json"
        subprocess.run([sys.executable, str(ROOT / "scripts/hardware_map"), "--tool", "callgrind", "--callers", options.callers, "--json", str(path),
                        options.program, "map", options.input, options.threads], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        result = json.loads(path.read_text())
    names = [(o.split("=")[0], o.split("=")[-1].split("+")) for o in options.operators]
    in_map = {name: sum(r["instructions"] for r in result["operators"] if r["name"] in shown) for name, shown in names}
    measured = {name: alone(options.program, name, options.input) for name, _ in names}
    by_itself = {name: instructions for name, (instructions, _) in measured.items()}
    of_map, of_alone = sum(in_map.values()), sum(by_itself.values())
    worst = 0.0
    print(f"{'operator':<10} {'map':>15} {'share':>8} {'alone':>15} {'share':>8} {'points':>7}")
    for name, _ in names:
        a, b = 100 * in_map[name] / of_map, 100 * by_itself[name] / of_alone
        worst = max(worst, abs(a - b))
        print(f"{name:<10} {in_map[name]:>15,} {a:>6.2f} % {by_itself[name]:>15,} {b:>6.2f} % {a - b:>+7.2f}")
    to_operators = sum(r["share"] for r in result["operators"])
    print(f"attributed: {100 * result['attributed']:.2f} % (to operators {100 * to_operators:.2f} %); largest difference {worst:.2f} points")
    worst_copy, copies = 0.0, []
    for function in (f for f in result["shared"] if "memcpy" in f["name"]):
        for of in function["of"]:
            for name in (name for name, shown in names if shown == [of["name"]]):
                alone_there = measured[name][1][function["name"].split(" in ")[0]]
                copies.append({"function": function["name"], "operator": name, "map": of["instructions"], "alone": alone_there})
                worst_copy = max(worst_copy, abs(100 * (of["instructions"] / alone_there - 1)) if alone_there else 100.0)
                print(f"{function['name']} in {name}: {of['instructions']:,} in the map, {alone_there:,} alone")
    if options.json:
        options.json.write_text(json.dumps({"map": in_map, "alone": by_itself, "worst_points": worst, "attributed": result["attributed"],
                                            "to_operators": to_operators, "copies": copies}, indent=1) + "\n")
    if worst > options.within or to_operators < options.to_operators or worst_copy > options.within:
        sys.exit(1)


if __name__ == "__main__":
    main()
