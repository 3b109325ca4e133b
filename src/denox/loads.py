"""Passive elements of joints: damping, smooth friction, springs, stops at limits. (Armature is part of the inertia matrix.)"""

import jax
import jax.numpy as jnp
import numpy as np

from .couplings import collected
from .model import Model, admit
from .public import public
from .state import minus, neutral, plus
from .types import Coordinates, Number, Speeds

SLIP = 1e-2  # rad/s or m/s: speed at which smooth friction reaches 0.7 of its value
GIVE = 1e-3  # rad or m: overrun within which a stop takes hold


def resistance(v):
    """The smooth sign of a speed, v / sqrt(v^2 + SLIP^2): odd, within -1 and 1, and of finite slope at rest."""
    return v / jnp.sqrt(v * v + SLIP**2)


def rubbing(model: Model, v) -> Speeds:
    """The friction force at full slip: Coulomb's, or Stribeck's that falls with speed, F + (F_s - F) exp(-(v / v_s)^2)."""
    if model.static_friction is None:
        return model.friction
    return model.friction + (model.static_friction - model.friction) * jnp.exp(-((v / model.stribeck_speed) ** 2))


def stretch(model: Model, q) -> Speeds:
    """The displacement of each speed's spring from its rest."""
    return minus(model, neutral(model) if model.rest is None else model.rest, q)


def pull(model: Model, q) -> Speeds:
    """The slope of the springs' energy along the speeds: stiffness times displacement, but for ball and free joints, where the displacement from rest
    does not change as the speeds do."""
    displaced, back = jax.vjp(lambda dq: stretch(model, plus(model, q, dq)), jnp.zeros(model.nv, q.dtype))
    return back(model.stiffness * displaced)[0]


# Stops


def overrun(x):
    """How far beyond a limit, smoothly: x^2 / (2 GIVE) at first, x - GIVE / 2 from GIVE on, none before it; its slope rises from 0 to 1."""
    x = jnp.maximum(x, 0)
    return jnp.where(x < GIVE, x * x / (2 * GIVE), x - GIVE / 2)


def hold(x):
    """The slope of `overrun`."""
    return jnp.clip(x / GIVE, 0, 1)


def compression(x):
    """The integral of `overrun`."""
    x = jnp.maximum(x, 0)
    return jnp.where(x < GIVE, x**3 / (6 * GIVE), x * x / 2 - GIVE * x / 2 + GIVE**2 / 6)


def beyond(model: Model, q) -> tuple[Speeds, Speeds]:
    """Of each speed, how far its coordinate is below its lower limit and above its upper one; far within where it has none."""
    topology = model.topology
    at = np.zeros(topology.nv, int)
    straight = np.zeros(topology.nv, bool)
    for body, kind in enumerate(topology.kinds):
        if kind.coordinates == 1:
            at[topology.speeds[body]] = topology.coordinates[body]
            straight[topology.speeds[body]] = True
    within = -1.0  # where there is no limit; infinity would make NaN of derivatives
    gap = lambda bound, side: jnp.where(straight & jnp.isfinite(bound), side * (q[at] - jnp.where(jnp.isfinite(bound), bound, 0)), within)
    low, high = model.limits[at, 0], model.limits[at, 1]
    return gap(low, -1), gap(high, 1)


def stopping(model: Model, q, v) -> Speeds:
    """limit_stiffness overrun + limit_damping v, of the stop that is met."""
    low, high = beyond(model, q)
    total = jnp.zeros_like(v)
    if model.limit_stiffness is not None:
        total = total + model.limit_stiffness * (overrun(high) - overrun(low))
    if model.limit_damping is not None:
        total = total + model.limit_damping * (hold(high) + hold(low)) * v
    return total


def stops(model: Model) -> bool:
    return model.limits is not None and (model.limit_stiffness is not None or model.limit_damping is not None)


# All together


@public
def passive_forces(model: Model, q: Coordinates, v: Speeds) -> Speeds:
    """What the joints' own elements take of the applied forces, `M a + b + passive = tau`:

    damping v + F(v) v / sqrt(v^2 + SLIP^2) + stiffness (q - rest) + the force of a stop where a limit is overrun,

    where F is the friction, or friction + (static_friction - friction) exp(-(v / stribeck_speed)^2).
    """
    return collected(model, resisting(*admit(model, q=q, v=v)))


def resisting(model: Model, q, v):
    total = jnp.zeros_like(v)
    if model.damping is not None:
        total = total + model.damping * v
    if model.friction is not None:
        total = total + rubbing(model, v) * resistance(v)
    if model.stiffness is not None:
        total = total + pull(model, q)
    if stops(model):
        total = total + stopping(model, q, v)
    return total


def spring_energy(model: Model, q) -> Number:
    """1/2 stiffness (q - rest)^2, summed, and what the stops hold."""
    total = jnp.zeros((), q.dtype)
    if model.stiffness is not None:
        total = total + (model.stiffness * stretch(model, q) ** 2).sum() / 2
    if model.limits is not None and model.limit_stiffness is not None:
        low, high = beyond(model, q)
        total = total + (model.limit_stiffness * (compression(high) + compression(low))).sum()
    return total
