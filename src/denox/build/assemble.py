"""From arrays over links, as users think, to a model, as the sweeps work: every axis is turned onto z, once."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from ..inertia import moved
from ..joints import Joint, Screw
from ..model import Model
from ..pose import numbers, traced
from ..topology import Loop, Topology


def onto_z(axis):
    """(n, 3) unit vectors -> (n, 3, 3) rotations K whose z axes they are; the unit matrix for z itself. As `rotations.about`, on arrays."""
    xp = jnp if traced(axis) else np
    x, y, z = axis[..., 0], axis[..., 1], axis[..., 2]
    side = xp.where(z < 0, -1.0, 1.0)
    s = -1 / (side + z)
    rows = [[1 + side * x * x * s, x * y * s, x], [side * x * y * s, side + y * y * s, y], [-side * x, -y, z]]
    return xp.stack([xp.stack(row, -1) for row in rows], -2)


def unit_axes(axes, xp):
    return axes / xp.sqrt((axes * axes).sum(-1, keepdims=True))


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
    loop_axes=None,
    per_number: dict[str, Any] | None = None,
    dtype=None,
) -> Model:
    """A model of links given parents first: `rotation` (links, 3, 3) and `position` (links, 3) of each in its parent link at zero coordinates,
    `inertia` (links, 10) about its own origin. All numbers may be traced; nothing is checked here."""
    rows = [joint.pairs() for joint in joints]
    pairs = [pair for row in rows for pair in row]
    ends = np.cumsum([len(row) for row in rows]).astype(int)
    first_pair = ends - [len(row) for row in rows]

    # what moves
    link_bodies = [int(end) - 1 if row else -1 for row, end in zip(rows, ends, strict=True)]
    for i, row in enumerate(rows):
        if not row:
            link_bodies[i] = link_bodies[parents[i]] if parents[i] >= 0 else -1
    body_parents = list(range(-1, len(pairs) - 1))
    for i, row in enumerate(rows):
        if row:
            body_parents[first_pair[i]] = link_bodies[parents[i]] if parents[i] >= 0 else -1
    moving = [i for i, row in enumerate(rows) if row]
    topology = Topology(
        links=links,
        link_parents=parents,
        link_bodies=tuple(link_bodies),
        joints=tuple(joint_names[i] for i in moving),
        joint_bodies=tuple(tuple(range(first_pair[i], ends[i])) for i in moving),
        parents=tuple(body_parents),
        kinds=tuple(pair.kind for pair in pairs),
        frames=tuple(name for name, _ in frames),
        frame_links=tuple(link for _, link in frames),
        loops=loops,
    )

    # where it stands: K turns a pair's axis, given in the link, onto z
    xp = jnp if traced(rotation, position, inertia, [(pair.axis, pair.turn, pair.slide) for pair in pairs]) else np
    axes = xp.stack([numbers(pair.axis) for pair in pairs]) if pairs else np.zeros((0, 3))
    K = onto_z(unit_axes(axes, xp))
    mount_R = [K[end - 1].swapaxes(-1, -2) if row else None for row, end in zip(rows, ends, strict=True)]
    mount_p = [np.zeros(3) if row else None for row in rows]
    for i, row in enumerate(rows):  # links on fixed joints stand where their parents do, and further
        if not row:
            R, p = (mount_R[parents[i]], mount_p[parents[i]]) if parents[i] >= 0 else (np.eye(3), np.zeros(3))
            mount_R[i], mount_p[i] = R @ rotation[i], p + R @ position[i]
    mount_R = xp.stack([*mount_R, np.eye(3)])  # the last is the ground, parent -1
    mount_p = xp.stack([*mount_p, np.zeros(3)])
    above = np.array(parents, int)
    R = mount_R[above] @ rotation
    p = mount_p[above] + (mount_R[above] @ position[..., None])[..., 0]
    owner = np.repeat(np.arange(len(links)), [len(row) for row in rows])  # the link of each pair
    leads = np.isin(np.arange(len(pairs)), first_pair[moving])
    before = xp.where(leads[:, None, None], R[owner], K[np.arange(len(pairs)) - 1].swapaxes(-1, -2)) if pairs else np.zeros((0, 3, 3))
    offset = xp.where(leads[:, None], p[owner], 0.0) if pairs else np.zeros((0, 3))
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
        loop_axis=cast(loop_axes),
        **{name: cast(value) for name, value in (per_number or {}).items()},
    )
