"""Smooth motions in time, differentiable in time and in every parameter."""

from typing import NamedTuple

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from .pose import numbers, traced
from .types import Numbers


class Sample(NamedTuple):
    """Coordinates, speeds and accelerations, (times, n) or (n,)."""

    q: Float[Array, "*times n"]
    v: Float[Array, "*times n"]
    a: Float[Array, "*times n"]


class Cycloid(eqx.Module):
    r"""The cycloidal motion from `start` to `end` in `duration` seconds, at rest with no acceleration at both ends:

    $$q = q_0 + \frac{q_T - q_0}{T} \left[ t - \frac{T}{2\pi} \sin\frac{2\pi t}{T} \right].$$

    Before and after it stands still. For joints with one coordinate.

    Eq. [000, 22a]
    Eq. [000, 22b]
    Eq. [000, 23]
    """

    start: Float[Array, "n"]
    end: Float[Array, "n"]
    duration: Float[Array, ""]

    def __call__(self, t: Numbers) -> Sample:
        t = jnp.asarray(t)[..., None]
        T, way = self.duration, self.end - self.start
        s = jnp.clip(t / T, 0, 1)
        phase = 2 * jnp.pi * s
        moves = (s > 0) & (s < 1)
        q = self.start + way * (s - jnp.sin(phase) / (2 * jnp.pi))
        v = jnp.where(moves, way / T * (1 - jnp.cos(phase)), 0)
        a = jnp.where(moves, way / T * (2 * jnp.pi / T) * jnp.sin(phase), 0)
        return Sample(q, v, a)


def cycloid(start: Numbers, end: Numbers, duration: Numbers) -> Cycloid:
    """The cycloidal joint motion of 000, eqs. 22-23: `q, v, a = dx.cycloid(start, end, duration)(t)`."""
    start, end, duration = (jnp.asarray(numbers(x)) for x in (start, end, duration))
    if start.shape != end.shape:
        raise ValueError(f"The motion goes from {start.shape} to {end.shape} coordinates. Give `start` and `end` of one shape.")
    if not traced(duration) and not duration > 0:
        raise ValueError(f"A motion takes time: `duration` is {float(duration)} s. Give more than 0.")
    return Cycloid(start, end, duration)
