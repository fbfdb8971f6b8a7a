#!/usr/bin/env python3
"""Checks that the examples in README.md, docs/ and the headers compile and run, and that the explain table is what README's
program prints.

    check_docs.py ROOT --compiler CXX --work DIR [--include DIR]... [--library FILE] [--update]

README.md: the first ```cpp block is a program; those after it continue its main, each in a scope of its own.
docs/*.md: an indented ```cpp block is the body of a function, which main calls at the end; any other block is put at namespace
scope, before the functions of later blocks. All are compiled as one program, which runs in a folder with photos/ from
examples/data and readings/ with one file. It must succeed, and first print the block under "## What explain prints" of
docs/guide.md. --update writes that block instead.
With --library it is compiled as for plumbline::compiled, which that file is.
Headers: the examples in ops/, sources/ and image/ compile. They are the comment lines `///   source(...) ...` that begin with a
SOURCE below, and in image/ `///   pl::map(...) ...`, which is put after PICTURES. READERS defines the names that they leave open.
In ENDS, the indented comment lines before the first #include are the body of a function.
Relative links in README.md and docs/ must have a target.
"""
import argparse
import difflib
import pathlib
import re
import shutil
import subprocess
import sys

STANDARD = ["algorithm", "array", "cassert", "chrono", "concepts", "cstdint", "fstream", "iostream", "map", "memory", "optional",
            "ranges", "sstream", "string", "thread", "tuple", "utility", "vector"]
ENDS = ["core/evaluate.hpp", "exec/run.hpp", "exec/reduce.hpp", "shared/run_shared.hpp"]
OPT_IN = ["plumbline/live.hpp", "plumbline/lp/solve.hpp", "plumbline/ops/cache_in_shared_memory.hpp", "plumbline/shared/run_shared.hpp", "plumbline/tune_on_disk.hpp"]
SOURCE = r"(?:pl::)?(?:range|elements|generate|from_range|files|lines|tfrecords|zip|concat|choose_from|mix)\("
PICTURES = 'pl::files("*.jpg") | pl::read_file() | pl::map(pl::decode()) | '
READERS = """
inline std::vector<std::string> words(const std::string&) { return {}; }
inline std::vector<int> tokenize(const std::string&) { return {}; }
inline std::vector<pl::tensor<int>> padded(std::vector<std::vector<int>>) { return {}; }
constexpr std::uint64_t world_size = 2, rank = 0, seed = 1;
"""


def includes():
    return "".join(f"#include <{name}>\n" for name in (*STANDARD, *OPT_IN))


def cpp_blocks(page):
    return re.findall(r"^```cpp\n(.*?)^```$", page, re.M | re.S)


def pages(root):
    """Returns the code of docs/ for namespace scope, and the calls for main."""
    scope, calls = "", ""
    for page in sorted((root / "docs").glob("*.md")):
        for n, block in enumerate(cpp_blocks(page.read_text())):
            if block.startswith(" "):
                function = f"{page.stem}_{n}".replace("-", "_")
                scope += f"void {function}() {{\n{block}}}\n"
                calls += f"  {function}();\n"
            else:
                scope += block
    return scope, calls


def program(root):
    first, *more = cpp_blocks((root / "README.md").read_text())
    scope, calls = pages(root)
    start, end = first.index("int main() {"), first.rindex("}")
    continued = "".join("{\n" + block + "}\n" for block in more)
    return includes() + first[:start] + scope + first[start:end] + continued + calls + first[end:]


def broken_links(root):
    """Yields the relative links whose file or heading is missing."""
    slug = lambda title: re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
    for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)):
            if re.match(r"\w+:", target):
                continue
            name, _, heading = target.partition("#")
            file = (page.parent / name).resolve() if name else page
            if not file.exists():
                yield f"{page.name}: {target}: no such file"
            elif heading and heading not in map(slug, re.findall(r"^#+ (.*)$", file.read_text(), re.M)):
                yield f"{page.name}: {target}: no such heading"


def explain_block(guide):
    return re.search(r"^## What explain prints\n.*?^```\n(.*?)^```$", guide, re.M | re.S)


def header_examples(root):
    """Yields (header, line number, code) of each example."""
    for folder in ("ops", "sources", "image"):
        for header in sorted((root / "include/plumbline" / folder).glob("*.hpp")):
            for number, line in enumerate(header.read_text().splitlines(), 1):
                if not re.match(r"///   \S", line):
                    continue
                code = re.sub(r"\s*//.*", "", line.removeprefix("///").strip())
                if re.match(SOURCE, code):
                    yield header, number, code
                elif folder == "image" and code.startswith("pl::map("):
                    yield header, number, PICTURES + code


def header_bodies(root):
    """Yields (header, line number, lines) of the examples in ENDS."""
    for header in (root / "include/plumbline" / name for name in ENDS):
        lines = header.read_text().split("#include")[0].splitlines()
        code = [(number, line[3:]) for number, line in enumerate(lines, 1) if line.startswith("///   ")]
        if not code:
            sys.exit(f"{header} has no example: did its form change?")
        yield header, code[0][0], "\n".join(line for _, line in code)


def header_functions(root):
    functions = [f'#line {number} "{header}"\n[[maybe_unused]] inline void body_{n}() {{\n{body}\n}}\n'
                 for n, (header, number, body) in enumerate(header_bodies(root))]
    functions += [f'#line {number} "{header}"\nauto example_{n}() {{ return {code}; }}\n'
                 for n, (header, number, code) in enumerate(header_examples(root))]
    if len(functions) < 15:
        sys.exit("the headers' examples were not found: did their form change?")
    return "namespace header_examples {\nusing namespace plumbline;\n" + READERS + "".join(functions) + "}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--library")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    options.root = options.root.resolve()
    options.work = options.work.resolve()
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    options.include.insert(0, options.root / "include")

    if broken := list(broken_links(options.root)):
        sys.exit("links without a target:\n" + "\n".join(broken))
    source = options.work / "docs.cpp"
    source.write_text(program(options.root) + header_functions(options.root))
    compiled = ["-DPLUMBLINE_COMPILED", str(source), options.library] if options.library else [str(source)]
    command = [options.compiler, "-std=c++20", "-O0", *(f"-I{folder}" for folder in options.include if folder), *compiled,
               "-o", str(options.work / "docs"), "-ltbb", "-pthread"]
    if subprocess.run(command, stdin=subprocess.DEVNULL).returncode != 0:
        sys.exit(f"the code in the documentation does not compile: {' '.join(command)}")

    shutil.copytree(options.root / "examples/data/photos", options.work / "photos")
    (options.work / "readings").mkdir()
    (options.work / "readings/one.csv").write_text("17,20.5\n18,-3\n17,21\n")
    done = subprocess.run([options.work / "docs"], cwd=options.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    print(done.stdout, end="")
    if done.returncode != 0:
        sys.exit(f"the documentation's program exited with status {done.returncode}")
    page = options.root / "docs/guide.md"
    guide = page.read_text()
    block = explain_block(guide)
    shown = block[1]
    printed = "".join(done.stdout.splitlines(keepends=True)[: 3 + int(done.stdout.split()[0])])
    if options.update:
        page.write_text(guide[: block.start(1)] + printed + guide[block.end(1) :])
    elif shown != printed:
        diff = difflib.unified_diff(shown.splitlines(), printed.splitlines(), "docs/guide.md", "printed", lineterm="")
        sys.exit("the guide's explain table is not what README's program prints (check_docs.py --update writes it):\n" + "\n".join(diff))


if __name__ == "__main__":
    main()
