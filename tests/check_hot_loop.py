#!/usr/bin/env python3
"""Checks that the compiler does not take the user's loop over a stream for cold code. Code that runs once in a run is marked cold
(core/compiled.hpp), and g++ takes whatever must follow a call of it for cold as well: the loop would be compiled for size.

    check_hot_loop.py ROOT --compiler CXX [--include DIR...]
"""
import argparse
import re
import subprocess
import sys

SOURCE = """
#include <plumbline/plumbline.hpp>
std::int64_t consume() {
  std::int64_t sum = 0;
  for (auto x : plumbline::run(plumbline::range(100), {.threads = 2})) sum ^= x * 123454321;
  return sum;
}
"""
MARK = re.compile(r"\b123454321\b")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root")
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", action="append", default=[])
    options = parser.parse_args()
    command = [options.compiler, "-std=c++20", "-O2", "-DPLUMBLINE_COMPILED", f"-I{options.root}/include",
               *(f"-I{i}" for i in options.include if i), "-S", "-x", "c++", "-", "-o", "-"]
    lines = subprocess.run(command, input=SOURCE, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    section, found = "", []
    for line in lines:
        if directive := re.match(r"\s*\.(?:section\s+(\S+?),|(text)\b)", line):
            section = directive[1] or directive[2]
        elif MARK.search(line):
            found.append(section)
    print(f"the loop's multiplication is in: {', '.join(found) or 'no section'}")
    if not found or any("unlikely" in s or "cold" in s for s in found):
        sys.exit("the loop over the stream is compiled as cold code: is a function that calls PLUMBLINE_SETUP code not marked "
                 "PLUMBLINE_CALLS_SETUP?")


if __name__ == "__main__":
    main()
