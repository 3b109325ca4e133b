"""Forward dynamics: the accelerations of a tree under given forces."""

import jax
import jax.numpy as jnp

from ..algebra import Articulated, Force, Linear, Motion, Vec, pytree, zero
from ..couplings import constraints, kept_speeds
from ..kinematics import applied
from ..loads import resisting
from ..model import Model, admit, refuse_loops
from ..nodes import of_speeds, visiting
from ..public import public
from ..sweeps import inward, outward
from ..types import Coordinates, Speeds, Wrenches
from .bodies import bodies
from .factor import accelerate, eliminate, factor, reduce


@pytree
class Hanging(Linear):
    """What hangs on a joint: articulated inertia, and the wrench it needs."""

    inertia: Articulated
    wrench: Force

    def shifted(self, a: Vec) -> "Hanging":
        """As the parent feels it, from whose origin this one lies further by a."""
        return Hanging(self.inertia.shifted(a), self.wrench.shifted(a))


@public
def forward_dynamics(model: Model, q: Coordinates, v: Speeds, tau: Speeds, wrenches: Wrenches | None = None) -> Speeds:
    r"""Accelerations of a tree under joint forces, in O(n).

    With the wrenches w* of the motion at constant speeds, $U D U^T \dot v = \tau - N^T w^*$ is solved in one inward sweep, which eliminates one
    column at a time and reduces the right-hand side along with it, and one outward sweep.

    **Arguments:**

    - `q`, `v`: coordinates and speeds. Euler parameters need not be of unit length to the last digit.
    - `tau`: force or torque on each speed.
    - `wrenches`: external wrenches on the links (links, 6), moment first, in inertial axes about each link's origin.

    **Returns:** the rate of each speed.

    Eq. [000, 18]
    Differs from the paper in: the wrenches of the bodies are carried by the same sweep as eta, so that phi = tau - C v needs no inverse
    dynamics of its own; trees; joints of several speeds; damping, friction, springs and armature are part of the dynamics.
    """
    refuse_loops(model, "forward_dynamics")
    tree, q, v, tau, wrenches = admit(model, q=q, v=v, tau=tau, wrenches=wrenches)
    return held(model, q, accelerations(tree, q, v, tau, wrenches))


def held(model: Model, q, a):
    """Of accelerations of the tree those of a model with couplings, A a = 0, by one multiplier per coupling: a - I^-1 A^T (A I^-1 A^T)^-1 A a."""
    if not model.topology.couplings:
        return a
    A = constraints(model).astype(a.dtype)
    back = jax.lax.map(factor(model.uncoupled(), q).solve, A)  # rows of A I^-1
    return kept_speeds(model, a - jnp.linalg.solve(A @ back.T, A @ a) @ back)


def accelerations(model: Model, q, v, tau, wrenches=None):
    """One sweep outward for the bodies, one inward for the factor and the right-hand side, one outward for the accelerations."""

    def step(outer, x):
        body, tau, armature, external = x
        M, gain = eliminate(outer.inertia, body, armature)
        w = outer.wrench + body.wrench
        eta, phi = reduce(w if external is None else w - external, body, gain, tau)
        return Hanging(M, eta), (gain, phi)

    plan, here = model.topology.plan, bodies(model, q, v)
    tau = tau - resisting(model, q, v)
    xs = here, visiting(model, tau), visiting(model, model.armature), applied(model, q, wrenches)
    gains, phi = inward(plan, step, Hanging(zero(Articulated, q), zero(Force, q)), xs)
    return of_speeds(model, outward(plan, accelerate, zero(Motion, q), (here, gains, phi)))
