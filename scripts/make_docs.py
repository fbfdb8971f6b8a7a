#!/usr/bin/env python3
"""Makes the HTML documentation: README.md and docs/*.md, and a page for each operator and source from its header.

    make_docs.py ROOT OUT

A header's page has its opening comment, the declarations that users call, and the mistakes that it reports. Fails if such a
header has no example, does not say what the operator is called elsewhere ("/// tf.data: ..., PyTorch: ..., grain: ...,
mlx-data: ..."), or if a link of any page has no target. The examples are compiled by tests/check_docs.py.
"""
import html
import os
import pathlib
import re
import shutil
import sys

try:
    import markdown
except ImportError:  # another Python may come first in PATH; Debian's packages are for its own
    if sys.executable == "/usr/bin/python3" or not os.path.exists("/usr/bin/python3"):
        sys.exit("make_docs.py needs the Python package markdown (Debian: python3-markdown)")
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

FOLDERS = {"ops": "Operators", "sources": "Sources", "exec": "Ends", "shared": "Ends", "core": "Ends", "image": "Functions for map"}
ENDS = ["exec/run.hpp", "shared/run_shared.hpp", "exec/reduce.hpp", "core/evaluate.hpp"]  # besides what ops.hpp, sources.hpp and image.hpp include
WITHOUT_PEERS = {"Functions for map", "Ends"}
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1c2330; background: #fff; margin: 0 auto; max-width: 72rem; padding: 1rem 1.5rem 4rem }
code, pre { font: 14px/1.45 ui-monospace, monospace } pre { background: #f3f5f8; padding: .7rem 1rem; overflow-x: auto; border-radius: 6px }
table { border-collapse: collapse; display: block; overflow-x: auto } th, td { border-bottom: 1px solid #d8dde5; padding: .3rem .8rem .3rem 0;
text-align: left; vertical-align: top } a { color: #0b57b0 } nav { margin-bottom: 1.5rem; color: #667 } h1 { line-height: 1.2 }
@media (prefers-color-scheme: dark) { body { color: #d9dee7; background: #15181d } pre { background: #20252d } a { color: #7db4ff }
th, td { border-color: #39404b } nav { color: #99a } }
"""


def headers(root):
    """Yields (group, header) of everything that has a page."""
    base = root / "include/plumbline"
    for name in ("sources", "ops", "image"):
        for file in re.findall(r"#include <plumbline/(.*?)>", (base / f"{name}.hpp").read_text()):
            if file.startswith(name):
                yield FOLDERS[name], base / file
    for file in ENDS:
        yield FOLDERS[file.split("/")[0]], base / file


def comment_of(header):
    """The header's opening comment; without one, that of the class or function which has its name."""
    text = header.read_text()
    block = re.match(r"#pragma once\n((?:///.*\n)+)", text) or re.search(
        rf"^((?:///.*\n)+)(?:template .*\n)?(?:  requires.*\n)?.*\b{header.stem}\b", text, re.M)
    return [line[3:].removeprefix(" ") for line in block[1].splitlines()]


def prose(lines):
    """Markdown of a comment: lines indented by two spaces are code."""
    out, in_code = [], False
    for line in lines:
        code = line.startswith("  ")
        if code != in_code:
            out += ["```cpp"] if code else ["```", ""]
            if code:
                out.insert(len(out) - 1, "")
            in_code = code
        out.append(line[2:] if code else line)
    return "\n".join(out + (["```"] if in_code else []))


def declarations(text):
    """What a header declares for users: structs of options, enums, and functions without their bodies."""
    found, comment, head, depth = [], [], [], 0
    for line in text.splitlines():
        if depth or line == "namespace detail {":  # within a body
            depth += line.count("{") - line.count("}")
            if head and depth == 0:
                found.append("\n".join(comment + head + [line]))
            elif head:
                head.append(line)
            if depth == 0:
                comment, head = [], []
        elif line.startswith("///"):
            comment.append(line)
        elif re.match(r"(struct \w*(options|spec)|enum class \w+).* \{$", line):
            head, depth = [line], 1
        elif re.match(r"(template|constexpr|inline|auto|requires|  requires| +\w)", line) and not line.startswith("namespace"):
            head.append(line)
            if ("{" in line and not re.match(r" *requires", line)) or line.endswith(";"):
                text_of = "\n".join(head)
                if re.search(r"auto \w+\(", text_of) and "A mistake" not in "".join(comment):
                    found.append("\n".join(comment) + ("\n" if comment else "") + re.sub(r"(auto \w+\(.*?\)) \{.*", r"\1;", text_of, flags=re.S))
                depth = max(0, text_of.count("{") - text_of.count("}"))
                comment, head = [], []
        else:
            depth = max(0, line.count("{") - line.count("}")) if not line.startswith("namespace") else 0
            comment, head = [], []
    return found


def messages(text):
    joined = re.sub(r'"\s*\n\s*"', "", text)
    return sorted({html.unescape(m) for m in re.findall(r'"plumbline: ([^"]{20,})"', joined) if not m.endswith(("(", ": "))})


def header_page(root, header, group):
    text = header.read_text()
    lines = comment_of(header)
    first = next((i for i, line in enumerate(lines) if line.startswith("tf.data:")), len(lines))
    peers = lines[first:]  # the end of the comment
    relative = header.relative_to(root / "include")
    problems = []
    if not peers and group not in WITHOUT_PEERS:
        problems.append(f"{relative}: does not say what it is called in tf.data, PyTorch, grain and mlx-data")
    if not any(line.startswith("  ") for line in lines) and group != "Functions for map":
        problems.append(f"{relative}: has no example")
    rest = lines[:first]
    out = [f"# {header.stem}", "", f"`#include <{relative}>`", "", prose(rest), ""]
    if peers:
        out += ["| elsewhere | |", "| --- | --- |"]
        for part in re.findall(r"(tf\.data|PyTorch|grain|mlx-data): (.*?)(?:, (?=(?:PyTorch|grain|mlx-data): )|$)", " ".join(peers)):
            out.append(f"| {part[0]} | {'none' if part[1] == '-' else part[1]} |")
        out.append("")
    if declared := declarations(text):
        out += ["## Declarations", "", "```cpp", "\n".join(declared).replace("///<", "//").replace("///", "//"), "```", ""]
    if wrong := messages(text):
        out += ["## Mistakes that it reports", "", *(f"- {html.escape(m, quote=False)}".replace("[", "&#91;") for m in wrong), ""]
    return "\n".join(out), problems


def summary(header):
    """The first statement of the opening comment, without the call that it begins with: `name(...), name<N>(...): `."""
    text = " ".join(line for line in comment_of(header) if not line.startswith("  "))
    depth = 0
    if re.match(r"\w+[(<]", text):
        for i, c in enumerate(text):
            depth += (c in "([{") - (c in ")]}")
            if depth == 0 and text.startswith(": ", i):
                text = text[i + 2 :]
                break
    return re.split(r"[.;:](?: |$)", text)[0]


def slug(title, _separator="-"):
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


def write(out, name, title, source, depth=0):
    body = markdown.markdown(source, extensions=["tables", "fenced_code", "toc"], extension_configs={"toc": {"slugify": slug}})
    up = "../" * depth
    target = out / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(f"""<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{html.escape(title)} - plumbline</title><style>{STYLE}</style>
<nav><a href="{up}index.html">plumbline</a> · <a href="{up}guide.html">guide</a> · <a href="{up}operators/index.html">operators</a></nav>
{body}
</html>
""")


def broken_links(out):
    pages = {p: p.read_text() for p in out.rglob("*.html")}
    ids = {p.resolve(): set(re.findall(r'id="([^"]+)"', text)) for p, text in pages.items()}
    for page, text in pages.items():
        for target in re.findall(r'href="([^"]+)"', text):
            if re.match(r"\w+:", target):
                continue
            name, _, heading = target.partition("#")
            file = (page.parent / name).resolve() if name else page.resolve()
            if not file.exists():
                yield f"{page.relative_to(out)}: {target}: no such file"
            elif heading and heading not in ids.get(file, set()):
                yield f"{page.relative_to(out)}: {target}: no such heading"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    root, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    if out.exists() and any(out.iterdir()) and not (out / "operators/index.html").exists():
        sys.exit(f"{out} is not empty and was not made by this script; give another folder")
    shutil.rmtree(out, ignore_errors=True)
    problems, index = [], {}
    for group, header in headers(root):
        page, wrong = header_page(root, header, group)
        problems += wrong
        write(out, f"operators/{header.stem}.html", header.stem, page, 1)
        index.setdefault(group, []).append(f"| [{header.stem}]({header.stem}.html) | {summary(header)} |")
    listing = "# Operators\n"
    for group, rows in index.items():
        listing += f"\n## {group}\n\n| | |\n| --- | --- |\n" + "\n".join(rows) + "\n"
    write(out, "operators/index.html", "Operators", listing, 1)
    for source in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        name = "index.html" if source.name == "README.md" else f"{source.stem}.html"
        text = re.sub(r"\]\((?:docs/|\.\./)?(\w+)\.md(#[\w-]*)?\)",
                      lambda m: f"]({'index' if m[1] == 'README' else m[1]}.html{m[2] or ''})", source.read_text())
        for file in set(re.findall(r"\]\(((?:\.\./)?(?:examples|bench|tests|include)/[^)#]+)\)", text)):  # shown as they are
            kept = out / "files" / file.removeprefix("../")
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / file.removeprefix("../"), kept)
            text = text.replace(f"]({file})", f"](files/{file.removeprefix('../')})")
        write(out, name, source.stem, text)
    problems += broken_links(out)
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(list(out.rglob('*.html')))} pages: {out}/index.html")


if __name__ == "__main__":
    main()
