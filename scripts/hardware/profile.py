"""Profile: what a profiler measured, whichever it was."""
import dataclasses


@dataclasses.dataclass
class Node:
    """A function, as called by the functions of its stack."""
    stack: tuple  # names, the function itself first; callers as far as they are known
    object: str  # the program or library that it is in
    self: dict = dataclasses.field(default_factory=dict)  # source file -> costs, one for each event
    callers: dict = dataclasses.field(default_factory=dict)  # number of the calling node -> costs of its calls, callees included
    complete: bool = True  # False: the stack may have more callers

    def total(self, events):
        return [sum(costs[i] for costs in self.self.values()) for i in range(events)]


@dataclasses.dataclass
class Profile:
    tool: str  # "callgrind" or "perf"
    command: str
    events: list  # names, in the order of the costs
    nodes: list

    def sum(self):
        return [sum(column) for column in zip(*(n.total(len(self.events)) for n in self.nodes))] or [0] * len(self.events)
