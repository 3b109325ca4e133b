"""The static side of a model: names, what hangs on what, and the order in which sweeps visit it. One compiled program per topology."""

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from .joints import Joint, Kind, Screw


@dataclass(frozen=True)
class Plan:
    """How to visit a tree of nodes depth first, with few rows of values to remember.

    `order` of the nodes and, for each in that order: the row of its parent's value, the row of its own, whether it has children, and whether a
    later node has the same parent.
    """

    order: tuple[int, ...]
    source: tuple[int, ...]
    target: tuple[int, ...]
    bears: tuple[bool, ...]
    shares: tuple[bool, ...]
    rows: int


def plan(parents: tuple[int, ...]) -> Plan:
    """The plan for a tree given by parents, each before its children, -1 for the ground.

    A node with one child leaves its value in row 0, where the child, which comes next, finds it. Where the tree branches, the value stays in a
    row of its own until its last child has used it. The child that needs most rows goes last, so that no tree needs more than log2 of its size
    (the Strahler number).
    """
    children: dict[int, list[int]] = {i: [] for i in range(-1, len(parents))}
    for i, p in enumerate(parents):
        children[p].append(i)
    needs: dict[int, int] = {}
    for i in reversed(range(-1, len(parents))):
        children[i].sort(key=lambda c: needs[c])
        *others, last = [needs[c] for c in children[i]] or [0]
        needs[i] = max(last, 1 + others[-1] if others else 0)
    order: list[int] = []
    row: dict[int, int] = {}
    free = set(range(1, needs[-1] + 1))
    stack = [(-1, -1, False)]
    while stack:
        i, parent, final = stack.pop()
        if final and row[parent]:
            free.add(row[parent])
        row[i] = min(free) if len(children[i]) > 1 else 0
        free.discard(row[i])
        order += [i] if i >= 0 else []
        stack += [(c, i, c == children[i][-1]) for c in reversed(children[i])]
    per_node = [(row[parents[i]], row[i], bool(children[i]), i != children[parents[i]][-1]) for i in order]
    source, target, bears, shares = zip(*per_node, strict=True) if per_node else ((), (), (), ())
    return Plan(tuple(order), source, target, bears, shares, needs[-1] + 1)


@dataclass(frozen=True)
class Loop:
    """A joint that closes a loop between two links, -1 for the ground."""

    name: str
    joint: type[Joint]
    link_a: int
    link_b: int
    pairs: tuple[type[Kind], ...]


@dataclass(frozen=True)
class Coupling:
    """A joint whose one coordinate is a linear function of other joints' coordinates; joints by number, sources before those that follow them."""

    joint: int
    sources: tuple[int, ...]


@dataclass(frozen=True)
class Topology:
    """Links, bodies and nodes.

    - A link is a name and a row of parameters. Links on fixed joints are part of their parent's body.
    - A body is what moves by one pair. A joint made of several pairs makes massless bodies on the way to its link.
    - A node is one speed of a body: a pair with k speeds is k nodes in a row, of which the first has the offset from the parent and the last
      the inertia. So columns are eliminated one by one, by scalar pivots, and one uniform loop serves every mixture of joints.

    Indices count in the order of building; -1 is the ground.
    """

    links: tuple[str, ...]
    link_parents: tuple[int, ...]  # links
    link_bodies: tuple[int, ...]  # of each link, the body it is part of
    joints: tuple[str, ...]  # of the links that move against their parents
    joint_bodies: tuple[tuple[int, ...], ...]  # of each joint, the bodies its pairs move; the last is its link's
    parents: tuple[int, ...]  # bodies
    kinds: tuple[type[Kind], ...]
    joint_types: tuple[str, ...] = ()  # what users call them
    frames: tuple[str, ...] = ()
    frame_links: tuple[int, ...] = ()
    loops: tuple[Loop, ...] = ()
    couplings: tuple[Coupling, ...] = ()

    @cached_property
    def _hash(self) -> int:
        return hash((self.links, self.link_bodies, self.joints, self.parents, self.kinds, self.frames, self.loops, self.couplings))

    def __hash__(self) -> int:  # asked for at every call of a compiled function
        return self._hash

    def __getstate__(self) -> dict:  # hashes of words differ from process to process, and what is cached is made again
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @cached_property
    def coordinates(self) -> np.ndarray:
        """Where each body's coordinates begin, and the end of all."""
        return np.cumsum([0, *(kind.coordinates for kind in self.kinds)])

    @cached_property
    def speeds(self) -> np.ndarray:
        """Where each body's speeds, and so its nodes, begin, and the end of all."""
        return np.cumsum([0, *(kind.speeds for kind in self.kinds)])

    def kept(self, starts: np.ndarray) -> np.ndarray:
        """Which of the tree's coordinates (`starts` is `coordinates`) or speeds (`speeds`) remain where joints are coupled to others."""
        gone = [starts[self.joint_bodies[coupling.joint][0]] for coupling in self.couplings]
        return np.setdiff1d(np.arange(starts[-1]), gone).astype(int)

    @property
    def nq(self) -> int:
        """Of the tree, coupled ones among them; so `nv`."""
        return int(self.coordinates[-1])

    @property
    def nv(self) -> int:
        return int(self.speeds[-1])

    @cached_property
    def node_parents(self) -> tuple[int, ...]:
        parents = np.arange(-1, self.nv - 1)
        for body, parent in enumerate(self.parents):
            parents[self.speeds[body]] = self.speeds[parent + 1] - 1 if parent >= 0 else -1
        return tuple(int(p) for p in parents)

    @cached_property
    def plan(self) -> Plan:
        return plan(self.node_parents)

    @cached_property
    def rank(self) -> np.ndarray:
        """The place of each node in visiting order."""
        return np.argsort(self.plan.order).astype(int)

    @cached_property
    def carriers(self) -> np.ndarray:
        """Of each body, the place in visiting order of the node that carries its inertia, its last."""
        return self.rank[self.speeds[1:] - 1]

    @cached_property
    def body_links(self) -> np.ndarray:
        """(most, bodies): the links of each body, one in each row, and the number of links where it has no more."""
        links: list[list[int]] = [[] for _ in self.parents]
        for i, body in enumerate(self.link_bodies):
            if body >= 0:
                links[body].append(i)
        most = max([1, *map(len, links)])
        return np.array([[*row, *[len(self.links)] * (most - len(row))] for row in links], int).reshape(-1, most).T

    @cached_property
    def floats(self) -> bool:
        """Whether all bodies hang on the first, which states its pose, by screws. Then the sweeps begin at that pose, and every placement they
        meet is a constant; the wrench between it and the ground needs no point of the ground."""
        return self.parents.count(-1) == 1 and self.kinds[0] is not Screw and all(kind is Screw for kind in self.kinds[1:])

    @cached_property
    def groups(self) -> dict[type[Kind], tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """For each kind of pair: which bodies have it (bodies,), and where their coordinates (bodies, k) and speeds (bodies, k) stand."""
        groups = {}
        for kind in dict.fromkeys(self.kinds or (Screw,)):
            bodies = np.array([i for i, other in enumerate(self.kinds) if other is kind], int)
            at_q = self.coordinates[bodies, None] + np.arange(kind.coordinates)
            at_v = self.speeds[bodies, None] + np.arange(kind.speeds)
            groups[kind] = bodies, at_q, at_v
        return groups

    @cached_property
    def support(self) -> np.ndarray:
        """(nv, nv): whether node j stands between the ground and node i, i itself included."""
        rows = np.zeros((self.nv, self.nv), bool)
        for i, p in enumerate(self.node_parents):
            rows[i] = rows[p] if p >= 0 else False
            rows[i, i] = True
        return rows

    def names(self, kind: str) -> tuple[str, ...]:
        return {"link": self.links, "joint": self.joints, "frame": self.frames}[kind]

    def find(self, kind: str, name: str) -> int:
        """The number of the link, joint or frame of this name."""
        names = self.names(kind)
        if name not in names:
            raise ValueError(f"No {kind} is called `{name}`. The {kind}s are: {', '.join(names) or 'none'}.")
        return names.index(name)


def take(x, index: np.ndarray | tuple[int, ...] | list[int]):
    """x[index], and x itself where that is the same."""
    index = np.asarray(index, int)
    if index.ndim == 1 and len(index) == len(x) and (index == np.arange(len(x))).all():
        return x
    return x[index]
