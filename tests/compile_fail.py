#!/usr/bin/env python3
"""Checks that wrong programs produce short and specific compiler errors.

    compile_fail.py --compiler g++ --include include tests/compile_fail [--only window]

Each *.cpp of the folder starts with `// error: <regex>` and holds both a mistake and its well-formed twin:

    // error: plumbline: window\\(n\\) repeats each element
    #include <plumbline/plumbline.hpp>
    #ifdef PLUMBLINE_EXPECT_ERROR
    auto p = ...;   // the mistake
    #else
    auto p = ...;   // the twin
    #endif

With PLUMBLINE_EXPECT_ERROR it must fail with at most 20 lines of output (as the compiler prints them by default), which contain
one `error:` and match the regex. Without, it must compile and print nothing. A file that needs more than one error states the
number on line 2: `// errors: <n>`; one that needs the header of an optional library names it there: `// needs: <header>`, and is
skipped without it.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

MAX_LINES = 20
FLAGS = ["-std=c++20", "-DPLUMBLINE_COMPILED", "-fsyntax-only"]  # skips non-template code, which halves the time
ENVIRONMENT = {**os.environ, "LC_ALL": "C", "TERM": "dumb"}
ENVIRONMENT.pop("GCC_COLORS", None)


def compile_(command, timeout=900):
    """Returns (succeeded, lines of output)."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                          text=True, errors="replace", timeout=timeout, env=ENVIRONMENT)
    return done.returncode == 0, done.stdout.rstrip("\n").splitlines()


def is_clang(compiler):
    return "clang" in subprocess.run([compiler, "--version"], stdout=subprocess.PIPE, text=True).stdout


def precompile(compiler, includes, work):
    """Precompiles <plumbline/plumbline.hpp> and returns the flags that use it, or none if that fails."""
    header = next((path for path in (pathlib.Path(i) / "plumbline/plumbline.hpp" for i in includes) if path.exists()), None)
    if header is None:
        return []
    shutil.rmtree(work, ignore_errors=True)
    clang = is_clang(compiler)
    # g++ looks for plumbline/plumbline.hpp.gch in each include folder; clang gets the path as an option
    output = work / ("plumbline.pch" if clang else "plumbline/plumbline.hpp.gch")
    output.parent.mkdir(parents=True)
    if not clang:  # found by a second include of it, after the precompiled header was used
        output.with_suffix("").write_text("#pragma once\n#include_next <plumbline/plumbline.hpp>\n")
    good, lines = compile_([compiler, "-std=c++20", "-DPLUMBLINE_COMPILED", *(["-fpch-instantiate-templates"] if clang else []),
                            *(f"-I{i}" for i in includes), "-x", "c++-header", str(header), "-o", str(output)])
    if not good:
        print("note: <plumbline/plumbline.hpp> cannot be precompiled; each file parses it again\n  " + "\n  ".join(lines[:10]))
        return []
    return ["-include-pch", str(output)] if clang else [f"-I{work}"]


def length(lines, precompiled):
    """Returns the number of lines that a user sees: with a precompiled header, g++ omits one line of `In file included
    from`."""
    return len(lines) + (1 if precompiled and lines and lines[0].startswith("In file included from") else 0)


def has_header(compiler, header):
    done = subprocess.run([compiler, "-x", "c++", "-fsyntax-only", "-"], input=f"#include <{header}>\n", text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return done.returncode == 0


def check(source, command, precompiled):
    """Returns (lines of output of the wrong program, errors in it, list of complaints or None if skipped, that output)."""
    head = source.read_text().splitlines()[:2]
    wanted = re.match(r"// error: (.+)", head[0] if head else "")
    if not wanted:
        return 0, 0, ["line 1 must be `// error: <regex>`"], []
    allowed = re.match(r"// errors: (\d+)", head[1] if len(head) > 1 else "")
    allowed = int(allowed.group(1)) if allowed else 1

    needs = re.match(r"// needs: (.+)", source.read_text().splitlines()[1])
    if needs and not has_header(command[0], needs.group(1)):
        return 0, 0, None, []

    complaints = []
    good, lines = compile_([*command, "-DPLUMBLINE_EXPECT_ERROR", str(source)])
    count = length(lines, precompiled)
    errors = sum(1 for line in lines if re.search(r"\berror:", line))
    if good:
        complaints.append("the mistake compiles")
    else:
        if count > MAX_LINES:
            complaints.append(f"{count} lines, {MAX_LINES} allowed")
        if not re.search(wanted.group(1).strip(), "\n".join(lines[:MAX_LINES])):
            complaints.append(f"/{wanted.group(1).strip()}/ is not in the first {MAX_LINES} lines")
        if errors != allowed:
            complaints.append(f"{errors} errors, {allowed} wanted")
    twin_good, twin_lines = compile_([*command, str(source)])
    if not twin_good or twin_lines:
        complaints.append("the well-formed twin does not compile silently")
        lines = lines + ["--- the twin:"] + twin_lines
    return count, errors, complaints, lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", action="append", default=[], help="include folder")
    parser.add_argument("--work", type=pathlib.Path, help="folder for the precompiled header (default: no precompiled header)")
    parser.add_argument("--only", default="", help="only files whose name contains this")
    parser.add_argument("--verbose", action="store_true", help="always print the compiler's output")
    options = parser.parse_args()

    includes = list(dict.fromkeys(i for i in options.include if i and not i.rstrip("/") == "/usr/include"))
    sources = sorted(path for path in options.folder.glob("*.cpp") if options.only in path.name)
    if not sources:
        sys.exit(f"no file in {options.folder} matches")
    pch = precompile(options.compiler, includes, options.work) if options.work else []
    command = [options.compiler, *FLAGS, *pch, *(f"-I{i}" for i in includes)]
    start = time.time()
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        results = list(pool.map(lambda source: check(source, command, pch and pch[0].startswith("-I")), sources))

    name = pathlib.Path(options.compiler).name
    width = max(len(source.stem) for source in sources)
    print(f"{'file':{width}}  {'compiler':10}  lines  errors  result")
    for source, (lines, errors, complaints, _) in zip(sources, results):
        print(f"{source.stem:{width}}  {name:10}  {lines:5}  {errors:6}  "
              f"{'FAIL: ' + '; '.join(complaints) if complaints else 'SKIPPED' if complaints is None else 'pass'}")
    for source, (_, _, complaints, lines) in zip(sources, results):
        if complaints or options.verbose:
            print(f"\n--- {source.name} with {name}:")
            print("\n".join(lines[:60]) + (f"\n... {len(lines) - 60} more lines" if len(lines) > 60 else ""))
    failed = sum(1 for result in results if result[2])
    print(f"{len(results) - failed} of {len(results)} pass with {name}, {time.time() - start:.1f} s")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
