"""The dynamics linearized: derivatives along the tangents of the coordinates, right for Euler parameters too."""

import equinox as eqx
import jax
import jax.numpy as jnp

from ..model import Model, admit, refuse_loops
from ..public import public
from ..state import integrate
from ..types import Coordinates, Speeds, Square
from .forward import forward_dynamics
from .inverse import inverse_dynamics


class Linearization(eqx.Module):
    """A value (nv,) and its derivatives (nv, nv): by a small displacement of the coordinates along the speeds, by the speeds, and by what drives
    the motion (forces of forward dynamics, whose derivative is the inverse of the inertia matrix; accelerations of inverse dynamics, whose
    derivative is the inertia matrix)."""

    value: Speeds
    by_q: Square
    by_v: Square
    by_input: Square


def tangent(function, model: Model, q, v, u) -> Linearization:
    """Of `function(q, v, u)`, row by row in reverse mode."""
    q, v, u = (jnp.asarray(x, jnp.result_type(model.dtype, q, v, u)) for x in (q, v, u))
    value, back = jax.vjp(lambda dq, v, u: function(integrate(model, q, dq), v, u), jnp.zeros_like(v), v, u)
    by_q, by_v, by_input = jax.lax.map(back, jnp.eye(model.nv, dtype=v.dtype))
    return Linearization(value, by_q, by_v, by_input)


@public
def linearize(model: Model, q: Coordinates, v: Speeds, tau: Speeds) -> Linearization:
    """Forward dynamics and its derivatives: a, da/dq, da/dv, da/dtau, where da/dq is along `dx.integrate(model, q, dq)` at dq = 0."""
    refuse_loops(model, "linearize")
    admit(model, q=q, v=v, tau=tau)
    return tangent(lambda q, v, tau: forward_dynamics(model, q, v, tau), model, q, v, tau)


@public
def linearize_inverse(model: Model, q: Coordinates, v: Speeds, a: Speeds) -> Linearization:
    """Inverse dynamics and its derivatives: tau, dtau/dq, dtau/dv, dtau/da, where dtau/dq is along `dx.integrate(model, q, dq)` at dq = 0."""
    refuse_loops(model, "linearize_inverse")
    admit(model, q=q, v=v, a=a)
    return tangent(lambda q, v, a: inverse_dynamics(model, q, v, a), model, q, v, a)
