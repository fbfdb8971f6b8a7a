"""Reads what `perf script -F comm,tid,period,event,ip,sym,dso` writes: a line for each sample, its stack with the innermost
function first, an empty line."""
import re

from .profile import Node, Profile

HEAD = re.compile(r"(?P<comm>.*?)\s+(?:\d+/)?\d+\s+(?P<period>\d+)\s+(?P<event>\S+?):\s*$")
FRAME = re.compile(r"\s+(?P<ip>[0-9a-f]+)\s+(?P<name>.*?)\s+\((?P<object>[^()]*(?:\([^()]*\)[^()]*)*)\)$")


def read(lines, command="", name="perf's output"):
    """Makes a profile. A sample of an event counts its period: as many events as passed since the one before."""
    events, found = [], {}
    event = period = None
    stack, leaf = [], ""

    def close():
        nonlocal event
        if event is None:
            return
        key = (tuple(stack) or ("[unknown]",), leaf)
        found.setdefault(key, {})
        found[key][event] = found[key].get(event, 0) + period
        event = None

    for number, line in enumerate(lines, 1):
        line = line.rstrip("\n")
        if line.startswith("#"):
            continue
        if not line.strip():
            close()
        elif line[0].isspace() and event is not None:
            match = FRAME.match(line)
            if not match:
                raise ValueError(f"{name}, line {number}: not a frame: {line[:60]!r}")
            if not stack:
                leaf = match["object"]
            symbol = re.sub(r"\+0x[0-9a-f]+$", "", match["name"])
            stack.append(symbol)
        else:
            close()
            match = HEAD.match(line.strip())
            if not match:
                raise ValueError(f"{name}, line {number}: not a sample: {line[:60]!r}")
            # instructions:u, or of one kind of core: cpu_core/instructions/u
            raw = match["event"]
            event = re.split("[,:]", raw.split("/")[1] if "/" in raw else raw)[0]
            period = int(match["period"])
            stack, leaf = [], ""
            if event not in events:
                events.append(event)
    close()
    nodes = []
    for (names, leaf_object), costs in found.items():
        # main or the thread's first function is there if the whole stack was recorded
        whole = any(n in ("main", "start_thread", "_start", "__libc_start_main", "clone3", "clone") for n in names)
        nodes.append(Node(names, leaf_object, {"": [costs.get(e, 0) for e in events]}, complete=whole))
    return Profile("perf", command, events, nodes)
