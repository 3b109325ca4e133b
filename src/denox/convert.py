"""States between denox, Pinocchio and MuJoCo, both ways, joints matched by name.

What differs, with w, u the angular velocity of a free body and the velocity of its origin, both in its own axes, and R its attitude:

| | coordinates | speeds |
|---|---|---|
| denox, free | Euler parameters (scalar first), position | w, u |
| Pinocchio, free | position, Euler parameters (scalar last) | u, w |
| MuJoCo, free | position, Euler parameters (scalar first) | R u, w |
| denox, planar | two distances in the parent's axes, angle | their rates |
| Pinocchio, planar | two distances, cosine, sine | velocity in the link's axes, angle's rate |
| Pinocchio, continuous | cosine, sine | angle's rate |

Accelerations are the time derivatives of the speeds, forces what the speeds' powers say. Plain numpy; leading axes, as over times, are welcome.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .couplings import refuse_couplings
from .joints import Ball, Loose, Screw
from .model import Model
from .types import Numbers


@dataclass
class Match:
    """Where a piece of a state stands here and there, and how it is written there."""

    form: str
    q: slice
    v: slice
    their_q: slice
    their_v: slice


def to_pinocchio(model: Model, theirs: Any, q: Numbers, v: Numbers | None = None, a: Numbers | None = None, tau: Numbers | None = None) -> tuple:
    """(q, v, a, tau) as a `pinocchio.Model` orders them; None for what is left out. (..., nq) and (..., nv), numpy."""
    return there(pinocchio_matches(model, theirs), theirs.nq, theirs.nv, q, v, a, tau)


def from_pinocchio(model: Model, theirs: Any, q: Numbers, v: Numbers | None = None, a: Numbers | None = None, tau: Numbers | None = None) -> tuple:
    """(q, v, a, tau) as denox orders them, of a `pinocchio.Model`'s."""
    return here(model, pinocchio_matches(model, theirs), q, v, a, tau)


def to_mujoco(model: Model, theirs: Any, q: Numbers, v: Numbers | None = None, a: Numbers | None = None, tau: Numbers | None = None) -> tuple:
    """(qpos, qvel, qacc, qfrc) as a `mujoco.MjModel` orders them; None for what is left out. (..., nq) and (..., nv), numpy."""
    return there(mujoco_matches(model, theirs), theirs.nq, theirs.nv, q, v, a, tau)


def from_mujoco(model: Model, theirs: Any, q: Numbers, v: Numbers | None = None, a: Numbers | None = None, tau: Numbers | None = None) -> tuple:
    """(q, v, a, tau) as denox orders them, of a `mujoco.MjModel`'s qpos, qvel, qacc and generalized forces."""
    return here(model, mujoco_matches(model, theirs), q, v, a, tau)


# Which piece is which


def pinocchio_matches(model: Model, theirs: Any) -> list[Match]:
    refuse_couplings(model, "convert", "Convert states of the tree, `model.uncoupled()`.")
    found = []
    for joint, bodies in zip(model.joints, model.topology.joint_bodies, strict=True):
        if not theirs.existJointName(joint):
            raise ValueError(f"Pinocchio's model has no joint `{joint}`. It has: {', '.join(theirs.names)}. `dx.rename` makes names agree.")
        number = theirs.getJointId(joint)
        one = theirs.joints[number]
        q, v = model.q_index(joint), model.v_index(joint)
        their_q, their_v = slice(one.idx_q, one.idx_q + one.nq), slice(one.idx_v, one.idx_v + one.nv)
        kinds = [model.topology.kinds[body] for body in bodies]
        if v.stop - v.start != one.nv:
            raise ValueError(f"Joint `{joint}` has {v.stop - v.start} speeds here and {one.nv} in Pinocchio. Are the models alike?")
        form = {(Ball,): "scalar last", (Loose,): "free, scalar last"}.get(tuple(kinds), "same")
        if len(kinds) == 3 and one.nq == 4 and set(kinds) == {Screw}:
            form = "planar"
        if kinds == [Screw] and one.nq == 2:
            form = "turned"
        found.append(Match(form, q, v, their_q, their_v))
    return found


def mujoco_matches(model: Model, theirs: Any) -> list[Match]:
    refuse_couplings(model, "convert", "Convert states of the tree, `model.uncoupled()`.")
    found = []
    for number in range(theirs.njnt):
        joint = theirs.joint(number).name or f"joint{number}"
        if joint not in model.joints:
            raise ValueError(f"The model has no joint `{joint}`. It has: {', '.join(model.joints)}. `dx.rename` makes names agree.")
        q, v = model.q_index(joint), model.v_index(joint)
        iq, iv = int(theirs.jnt_qposadr[number]), int(theirs.jnt_dofadr[number])
        form = "free, world" if theirs.jnt_type[number] == 0 else "same"
        found.append(Match(form, q, v, slice(iq, iq + q.stop - q.start), slice(iv, iv + v.stop - v.start)))
    return found


# How each is written


def there(matches: list[Match], nq: int, nv: int, q, v, a, tau) -> tuple:
    out: list[Any]
    q, v, a, tau = checked(q, v, a, tau)
    out = [np.zeros((*x.shape[:-1], size)) if x is not None else None for x, size in ((q, nq), (v, nv), (a, nv), (tau, nv))]
    for m in matches:
        own = q[..., m.q]
        out[0][..., m.their_q] = coordinates_there(m.form, own)
        G, rate = speeds_there(m.form, own, None if v is None else v[..., m.v])
        if v is not None:
            out[1][..., m.their_v] = times(G, v[..., m.v])
        if a is not None:
            out[2][..., m.their_v] = times(G, a[..., m.v]) + rate
        if tau is not None:  # v_there = G v, so tau = G^T tau_there
            out[3][..., m.their_v] = np.linalg.solve(np.swapaxes(G, -1, -2), tau[..., m.v, None])[..., 0]
    return tuple(out)


def here(model: Model, matches: list[Match], q, v, a, tau) -> tuple:
    out: list[Any]
    q, v, a, tau = checked(q, v, a, tau)
    sizes = ((q, model.nq), (v, model.nv), (a, model.nv), (tau, model.nv))
    out = [np.zeros((*x.shape[:-1], size)) if x is not None else None for x, size in sizes]
    for m in matches:
        own = out[0][..., m.q] = coordinates_here(m.form, q[..., m.their_q])
        G, _ = speeds_there(m.form, own, None)
        if v is not None:
            out[1][..., m.v] = np.linalg.solve(G, v[..., m.their_v, None])[..., 0]
        if a is not None:
            _, rate = speeds_there(m.form, own, out[1][..., m.v])
            out[2][..., m.v] = np.linalg.solve(G, (a[..., m.their_v] - rate)[..., None])[..., 0]
        if tau is not None:
            out[3][..., m.v] = times(np.swapaxes(G, -1, -2), tau[..., m.their_v])
    return tuple(out)


def checked(q, v, a, tau) -> Any:
    if a is not None and v is None:
        raise ValueError("Accelerations of moving axes need the speeds too: give `v` with `a`.")
    return tuple(None if x is None else np.asarray(x, float) for x in (q, v, a, tau))


def times(A, x):
    return (A @ x[..., None])[..., 0]


def coordinates_there(form: str, q):
    if form == "scalar last":
        return q[..., [1, 2, 3, 0]]
    if form == "free, scalar last":
        return q[..., [4, 5, 6, 1, 2, 3, 0]]
    if form == "free, world":
        return q[..., [4, 5, 6, 0, 1, 2, 3]]
    if form == "turned":
        return np.concatenate([np.cos(q), np.sin(q)], -1)
    if form == "planar":
        return np.concatenate([q[..., :2], np.cos(q[..., 2:]), np.sin(q[..., 2:])], -1)
    return q


def coordinates_here(form: str, q):
    if form == "scalar last":
        return q[..., [3, 0, 1, 2]]
    if form == "free, scalar last":
        return q[..., [6, 3, 4, 5, 0, 1, 2]]
    if form == "free, world":
        return q[..., [3, 4, 5, 6, 0, 1, 2]]
    if form == "turned":
        return np.arctan2(q[..., 1:], q[..., :1])
    if form == "planar":
        return np.concatenate([q[..., :2], np.arctan2(q[..., 3:], q[..., 2:3])], -1)
    return q


def speeds_there(form: str, q: Any, v: Any) -> tuple[Any, Any]:
    """G of `v_there = G v`, (..., n, n), and `dG/dt v`, (..., n), zero if `v` is None; q is denox's."""
    n: Any = {"scalar last": 3, "free, scalar last": 6, "free, world": 6, "turned": 1}.get(form, q.shape[-1])
    n = v.shape[-1] if v is not None else 3 if form == "same" and q.shape[-1] == 4 else n
    G, rate = np.broadcast_to(np.eye(n), (*q.shape[:-1], n, n)).copy(), np.zeros((*q.shape[:-1], n))
    if form == "free, scalar last":
        G = G[..., [3, 4, 5, 0, 1, 2], :]
    if form == "free, world":
        R = attitude(q[..., :4])
        G[..., :3, :3], G[..., 3:, 3:] = 0.0, 0.0
        G[..., :3, 3:], G[..., 3:, :3] = R, np.eye(3)
        if v is not None:
            rate[..., :3] = times(R, np.cross(v[..., :3], v[..., 3:]))
    if form == "planar":
        c, s = np.cos(q[..., 2]), np.sin(q[..., 2])
        G[..., 0, 0], G[..., 0, 1], G[..., 1, 0], G[..., 1, 1] = c, s, -s, c
        if v is not None:
            x, y = (G[..., k, 0] * v[..., 0] + G[..., k, 1] * v[..., 1] for k in (0, 1))
            rate[..., 0], rate[..., 1] = v[..., 2] * y, -v[..., 2] * x
    return G, rate


def attitude(e):
    """Rotation matrices (..., 3, 3) of Euler parameters (..., 4)."""
    e = e / np.linalg.norm(e, axis=-1, keepdims=True)
    w, u = e[..., 0, None, None], e[..., 1:]
    o = np.zeros_like(u[..., 0])
    skew = np.stack([np.stack(row, -1) for row in ([o, -u[..., 2], u[..., 1]], [u[..., 2], o, -u[..., 0]], [-u[..., 1], u[..., 0], o])], -2)
    return np.eye(3) + 2 * (w * skew + skew @ skew)
