"""Whose each cost is: an operator's, or that of a named part of the engine.

Every operator of a run with tracing::symbols is called in a frame of its own (include/plumbline/exec/frames.hpp), and what it
calls of the engine is in a frame of the engine again. So the owner is the innermost such frame of the stack.
"""
import functools
import re

MANGLED = re.compile(r"_ZN9plumbline11pl_operatorILj(\d+)E")
ENGINE = {"pl_passing": "passing elements on", "pl_stage": "stages: messages, chunks", "pl_producer": "producers: messages, chunks"}
ENGINE_MANGLED = re.compile(r"_ZN9plumbline\d+(" + "|".join(ENGINE) + r")3run")
FRAMES = "frames of tracing::symbols"
UNKNOWN = None
# by a function of the stack, where none has a frame: the first that matches. Mangled or not.
PARTS = [
    ("scheduling (TBB)", r"_ZNK?3tbb|tbb::|^0x.*libtbb"),
    ("consumer's side: fetching, waiting", r"9graph_run|10inline_run|13consumer_base|8consumerI|::graph_run::|::inline_run|::consumer"),
    ("building the run", r"13graph_runtimeI|14inline_runtimeI|13close_segment|8loweringI|12run_pipeline|10add_stages|::graph_runtime<|::run_pipeline|"
                         r"::close_segment|::lowering<|::add_stages"),
    ("channels and threads", r"6detail(7channel|6engine|7io_pool|6arena|11number_producer|14chunk_producer|11chunk_stage)|"
                             r"detail::(channel|engine|io_pool|number_producer|chunk_producer|chunk_stage)"),
    ("building the pipeline, the rest of plumbline", r"9plumbline|plumbline::"),
]
PARTS = [(part, re.compile(pattern)) for part, pattern in PARTS]
STARTING = re.compile(r"_dl_|dl_main|__libc_start|_start$|\(below main\)|^_init|_GLOBAL__|__libc_csu|call_init|^__cxa_finalize|_fini|^exit$|__run_exit")
CONSUMER = "the program's own code"
STARTUP = "starting and ending the program"
THREADS = "starting and ending threads"


def outside_templates(name):
    """A demangled name without its template arguments and parameters."""
    out, depth = [], 0
    i = 0
    while i < len(name):
        c = name[i]
        if depth == 0 and name.startswith("operator", i) and not (i and (name[i - 1].isalnum() or name[i - 1] == "_")):
            match = re.match(r"operator\s*(new\b(?:\[\])?|delete\b(?:\[\])?|<=>|<<=?|>>=?|->\*?|<=?|>=?|\(\)|[^\s(<]*)", name[i:])
            out.append(match[0])
            i += len(match[0])
            continue
        if name.startswith("(anonymous namespace)", i) and depth == 0:
            out.append("(anonymous namespace)")
            i += len("(anonymous namespace)")
            continue
        if c in "<({":
            if depth == 0 and c == "{":
                out.append("{}")
            depth += 1
        elif c in ">)}" and not (c == ">" and i and name[i - 1] == "-"):
            depth = max(0, depth - 1)
        elif depth == 0:
            out.append(c)
        i += 1
    return "".join(out)


@functools.lru_cache(maxsize=None)
def frame_of(name):
    """("operator", number) or ("engine", part) if the function is a frame, else None."""
    if match := MANGLED.match(name):
        return "operator", int(match[1])
    if match := ENGINE_MANGLED.match(name):
        return "engine", ENGINE[match[1]]
    if "plumbline::pl_" in name:
        plain = outside_templates(name)
        if match := re.search(r"plumbline::(pl_\w+)::run(?:\.|\s|$)", plain):
            if match[1] == "pl_operator":
                number = re.search(r"(?:^|\s)plumbline::pl_operator<(\d+)u?,", name)
                if number:
                    return "operator", int(number[1])
            elif match[1] in ENGINE:
                return "engine", ENGINE[match[1]]
    return None


@functools.lru_cache(maxsize=None)
def part_of(name):
    for part, pattern in PARTS:
        if pattern.search(name):
            return part
    return None


def by_frames(stack):
    """The owner, if the stack has a frame; the frame's own instructions are those of the measurement."""
    for depth, name in enumerate(stack):
        if found := frame_of(name):
            return found if depth else ("engine", FRAMES)
    return UNKNOWN


def by_names(stack, object_name):
    """The owner of a function that no operator called, by the names on its stack."""
    if "libtbb" in object_name:
        return "engine", "scheduling (TBB)"
    for name in stack:
        if part := part_of(name):
            return "engine", part
    # glibc's names: the dynamic linker, before and after main
    if any(name == "main" for name in stack):
        return "engine", CONSUMER
    if any(name in ("start_thread", "clone", "clone3", "__nptl_deallocate_stack") for name in stack):
        return "engine", THREADS
    if "/ld-linux" in object_name or any(STARTING.search(name) for name in stack):
        return "engine", STARTUP
    return UNKNOWN


def shares(profile, weigh=0, time=None):
    """Returns for each node {owner: share}, and how much of event `weigh` was found by stack, by callers, by the operators'
    time, and by their cost in `weigh`. `time`: the event that counts time; None: there is none.

    1. By the stack: its innermost frame, or else the names on it.
    2. Where stacks are shorter than the way to the frame: by the callers, in proportion to the costs of their calls.
    3. Else by time, as in LotusMap: a function's cost is divided among the operators that are seen to use it, by the time
       of each, L / (L + R + T). Where no time of theirs was measured: by their cost in `weigh`.
    """
    nodes, events = profile.nodes, len(profile.events)
    known, how = [], {"stack": 0, "callers": 0, "time": 0, "cost": 0, "none": 0}
    with_stacks = any(len(n.stack) > 1 for n in nodes)
    open_ = []
    for i, n in enumerate(nodes):
        owner = by_frames(n.stack)
        if owner is UNKNOWN and ((with_stacks and n.complete) or not n.callers):
            owner = by_names(n.stack, n.object)
        known.append({owner: 1.0} if owner is not UNKNOWN else None)
        if owner is UNKNOWN:
            open_.append(i)
        elif n.self:
            how["stack"] += n.total(events)[weigh]
    by_callers(nodes, known, open_, weigh)
    ways = [("time", time)] if time is not None else []
    ways = [(way, by_owner(nodes, known, event, events)) for way, event in [*ways, ("cost", weigh)]]
    users = {}
    for n, s in zip(nodes, known):
        for owner in s or {}:
            if owner[0] == "operator" and (n.self or n.callers):
                users.setdefault((n.stack[0], n.object), set()).add(owner)
    for i in open_:
        cost = nodes[i].total(events)[weigh]
        if known[i] is not None:
            how["callers"] += cost
            continue
        among = users.get((nodes[i].stack[0], nodes[i].object), ())
        for way, of in ways:
            if total := sum(of.get(o, 0) for o in among):
                known[i] = {o: of[o] / total for o in among if of.get(o)}
                how[way] += cost
                break
        else:
            fallback = by_names(nodes[i].stack, nodes[i].object)
            known[i] = {fallback if fallback is not UNKNOWN else ("none", "not attributed"): 1.0}
            how["stack" if fallback is not UNKNOWN else "none"] += cost
    return known, how


def by_owner(nodes, known, event, events):
    """{owner: its cost}, of what is known so far."""
    sums = {}
    for n, s in zip(nodes, known):
        for owner, share in (s or {}).items():
            sums[owner] = sums.get(owner, 0) + share * n.total(events)[event]
    return sums


def by_callers(nodes, known, open_, weigh):
    """Divides open nodes by their callers' shares, until nothing changes: functions may call each other in a circle."""
    for _ in range(200):
        change = 0.0
        for i in open_:
            total, sums = 0.0, {}
            for caller, costs in nodes[i].callers.items():
                # a frame's call belongs to its operator; frames own nothing but themselves otherwise
                frame = frame_of(nodes[caller].stack[0])
                of = {frame: 1.0} if frame else known[caller]
                if of is None or caller == i:
                    continue
                total += costs[weigh]
                for owner, share in of.items():
                    sums[owner] = sums.get(owner, 0.0) + share * costs[weigh]
            if total <= 0:
                continue
            new = {owner: s / total for owner, s in sums.items()}
            old = known[i] or {}
            change = max(change, max(abs(new.get(o, 0) - old.get(o, 0)) for o in {*new, *old}))
            known[i] = new
        if change < 1e-9:
            return
