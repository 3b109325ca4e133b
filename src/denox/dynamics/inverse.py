"""Inverse dynamics: the joint forces of a motion, and the parts they are made of."""

from ..algebra import Force, zero
from ..couplings import collected
from ..kinematics import Moving, applied, at_rest, ground
from ..loads import resisting
from ..model import Model, admit, refuse_loops
from ..nodes import Node, nodes, of_speeds
from ..public import public
from ..sweeps import inward
from ..topology import Plan
from ..types import Coordinates, Speeds, Wrenches
from .bodies import embodied


def forces(model: Model, q, v=None, a=None, wrenches=None, gravity: bool = True):
    """tau = N_d^T N_l^T (w* - w^E): wrenches are summed inward and projected on the columns. Without passive elements, but with armature.

    Eq. [000, 16a]
    Eq. [001, 30]
    """
    tau = of_speeds(model, projected(model.topology.plan, ground(model, q, gravity), nodes(model, q, v, a), applied(model, q, wrenches)))
    return tau if model.armature is None or a is None else tau + model.armature * a


def projected(plan: Plan, start: Moving, nodes: Node, external: Force | None):
    """The same over nodes, in visiting order, without armature."""

    def step(outer, x):
        body, external = x
        w = outer + body.wrench
        w = w if external is None else w - external
        return w.shifted(body.offset), body.column.dot(w)

    return inward(plan, step, zero(Force, nodes.q), (embodied(plan, start, nodes), external))


@public
def inverse_dynamics(model: Model, q: Coordinates, v: Speeds, a: Speeds, wrenches: Wrenches | None = None) -> Speeds:
    r"""Forces and torques of the joints for a given motion, in O(n): the recursive inverse dynamics of section 2.4.1.

    $$\tau = N_d^T N_l^T (M \dot t + W M E t - w^E) + \text{passive}(q, v)$$

    **Arguments:**

    - `q`, `v`, `a`: coordinates, speeds and their rates. Euler parameters need not be of unit length to the last digit.
    - `wrenches`: external wrenches on the links (links, 6), moment first, in inertial axes about each link's origin.

    **Returns:** the force or torque on each speed, in N or N m.

    Eq. [000, 14]
    Differs from the papers in: trees, joints of several speeds and sliding joints by one recursion; damping, friction, springs and armature
    are part of the dynamics (`dx.rigid` leaves them out).
    """
    refuse_loops(model, "inverse_dynamics")
    tree, q, v, a, wrenches = admit(model, q=q, v=v, a=a, wrenches=wrenches)
    return collected(model, forces(tree, q, v, a, wrenches) + resisting(tree, q, v))


@public
def bias_forces(model: Model, q: Coordinates, v: Speeds) -> Speeds:
    """b(q, v) of `M a + b + passive = tau`: convective terms and gravity.      Eq. [000, 16c]"""
    tree, q, v = admit(model, q=q, v=v)
    return collected(model, forces(tree, q, v))


@public
def gravity_forces(model: Model, q: Coordinates) -> Speeds:
    """The forces that hold the mechanism still against gravity: b(q, 0)."""
    tree, q = admit(at_rest(model), q=q)
    return collected(model, forces(tree, q))
