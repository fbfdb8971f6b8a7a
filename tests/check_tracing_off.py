#!/usr/bin/env python3
"""Checks that an untraced run contains no tracing code. Compiles pipelines twice, with the headers as they are and with a
copy of them from which every recording call is removed, and compares the compiled functions that move elements,
instruction for instruction. Compiles with PLUMBLINE_COMPILED, so that the inlining of non-template functions does not vary.

    check_tracing_off.py ROOT --compiler CXX [--include DIR...]
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HEAD = """
#include <plumbline/plumbline.hpp>
#include <plumbline/timeline.hpp>
namespace pl = plumbline;
using n = std::int64_t;
"""
# each compiled by itself, as what else is in a file changes what is inlined
SOURCES = ["""
auto numbers() {
  return pl::run(pl::range(100) | pl::map([](n x) { return x + 1; }) | pl::map([](n x) { return x * 3; }) |
                 pl::filter([](n x) { return x % 7 != 0; }) | pl::batch<256>(), {.threads = 2});
}
auto words() {
  return pl::run(pl::range(100) | pl::map([](n x) { return std::to_string(x); }) | pl::shuffle(16, 1) |
                 pl::map([](const std::string& s) { return s.size(); }), {.threads = 2});
}
auto joined() { return pl::run(pl::zip(pl::range(100) | pl::filter([](n x) { return x != 5; }), pl::range(9)), {.threads = 2}); }
auto files() { return pl::run(pl::files("*") | pl::shuffle(3) | pl::read_file() | pl::map([](const pl::file_contents& f) { return f.data.size(); })); }
""", """
auto nested() {
  return pl::run(pl::range(100) | pl::map([](n x) { return std::vector<n>{x, x}; }) | pl::cache(pl::bytes(1000)) |
                 pl::flat_map([](const std::vector<n>& x) { return x; }) | pl::interleave([](n x) { return pl::range(x % 5); }) |
                 pl::take(90) | pl::prefetch(4), {.threads = 2});
}
"""]
# the recording calls, and what replaces them
CUTS = {
    "exec/kernel_chain.hpp": [(r"record\.template made<I \+ 1>\((\*?\w+)\);", "", 4),
                              (r"record\.template made<I \+ 1>\((sink\.emplace.*?)\);\n", r"\1;\n", 1)],
    "exec/stage.hpp": [(r"record\.(template\s+)?\w+(<[^<>]*>)?\([^;]*?\);", ";", 2)],
    "exec/producer.hpp": [(r"pump_timed<Trace>\(part_\.cursor, sink, budget\)", "part_.cursor.pump(sink, budget)", 1)],
    "exec/inline_runtime.hpp": [(r"pump_timed<Trace>\(part_\.cursor, sink, budget\)", "part_.cursor.pump(sink, budget)", 2)],
    "exec/kernel_cursor.hpp": [(r"pump_as<Unfused>\(\s*up_,", "up_.pump(", 3)],
}
# the executor's functions that run for each message or element (but not std::make_unique of a producer, nor destructors)
MOVES = re.compile(r"^(?!std::)(?!.*::~\w+\(\)).*(detail::stage<|cursor_producer<|::pump\b|push_all|::feed\b|::process\b)")


def functions(assembly):
    """Returns a map from demangled names to instructions, with local labels numbered in order of appearance."""
    found = {}
    for match in re.finditer(r"^(_Z\w[\w.$]*):\n(.*?)^\t\.size\t\1,", assembly, re.M | re.S):
        labels, lines = {}, []
        for line in match[2].splitlines():
            text = line.strip()
            if re.match(r"\.L(FB|FE|HOT|COLD|func)\w*:|\.(?!L|quad|long)", text) or not text:
                continue
            # base and index without a scale can be swapped
            text = re.sub(r"\((%\w+),(%\w+)\)", lambda m: "(" + ",".join(sorted(m.groups())) + ")", text)
            lines.append(re.sub(r"\.L\w+", lambda m: labels.setdefault(m[0], f".L{len(labels)}"), text))
        found[match[1]] = lines
    names = subprocess.run(["c++filt"], input="\n".join(found), stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    return {name: found[mangled] for name, mangled in zip(names, found)}


def compiled(compiler, include, others, source):
    command = [compiler, "-std=c++20", "-O2", "-DNDEBUG", "-DPLUMBLINE_COMPILED", f"-I{include}", *(f"-I{o}" for o in others), "-S", "-x", "c++", str(source), "-o", "-"]
    return functions(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", action="append", default=[])
    options = parser.parse_args()
    own = options.root / "include"
    others = [i for i in dict.fromkeys(options.include) if i and pathlib.Path(i).resolve() != own.resolve() and i.rstrip("/") != "/usr/include"]

    with tempfile.TemporaryDirectory() as work:
        bare = pathlib.Path(work) / "include"
        shutil.copytree(own, bare)
        for name, cuts in CUTS.items():
            path = bare / "plumbline" / name
            text = path.read_text()
            for pattern, instead, least in cuts:
                text, n = re.subn(pattern, instead, text)
                if n < least:
                    sys.exit(f"{name}: {pattern!r} was found {n} times, not {least}: update CUTS to how it records now")
            path.write_text(text)
        with_it, without = {}, {}
        for i, text in enumerate(SOURCES):
            source = pathlib.Path(work) / f"pipelines{i}.cpp"
            source.write_text(HEAD + text)
            with_it.update(compiled(options.compiler, own, others, source))
            without.update(compiled(options.compiler, bare, others, source))

    moving = [name for name in with_it if MOVES.search(name)]
    differing = [name for name in sorted({*moving, *(n for n in without if MOVES.search(n))}) if with_it.get(name) != without.get(name)]
    for name in differing:
        print(f"differs: {name[:300]}\n  {len(with_it.get(name, []))} lines with tracing off, {len(without.get(name, []))} without tracing")
    instructions = sum(len(with_it[name]) for name in moving)
    print(f"{len(moving)} functions that move elements, {instructions} lines of assembly: {len(differing)} differ")
    if len(moving) < 20:
        sys.exit("too few functions were found: does MOVES still match the functions that move elements?")
    sys.exit(bool(differing))


if __name__ == "__main__":
    main()
