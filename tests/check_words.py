#!/usr/bin/env python3
"""Comments, messages, documentation and names avoid words that readers of this project stumbled over.

    check_words.py ROOT

The list has idiom for which plain technical English has a word, with that word. A line that needs one of them anyway, such as a
quotation, is listed in ALLOWED.
"""
import pathlib
import re
import sys

WORDS = {
    r"told|tells?|telling": "report, say, know",
    r"given again|asked for again": "re-read, replay",
    r"looks? again|looked again": "retry, measure again",
    r"worn": "needs refactoring",
    r"lets? (it )?rest": "pause",
    r"knobs?": "option",
    r"obey(s|ed)?": "use as given, never override, satisfy",
    r"bad minute": "noise",
    r"model's word|benefit of the doubt": "prediction; inconclusive",
    r"speaks?|silent": "report; emit nothing",
    r"swallows?": "suppress",
    r"made by number": "made by index",
    r"dearer|nobody|somebody|whoever": "expensive; no operator; the caller",
    r"hand(s|ed)? on|handed over": "pass on, forward",
    r"mended|mends": "fix",
    r"in turns|as ever|likewise": "alternately; as usual",
    r"what becomes of": "the resulting",
    r"but not offered": "possible, but not compiled",
}
ALLOWED = {("tests/check_words.py", "")}  # (file, part of the line)
FILES = ["*.hpp", "*.cpp", "*.md", "*.py", "*.sh", "*.cmake", "*.txt", "Makefile"]
SKIP = {"build", ".git"}


def files(root):
    for pattern in FILES:
        for file in sorted(root.rglob(pattern)):
            if not SKIP.intersection(file.relative_to(root).parts[:-1]):
                yield file


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    found = []
    for file in files(root):
        name = str(file.relative_to(root))
        for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
            for word, instead in WORDS.items():
                if (hit := re.search(rf"\b({word})\b", line, re.I)) and not any(f == name and part in line for f, part in ALLOWED):
                    found.append(f"{name}:{number}: \"{hit[0]}\": write {instead}")
    print("\n".join(found) or "no word of the list")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
