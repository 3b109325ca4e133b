"""All derivatives of inverse dynamics by coordinates and speeds at once, in O(n^2).

Variations are seen from the bodies themselves, so that what is fixed in a body does not vary: all that a body sees of a joint's small change is a
displacement [turn; slide], by which a vector u that comes from the parent varies by u x turn, and a wrench handed to the parent by turn x it.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..algebra import Force, Linear, Mat, Motion, Rigid, Sym, Vec, cross, pytree, stage, zero
from ..kinematics import Moving, ground, move
from ..model import Model
from ..nodes import Node, nodes
from ..sweeps import inward, outward
from ..topology import Topology, take
from ..types import Square
from .bodies import newton_euler


@pytree
class Flow:
    """Of a node in motion, in inertial axes: origin, offset from the parent's, column p, inertia and inertia wrench, own twist; and of the parent its
    angular velocity, and its velocity and twist rate as a point of it at the node's origin has them."""

    origin: Vec
    offset: Vec
    column: Motion
    inertia: Rigid
    wrench: Force
    twist: Motion
    angular_above: Vec
    velocity_above: Vec
    rate_above: Motion


def flow(parent: Moving, node: Node) -> tuple[Moving, Flow]:
    here, a = move(parent, node)
    R, w = here.pose.rotation, parent.twist.angular
    M = stage(node.inertia.turned(R))
    p, rate = Motion(R.z * node.turn, R.z * node.slide), parent.rate.shifted(a)
    rate = Motion(rate.angular, rate.linear + w.cross(w.cross(a)))
    wrench = newton_euler(M, here.twist, here.rate)
    return here, Flow(here.pose.position, a, p, M, wrench, here.twist, w, parent.twist.shifted(a).linear, rate)


@pytree
class Field:
    """What a unit of a speed, or of a small displacement along it, does to all that hangs on the pair, seen from there: angular velocities change
    by x, accelerations of points at P from the pair's origin, with velocity u, by d + c x P + 2 x x u."""

    x: Vec
    rate: Motion  # [c; d]


def fields(p: Motion, above: tuple[Vec, Vec, Motion], twist: Motion) -> tuple[Field, Field]:
    """By a unit of displacement, and of speed, along a column p that is fixed in the body, whose twist is given."""
    (w_p, velocity_p, rate), w = above, twist.angular
    turn, slide, u = p.angular, p.linear, twist.linear - velocity_p
    x = stage(w_p.cross(turn))
    d = rate.linear.cross(turn) + rate.angular.cross(slide) + w_p.cross(w_p.cross(slide)) + x.cross(u - twist.linear) * 2
    by_q = Field(x, Motion(rate.angular.cross(turn) - x.cross(w_p), d))
    by_v = Field(turn, Motion((w_p + w).cross(turn), turn.cross(u - twist.linear * 2) + (w_p + w).cross(slide)))
    return stage((by_q, by_v))


def trace(A: Mat):
    return A.x.x + A.y.y + A.z.z


@pytree
class Composite(Linear):
    """What hangs on a node as one body: inertia about the origin, momentum, the sum of m u P^T over points at P with velocity u, and the wrench that
    its motion needs."""

    inertia: Rigid
    momentum: Vec
    spread: Mat
    wrench: Force

    def shifted(self, a: Vec) -> "Composite":
        return Composite(self.inertia.shifted(a), self.momentum, self.spread + self.momentum.outer(a), self.wrench.shifted(a))

    def under(self, field: Field) -> Force:
        """The wrench that a field of accelerations needs."""
        x, G = field.x, self.spread
        return self.inertia @ field.rate + Force(x * trace(G) - G @ x, x.cross(self.momentum)) * 2


def alone(node: Flow) -> Composite:
    """A node's own body."""
    M, w, v = node.inertia, node.twist.angular, node.twist.linear
    half, o = (M.about.xx + M.about.yy + M.about.zz) * 0.5, jnp.zeros_like(M.mass)
    second = Sym(half, o, o, half, o, half) - M.about
    return Composite(M, v * M.mass + w.cross(M.moment), v.outer(M.moment) + cross(w, second.full), node.wrench)


@pytree
class Effect:
    """Of a node: the fields by a unit of displacement and of speed, the wrenches they need, and all that the first hands to the parent; and what a
    field of accelerations adds to the node's force, (M~ p)^T [c; d] + g^T x."""

    by_q: Field
    by_v: Field
    wrench_q: Force
    wrench_v: Force
    handed: Force
    Mp: Force
    g: Vec


def effect(beyond: Composite, x) -> tuple[Composite, Effect]:
    node, above, twist = x
    S = stage(beyond + alone(node))
    p, G, W = node.column, S.spread, S.wrench
    by_q, by_v = fields(p, above, twist)
    turn, slide = p.angular, p.linear
    moved = Force(turn.cross(W.moment) + slide.cross(W.force), turn.cross(W.force))
    g = (turn * trace(G) - G.tdot(turn) + S.momentum.cross(slide)) * 2
    wrench_q = stage(S.under(by_q))
    return S.shifted(node.offset), Effect(by_q, by_v, wrench_q, S.under(by_v), wrench_q + moved, S.inertia @ p, g)


def kinship(topology: Topology) -> np.ndarray:
    """Of nodes in visiting order: 0 for strangers, 1 where the first is above the second or is it, 2 where it is below, 3 for two of one pair."""
    above = topology.support.T.astype(int)
    body = np.repeat(np.arange(len(topology.parents)), np.diff(topology.speeds))
    kin = np.where(body[:, None] == body, 3, above + 2 * above.T)
    np.fill_diagonal(kin, 1)
    order = list(topology.plan.order)
    return kin[np.ix_(order, order)]


def derivatives(model: Model, q, v, a) -> tuple[Square, Square]:
    """Of the forces by small displacements of the coordinates along the speeds, and by the speeds; transposed, so that row j belongs to
    displacement j, and in visiting order. Without passive elements; armature does not enter.

    All columns of a pair are fixed in its body. So they see the motion of the parent that its first node meets, and the twist of its last.
    """
    topology = model.topology
    flows = outward(topology.plan, flow, ground(model, q, gravity=True), nodes(model, q, v, a))
    body = np.repeat(np.arange(len(topology.parents)), np.diff(topology.speeds))[list(topology.plan.order)]
    first, last = topology.rank[topology.speeds[:-1]][body], topology.carriers[body]
    above = jax.tree.map(lambda x: take(x, first), (flows.angular_above, flows.velocity_above, flows.rate_above))
    twist = jax.tree.map(lambda x: take(x, last), flows.twist)
    start = Composite(zero(Rigid, q), zero(Vec, q), zero(Mat, q), zero(Force, q))
    effects = inward(topology.plan, effect, start, (flows, above, twist))
    kin = kinship(topology)
    kinds = kin.max(initial=0) + 1

    def row(x):  # loops, not vmap: under a map over states they stay the only axis, which is what makes it fast
        (O, e), kin = x

        def entry(x):
            (O_i, p, Mp, g), kin = x
            r = O_i - O
            stranger = lambda: (jnp.zeros_like(r.x),) * 2
            above = lambda: (p.dot(e.handed.shifted(-r)), p.dot(e.wrench_v.shifted(-r)))
            below = lambda: tuple(field.rate.shifted(r).dot(Mp) + field.x.dot(g) for field in (e.by_q, e.by_v))
            same = lambda: (p.dot(e.wrench_q), p.dot(e.wrench_v))
            return lax.switch(kin, [stranger, above, below, same][:kinds])

        return lax.map(entry, ((flows.origin, flows.column, effects.Mp, effects.g), kin))

    return lax.map(row, ((flows.origin, effects), kin.T))
