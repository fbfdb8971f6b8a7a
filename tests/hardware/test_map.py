#!/usr/bin/env python3
"""Runs scripts/hardware_map on sample.cpp's program, under callgrind, and under perf where it can sample time, and checks what it
attributes to whom. Exits with 77 where valgrind is not installed.

    test_map.py ROOT PROGRAM
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

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


def samples_time():
    perf = ["perf", "stat", "-x", ";", "-e", "cpu-clock:u", "true"]
    if not shutil.which("perf"):
        return False
    done = subprocess.run(perf, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode == 0 and "not supported" not in done.stdout


def check_perf():
    """By samples of time: heavy takes ten times as long as light."""
    done = subprocess.run([*MAP, "--tool", "perf", "--events", "cpu-clock", "--json", "-", PROGRAM, "2", "12800"], stdout=subprocess.PIPE, text=True,
                          check=True)
    result = json.loads(done.stdout[done.stdout.index("{"):])
    assert (result["shares_of"], result["time"]) == ("time_ns", "time_ns"), result
    by_name = {r["name"]: r for r in result["operators"]}
    assert 4 < by_name["heavy"]["time_ns"] / by_name["light"]["time_ns"] < 25, by_name
    assert by_name["heavy"]["share_of_operators"] > 0.6, by_name
    assert result["attributed"] > 0.9, result["attributed"]


def check_keep():
    """What is in the folder stays; each run's files get a folder of their own."""
    with tempfile.TemporaryDirectory() as folder:
        kept = pathlib.Path(folder)
        for name in ("callgrind.out.1", "operators.txt"):
            (kept / name).write_text("someone's")
        for _ in range(2):
            measured("--keep", folder)
        for name in ("callgrind.out.1", "operators.txt"):
            assert (kept / name).read_text() == "someone's", name
        for n in (1, 2):
            assert (kept / f"hardware_map.{n}/callgrind.out").stat().st_size and (kept / f"hardware_map.{n}/operators.txt").exists()
        assert "give a folder" in failing("--tool", "callgrind", "--keep", str(kept / "operators.txt"), "true")


def main():
    assert "no such program" in failing("./does/not/exist")
    if samples_time():
        check_perf()
    else:
        print("not tried: perf, which cannot sample time here")
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
    check_keep()
    print("the shares are those of the program, by stack and by callers")


if __name__ == "__main__":
    main()
