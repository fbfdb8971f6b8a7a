#!/usr/bin/env python3
"""Runs scripts/hardware_map on sample.cpp's program, under callgrind, and checks what it attributes to whom. Exits with 77 where
valgrind is not installed.

    test_map.py ROOT PROGRAM
"""
import json
import pathlib
import shutil
import subprocess
import sys

ROOT, PROGRAM = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
MAP = [sys.executable, "-B", str(ROOT / "scripts/hardware_map")]


def measured(*options, threads="0"):
    done = subprocess.run([*MAP, "--tool", "callgrind", "--json", "-", *options, PROGRAM, threads], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout[done.stdout.index("{"):])


def failing(*arguments):
    done = subprocess.run([*MAP, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 1, done
    return done.stdout


def check(result, within):
    by_name = {r["name"]: r for r in result["operators"]}
    light, heavy = by_name["light"], by_name["heavy"]
    # heavy takes ten times as many turns, of the same instructions, and fills 2,048 floats
    turns = light["instructions"]
    assert 64 * 2000 * 2 < turns < 64 * 2000 * 8, light
    assert abs(heavy["instructions"] / turns - 10) < within, (light, heavy)
    assert by_name["batch"]["instructions"] > 0 and any("libc" in f["name"] for f in by_name["batch"]["functions"]), by_name["batch"]
    assert {r["number"] for r in result["operators"]} == {1, 2, 3, 4, 5}, [r["name"] for r in result["operators"]]
    assert result["attributed"] > 0.95, result["attributed"]
    total = sum(r["share"] for r in result["operators"] + result["engine"])
    assert abs(total - 1) < 1e-6, total


def main():
    assert "no such program" in failing("./does/not/exist")
    if not shutil.which("valgrind"):
        print("SKIPPED: valgrind is not installed (Debian: valgrind)")
        sys.exit(77)
    exact = measured()
    check(exact, 2)
    assert exact["found_by"]["stack"] > 0.999, exact["found_by"]
    check(measured(threads="2"), 2)
    by_callers = measured("--callers", "0")
    check(by_callers, 2)
    for a, b in zip(exact["operators"], by_callers["operators"]):
        assert abs(a["share"] - b["share"]) < 0.03, (a, b)
    assert "no function of an operator was found" in failing("--tool", "callgrind", "true")
    print("the shares are those of the program, by stack and by callers")


if __name__ == "__main__":
    main()
