"""Passive elements of joints: damping, smooth Coulomb friction, springs. (Armature is part of the inertia matrix.)"""

import jax
import jax.numpy as jnp

from .couplings import collected
from .model import Model, admit
from .public import public
from .state import minus, neutral, plus
from .types import Coordinates, Number, Speeds

SLIP = 1e-2  # rad/s or m/s: speed at which smooth friction reaches 0.7 of its value


def resistance(v):
    """The smooth sign of a speed, v / sqrt(v^2 + SLIP^2): odd, within -1 and 1, and of finite slope at rest."""
    return v / jnp.sqrt(v * v + SLIP**2)


def stretch(model: Model, q) -> Speeds:
    """The displacement of each speed's spring from its rest."""
    return minus(model, neutral(model) if model.rest is None else model.rest, q)


def pull(model: Model, q) -> Speeds:
    """The slope of the springs' energy along the speeds: stiffness times displacement, but for ball and free joints, where the displacement from rest
    does not change as the speeds do."""
    displaced, back = jax.vjp(lambda dq: stretch(model, plus(model, q, dq)), jnp.zeros(model.nv, q.dtype))
    return back(model.stiffness * displaced)[0]


@public
def passive_forces(model: Model, q: Coordinates, v: Speeds) -> Speeds:
    """What the joints' own elements take of the applied forces, `M a + b + passive = tau`:

    damping v + friction v / sqrt(v^2 + SLIP^2) + stiffness (q - rest).
    """
    return collected(model, resisting(*admit(model, q=q, v=v)))


def resisting(model: Model, q, v):
    total = jnp.zeros_like(v)
    if model.damping is not None:
        total = total + model.damping * v
    if model.friction is not None:
        total = total + model.friction * resistance(v)
    if model.stiffness is not None:
        total = total + pull(model, q)
    return total


def spring_energy(model: Model, q) -> Number:
    """1/2 stiffness (q - rest)^2, summed."""
    if model.stiffness is None:
        return jnp.zeros((), q.dtype)
    return (model.stiffness * stretch(model, q) ** 2).sum() / 2
