"""Poses, twists and twist rates of links, frames and points; Jacobians."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from .algebra import Force, Frame, Motion, Vec, array, force, identity, mat, motion, place, pytree, stage, vec, zero
from .couplings import per_speed
from .model import Model, admit
from .nodes import Node, base_frame, nodes, of_links
from .pose import Pose
from .public import public
from .rotations import sincos
from .sweeps import outward
from .topology import Topology, take
from .types import Coordinates, Numbers, Point, Position, Rotation, Speeds, Wrenches


@pytree
class Moving:
    """Pose, twist and twist rate (the plain time derivative of the twist) of a body's node, in inertial axes."""

    pose: Frame
    twist: Motion
    rate: Motion


def base(model: Model, q) -> Moving:
    """The ground of the mechanism: at rest in the inertial frame, unless it is said to stand or move otherwise."""
    o, still = jnp.zeros((), q.dtype), zero(Motion, q)
    pose = identity(o) if model.base is None else place(model.base)
    twist, rate = (still, still) if model.base_motion is None else (motion(model.base_motion[0]), motion(model.base_motion[1]))
    return Moving(pose, twist, rate)


def at_rest(model: Model) -> Model:
    """The model with its base where it is, but standing still."""
    return model if model.base_motion is None else dataclasses.replace(model, base_motion=None)


def ground(model: Model, q, gravity: bool) -> Moving:
    """Where the sweeps begin: the base, and accelerated upward if gravity is to be felt.      Eq. [000, 17]"""
    start = base(model, q)
    if model.topology.floats:
        start = carried(start, base_frame(model, q))
    if not gravity:
        return start
    return Moving(start.pose, start.twist, Motion(start.rate.angular, start.rate.linear - vec(model.gravity)))


def move(parent: Moving, node: Node) -> tuple[Moving, Vec]:
    """A node from its parent, and the offset a between their origins. With u the twist of the screw and w the parent's angular velocity,

        t = A t_p + u,      dt/dt = A dt_p/dt + [w x u_w; w x (w x a) + 2 w x u_v] + p (dv/dt + bias).

    Eq. [000, 11a]
    Eq. [000, 11b]
    Eq. [000, 11c]
    Differs from the paper in: a joint may slide, hence the factor 2, and `A` stands before the parent's twist in the recursion of twists too.
    """
    sin, cos = stage(sincos(node.turn * node.q))
    R = stage((parent.pose.rotation @ node.placement.rotation).spun(cos, sin))
    a = stage(parent.pose.rotation @ node.placement.position + R.z * (node.slide * node.q))
    p = Motion(R.z * node.turn, R.z * node.slide)
    u, w = p * node.v, parent.twist.angular
    rate = parent.rate.shifted(a) + Motion(w.cross(u.angular), w.cross(w.cross(a) + u.linear * 2)) + p * node.a
    return Moving(Frame(R, parent.pose.position + a), parent.twist.shifted(a) + u, rate), a


def carried(body: Moving, mount: Frame) -> Moving:
    """A frame that is part of a body, at r from its origin: twist A t, acceleration dv/dt + dw/dt x r + w x (w x r).

    Eq. [000, 2a]
    Eq. [000, 2b]
    """
    R, w, alpha = body.pose.rotation, body.twist.angular, body.rate.angular
    r = R @ mount.position
    pose = Frame(R @ mount.rotation, body.pose.position + r)
    rate = Motion(alpha, body.rate.linear + alpha.cross(r) + w.cross(w.cross(r)))
    return Moving(pose, body.twist.shifted(r), rate)


def motions(model: Model, q, v=None, a=None) -> Moving:
    """Of every link's frame, over links. Gravity is not in the rates."""
    start = ground(model, q, gravity=False)

    def step(parent, node):
        here, _ = move(parent, node)
        return here, here

    bodies = of_links(model, outward(model.topology.plan, step, start, nodes(model, q, v, a)), base(model, q))
    return carried(bodies, place(model.mount))


class Kinematics(eqx.Module):
    """Links in inertial axes: `pose` (rotations (links, 3, 3), positions (links, 3)), `twist` and `twist_rate` (links, 6), angular part first, of
    each link's origin. What was not asked for is None. `at` looks at one link, frame or point."""

    pose: Pose
    twist: Float[Array, "*links 6"] | None
    twist_rate: Float[Array, "*links 6"] | None
    frame: Float[Array, "*batch frames 3 4"] | None
    topology: Topology = eqx.field(static=True)

    @property
    def rotation(self) -> Rotation:
        return self.pose.rotation

    @property
    def position(self) -> Position:
        return self.pose.position

    def at(self, name: str, point: Numbers | None = None) -> "Kinematics":
        """Pose (3, 3), (3,), twist (6,) and twist rate (6,) of a link or frame, or of a point given in its axes from its origin; over leading
        axes, as those of a batch, alike."""
        link, mount = located(self.topology, self.frame, name, point, self.position.dtype)
        R, p = self.rotation[..., link, :, :], self.position[..., link, :]
        o = jnp.zeros((*p.shape[:-1], 6), p.dtype)
        t, rate = (o if x is None else x[..., link, :] for x in (self.twist, self.twist_rate))
        there = carried(Moving(Frame(mat(R), vec(p)), motion(t), motion(rate)), mount)
        pose = Pose(array(there.pose.rotation), array(there.pose.position))
        twist = None if self.twist is None else array(there.twist)
        rate = None if self.twist_rate is None else array(there.rate)
        return Kinematics(pose, twist, rate, None, self.topology)


def located(topology: Topology, frame, name: str, point, dtype) -> tuple[int, Frame]:
    """The link that carries a link's, frame's or point's place, and that place in it."""
    p = jnp.zeros(3, dtype) if point is None else jnp.asarray(point, dtype)
    if p.shape != (3,):
        raise ValueError(f"`point` has shape {p.shape}: give (3,), in the axes of `{name}` from its origin.")
    here = Frame(mat(jnp.eye(3, dtype=dtype)), vec(p))
    if name in topology.links:
        return topology.find("link", name), here
    if name in topology.frames:
        k = topology.find("frame", name)
        return topology.frame_links[k], place(frame[..., k, :, :]) @ here
    raise ValueError(f"No link or frame is called `{name}`. Links: {', '.join(topology.links)}. Frames: {', '.join(topology.frames) or 'none'}.")


@public
def kinematics(model: Model, q: Coordinates, v: Speeds | None = None, a: Speeds | None = None) -> Kinematics:
    """Every link's pose, its twist if `v` is given, and its twist rate if `a` is given too, in one outward sweep."""
    model, q, v, a = admit(model, q=q, v=v, a=a)
    if a is not None and v is None:
        raise ValueError("Twist rates need the speeds too: `dx.kinematics(model, q, v, a)`.")
    links = motions(model, q, v, a)
    pose = Pose(array(links.pose.rotation), array(links.pose.position))
    twist = None if v is None else array(links.twist)
    return Kinematics(pose, twist, None if a is None else array(links.rate), model.frame, model.topology)


@public(static=("link",))
def jacobian(model: Model, q: Coordinates, link: str, point: Point | None = None) -> Float[Array, "6 nv"]:
    """J of the twist `J v` of a point of a link or frame: one column per speed, angular rows first, in inertial axes.

    `point` is given in the link's (or frame's) axes from its origin, which it is if left out. Column j is `A_pj p_j` for the speeds between the
    ground and the link, zero for others. A base that is made to move adds its own twist to `J v`.

    Eq. [000, 13a]
    """
    return several(model, q, (link,), (point,))[0]


@public(static=("links",))
def jacobians(model: Model, q: Coordinates, links: tuple[str, ...], points: Float[Array, "rows 3"] | None = None) -> Float[Array, "rows 6 nv"]:
    """The Jacobians of several links, frames or points of them, from one sweep; `points` (rows, 3), each in the axes of its link."""
    if points is not None and jnp.shape(points) != (len(links), 3):
        raise ValueError(f"`points` has shape {jnp.shape(points)} for {len(links)} links. Give ({len(links)}, 3), a point of each.")
    return jnp.stack(several(model, q, links, (None,) * len(links) if points is None else points))


def several(model: Model, q, names, points) -> list[Float[Array, "6 nv"]]:
    tree, q = admit(model, q=q)
    topology = tree.topology

    def step(parent, node):
        here, _ = move(parent, node)
        p = Motion(here.pose.rotation.z * node.turn, here.pose.rotation.z * node.slide)
        return here, (p, here.pose)

    places = [located(topology, tree.frame, name, point, q.dtype) for name, point in zip(names, points, strict=True)]
    columns, poses = outward(topology.plan, step, ground(at_rest(tree), q, gravity=False), nodes(tree, q))

    def of_place(link, mount):
        body = topology.link_bodies[link]
        if body < 0:
            return jnp.zeros((6, model.nv), q.dtype)
        carrier = topology.carriers[body]
        here = jax.tree.map(lambda x: x[carrier], poses) @ (place(tree.mount[link]) @ mount)
        to_point = jax.tree.map(lambda x, y: y - x, poses.position, here.position)
        between = topology.support[topology.speeds[body + 1] - 1][list(topology.plan.order)]
        J = array(columns.shifted(to_point)) * between[:, None].astype(q.dtype)
        return per_speed(model, take(J, topology.rank).T)

    return [of_place(*at) for at in places]


@public(static=("link",))
def jacobian_bias(model: Model, q: Coordinates, v: Speeds, link: str, point: Point | None = None) -> Float[Array, "6"]:
    """dJ/dt v: angular acceleration and acceleration of the point while the speeds are constant."""
    model, q, v = admit(model, q=q, v=v)
    index, mount = located(model.topology, model.frame, link, point, q.dtype)
    there = carried(jax.tree.map(lambda x: x[index], motions(model, q, v)), mount)
    return array(there.rate)


@public(static=("link",))
def accelerometer(model: Model, q: Coordinates, v: Speeds, a: Speeds, link: str, point: Point | None = None) -> Point:
    """What an accelerometer on a link or frame reads, R^T (acceleration - gravity), in its own axes, in m/s^2: at rest, gravity upward."""
    model, q, v, a = admit(model, q=q, v=v, a=a)
    index, mount = located(model.topology, model.frame, link, point, q.dtype)
    there = carried(jax.tree.map(lambda x: x[index], motions(model, q, v, a)), mount)
    return array(there.pose.rotation.tdot(there.rate.linear - vec(model.gravity)))


def applied(model: Model, q, wrenches: Wrenches | None) -> Force | None:
    """Wrenches on links, about their origins in inertial axes -> forces over nodes, about the bodies' origins."""
    if wrenches is None:
        return None
    topology = model.topology
    w = force(wrenches)
    if topology.body_links.shape[0] > 1:  # some links are fixed to others, away from their body's origin
        links = motions(model, q)
        w = w.shifted(links.pose.rotation @ place(model.mount).rotation.T @ vec(model.mount[..., 3]))
    padded = jax.tree.map(lambda x: jnp.concatenate([x, jnp.zeros_like(x[:1])]), w)
    total = jax.tree.map(lambda x: x[topology.body_links[0]], padded)
    for row in topology.body_links[1:]:
        total = total + jax.tree.map(lambda x, row=row: x[row], padded)
    body = np.full(model.nv, len(topology.parents))  # of each node that carries a body
    body[topology.carriers] = np.arange(len(topology.parents))
    return jax.tree.map(lambda x: jnp.concatenate([x, jnp.zeros_like(x[:1])])[body], total)
