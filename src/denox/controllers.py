"""Controllers to hand: modules `(t, q, v) -> tau` for `dx.simulate(..., control=...)`, whose every number is differentiable.

A `path` is a function of time that gives q, v, a, such as `dx.cycloid(...)`. Gains are numbers or (nv,).
"""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax.numpy as jnp

from .dynamics.inverse import gravity_forces, inverse_dynamics
from .model import Model
from .state import difference


class PD(eqx.Module):
    """tau = kp (q_d - q) + kd (v_d - v), with the difference of coordinates on the Lie group; with `gravity=True` the gravity forces are added.

    `path` gives q_d, v_d and more; a plain array is a place to stand at.
    """

    model: Model
    path: Any
    kp: Any
    kd: Any
    gravity: bool = eqx.field(static=True, default=False)

    def __call__(self, t, q, v):
        qd, vd, _ = follow(self.path, t, v)
        tau = self.kp * difference(self.model, q, qd) + self.kd * (vd - v)
        return tau + gravity_forces(self.model, q) if self.gravity else tau


class GravityCompensation(eqx.Module):
    """tau = g(q): the mechanism floats."""

    model: Model

    def __call__(self, t, q, v):
        return gravity_forces(self.model, q)


class FeedForward(eqx.Module):
    """tau = ID(q_d, v_d, a_d): the forces of the wanted motion, whatever the state."""

    model: Model
    path: Callable

    def __call__(self, t, q, v):
        return inverse_dynamics(self.model, *self.path(t))


class ComputedTorque(eqx.Module):
    """tau = ID(q, v, a_d + kp (q_d - q) + kd (v_d - v)): with the right model every error obeys e'' + kd e' + kp e = 0."""

    model: Model
    path: Any
    kp: Any
    kd: Any

    def __call__(self, t, q, v):
        qd, vd, ad = follow(self.path, t, v)
        return inverse_dynamics(self.model, q, v, ad + self.kp * difference(self.model, q, qd) + self.kd * (vd - v))


def follow(path, t, v) -> Any:
    """q, v, a of a path at a time; a place to stand at has no speed."""
    return path(t) if callable(path) else (path, jnp.zeros_like(v), jnp.zeros_like(v))
