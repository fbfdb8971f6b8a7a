"""The map: operators and parts of the engine with their costs, as a dict, and that as text, JSON and CSV."""
import csv
import io
import os
import re
import shutil
import subprocess

from .owners import outside_templates

# what the columns are made of, in callgrind's and perf's names of events
COLUMNS = {
    "instructions": (("Ir",), ("instructions",)),
    "cycles": ((), ("cycles", "cpu-cycles")),
    "time_ns": ((), ("cpu-clock", "task-clock")),
    "l1_misses": (("I1mr", "D1mr", "D1mw"), ("L1-dcache-load-misses", "l1d")),
    "ll_misses": (("ILmr", "DLmr", "DLmw"), ("cache-misses", "LLC-load-misses")),
    "branch_misses": (("Bcm", "Bim"), ("branch-misses",)),
}
TITLES = {"instructions": "instructions", "cycles": "cycles", "estimated_cycles": "est. cycles", "time_ns": "ns of CPU time", "l1_misses": "L1 misses",
          "ll_misses": "LL misses", "branch_misses": "branch misses"}
# functions of plumbline into which the compiler puts an operator's own code
OWN = re.compile(r"6detail6run_inI|6detail7guardedI|::run_in<|::guarded<")
NAMELESS = re.compile(r"0x[0-9a-fA-F]+|\[unknown\]|\?\?\?")


def column_sums(profile):
    """Returns {column: the events that it adds}, of those that were measured."""
    of = 0 if profile.tool == "callgrind" else 1
    found = {}
    for column, names in COLUMNS.items():
        at = [profile.events.index(n) for n in names[of] if n in profile.events]
        if at:
            found[column] = at
    return found


def main_column(columns):
    return next(c for c in ("instructions", "cycles", "time_ns", *columns) if c in columns)


def time_column(columns):
    """What says how long operators took; None: nothing that was measured does."""
    return next((c for c in ("time_ns", "cycles") if c in columns), None)


def base(path):
    return os.path.basename(path) or path


def function_of(node, file, program):
    """What the table calls a function: of code that was inlined into an operator's frame, the source file."""
    name = node.stack[0]
    if OWN.search(name[:4000]):
        return ("inlined", base(file) if file and file != "???" else "")
    if NAMELESS.fullmatch(name):  # of a stripped library: callgrind has where it begins, perf nothing; and what called it
        caller = next((n for n in node.stack[1:] if not NAMELESS.fullmatch(n)), None)
        return ("address", "unnamed" if name[0] == "[" else f"0x{int(name, 16):x}", base(node.object), caller)
    return ("function", name, base(node.object) if node.object != program else "")


def readable(names):
    """Returns {name: short and demangled}. Without c++filt, mangled names stay as they are."""
    names = [n for n in names if n]
    mangled = [n for n in names if n.startswith("_Z")]
    plain = {n: n for n in names}
    if mangled and shutil.which("c++filt"):
        out = subprocess.run(["c++filt"], input="\n".join(re.sub(r"@.*", "", n) for n in mangled) + "\n", stdout=subprocess.PIPE, text=True, check=False)
        lines = out.stdout.splitlines()
        if len(lines) == len(mangled):
            plain.update(zip(mangled, lines))
    return {n: shortened(p) for n, p in plain.items()}


def shortened(name):
    text = outside_templates(name.split("@")[0]).strip()
    text = re.sub(r"\s*\[clone[^\]]*\]|\[abi:\w+\]|\s*const$", "", text).strip()
    if " " in text and "operator" not in text and "anonymous" not in text:
        text = text.split()[-1]  # a template's name begins with what it returns
    text = text or name
    return text if len(text) <= 80 else text[:77] + "..."


def make(profile, shares, how, operators, program, top=8):
    """`operators`: {number: name}. `how`: how much of the main column was found how."""
    columns = column_sums(profile)
    rows, functions = {}, {}
    names = set()
    for node, of in zip(profile.nodes, shares):
        for file, costs in node.self.items():
            values = {c: sum(costs[i] for i in at) for c, at in columns.items()}
            if not any(values.values()):
                continue
            what = function_of(node, file, program)
            for owner, share in of.items():
                row = rows.setdefault(owner, {"self": 0.0, **{c: 0.0 for c in columns}})
                for c, v in values.items():
                    row[c] += share * v
                if what[0] == "inlined":
                    row["self"] += share * values[main_column(columns)]
                to = functions.setdefault(owner, {}).setdefault(what, {c: 0.0 for c in columns})
                for c, v in values.items():
                    to[c] += share * v
    main = main_column(columns)
    total = {c: sum(row[c] for row in rows.values()) for c in columns}
    together = {}
    for owner, found in functions.items():
        if owner[0] == "operator":
            for what, costs in found.items():
                if what[0] == "function" and costs[main] > 0:
                    together.setdefault(what, {})[owner[1]] = costs[main]
    together = sorted(((w, of) for w, of in together.items() if len(of) > 1), key=lambda x: -sum(x[1].values()))[:top]
    names.update(n for what, _ in together for n in what[1:] if n)
    best = {owner: sorted(found.items(), key=lambda f: -f[1][main])[:top] for owner, found in functions.items()}
    for found in best.values():
        for what, _ in found:
            names.update(n for n in what[1:] if n)
    short = readable(sorted(names))

    def label(what):
        if what[0] == "inlined":
            return f"inlined: {what[1]}" if what[1] else "inlined into the frame"
        if what[0] == "address":
            by = f", under {short[what[3]]}" if what[3] and not re.search(r"pl_|run_in|guarded", what[3]) else ""
            return f"{what[1]} in {what[2]}{by}"
        return short[what[1]] + (f" in {what[2]}" if what[2] else "")

    def entry(owner):
        row = rows[owner]
        out = {"share": row[main] / total[main] if total[main] else 0.0, "self": round(row["self"])}
        out.update({c: round(row[c]) for c in columns})
        if profile.tool == "callgrind" and {"l1_misses", "ll_misses"} <= set(columns):
            out["estimated_cycles"] = round(row["instructions"] + 10 * row["l1_misses"] + 100 * row["ll_misses"] + 10 * row.get("branch_misses", 0))
        seen = [(label(what), costs) for what, costs in best[owner] if costs[main] > 0]
        out["functions"] = [{"name": n, "share": c[main] / row[main], **{k: round(v) for k, v in c.items()}} for n, c in seen]
        return out

    numbers = sorted({o[1] for o in rows if o[0] == "operator"} | set(operators))
    of_operators = sum(row[main] for o, row in rows.items() if o[0] == "operator")
    result = {"tool": profile.tool, "command": profile.command, "events": profile.events, "shares_of": main, "time": time_column(columns),
              "total": {c: round(v) for c, v in total.items()},
              "operators": [], "engine": [],
              "attributed": 1 - (rows.get(("none", "not attributed"), {}).get(main, 0.0) / total[main] if total[main] else 0.0),
              "found_by": {k: (v / total[main] if total[main] else 0.0) for k, v in how.items()}}
    for n in numbers:
        if ("operator", n) in rows:
            e = entry(("operator", n))
            result["operators"].append({"number": n, "name": operators.get(n, f"operator {n}"), **e,
                                        "share_of_operators": rows[("operator", n)][main] / of_operators if of_operators else 0.0})
    engine = sorted((o for o in rows if o[0] != "operator"), key=lambda o: -rows[o][main])
    result["engine"] = [{"name": o[1], **entry(o)} for o in engine]
    result["shared"] = [{"name": label(what), "of": [{"number": n, "name": operators.get(n, f"operator {n}"), main: round(v)} for n, v in sorted(of.items())]}
                        for what, of in together]
    return result


def number(n):
    return f"{n:,.0f}"


def percent(x):
    return f"{100 * x:.1f} %"


def shown(result):
    return [c for c in ("instructions", "cycles", "estimated_cycles", "time_ns", "l1_misses", "ll_misses", "branch_misses")
            if any(c in row for row in result["operators"] + result["engine"])]


def text(result):
    columns = shown(result)
    heads = ["#", "operator", "share", "self", *(TITLES[c] for c in columns)]
    rows = [[str(r["number"]), r["name"], percent(r["share"]), number(r["self"]), *(number(r.get(c, 0)) for c in columns)] for r in result["operators"]]
    rows += [["", r["name"], percent(r["share"]), "", *(number(r.get(c, 0)) for c in columns)] for r in result["engine"]]
    wide = [max(len(x[i]) for x in [heads, *rows]) for i in range(len(heads))]

    def line(cells):
        return "  ".join(c.ljust(w) if i == 1 else c.rjust(w) for i, (c, w) in enumerate(zip(cells, wide))).rstrip()

    out = io.StringIO()
    by = {"callgrind": "callgrind, which simulates a processor: exact counts of instructions, simulated caches and branches",
          "perf": "perf, which samples: figures are estimates"}[result["tool"]]
    print(f"{result['command']}\nmeasured with {by}\n", file=out)
    cut = len(result["operators"])
    print(line(heads), file=out)
    for i, r in enumerate(rows):
        if i == cut:
            print(line(["", "-- not in an operator:"] + [""] * (len(heads) - 2)), file=out)
        print(line(r), file=out)
    of = TITLES[result["shares_of"]]
    ways = {"stack": "by their stack", "callers": "in proportion to their callers",
            "time": f"by the operators' time ({TITLES.get(result['time'], '')})",
            "cost": f"by the operators' {of}, as no time of theirs was measured"}
    found = ", ".join(f"{percent(result['found_by'][k])} {way}" for k, way in ways.items() if result["found_by"][k] > 0.0005)
    print(f"\nshare: of all {of}. self: {of} of the operator's own code, without what it calls.\n"
          f"{percent(result['attributed'])} attributed to an operator or a part of the engine: {found}.\n", file=out)
    for r in result["operators"]:
        if r["functions"]:
            print(f"{r['number']} {r['name']}, {number(r[result['shares_of']])} {of}:", file=out)
            for f in r["functions"]:
                if f["share"] >= 0.005:
                    print(f"  {percent(f['share']):>7}  {number(f[result['shares_of']]):>15}  {f['name']}", file=out)
    if result["shared"]:
        print("\nFunctions that several operators use:", file=out)
        for f in result["shared"]:
            print(f"  {f['name']}: " + ", ".join(f"{number(o[result['shares_of']])} in {o['number']} {o['name']}" for o in f["of"]), file=out)
    return out.getvalue()


def as_csv(result):
    columns = shown(result)
    out = io.StringIO()
    to = csv.writer(out)
    to.writerow(["number", "name", "share", "self", *columns])
    for r in result["operators"] + result["engine"]:
        to.writerow([r.get("number", ""), r["name"], f"{r['share']:.6f}", r["self"], *(r.get(c, 0) for c in columns)])
    return out.getvalue()
