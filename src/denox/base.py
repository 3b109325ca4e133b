"""A base whose motion is prescribed: a vehicle, a ship, a shaking table."""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp

from .model import Model
from .pose import Pose, numbers, traced
from .types import Numbers


def on_base(model: Model, pose: Pose | None = None, twist: Numbers | None = None, twist_rate: Numbers | None = None) -> Model:
    """The model on a base that stands at `pose` in the inertial frame and moves by `twist` and `twist_rate`, (6,) each, angular first, in inertial
    axes, of the base's origin; the twist rate is the plain time derivative of the twist.

    The base follows its motion whatever it takes, and adds no coordinates; `dx.base_wrench` tells what it takes. What the builder calls the ground is
    this base. All are numbers of the model: changing them compiles nothing, and gradients by them are gradients by a leaf.
    """
    pose = Pose() if pose is None else pose
    if not isinstance(pose, Pose):
        raise ValueError(f"`pose` is {pose!r}. Give a `dx.Pose`.")
    place = jnp.concatenate([jnp.asarray(pose.rotation), jnp.asarray(pose.position)[:, None]], 1).astype(model.dtype)
    six = lambda x: jnp.zeros(6, model.dtype) if x is None else jnp.asarray(numbers(x), model.dtype)
    motion = six(twist), six(twist_rate)
    for name, x in zip(("twist", "twist_rate"), motion, strict=True):
        if x.shape != (6,):
            raise ValueError(f"`{name}` has shape {x.shape}. Give six numbers, angular first, in inertial axes.")
        if not traced(x) and not jnp.isfinite(x).all():
            raise ValueError(f"`{name}` is {x.tolist()}. Give finite numbers.")
    moves = twist is not None or twist_rate is not None
    return dataclasses.replace(model, base=place, base_motion=jnp.stack(motion) if moves else None)


def on_moving_base(model: Model, motion: Callable[[Numbers], Pose], t: Numbers) -> Model:
    """The model on a base that moves by `motion(t) -> dx.Pose`, at time t: twist and twist rate are its derivatives in time.

    In a simulation: `control` and loads see the model as it is; a driver calls this at each time. `motion` is differentiated twice.
    """
    t = jnp.asarray(t, model.dtype)

    def place(t):
        pose = motion(t)
        return jnp.asarray(pose.rotation, model.dtype), jnp.asarray(pose.position, model.dtype)

    def twist(t):
        (R, _), (dR, dp) = jax.jvp(place, (t,), (jnp.ones_like(t),))
        W = dR @ R.T
        return jnp.concatenate([jnp.stack([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]]) / 2, dp])

    value, rate = jax.jvp(twist, (t,), (jnp.ones_like(t),))
    return on_base(model, Pose(*place(t)), value, rate)
