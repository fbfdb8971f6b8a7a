"""Reads callgrind's output files: https://valgrind.org/docs/manual/cl-format.html

With --separate-callers=N a function's name is followed by those of up to N callers, with ' between them.
"""
import re

from .profile import Node, Profile

NAME = re.compile(r"(c?)(fn|fl|fi|fe|ob)=(?:\((\d+)\))?\s*(.*)")
# a position may be relative to the previous one, "+3", "-3" or "*"; only how many there are matters here
COST = re.compile(r"(?:[+-]?(?:0x[0-9a-fA-F]+|\d+)|\*)(?=\s|$)")


class Malformed(Exception):
    pass


class Names:
    """Names by the number that the file gives them at their first use."""

    def __init__(self):
        self.known = {}

    def read(self, number, text):
        if number is None:
            return text
        if text:
            self.known[number] = text
        if number not in self.known:
            raise Malformed(f"name ({number}) was never defined")
        return self.known[number]


def names_by_kind():
    files = Names()
    return {"fn": Names(), "ob": Names(), "fl": files, "fi": files, "fe": files}


def read(lines, callers=0, name="callgrind's output"):
    """Makes a profile of the lines of one file, or of several files' one after another. `callers`: how many callers
    the names may have. Raises Malformed with the line's number."""
    events, command = [], ""
    nodes, index = [], {}
    names = names_by_kind()
    fn = cfn = None
    file = ob = cob = ""
    positions, calls = 1, False

    def node(function, object_name):
        key = (function, object_name)
        if key not in index:
            index[key] = len(nodes)
            stack = tuple(function.split("'"))
            nodes.append(Node(stack, object_name, complete=len(stack) <= callers))
        return index[key]

    for number, line in enumerate(lines, 1):
        line = line.rstrip("\n")
        try:
            if not line or line[0] == "#":
                continue
            if line[0].isdigit() or line[0] in "+-*":
                parts = line.split()
                if len(parts) < positions or not all(COST.fullmatch(p) for p in parts[:positions]):
                    raise Malformed("a line of costs without its position")
                costs = [int(c, 0) for c in parts[positions:]]
                if len(costs) > len(events):
                    raise Malformed(f"{len(costs)} costs for {len(events)} events")
                costs += [0] * (len(events) - len(costs))
                if fn is None:
                    raise Malformed("costs before any fn=")
                if calls:  # of all calls from here, with what was called
                    to = nodes[node(cfn, cob or ob)].callers.setdefault(node(fn, ob), [0] * len(events))
                    calls, cob = False, ""
                else:
                    to = nodes[node(fn, ob)].self.setdefault(file, [0] * len(events))
                for i, c in enumerate(costs):
                    to[i] += c
            elif match := NAME.fullmatch(line):
                called, kind, compressed, text = match.groups()
                text = names[kind].read(compressed, text)
                if kind == "fn":
                    fn, cfn = (fn, text) if called else (text, cfn)
                elif kind == "ob":
                    ob, cob = (ob, text) if called else (text, cob)
                elif not called:  # fi= and fe= change the file within a function: code that was inlined
                    file = text
            elif line.startswith("calls="):
                if cfn is None:
                    raise Malformed("calls= without cfn=")
                calls = True
            elif line.startswith("jump=") or line.startswith("jcnd="):
                pass  # followed by a line with no costs, only a position
            elif line.startswith("events:"):
                now = line.split()[1:]
                if events and now != events:
                    raise Malformed("files with other events cannot be added")
                events = now
            elif line.startswith("positions:"):
                positions = len(line.split()) - 1
            elif line.startswith("cmd:"):
                command = command or line[4:].strip()
            elif line.startswith("version:") or line.startswith("creator:"):  # another file begins, with names of its own
                if line.startswith("version:"):
                    names = names_by_kind()
                    fn = cfn = None
                    file = ob = cob = ""
            elif not re.match(r"\w+:", line):
                raise Malformed(f"not understood: {line[:60]!r}")
        except (Malformed, ValueError) as e:
            raise Malformed(f"{name}, line {number}: {e}") from None
    if not events:
        raise Malformed(f"{name}: no events: line; is this a file of callgrind's?")
    return Profile("callgrind", command, events, nodes)
