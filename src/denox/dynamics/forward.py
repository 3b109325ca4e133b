"""Forward dynamics: the accelerations of a tree under given forces."""

import dataclasses

import jax
import jax.numpy as jnp
from jax import lax
from jax.custom_derivatives import SymbolicZero

from ..algebra import Articulated, Force, Linear, Motion, Vec, pytree, zero
from ..couplings import constraints, kept_speeds
from ..kinematics import applied, ground
from ..loads import resisting
from ..model import Model, admit, refuse_loops
from ..nodes import nodes, of_speeds, visiting
from ..public import public
from ..sweeps import inward, outward
from ..topology import Plan
from ..types import Coordinates, Speeds, Wrenches
from .bodies import embodied
from .factor import accelerate, eliminate, factor, reduce, resolved
from .inverse import projected


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
    """The same of what was admitted; derivatives by the rule below."""
    tau, armature = visiting(model, tau - resisting(model, q, v)), visiting(model, model.armature)
    moving = ground(model, q, gravity=True), nodes(model, q, v), armature, applied(model, q, wrenches)
    return of_speeds(model, eliminated(model.topology.plan, moving, tau)[0])


def swept(plan: Plan, moving: tuple, tau):
    """One sweep outward for the bodies, one inward for the factor and the right-hand side, one outward for the accelerations.

    Over nodes, in visiting order. `moving`: where the sweeps begin, the nodes without accelerations of their speeds, armature, external wrenches.
    **Returns:** accelerations; bodies and gains, for solves with the same inertia matrix.
    """
    start, nodes, armature, external = moving

    def step(outer, x):
        body, tau, armature, external = x
        M, gain = eliminate(outer.inertia, body, armature)
        w = outer.wrench + body.wrench
        eta, phi = reduce(w if external is None else w - external, body, gain, tau)
        return Hanging(M, eta), (gain, phi)

    here = embodied(plan, start, nodes)
    gains, phi = inward(plan, step, Hanging(zero(Articulated, tau), zero(Force, tau)), (here, tau, armature, external))
    return outward(plan, accelerate, zero(Motion, tau), (here, gains, phi)), (here, gains)


eliminated = jax.custom_jvp(swept, nondiff_argnums=(0,))


def rule(plan: Plan, primals, tangents):
    """da = I^-1 (dtau - d inverse dynamics), the latter at constant accelerations.

    The elimination is never differentiated. The solve is its own transpose, and its derivative is that of I x, which is inverse dynamics again; so
    one rule serves both modes and every order. Bodies and gains serve the solve alone: their tangents are not asked for.
    """
    (moving, tau), (d_moving, d_tau) = primals, tangents
    a, factor = eliminated(plan, moving, tau)  # a function of the arguments here too, or second derivatives would be wrong

    def inverse(start, nodes, armature, external):
        forces = projected(plan, start, dataclasses.replace(nodes, a=nodes.a + a), external)
        return forces if armature is None else forces + armature * a

    def times(x):
        start, nodes, armature, _ = moving
        o = jnp.zeros_like(x)
        still = zero(Motion, x)
        forces = projected(plan, dataclasses.replace(start, twist=still, rate=still), dataclasses.replace(nodes, v=o, a=x), None)
        return forces if armature is None else forces + armature * x

    b = along(lambda moving: inverse(*moving), moving, d_moving)
    b = -b if isinstance(d_tau, SymbolicZero) else d_tau - b
    da = lax.custom_linear_solve(times, b, lambda _, b: resolved(plan, *factor, b), symmetric=True)
    return (a, factor), (da, jax.tree.map(jnp.zeros_like, factor))


eliminated.defjvp(rule, symbolic_zeros=True)


def along(function, x, dx):
    """The derivative of `function` at x along dx, by those leaves of which the tangent is not known to be zero."""
    leaves, tree = jax.tree.flatten(x)
    tangents = tree.flatten_up_to(dx)
    varies = [not isinstance(t, SymbolicZero) for t in tangents]

    def of_varying(moving):
        rest = iter(moving)
        return function(tree.unflatten([next(rest) if v else x for v, x in zip(varies, leaves, strict=True)]))

    pick = lambda values: [x for x, v in zip(values, varies, strict=True) if v]
    return jax.jvp(of_varying, (pick(leaves),), (pick(tangents),))[1]
