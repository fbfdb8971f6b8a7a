#!/usr/bin/env python3
"""What README.md and the headers show compiles, and README's explain table is what its first program prints.

    check_docs.py ROOT --compiler CXX --work DIR [--include DIR]... [--update]

README.md: the first ```cpp block is a program; those after it continue its main, each in a scope of its own. All are compiled as
one program, which runs where photos/ is that of examples/data and readings/ holds one file. It must succeed, and print the block
under "## What explain prints" first. --update writes that block instead.
Headers: the examples in ops/, sources/ and image/ compile. They are the comment lines `///   source(...) ...` that begin with a
SOURCE below, and in image/ `///   pl::map(...) ...`, which is taken to follow PICTURES. Names left to the reader are in READERS.
"""
import argparse
import difflib
import pathlib
import re
import shutil
import subprocess
import sys

STANDARD = ["cassert", "concepts", "cstdint", "fstream", "iostream", "optional", "string", "thread", "tuple", "vector"]
OPT_IN = ["plumbline/lp/solve.hpp", "plumbline/tune.hpp"]
SOURCE = r"(?:pl::)?(?:range|elements|generate|from_range|files|lines|tfrecords|zip|concat)\("
PICTURES = 'pl::files("*.jpg") | pl::read_file() | pl::map(pl::decode()) | '
READERS = """
inline std::vector<std::string> words(const std::string&) { return {}; }
inline std::vector<int> tokenize(const std::string&) { return {}; }
inline std::vector<pl::tensor<int>> padded(std::vector<std::vector<int>>) { return {}; }
constexpr std::uint64_t world_size = 2, rank = 0, seed = 1;
"""


def includes():
    return "".join(f"#include <{name}>\n" for name in (*STANDARD, *OPT_IN))


def readme_program(readme):
    program, *more = re.findall(r"^```cpp\n(.*?)^```$", readme, re.M | re.S)
    scopes = "".join("{\n" + block + "}\n" for block in more)
    end = program.rindex("}")
    return includes() + program[:end] + scopes + program[end:]


def explain_block(readme):
    return re.search(r"^## What explain prints\n.*?^```\n(.*?)^```$", readme, re.M | re.S)


def header_examples(root):
    """(header, line number, code) of each"""
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


def header_functions(root):
    functions = [f'#line {number} "{header}"\nauto example_{n}() {{ return {code}; }}\n'
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
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    options.root = options.root.resolve()
    options.work = options.work.resolve()
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    options.include.insert(0, options.root / "include")

    readme = (options.root / "README.md").read_text()
    source = options.work / "docs.cpp"
    source.write_text(readme_program(readme) + header_functions(options.root))
    command = [options.compiler, "-std=c++20", "-O1", *(f"-I{folder}" for folder in options.include if folder),
               str(source), "-o", str(options.work / "docs"), "-ltbb", "-pthread"]
    if subprocess.run(command, stdin=subprocess.DEVNULL).returncode != 0:
        sys.exit(f"what the documentation shows does not compile: {' '.join(command)}")

    shutil.copytree(options.root / "examples/data/photos", options.work / "photos")
    (options.work / "readings").mkdir()
    (options.work / "readings/one.csv").write_text("17,20.5\n18,-3\n17,21\n")
    done = subprocess.run([options.work / "docs"], cwd=options.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    print(done.stdout, end="")
    if done.returncode != 0:
        sys.exit(f"README's program ended with status {done.returncode}")
    block = explain_block(readme)
    shown = block[1]
    printed = "".join(done.stdout.splitlines(keepends=True)[: 3 + int(done.stdout.split()[0])])
    if options.update:
        (options.root / "README.md").write_text(readme[: block.start(1)] + printed + readme[block.end(1) :])
    elif shown != printed:
        diff = difflib.unified_diff(shown.splitlines(), printed.splitlines(), "README.md", "printed", lineterm="")
        sys.exit("README's explain table is not what its program prints (check_docs.py --update writes it):\n" + "\n".join(diff))


if __name__ == "__main__":
    main()
