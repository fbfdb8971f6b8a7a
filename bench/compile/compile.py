#!/usr/bin/env python3
"""What compiling a pipeline costs: time, peak memory and template instantiations of one translation unit at -O2.

    compile.py [--json FILE] [--repeat N] [--no-limits] [FILE.cpp...]

Without files: every bench/compile/*.cpp, and the demo, examples/photos.cpp. With g++, and with clang++ where it is found.
Times are the least of N runs: wall time, and the processor time that it would be on a machine with nothing else to do.
Memory is the peak resident set of the largest compiler process. Instantiations are, for
clang, the InstantiateClass and InstantiateFunction events of -ftime-trace (a separate run, not timed); for g++, the
specializations in its tables by -fstats. The two count different things: compare each with itself.
Each is measured as with the target plumbline::compiled (of the file alone, not of the library), and header-only; what decodes
also with only the codecs apart (target plumbline::codecs), as `make demo` builds it. Fails when with the codecs apart g++ needs more than 12 s of processor time or 1.5 GB
for a file of bench/compile/ (the demo's own file holds the pipeline in all the forms that optimize may choose); so does the
header-only form of a file that does not decode.
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
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAX_SECONDS = 12.0
MAX_BYTES = 1.5e9
FORMS = {"compiled": ["-DPLUMBLINE_COMPILED=1"], "codecs apart": ["-DPLUMBLINE_CODECS_APART=1"], "header-only": []}


def include_flags():
    found = subprocess.run(["pkg-config", "--cflags", "eigen3"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return [f"-I{ROOT / 'include'}", *(found.stdout.split() if found.returncode == 0 else ["-I/usr/include/eigen3"])]


def measured(command):
    """(wall seconds, processor seconds, peak resident bytes) of one compiler run"""
    start = time.monotonic()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"does not compile: {' '.join(command)}")
    # of the driver and the processes that it waited for, ru_maxrss is that of the largest; Linux gives kB
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def instantiations(compiler, command, folder):
    if "clang" in pathlib.Path(compiler).name:
        subprocess.run([*command, "-ftime-trace", "-ftime-trace-granularity=0"], check=True, stdin=subprocess.DEVNULL)
        with (folder / "out.json").open("rb") as trace:  # a gigabyte is usual: not parsed
            text = mmap.mmap(trace.fileno(), 0, access=mmap.ACCESS_READ)
            return sum(1 for _ in re.finditer(rb'"name":\s*"Instantiate(Class|Function)"', text))
    done = subprocess.run([*command, "-fstats"], check=True, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    counts = re.findall(r"^(?:decl|type)_specializations: size \d+, (\d+) elements", done.stderr, re.M)
    return sum(map(int, counts)) if counts else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path, help="also write the table there")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--no-limits", action="store_true", help="do not fail over the limits")
    options = parser.parse_args()

    files = options.files or sorted((ROOT / "bench/compile").glob("*.cpp")) + [ROOT / "examples/photos.cpp"]
    files = [file for file in files if file.exists()]
    if not files:
        sys.exit("nothing to compile")
    compilers = [c for c in ("g++", shutil.which("clang++-16") and "clang++-16" or "clang++") if shutil.which(c)]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for file in files:
            for compiler in compilers:
                shown = str(file.resolve().relative_to(ROOT)) if file.resolve().is_relative_to(ROOT) else str(file)
                for form in FORMS if "decode" in file.read_text() else ["compiled", "header-only"]:
                    command = [compiler, "-std=c++20", "-O2", *FORMS[form], *include_flags(), "-c", str(file), "-o", str(folder / "out.o")]
                    runs = [measured(command) for _ in range(options.repeat)]
                    rows.append({"file": shown, "form": form, "compiler": compiler, "command": command, "seconds": round(min(run[0] for run in runs), 3),
                                 "cpu_seconds": round(min(run[1] for run in runs), 3), "peak_bytes": max(run[2] for run in runs)})
        # Afterwards, because a child's peak memory begins with what this process has by then (Linux).
        for row in rows:
            row["instantiations"] = instantiations(row["compiler"], row.pop("command"), folder)

    width = max(len(row["file"]) for row in rows)
    print(f"{'file':{width}}  {'compiler':10}  {'form':12}  {'cpu s':>7}  {'wall s':>7}  {'peak MB':>8}  {'instantiations':>14}")
    for row in rows:
        count = "-" if row["instantiations"] is None else row["instantiations"]
        print(f"{row['file']:{width}}  {row['compiler']:10}  {row['form']:12}  {row['cpu_seconds']:7.2f}  {row['seconds']:7.2f}  "
              f"{row['peak_bytes'] / 1e6:8.0f}  {count:>14}")
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps({"limits": {"seconds": MAX_SECONDS, "bytes": MAX_BYTES}, "rows": rows}, indent=2) + "\n")
    apart = {row["file"] for row in rows if row["form"] == "codecs apart"}
    judged = [row for row in rows if row["compiler"] == "g++" and row["file"].startswith("bench/compile/")
              and (row["form"] == "codecs apart" or row["file"] not in apart)]
    over = [row for row in judged if row["cpu_seconds"] > MAX_SECONDS or row["peak_bytes"] > MAX_BYTES]
    for row in over:
        print(f"{row['file']} is over the limit of {MAX_SECONDS} s or {MAX_BYTES / 1e9} GB with {row['compiler']}")
    sys.exit(1 if over and not options.no_limits else 0)


if __name__ == "__main__":
    main()
