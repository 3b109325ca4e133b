"""What every dynamics algorithm begins with: bodies in inertial axes, with their inertias and the wrenches their motion needs."""

from ..algebra import Force, Motion, Rigid, Scalar, Vec, pytree, stage
from ..kinematics import Moving, ground, move
from ..model import Model
from ..nodes import Node, nodes
from ..sweeps import outward
from ..topology import Plan


@pytree
class Body:
    """What the dynamics needs of a node, in inertial axes: offset a from the parent's origin, screw, inertia M and inertia wrench w*."""

    offset: Vec
    axis: Vec
    turn: Scalar
    slide: Scalar
    inertia: Rigid
    wrench: Force

    @property
    def column(self) -> Motion:
        """p: the twist of a unit speed.      Eq. [000, 11d]      Eq. [000, 12b]"""
        return Motion(self.axis * self.turn, self.axis * self.slide)


def newton_euler(M: Rigid, t: Motion, rate: Motion) -> Force:
    """w* = M dt/dt + W M E t = M dt/dt + [w x I w; w x (w x h)].

    Eq. [000, 4a]
    Eq. [000, 4b]
    Eq. [000, 5]
    """
    w = t.angular
    return M @ rate + Force(w.cross(M.about @ w), w.cross(w.cross(M.moment)))


def embody(parent: Moving, node: Node) -> tuple[Moving, Body]:
    here, a = move(parent, node)
    R = here.pose.rotation
    M = stage(node.inertia.turned(R))
    return here, Body(a, R.z, node.turn, node.slide, M, newton_euler(M, here.twist, here.rate))


def bodies(model: Model, q, v=None, a=None, gravity: bool = True) -> Body:
    """All bodies' nodes, in visiting order, in one outward sweep. Gravity enters as an upward acceleration of the ground."""
    return embodied(model.topology.plan, ground(model, q, gravity), nodes(model, q, v, a))


def embodied(plan: Plan, start: Moving, nodes: Node) -> Body:
    return outward(plan, embody, start, nodes)


def resisted(M: Scalar, armature: Scalar | None) -> Scalar:
    """An inertia felt by a speed, with that of the rotor that turns with it."""
    return M if armature is None else M + armature
