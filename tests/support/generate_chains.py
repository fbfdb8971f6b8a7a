#!/usr/bin/env python3
"""Writes tests/laws/chains_*.cpp: random chains of operators, each held to the laws with several sets of parameters.

    tests/support/generate_chains.py [SEED]        the committed files are from seed 1
"""
import pathlib
import random
import sys

CHAINS, FILES, PARAMETERS = 52, 13, 4  # 13 chains in one file took the compiler 6.3 GB, 4 take 0.8
seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
draw = random.Random(seed)


def source():
    return draw.choice([
        ("pl::range(q(0, 150))", True), ("pl::range(q(1, 60))", True),
        ("pl::elements(numbers(q(1, 80)))", True),
        ("pl::generate(q(1, 90), by_number)", True),
        ("serial(q(0, 120))", False),
        ("pl::from_range(numbers(q(1, 70)))", False),
    ])


def chain(depth=0):
    text, indexed = source()
    cachable, expanded = True, 0
    for _ in range(draw.randint(1, 6) if depth == 0 else draw.randint(0, 2)):
        menu = ["map", "random", "filter", "take", "skip", "shard", "repeat", "enumerate", "batch", "unbatched", "buffer",
                "prefetch", "flat_map", "interleave", "zip", "concat"]
        if indexed:
            menu += ["shuffle"] * 3
        if cachable:
            menu += ["cache"] * 2
        op = draw.choice(menu)
        if op in ("repeat", "flat_map", "interleave", "zip", "concat"):
            if expanded == 2 or (depth and op in ("zip", "concat", "interleave")):
                continue
            expanded += 1
        if op == "map":
            text += " | pl::map(times(q(1, 9)))"
        elif op == "random":
            text += " | pl::map(noise(q(2, 1000)))"
            cachable = False
        elif op == "filter":
            text += " | pl::filter(not_multiple(q(2, 5)))"
        elif op in ("take", "skip"):
            text += f" | pl::{op}(q(0, {100 if op == 'take' else 20}))"
        elif op == "shard":
            text += " | pl::shard(q(2, 4), q(0, 1))"
        elif op == "repeat":
            text += draw.choice([" | pl::repeat(q(0, 3))", " | pl::repeat<2>()"])
        elif op == "enumerate":
            text += " | pl::enumerate() | pl::map(folded)"
        elif op == "batch":
            text += draw.choice([" | pl::batch(q(1, 9)) | pl::map(total)", " | pl::batch<4>(pl::drop_remainder) | pl::map(total)"])
        elif op == "unbatched":
            text += " | pl::map(as_text) | pl::batch(q(1, 9)) | pl::flat_map(lengths)"
        elif op == "buffer":
            text += " | pl::shuffle(q(1, 40), q(0, 99))"
            cachable = False
        elif op == "shuffle":
            text += " | pl::shuffle(q(0, 99))"
            cachable = False
        elif op == "prefetch":
            text += " | pl::prefetch(q(1, 20))"
        elif op == "cache":
            text += " | pl::cache()"
        elif op == "flat_map":
            text += " | pl::flat_map(some_of)"
        elif op == "interleave":
            text += " | pl::interleave(few_of, {.cycle_length = u(q(1, 5)), .block_length = u(q(1, 4))})"
        else:
            other, other_indexed, other_cachable = chain(depth + 1)
            text = f"pl::{op}({text}, {other})" + (" | pl::map(both)" if op == "zip" else "")
            indexed = indexed and other_indexed
            cachable = cachable and other_cachable
        if op in ("filter", "batch", "unbatched", "buffer", "prefetch", "flat_map", "interleave", "cache"):
            indexed = False
    return text, indexed, cachable


seen = []
while len(seen) < CHAINS:
    text, _, _ = chain()
    if text not in seen and " | " in text:
        seen.append(text)
folder = pathlib.Path(__file__).resolve().parent.parent / "laws"
folder.mkdir(exist_ok=True)
for f in range(FILES):
    out = [f"// Written by tests/support/generate_chains.py {seed}: do not edit.", "#include <support/chains.hpp>", "",
           "using namespace plumbline_test;", "", "// clang-format off"]
    for k in range(f, CHAINS, FILES):
        out.append(f'TEST_CASE("chain {k}") {{')
        out.append(f'  chain_laws({k}, {PARAMETERS}, R"({seen[k]})", [](parameters q) {{ return {seen[k]}; }});')
        out.append("}")
    out.append("// clang-format on")
    (folder / f"chains_{f}.cpp").write_text("\n".join(out) + "\n")
print(f"{CHAINS} chains of operators, {PARAMETERS} sets of parameters each, in {FILES} files; seed {seed}")
