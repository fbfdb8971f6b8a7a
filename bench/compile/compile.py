#!/usr/bin/env python3
"""Measures the cost of compiling a pipeline: time, peak memory and template instantiations of one translation unit at -O2.

    compile.py [--repeat N] [--only TEXT] [--json FILE] [--against TREE] [--precompiled]    print the figures
    compile.py --check | --write-baseline                                                   compare the counts, or store them

Cases: the files of bench/compile/, some of them with and without optimize; maps.cpp with 5, 10, 20 and 40 maps. Each is
compiled with g++, and with clang++ if it is found; header-only, and as for the target plumbline::compiled (the file alone,
not the library). Times are the lowest processor time of N runs, in seconds. `peak` is the memory of the largest compiler
process, in MB. `instantiations` counts, for clang, the InstantiateClass and InstantiateFunction events of -ftime-trace, and
for g++, the specializations in its tables (-fstats). The two count different things, so compare each only with itself.
`work` is the total memory that g++ allocated, in MB (-ftime-report). For one version of g++ these two counts are the same
on every machine.

--against TREE: also measures another checkout, alternately with this one, and adds a column of ratios new / old.
--precompiled: also measures with plumbline's headers precompiled, as CMake's target_precompile_headers does.
--check: fails if g++'s instantiations or work exceed baseline.json by more than a tenth. --write-baseline rewrites that
file; use it once you know why a count has grown and accept the growth.
"""
import argparse
import json
import mmap
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BASELINE = HERE / "baseline.json"
GROWTH = 1.10
FORMS = {"header-only": [], "compiled": ["-DPLUMBLINE_COMPILED=1"]}
MAPS = [5, 10, 20, 40]
# left out of --check, since other cases cover them, so that it takes three minutes
UNCHECKED = {"maps 5", "maps 10", "maps 20", ("maps 40", "header-only"), ("five_optimized", "header-only")}
# wanted upper bounds, in seconds of g++ 12 on a quiet machine: header-only, compiled
WANTED = {"include": (2.5, 1.5), "batches": (5, 3), "photos": (8, 6), "photos_optimized": (14, 10), "five_optimized": (30, 30)}


def cases(only):
    found = {}
    for file in sorted(HERE.glob("*.cpp")):
        if file.stem == "maps":
            found.update({f"maps {n}": (file, [f"-DMAPS={n}"]) for n in MAPS})
            continue
        found[file.stem] = (file, [])
        if "ifdef OPTIMIZED" in file.read_text():
            found[f"{file.stem}_optimized"] = (file, ["-DOPTIMIZED"])
    return {name: case for name, case in found.items() if only in name}


def command(compiler, tree, form, case):
    eigen = subprocess.run(["pkg-config", "--cflags", "eigen3"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    flags = eigen.stdout.split() if eigen.returncode == 0 else ["-I/usr/include/eigen3"]
    return [compiler, "-std=c++20", "-O2", *FORMS[form], f"-I{tree / 'include'}", *flags, *case[1], "-c", str(case[0])]


def precompiled(line, headers, out):
    """Precompiles the headers and returns the command that uses them; the cost of precompiling is not counted."""
    all_of_them = out.parent / f"{len(list(out.parent.iterdir()))}.hpp"
    all_of_them.write_text("".join(f"#include <{header}>\n" for header in headers))
    suffix = ".pch" if "clang" in pathlib.Path(line[0]).name else ".gch"
    flags = line[1:line.index("-c")]
    subprocess.run([line[0], *flags, "-x", "c++-header", str(all_of_them), "-o", f"{all_of_them}{suffix}"], check=True)
    return [*line, "-include", str(all_of_them)]


def measured(line, out):
    """Runs the compiler once and returns (processor seconds, peak resident bytes)."""
    child = subprocess.Popen([*line, "-o", str(out)], stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"does not compile: {' '.join(line)}")
    # ru_maxrss is the largest of the driver and the processes that it waited for; Linux reports it in kB
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def counted(line, out):
    """Returns (instantiations, MB of work or None)."""
    if "clang" in pathlib.Path(line[0]).name:
        subprocess.run([*line, "-o", str(out), "-ftime-trace", "-ftime-trace-granularity=0"], check=True, stdin=subprocess.DEVNULL)
        with out.with_suffix(".json").open("rb") as trace:  # often a gigabyte, so it is searched, not parsed
            text = mmap.mmap(trace.fileno(), 0, access=mmap.ACCESS_READ)
            return sum(1 for _ in re.finditer(rb'"name":\s*"Instantiate(Class|Function)"', text)), None
    done = subprocess.run([*line, "-o", str(out), "-fstats", "-ftime-report"], check=True, stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True)
    tables = re.findall(r"^(?:decl|type)_specializations: size \d+, (\d+) elements", done.stderr, re.M)
    work = re.search(r"^ TOTAL .* (\d+)([kMG])", done.stderr, re.M)
    return sum(map(int, tables)), int(work[1]) * {"k": 1e-3, "M": 1, "G": 1e3}[work[2]]


def compilers(options):
    if options.compiler:
        return [options.compiler]
    return [c for c in ("g++", shutil.which("clang++-16") and "clang++-16" or "clang++") if shutil.which(c)]


def figures(options, out):
    trees = [ROOT] + ([options.against.resolve()] if options.against else [])
    rows = []
    for name, case in cases(options.only).items():
        for compiler in compilers(options):
            for form in FORMS:
                lines = [command(compiler, tree, form, case) for tree in trees]
                keys = ["new", "old"][:len(trees)]
                if options.precompiled:
                    tuned = "optimized" in name
                    headers = ["plumbline/plumbline.hpp"] + (["plumbline/tune.hpp"] if tuned else [])
                    lines.append(precompiled(lines[0], headers, out))
                    keys.append("precompiled")
                runs = [[measured(line, out) for line in lines] for _ in range(options.repeat)]
                row = {"case": name, "compiler": compiler, "form": form, "line": lines}
                for i, key in enumerate(keys):
                    row[key] = {"seconds": min(r[i][0] for r in runs), "peak": max(r[i][1] for r in runs) / 1e6}
                rows.append(row)
    # Counting comes last: on Linux the peak memory of a child starts at what this process uses when it starts the child.
    for row in rows:
        for key, line in zip(("new", "old")[:len(trees)], row.pop("line")):
            row[key]["instantiations"], row[key]["work"] = counted(line, out)
    return rows


def show(rows, against):
    old = f"{'precompiled':>12}" if any("precompiled" in row for row in rows) else ""
    old += f"{'old s':>8} {'ratio':>6} {'old inst.':>10}" if against else ""
    print(f"{'case':18} {'compiler':11} {'form':12} {'s':>6} {'wanted':>7} {'peak':>6} {'instantiations':>15} {'work':>6} {old}")
    for row in rows:
        new = row["new"]
        wanted = WANTED.get(row["case"]) if row["compiler"] == "g++" else None
        wanted = f"{wanted[list(FORMS).index(row['form'])]:7.1f}" if wanted else " " * 7
        work = " " * 6 if new["work"] is None else f"{new['work']:6.0f}"
        old = ""
        if "precompiled" in row:
            old += f"{row['precompiled']['seconds']:12.2f}"
        if against:
            old += f"{row['old']['seconds']:7.2f} {new['seconds'] / row['old']['seconds']:6.2f} {row['old']['instantiations']:10}"
        print(f"{row['case']:18} {row['compiler']:11} {row['form']:12} {new['seconds']:6.2f} {wanted} {new['peak']:6.0f} "
              f"{new['instantiations']:15} {work} {old}")
    for compiler, form in sorted({(row["compiler"], row["form"]) for row in rows}):
        at = {row["case"]: row["new"]["seconds"] for row in rows if (row["compiler"], row["form"]) == (compiler, form)}
        few, many = (f"maps {n}" for n in (MAPS[0], MAPS[-1]))
        if few in at and many in at:
            print(f"each additional map: {(at[many] - at[few]) / (MAPS[-1] - MAPS[0]):.2f} s ({compiler}, {form})")


def growth(options, out):
    version = subprocess.run(["g++", "-dumpfullversion"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    now = {}
    for name, case in cases(options.only).items():
        for form in FORMS:
            if name in UNCHECKED or (name, form) in UNCHECKED:
                continue
            count, work = counted(command("g++", ROOT, form, case), out)
            now[f"{name}, {form}"] = {"instantiations": count, "work": work}
    if options.write_baseline:
        BASELINE.write_text(json.dumps({"g++": version, "cases": now}, indent=1) + "\n")
        return 0
    baseline = json.loads(BASELINE.read_text())
    if baseline["g++"] != version:
        print(f"SKIPPED: the baseline was made with g++ {baseline['g++']}, and this is g++ {version}")
        return 77
    grown = 0
    for name, counts in now.items():
        for what, value in counts.items():
            before = baseline["cases"].get(name, {}).get(what)
            if before is None:
                print(f"{name}: not in the baseline; add it with --write-baseline")
                grown += 1
            elif value > GROWTH * before:
                print(f"{name}: {what} {before} -> {value}, {100 * (value / before - 1):.0f} % more")
                grown += 1
    print(f"{len(now)} cases, {grown} figures grown by more than a tenth" + (
        "; reduce them, or explain why not and run bench/compile/compile.py --write-baseline" if grown else ""))
    return 1 if grown else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", default="", help="only cases whose name contains this")
    parser.add_argument("--compiler", help="use only this compiler")
    parser.add_argument("--json", type=pathlib.Path, help="also write the table to this file")
    parser.add_argument("--against", type=pathlib.Path, help="another checkout to compare with")
    parser.add_argument("--precompiled", action="store_true", help="also measure with precompiled headers")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--write-baseline", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.o"
        if options.check or options.write_baseline:
            sys.exit(growth(options, out))
        rows = figures(options, out)
    show(rows, options.against)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
