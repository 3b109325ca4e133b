"""The dynamics linearized: derivatives along the tangents of the coordinates, right for Euler parameters too."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax

from ..kinematics import ground
from ..loads import resisting
from ..model import Model, admit, refuse_loops
from ..nodes import nodes, of_speeds, visiting
from ..public import public
from ..state import integrate, plus
from ..topology import take
from ..types import Coordinates, Speeds, Square
from .factor import resolved
from .forward import forward_dynamics, swept
from .inertia_matrix import matrix
from .inverse import forces, inverse_dynamics
from .sensitivity import derivatives


class Linearization(eqx.Module):
    """A value (nv,) and its derivatives (nv, nv): by a small displacement of the coordinates along the speeds, by the speeds, and by what drives
    the motion (forces of forward dynamics, whose derivative is the inverse of the inertia matrix; accelerations of inverse dynamics, whose
    derivative is the inertia matrix)."""

    value: Speeds
    by_q: Square
    by_v: Square
    by_input: Square


def tangent(function, model: Model, q, v, u) -> Linearization:
    """Of `function(q, v, u)`, row by row in reverse mode: for models with couplings."""
    q, v, u = (jnp.asarray(x, jnp.result_type(model.dtype, q, v, u)) for x in (q, v, u))
    value, back = jax.vjp(lambda dq, v, u: function(integrate(model, q, dq), v, u), jnp.zeros_like(v), v, u)
    by_q, by_v, by_input = jax.lax.map(back, jnp.eye(model.nv, dtype=v.dtype))
    return Linearization(value, by_q, by_v, by_input)


def passive(model: Model, q, v) -> tuple[Square, Square]:
    """Derivatives of what the joints' own elements take, by displacement and by speed."""
    return jax.jacfwd(lambda dq, v: resisting(model, plus(model, q, dq), v), (0, 1))(jnp.zeros_like(v), v)


def ordered(model: Model, rows) -> Square:
    """A transposed matrix over nodes in visiting order -> the matrix, in the order of the speeds."""
    return take(take(rows, model.topology.rank).T, model.topology.rank)


@public
def linearize(model: Model, q: Coordinates, v: Speeds, tau: Speeds) -> Linearization:
    r"""Forward dynamics and its derivatives: a, da/dq, da/dv, da/dtau, where da/dq is along `dx.integrate(model, q, dq)` at dq = 0.

    $$\partial a / \partial x = -I^{-1} \, \partial \tau(q, v, a) / \partial x$$

    with the derivatives of inverse dynamics at that a, all of them in O(n^2), and a product of matrices.

    Can be differentiated too; by placements along true turns only, since their rotations are taken for rotations.
    """
    refuse_loops(model, "linearize")
    tree, *state = admit(model, q=q, v=v, tau=tau)
    if model.topology.couplings:
        return tangent(lambda q, v, tau: forward_dynamics(model, q, v, tau), model, q, v, tau)
    model, (q, v, tau) = tree, state
    plan = model.topology.plan
    moving = ground(model, q, gravity=True), nodes(model, q, v), visiting(model, model.armature), None
    a, factor = swept(plan, moving, visiting(model, tau - resisting(model, q, v)))  # not by the rule, which leaves the factor's derivatives out
    a = of_speeds(model, a)
    by_q, by_v = derivatives(model, q, v, a)
    inverse = lax.map(lambda b: resolved(plan, *factor, b), jnp.eye(model.nv, dtype=v.dtype))
    passive_q, passive_v = (take(take(x.T, plan.order).T, plan.order).T for x in passive(model, q, v))
    by = jnp.concatenate([by_q + passive_q, by_v + passive_v]) @ -inverse
    return Linearization(a, *(ordered(model, x) for x in (by[: model.nv], by[model.nv :], inverse)))


@public
def linearize_inverse(model: Model, q: Coordinates, v: Speeds, a: Speeds) -> Linearization:
    """Inverse dynamics and its derivatives, in O(n^2): tau, dtau/dq, dtau/dv, dtau/da, where dtau/dq is along `dx.integrate(model, q, dq)` at dq = 0.

    Can be differentiated too; by placements along true turns only, since their rotations are taken for rotations.
    """
    refuse_loops(model, "linearize_inverse")
    tree, *state = admit(model, q=q, v=v, a=a)
    if model.topology.couplings:
        return tangent(lambda q, v, a: inverse_dynamics(model, q, v, a), model, q, v, a)
    model, (q, v, a) = tree, state
    by_q, by_v = (ordered(model, x) for x in derivatives(model, q, v, a))
    passive_q, passive_v = passive(model, q, v)
    return Linearization(forces(model, q, v, a) + resisting(model, q, v), by_q + passive_q, by_v + passive_v, matrix(model, q))
