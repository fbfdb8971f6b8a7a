#!/usr/bin/env python3
"""Writes oracle_*.cpp: runs each chain of golden.json and compares its elements with those of tf.data.

    write_cases.py GOLDEN FOLDER

generate.py writes GOLDEN. Chains with the same text share their code; parameters and elements are data.
"""
import json
import pathlib
import sys

CHAINS = 4  # in one file


def literal(texts):
    """One C++ string literal with a line for each text."""
    return '"' + "".join(t.replace("\\", "\\\\").replace('"', '\\"') + "\\n" for t in texts) + '"'


def test_case(number, chain, cases):
    parameters = ", ".join("{" + ", ".join(map(str, c["parameters"])) + "}" for c in cases)
    expected = ",\n".join("      " + literal(c["expected"]) for c in cases)
    return [f'TEST_CASE("oracle {number}") {{',
            f"  static constexpr std::int64_t sets[][{len(cases[0]['parameters'])}] = {{{parameters}}};",
            f"  static constexpr const char* expected[] = {{\n{expected}}};",
            f'  agrees(R"({chain})", sets, expected, [](parameters q) {{ return {chain}; }});', "}"]


def main(golden, folder):
    chains = {}
    for case in json.loads(pathlib.Path(golden).read_text()):
        chains.setdefault(case["chain"], []).append(case)
    folder, numbered = pathlib.Path(folder), list(enumerate(chains.items()))
    files = {f"oracle_{k // CHAINS}.cpp": numbered[k:k + CHAINS] for k in range(0, len(numbered), CHAINS)}
    for old in folder.glob("oracle_*.cpp"):
        if old.name not in files:
            old.unlink()
    for name, part in files.items():
        out = ["// Written by tests/oracle/write_cases.py.", "#include <oracle/cases.hpp>", "",
               "using namespace plumbline_test;", "using namespace plumbline_test::oracle;", ""]
        for number, (chain, cases) in part:
            out += test_case(number, chain, cases)
        text = "\n".join(out) + "\n"
        if not (folder / name).exists() or (folder / name).read_text() != text:  # unchanged files are not recompiled
            (folder / name).write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:]) if len(sys.argv) == 3 else sys.exit(__doc__)
