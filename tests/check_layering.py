#!/usr/bin/env python3
"""Checks the architecture rules of include/plumbline.

    check_layering.py ROOT          check ROOT/include/plumbline
    check_layering.py --self-test   check that violations are detected

1. Layers include only what they may include (MAY_INCLUDE, OUTSIDE below).
2. No layer names an operator: outside ops/ and sources/ nothing includes their headers, writes the name of one of their types,
   or compares with an operator's name.
3. Every header is reachable from plumbline.hpp or one of OPT_IN, except ext/.
"""
import pathlib
import re
import sys
import tempfile

# layer -> layers it may include (each may include itself)
MAY_INCLUDE = {
    "core": set(),
    "data": {"core"},
    "image": {"core", "data"},
    "ipc": {"core"},
    "ops": {"core", "data", "sources", "ipc"},
    "sources": {"core", "data"},
    "lp": set(),
    "model": {"core", "lp"},
    "exec": {"core", "data", "ipc", "model"},
    "shared": {"core", "data", "ipc", "model", "exec"},
    "tune": {"core", "data", "model", "lp", "exec"},
    "report": {"core", "model", "lp"},
    "watch": {"core", "data", "model", "exec", "report"},
}
# layer -> outside headers it may include besides the standard library's, as path prefixes
POSIX = ("sys/", "linux/openat2.h", "linux/futex.h", "unistd.h", "fcntl.h", "pthread.h", "sched.h", "dirent.h", "poll.h")
INTRINSICS = ("immintrin.h", "emmintrin.h", "nmmintrin.h", "arm_acle.h", "arm_neon.h")
OUTSIDE = {
    "core": (),
    "data": ("Eigen/", "stb/", *INTRINSICS),
    "image": ("Eigen/", "stb/", "stb_image", "turbojpeg.h", *INTRINSICS),
    "ops": ("Eigen/",),
    "sources": ("zlib.h", *POSIX),
    "lp": ("Eigen/",),
    "model": ("Eigen/", "boost/math/", "sched.h"),  # sched.h: how many cores the process may use
    "exec": ("tbb/", "oneapi/tbb/", *POSIX),
    "ipc": (*POSIX,),
    "shared": (*POSIX,),
    "tune": ("boost/math/", *POSIX),
    "report": (),
    "watch": (*POSIX, "malloc.h"),
}
# these may include ext/<library>.hpp on the line after `#ifdef PLUMBLINE_HAS_<LIBRARY>`: users who have the library get it
MAY_USE_EXT = {"image", "sources"}
LAYERS = list(MAY_INCLUDE)
# at the top: lists of headers
UMBRELLAS = {"plumbline.hpp", "tune.hpp", "tune_on_disk.hpp", "timeline.hpp", "symbols.hpp", "markers.hpp", "watch.hpp", "live.hpp",
             "definitions.hpp", "image.hpp", "ops.hpp", "sources.hpp"}
# Not in plumbline.hpp: Eigen and Boost.Math each cost a second of compile time, and few users solve linear programs or
# simulate.
OPT_IN = {"tune.hpp", "tune_on_disk.hpp", "timeline.hpp", "symbols.hpp", "markers.hpp", "watch.hpp", "live.hpp", "definitions.hpp",
          "data/eigen.hpp", "lp/solve.hpp", "lp/eigen.hpp", "model/confidence.hpp", "model/mistakes.hpp", "model/simulator.hpp", "model/reflect.hpp",
          "model/reflect_stalls.hpp", "ops/cache_in_shared_memory.hpp", "shared/run_shared.hpp", "watch/contract_judge.hpp"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)


def includes_of(text):
    for number, line in enumerate(text.splitlines(), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found.group(2), found.group(1) == '"'


C_STANDARD = {f"{name}.h" for name in """assert complex ctype errno fenv float inttypes limits locale math setjmp signal stdarg
stddef stdint stdio stdlib string time uchar wchar wctype""".split()}


def is_guarded_ext(layer, inner, lines, number):
    library = re.fullmatch(r"ext/(\w+)\.hpp", inner)
    return (layer in MAY_USE_EXT and library is not None and number > 1
            and re.match(rf"\s*#\s*if.*\bPLUMBLINE_HAS_{library.group(1).upper()}\b", lines[number - 2]) is not None)


def is_standard(header):
    return "/" not in header and "." not in header or header in C_STANDARD


def without_comments(keep_strings, text):
    """Returns text with comments blanked, and strings emptied unless kept; line numbers stay the same."""
    def blank(match):
        piece = match.group()
        if piece.startswith('"') and keep_strings:
            return piece
        return "\n" * piece.count("\n") if not piece.startswith('"') else '""'
    return COMMENT_OR_STRING.sub(blank, text)


def check(root):
    """Returns a list of complaints about the tree at root/include/plumbline."""
    base = pathlib.Path(root) / "include" / "plumbline"
    files = {str(path.relative_to(base)): path.read_text(errors="replace") for path in sorted(base.rglob("*.hpp"))}
    complaints = []

    def resolve(name, header):
        """Returns the path below plumbline/, or None for an outside header."""
        if header.startswith("plumbline/"):
            return header[len("plumbline/"):]
        beside = (base / name).parent / header
        if beside.exists() and base in beside.resolve().parents:
            return str(beside.resolve().relative_to(base.resolve()))
        return None

    operator_types, operator_names = set(), set()
    for name, text in files.items():
        if name.split("/")[0] in ("ops", "sources"):
            operator_names |= set(re.findall(r'\bstring_view name = "(\w+)"', text))
            operator_types |= set(re.findall(r"\b(?:struct|class)\s+(?:\[\[\w+\]\]\s*)?(\w+_(?:op|source))\b", without_comments(False, text)))
    names_type = re.compile(r"\b(" + "|".join(sorted(operator_types)) + r")\b")
    quoted_name = '"(' + "|".join(sorted(operator_names)) + ')"'
    compares_name = re.compile(rf"(?:==|!=)\s*{quoted_name}|{quoted_name}\s*(?:==|!=)")

    for name, text in files.items():
        layer = name.split("/")[0]
        where = f"include/plumbline/{name}"
        if layer == "ext":
            continue
        if "/" not in name:
            if name not in UMBRELLAS:
                complaints.append(f"{where}: only {', '.join(sorted(UMBRELLAS))} may be outside the folders")
            for number, header, _ in includes_of(text):
                inner = resolve(name, header)
                if inner and inner.startswith("ext/"):
                    complaints.append(f"{where}:{number}: includes <{header}>; only users include ext/")
            continue
        if layer not in MAY_INCLUDE:
            complaints.append(f"{where}: the folder {layer}/ is not in the design; add it to MAY_INCLUDE")
            continue

        for number, header, quoted in includes_of(text):
            inner = resolve(name, header)
            if inner is not None:
                other = inner.split("/")[0]
                if inner not in files:
                    complaints.append(f"{where}:{number}: includes <{header}>, which does not exist")
                elif "/" not in inner:
                    complaints.append(f"{where}:{number}: {layer} includes the umbrella <{header}>; include what is used")
                elif is_guarded_ext(layer, inner, text.splitlines(), number):
                    pass
                elif other != layer and other not in MAY_INCLUDE[layer]:
                    complaints.append(f"{where}:{number}: {layer} may not include {other} (<{header}>)")
            elif quoted and "/" not in header:
                complaints.append(f'{where}:{number}: includes "{header}", which does not exist')
            elif not is_standard(header) and not header.startswith(OUTSIDE[layer]):
                complaints.append(f"{where}:{number}: {layer} may not include <{header}>")

        if layer not in ("ops", "sources"):
            for number, line in enumerate(without_comments(False, text).splitlines(), 1):
                for operator in sorted(set(names_type.findall(line))):
                    complaints.append(f"{where}:{number}: {layer} names the operator {operator}; use its facts instead")
            for number, line in enumerate(without_comments(True, text).splitlines(), 1):
                for groups in compares_name.findall(line):
                    complaints.append(f'{where}:{number}: {layer} compares with the operator name "{"".join(groups)}"; use its facts instead')

    defined = {header for _, header, _ in includes_of(files.get("definitions.hpp", ""))}
    for name in files:
        if name.endswith("_inl.hpp") and f"plumbline/{name}" not in defined:
            complaints.append(f"include/plumbline/{name}: not in definitions.hpp, so plumbline::compiled does not have it")
    if "plumbline.hpp" in files:
        reached, todo = set(), ["plumbline.hpp", *OPT_IN]
        while todo:
            name = todo.pop()
            if name in reached or name not in files:
                continue
            reached.add(name)
            todo += [inner for _, header, _ in includes_of(files[name]) if (inner := resolve(name, header))]
        for name in files:
            if name.split("/")[0] in LAYERS and name not in reached and not name.endswith("_inl.hpp"):
                complaints.append(f"include/plumbline/{name}: not reachable from plumbline.hpp")
    elif files:
        complaints.append("include/plumbline/plumbline.hpp: is missing")
    return complaints


GOOD_TREE = {
    "plumbline.hpp": "#include <plumbline/ops.hpp>\n#include <plumbline/exec/run.hpp>\n#include <plumbline/model/rates.hpp>\n"
                     "#include <plumbline/sources/range.hpp>\n#include <plumbline/data/tensor.hpp>\n",
    "ops.hpp": "#include <plumbline/ops/map.hpp>\n",
    "core/chain.hpp": "#include <cstdint>\n// map_op is named in a comment only\nstruct op_base {};\n",
    "data/tensor.hpp": "#include <Eigen/Core>\n#include <plumbline/core/chain.hpp>\n",
    "ops/map.hpp": "#include <plumbline/core/chain.hpp>\nstruct map_op : op_base { static constexpr std::string_view name = \"map\"; };\nstruct odd_op {};\n",
    "sources/range.hpp": "#include <plumbline/core/chain.hpp>\n#ifdef PLUMBLINE_HAS_TORCH\n#include <plumbline/ext/torch.hpp>\n#endif\nstruct range_source {};\n",
    "lp/problem.hpp": "#include <Eigen/Core>\n",
    "model/rates.hpp": '#include <vector>\n#include <plumbline/lp/problem.hpp>\n#include "../core/chain.hpp"\nauto s = "map";\n',
    "exec/run.hpp": "#include <tbb/flow_graph.h>\n#include <plumbline/model/rates.hpp>\n",
    "ext/torch.hpp": "#include <torch/torch.h>\n#include <plumbline/ops/map.hpp>\nmap_op x;\n",
}
# (file, line added to it, part of the complaint that must come)
VIOLATIONS = [
    ("core/chain.hpp", "#include <Eigen/Core>", "core may not include <Eigen/Core>"),
    ("core/chain.hpp", "#include <plumbline/data/tensor.hpp>", "core may not include data"),
    ("core/chain.hpp", '#include "../exec/run.hpp"', "core may not include exec"),
    ("data/tensor.hpp", "#include <tbb/parallel_for.h>", "data may not include <tbb/parallel_for.h>"),
    ("model/rates.hpp", "  #  include <tbb/flow_graph.h>", "model may not include <tbb/flow_graph.h>"),
    ("model/rates.hpp", "#include <plumbline/exec/run.hpp>", "model may not include exec"),
    ("model/rates.hpp", 'bool b = name == "map";', 'model compares with the operator name "map"'),
    ("lp/problem.hpp", "#include <plumbline/core/chain.hpp>", "lp may not include core"),
    ("exec/run.hpp", "#include <plumbline/ops/map.hpp>", "exec may not include ops"),
    ("exec/run.hpp", "#include <plumbline/ops.hpp>", "includes the umbrella"),
    ("exec/run.hpp", "template <> struct is<map_op> {};", "names the operator map_op"),
    ("exec/run.hpp", "/* x */ using t = odd_op;", "names the operator odd_op"),
    ("core/chain.hpp", "struct range_source;", "names the operator range_source"),
    ("ops/map.hpp", "#include <plumbline/exec/run.hpp>", "ops may not include exec"),
    ("sources/range.hpp", "#include <plumbline/ext/torch.hpp>", "sources may not include ext"),
    ("sources/range.hpp", "#ifdef PLUMBLINE_HAS_ZLIB\n#include <plumbline/ext/torch.hpp>\n#endif", "sources may not include ext"),
    ("ops/map.hpp", "#ifdef PLUMBLINE_HAS_TORCH\n#include <plumbline/ext/torch.hpp>\n#endif", "ops may not include ext"),
    ("ops/map.hpp", "#include <plumbline/core/gone.hpp>", "does not exist"),
    ("ops/map.hpp", '#include "gone.hpp"', "does not exist"),
    ("core/lonely.hpp", "", "not reachable from plumbline.hpp"),
    ("core/lonely_inl.hpp", "", "not in definitions.hpp"),
    ("odd/thing.hpp", "", "is not in the design"),
    ("stray.hpp", "", "may be outside the folders"),
    ("plumbline.hpp", "#include <plumbline/ext/torch.hpp>", "only users include ext/"),
]


def self_test():
    def write(folder, tree):
        for name, text in tree.items():
            path = pathlib.Path(folder) / "include/plumbline" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    failures = []
    with tempfile.TemporaryDirectory() as folder:
        write(folder, GOOD_TREE)
        failures += [f"the good tree is rejected: {complaint}" for complaint in check(folder)]
    for name, line, wanted in VIOLATIONS:
        with tempfile.TemporaryDirectory() as folder:
            write(folder, {**GOOD_TREE, name: GOOD_TREE.get(name, "") + line + "\n"})
            complaints = check(folder)
            if len(complaints) != 1 or wanted not in complaints[0]:
                failures.append(f"{name} with `{line}`: wanted one complaint with `{wanted}`, got {complaints}")
    print("\n".join(failures) or f"{len(VIOLATIONS)} violations detected, the good tree accepted")
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--self-test":
        sys.exit(self_test())
    found = check(sys.argv[1])
    print("\n".join(found) or "layers: no violations")
    sys.exit(1 if found else 0)
