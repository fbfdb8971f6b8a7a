#!/usr/bin/env python3
"""Writes chains_*.cpp: random chains of operators, each checked against the laws with several sets of parameters.

    generate_chains.py REFERENCES FOLDER [SEED]        the build uses seed 1

A link of a chain is a line in the reference of an operator, in the folder REFERENCES:

    // chain: | pl::filter(not_multiple(q(2, 5))); ends numbers
    // chain: pl::zip($, $) | pl::map(both); expands, outermost

$ stands for a chain; a line without $ is appended to the chain so far. q(lo, hi) is a parameter. A link takes integers and
gives integers. After the semicolon, separated by commas:
    needs numbers, ends numbers    needs or ends random access by index
    needs fixed, random            needs or ends the same elements in the same order in every epoch
    expands                        may give more elements than it takes: at most twice in a chain
    outermost                      not in a chain that is an argument of another
    weight N                       how often it is drawn
"""
import pathlib
import random
import re
import sys

CHAINS, FILES, PARAMETERS = 36, 9, 4  # 13 chains in one file took the compiler 6.3 GB, 4 take 0.8
SOURCES = [("pl::range(q(0, 150))", True), ("pl::range(q(1, 60))", True), ("pl::elements(numbers(q(1, 80)))", True),
           ("pl::generate(q(1, 90), by_number)", True), ("serial(q(0, 120))", False), ("pl::from_range(numbers(q(1, 70)))", False)]
WORDS = {"needs numbers", "ends numbers", "needs fixed", "random", "expands", "outermost"}


def links(folder):
    """Returns (text, words) of each line, repeated by its weight."""
    found = []
    for path in sorted(pathlib.Path(folder).glob("*.hpp")):
        for line in re.findall(r"^// chain: (.*)$", path.read_text(), re.M):
            text, _, words = line.partition(";")
            words = {word.strip() for word in words.split(",") if word.strip()}
            weight = {word for word in words if re.fullmatch(r"weight \d+", word)}
            if words - weight - WORDS:
                sys.exit(f"{path}: unknown words: {', '.join(sorted(words - weight - WORDS))}")
            found += [(text.strip(), words - weight)] * (int(weight.pop().split()[1]) if weight else 1)
    return found


def chain(draw, menu, depth=0):
    text, numbers = draw.choice(SOURCES)
    fixed, expanded = True, 0
    for _ in range(draw.randint(1, 6) if depth == 0 else draw.randint(0, 2)):
        link, words = draw.choice([(t, w) for t, w in menu
                                   if (numbers or "needs numbers" not in w) and (fixed or "needs fixed" not in w)])
        if ("expands" in words and expanded == 2) or ("outermost" in words and depth):
            continue
        expanded += "expands" in words
        if "$" in link:
            for k in range(link.count("$")):
                other, other_numbers, other_fixed = (text, numbers, fixed) if k == 0 else chain(draw, menu, depth + 1)
                link = link.replace("$", other, 1)
                numbers, fixed = numbers and other_numbers, fixed and other_fixed
            text = link
        else:
            text += " " + link
        numbers = numbers and "ends numbers" not in words
        fixed = fixed and "random" not in words
    return text, numbers, fixed


def main(references, folder, seed=1):
    draw, menu, seen = random.Random(int(seed)), links(references), []
    while len(seen) < CHAINS:
        text, _, _ = chain(draw, menu)
        if text not in seen and " | " in text:
            seen.append(text)
    for old in set(pathlib.Path(folder).glob("chains_*.cpp")) - {pathlib.Path(folder) / f"chains_{f}.cpp" for f in range(FILES)}:
        old.unlink()
    for f in range(FILES):
        out = [f"// Written by tests/support/generate_chains.py, seed {seed}.", "#include <support/chains.hpp>", "",
               "using namespace plumbline_test;", "using namespace plumbline_test::chains;", ""]
        for k in range(f, CHAINS, FILES):
            out.append(f'TEST_CASE("chain {k}") {{')
            out.append(f'  chain_laws({k}, {PARAMETERS}, R"({seen[k]})", [](parameters q) {{ return {seen[k]}; }});')
            out.append("}")
        path, text = pathlib.Path(folder) / f"chains_{f}.cpp", "\n".join(out) + "\n"
        if not path.exists() or path.read_text() != text:  # unchanged files are not recompiled
            path.write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:]) if len(sys.argv) in (3, 4) else sys.exit(__doc__)
