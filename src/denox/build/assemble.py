"""From arrays over links, as users think, to a model, as the sweeps work: every axis is turned onto z, once."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from ..inertia import moved
from ..joints import Joint, Screw
from ..model import Model
from ..pose import numbers, onto_z, space
from ..topology import Coupling, Loop, Topology


def tree_of(links, parents, joints, joint_names, frames, loops, couplings) -> Topology:
    """What hangs on what: a body for each pair; links on fixed joints are part of their parents' bodies."""
    rows = [joint.pairs() for joint in joints]
    ends = np.cumsum([len(row) for row in rows]).astype(int)
    bodies: list[int] = []
    for row, end, parent in zip(rows, ends, parents, strict=True):
        bodies.append(int(end) - 1 if row else bodies[parent] if parent >= 0 else -1)
    moving = [i for i, row in enumerate(rows) if row]
    spans = {i: tuple(range(int(ends[i]) - len(rows[i]), int(ends[i]))) for i in moving}
    body_parents = list(range(-1, sum(map(len, rows)) - 1))
    for i in moving:
        body_parents[spans[i][0]] = bodies[parents[i]] if parents[i] >= 0 else -1
    return Topology(
        links=links,
        link_parents=parents,
        link_bodies=tuple(bodies),
        joints=tuple(joint_names[i] for i in moving),
        joint_bodies=tuple(spans.values()),
        parents=tuple(body_parents),
        kinds=tuple(pair.kind for row in rows for pair in row),
        joint_types=tuple(getattr(joints[i], "label", type(joints[i]).__name__) for i in moving),
        frames=tuple(name for name, _ in frames),
        frame_links=tuple(link for _, link in frames),
        loops=loops,
        couplings=couplings,
    )


def mounts(parents, rows, K, rotation, position, xp):
    """Where each link's frame stands in its body, (links + 1, 3, 3) and (links + 1, 3); the last is the ground's own, for parent -1."""
    last = np.cumsum([len(row) for row in rows]).astype(int) - 1
    turned = xp.concatenate([K.swapaxes(-1, -2), np.eye(3)[None]])
    R = turned[np.array([*(end if row else len(K) for row, end in zip(rows, last, strict=True)), len(K)])]
    p = np.zeros((len(rows) + 1, 3))
    for i, row in enumerate(rows):
        if not row:  # a link on a fixed joint stands where its parent does, and further
            above = parents[i]
            here = R[above] @ rotation[i], p[above] + R[above] @ position[i]
            R, p = (x.at[i].set(y) if xp is jnp else put(x, i, y) for x, y in zip((R, xp.asarray(p)), here, strict=True))
    return R, p


def put(x, i, y):
    x = x.copy()
    x[i] = y
    return x


def assemble(
    *,
    links: tuple[str, ...],
    parents: tuple[int, ...],
    joints: tuple[Joint, ...],
    joint_names: tuple[str, ...],
    rotation,
    position,
    inertia,
    gravity,
    frames: tuple[tuple[str, int], ...] = (),
    frame_places=None,
    loops: tuple[Loop, ...] = (),
    loop_places=None,
    loop_screws=None,
    couplings: tuple[Coupling, ...] = (),
    per_number: dict[str, Any] | None = None,
    dtype=None,
) -> Model:
    """A model of links given parents first: `rotation` (links, 3, 3) and `position` (links, 3) of each in its parent link at zero coordinates,
    `inertia` (links, 10) about its own origin. All numbers may be traced; nothing is checked here."""
    rows = [joint.pairs() for joint in joints]
    pairs = [pair for row in rows for pair in row]
    topology = tree_of(links, parents, joints, joint_names, frames, loops, couplings)
    xp = space(rotation, position, inertia, [(pair.axis, pair.turn, pair.slide) for pair in pairs])
    axes = xp.stack([numbers(pair.axis) for pair in pairs]) if pairs else np.zeros((0, 3))
    K = onto_z(axes)  # turns each pair's axis, given in its link, onto z
    mount_R, mount_p = mounts(parents, rows, K, rotation, position, xp)
    above = np.array(parents, int)
    R = mount_R[above] @ rotation
    p = mount_p[above] + (mount_R[above] @ position[..., None])[..., 0]
    owner = np.repeat(np.arange(len(links)), [len(row) for row in rows])  # the link of each pair
    leads = np.diff(owner, prepend=-1) != 0  # a joint's first pair stands in the parent's body, the others in the one before
    before = xp.where(leads[:, None, None], R[owner], K[np.arange(len(pairs)) - 1].swapaxes(-1, -2))
    offset = xp.where(leads[:, None], p[owner], 0.0)
    side_by_side = lambda rotation, position: xp.concatenate([rotation, position[..., None]], -1)
    screws = [xp.stack([numbers(pair.turn), numbers(pair.slide)]) for pair in pairs if pair.kind is Screw]

    dtype = jnp.result_type(float) if dtype is None else dtype

    def cast(x) -> Any:
        return None if x is None else jnp.asarray(x, dtype)

    return Model(
        topology=topology,
        placement=cast(side_by_side(before @ K, offset)),
        screw=cast(xp.stack(screws) if screws else np.zeros((0, 2))),
        inertia=cast(moved(inertia, mount_R[:-1], mount_p[:-1])),
        mount=cast(side_by_side(mount_R[:-1], mount_p[:-1])),
        gravity=cast(numbers(gravity)),
        frame=cast(frame_places),
        loop=cast(loop_places),
        loop_screw=cast(loop_screws),
        **{name: cast(value) for name, value in (per_number or {}).items()},
    )
