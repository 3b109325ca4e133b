"""What makes no sense is refused, by name, value and cure; in plain numpy, since nothing is compiled to build a model."""

import warnings

import jax
import numpy as np

from .couplings import spread_coordinates
from .inertia import COLUMNS, ROWS, Inertia, moved
from .joints import Ball, Loose, Screw
from .model import PER_SPEED, Model, check_shapes
from .pose import Pose, traced
from .topology import Topology


def finite(owner: str, *values) -> None:
    """Refuses NaN and infinity."""
    for value in values:
        if not traced(value) and not np.isfinite(value).all():
            raise ValueError(f"{owner} is {np.asarray(value).tolist()}. Give finite numbers.")


def check_inertia(owner: str, inertia: Inertia) -> None:
    """Refuses what no body can have: NaN, negative mass, mass moments of negative square. Warns where the tensor of inertia violates the triangle
    inequality Ixx <= Iyy + Izz of its principal moments, as many published robots do; on its boundary it is legal."""
    m, c, I = inertia.mass, inertia.com, inertia.about_com
    if m.shape != () or c.shape != (3,) or I.shape != (3, 3):
        raise ValueError(f"{owner}: inertia has mass {m.shape}, com {c.shape}, about_com {I.shape}. They are (), (3,) and (3, 3).")
    if traced(m, c, I):
        return
    finite(f"{owner}: `Inertia`", m, c, I)
    if m < 0:
        raise ValueError(f"{owner}: `Inertia(mass={float(m)})` is negative. A massless link has mass 0.")
    if np.abs(I - I.T).max() > 1e-9 * (np.abs(I).max() + 1e-300):
        raise ValueError(f"{owner}: inertia tensor {I.tolist()} is not symmetric. Off-diagonal entries are minus the products of inertia, twice.")
    low, middle, high = np.linalg.eigvalsh(I)
    slack = 1e-9 * high
    if low < -slack:
        raise ValueError(f"{owner}: inertia tensor {I.tolist()} has the negative principal moment {low:.6g}. Mass moments are sums of squares.")
    if high > low + middle + slack:
        warnings.warn(
            f"{owner}: principal moments of inertia {low:.6g}, {middle:.6g}, {high:.6g} violate the triangle inequality: no body has them. "
            "The dynamics go on; check units, and that the tensor is about the center of mass.",
            stacklevel=4,
        )


def check(model: Model) -> Model:
    """The model, if it makes sense: finite numbers, masses that bodies can have, unit Euler parameters, a pivot for every speed.

    Raises `ValueError` with the name of the link or joint, the value and the cure. Traced numbers are not checked.
    """
    check_shapes(model)
    if traced(model):
        return model
    topology = model.topology
    for path, x in jax.tree_util.tree_flatten_with_path(model)[0]:
        name, bounds = jax.tree_util.keystr(path).lstrip("."), ("limits", "effort")
        x = np.asarray(x)
        if np.isnan(x).any() or (name not in bounds and not np.isfinite(x).all()):
            wrong = np.isnan(x) if name in bounds else ~np.isfinite(x)
            row = int(np.argwhere(wrong.reshape(len(x), -1).any(1))[0, 0])
            where = f" of link `{topology.links[row]}`" if name in ("inertia", "mount") else f", row {row}"
            raise ValueError(f"`model.{name}`{where} holds {x[row].tolist()}. Every number of a model is finite.")
    R, p = np.asarray(model.mount[..., :3], float).swapaxes(-1, -2), np.asarray(model.mount[..., 3:], float)
    own = moved(np.asarray(model.inertia, float), R, -(R @ p)[..., 0])
    for link, phi in zip(topology.links, own, strict=True):
        if phi[0] < 0:
            raise ValueError(f"Link `{link}` has mass {phi[0]:.6g}. A massless link has mass 0.")
    for body, R in enumerate(np.asarray(model.placement[..., :3], float)):
        if no_rotation(R):
            joint = joint_of(topology, body)
            raise ValueError(f"The placement of joint `{joint}` is no rotation: {np.round(R, 6).tolist()}. An optimizer steps charts: `dx.free`.")
    for link, R in zip(topology.links, np.asarray(model.mount[..., :3], float), strict=True):
        if no_rotation(R):
            raise ValueError(f"The mount of link `{link}` is no rotation: {np.round(R, 6).tolist()}. An optimizer steps charts: `dx.free`.")
    if model.base is not None and no_rotation(R := np.asarray(model.base[:, :3], float)):
        raise ValueError(f"The base is no rotation: {np.round(R, 6).tolist()}. `dx.on_base` takes a `dx.Pose`.")
    for key in PER_SPEED:
        value = getattr(model, key)
        if value is not None and (np.asarray(value) < 0).any():
            raise ValueError(f"`model.{key}` is {np.asarray(value).tolist()}. It cannot be negative.")
    tree = model.uncoupled()
    if model.rest is not None:
        check_state(tree, model.rest)
    joint = idle_joint(tree)
    if joint is not None:
        raise ValueError(
            f"Joint `{joint}` moves nothing that has mass by one of its speeds, whose acceleration is undefined: its pivot vanishes. "
            "Give a link beyond it a mass or an inertia about its axis, give the joint an `armature`, or make it `dx.Fixed()`."
        )
    return model


def no_rotation(R) -> bool:
    return bool(np.abs(R @ R.T - np.eye(3)).max() > 1e-4 or np.linalg.det(R) < 0)


def joint_of(topology: Topology, body: int) -> str:
    """The joint that moves a body."""
    return next(name for name, bodies in zip(topology.joints, topology.joint_bodies, strict=True) if body in bodies)


def check_state(model: Model, q, v=None) -> None:
    """Refuses a state that is not one: another shape, NaN, Euler parameters far from unit length, and a configuration in which a speed moves no mass.

    For drivers, and for whoever looks for the cause of a NaN; the numeric functions do not look. Traced numbers are not checked.
    """
    if traced(model, q, v):
        return
    model, t, q, whole = model.uncoupled(), model.topology, np.asarray(q, float), model
    for name, x, size in (("q", q, whole.nq), ("v", v, whole.nv)):
        if x is not None:
            if np.shape(x) != (size,):
                raise ValueError(f"State `{name}` has shape {np.shape(x)}, but this model needs ({size},).")
            finite(f"State `{name}`", x)
    q = np.asarray(spread_coordinates(whole, q), float) if t.couplings else q
    for body, kind in enumerate(t.kinds):
        if kind in (Ball, Loose):
            e = q[t.coordinates[body] :][:4]
            if abs(np.linalg.norm(e) - 1) > 1e-3:
                joint = joint_of(t, body)
                raise ValueError(f"Joint `{joint}`: Euler parameters {e.tolist()} have length {np.linalg.norm(e):.6g}. Give unit length.")
    joint = idle_joint(model, q)
    if joint is not None:
        raise ValueError(
            f"Joint `{joint}` moves no mass by one of its speeds at q = {q.tolist()}: its acceleration is undefined there, and NaN. "
            "Give the links beyond it some inertia about every axis, or the joint an `armature`."
        )


def idle_joint(model: Model, q=None) -> str | None:
    """The name of a joint with a speed whose pivot vanishes at q or, if that is left out, whatever the configuration.

    Only links without mass or without inertia about an axis, screws that do not move, and joints of several pairs can cause it; other models are
    passed at once. For these the inertia matrix, at q or at a configuration taken at random, is eliminated from the tips.
    """
    topology = model.topology
    bodies = np.zeros((len(topology.parents), 6, 6))
    for body, phi in zip(topology.link_bodies, np.asarray(model.inertia, float), strict=True):
        if body >= 0:
            bodies[body] += mass_matrix(phi)
    proper = lambda M: (lambda e: e[0] > 1e-12 * e[-1])(np.linalg.eigvalsh(M))
    single = all(len(row) == 1 for row in topology.joint_bodies) and np.asarray(model.screw).any(-1).all()
    if single and all(proper(bodies[row[-1]]) for row in topology.joint_bodies):
        return None
    M = inertia_matrix_at(model, bodies, q)
    diagonal = M.diagonal().copy()
    for i in reversed(range(model.nv)):
        if M[i, i] <= 1e-12 * diagonal[i]:
            return joint_of(topology, int(np.searchsorted(topology.speeds, i, side="right")) - 1)
        M[:i, :i] -= np.outer(M[:i, i], M[i, :i]) / M[i, i]
    return None


def mass_matrix(phi):
    """[[I, h~], [-h~, m 1]] of ten numbers."""
    m, (x, y, z), I = phi[0], phi[1:4], np.zeros((3, 3))
    I[ROWS, COLUMNS] = I[COLUMNS, ROWS] = phi[4:]
    h = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.block([[I, h], [-h, m * np.eye(3)]])


def inertia_matrix_at(model: Model, bodies, q=None) -> np.ndarray:
    """sum of J^T M J over the bodies, each in its own axes, at q or at a configuration taken at random."""
    topology, rng = model.topology, np.random.default_rng(0)
    placement, screws = np.asarray(model.placement, float), iter(np.asarray(model.screw, float))
    jacobians: list[np.ndarray] = []
    M = np.zeros((model.nv, model.nv)) if model.armature is None else np.diag(np.asarray(model.armature, float))
    for i, (parent, kind) in enumerate(zip(topology.parents, topology.kinds, strict=True)):
        R, p = placement[i, :, :3], placement[i, :, 3]
        columns = np.eye(6)[:, : kind.speeds]
        if kind is Screw:
            turn, slide = next(screws)
            columns = np.array([[0, 0, turn, 0, 0, slide]]).T
            way = rng.uniform(-1, 1) if q is None else q[topology.coordinates[i]]
            angle = turn * way
            spin = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
            p = p + R[:, 2] * slide * way
        else:
            e = rng.standard_normal(4) if q is None else q[topology.coordinates[i] :][:4]
            spin = np.asarray(Pose.from_quaternion(e / np.linalg.norm(e)).rotation)
            p = p if q is None or kind is Ball else p + R @ q[topology.coordinates[i] :][4:7]
        J = np.zeros((6, model.nv))
        if parent >= 0:
            w, u = jacobians[parent][:3], jacobians[parent][3:]
            J = np.vstack([w, u + np.cross(w, p, axis=0)])
            J = np.vstack([(R @ spin).T @ J[:3], (R @ spin).T @ J[3:]])
        J[:, topology.speeds[i] : topology.speeds[i + 1]] += columns
        jacobians.append(J)
        M += J.T @ bodies[i] @ J
    return M
