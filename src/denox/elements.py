"""Loads for `dx.simulate(..., loads=[...])`: each gives joint forces (nv,) from `(model, t, q, v)`. Differentiable by all numbers."""

from typing import Any

import equinox as eqx
import jax.numpy as jnp

from .kinematics import jacobian
from .kinematics import kinematics as motion_of
from .model import Model


def point_state(model: Model, q, v, link: str, point):
    """Position and velocity (3,) of a point, and the rows (3, nv) of its Jacobian."""
    J = jacobian(model, q, link, point)[3:]
    return motion_of(model, q).at(link, point).position, J @ v, J


class SpringDamper(eqx.Module):
    """Between point a of one link and point b of another, or of the ground (`link_b=None`, inertial axes), in N: with the length l and its rate,

    tension = stiffness (l - rest) + damping dl/dt + pull.

    `pull` is an actuator's constant force. The points must not meet: the direction is undefined there.
    """

    point_a: Any
    point_b: Any
    stiffness: Any
    damping: Any
    rest: Any
    pull: Any
    link_a: str = eqx.field(static=True)
    link_b: str | None = eqx.field(static=True)

    def __init__(self, link_a, point_a, link_b, point_b, *, stiffness=0.0, damping=0.0, rest=0.0, pull=0.0):
        self.link_a, self.link_b = link_a, link_b
        self.point_a, self.point_b = jnp.asarray(point_a, float), jnp.asarray(point_b, float)
        self.stiffness, self.damping, self.rest, self.pull = (jnp.asarray(x, float) for x in (stiffness, damping, rest, pull))

    def __call__(self, model, t, q, v):
        pa, ua, Ja = point_state(model, q, v, self.link_a, self.point_a)
        if self.link_b is None:
            pb, ub, Jb = self.point_b, jnp.zeros_like(ua), jnp.zeros_like(Ja)
        else:
            pb, ub, Jb = point_state(model, q, v, self.link_b, self.point_b)
        d = pb - pa
        length = jnp.sqrt(d @ d)
        n = d / length
        tension = self.stiffness * (length - self.rest) + self.damping * (n @ (ub - ua)) + self.pull
        return (Ja - Jb).T @ n * tension


class Ground(eqx.Module):
    """Smooth compliant contact of a point of a link with the plane z = height, in N: with depth d below it and s = softplus(d / smooth) smooth,

    normal = stiffness s (1 - damping dz/dt), not below zero;      friction = -mu normal u / sqrt(u^2 + slip^2) along the plane.

    `smooth` in m and `slip` in m/s round off the corners; a point at rest on the ground sinks by normal / stiffness.
    """

    point: Any
    height: Any
    stiffness: Any
    damping: Any
    mu: Any
    smooth: Any
    slip: Any
    link: str = eqx.field(static=True)

    def __init__(self, link, point=(0.0, 0.0, 0.0), *, height=0.0, stiffness=1e4, damping=0.5, mu=0.8, smooth=1e-3, slip=1e-2):
        self.link, self.point = link, jnp.asarray(point, float)
        numbers = height, stiffness, damping, mu, smooth, slip
        self.height, self.stiffness, self.damping, self.mu, self.smooth, self.slip = (jnp.asarray(x, float) for x in numbers)

    def __call__(self, model, t, q, v):
        p, u, J = point_state(model, q, v, self.link, self.point)
        depth = self.smooth * jnp.logaddexp((self.height - p[2]) / self.smooth, 0.0)
        normal = self.stiffness * depth * jnp.maximum(1 - self.damping * u[2], 0)
        along = -self.mu * normal * u[:2] / jnp.sqrt(u[:2] @ u[:2] + self.slip**2)
        return J.T @ jnp.array([along[0], along[1], normal])


class Drag(eqx.Module):
    """Of a point of a link in a fluid that moves by `wind` (3,) in m/s: force = -(linear + quadratic |u|) u, u its velocity in the fluid."""

    point: Any
    linear: Any
    quadratic: Any
    wind: Any
    link: str = eqx.field(static=True)

    def __init__(self, link, point=(0.0, 0.0, 0.0), *, linear=0.0, quadratic=0.0, wind=(0.0, 0.0, 0.0)):
        self.link, self.point, self.wind = link, jnp.asarray(point, float), jnp.asarray(wind, float)
        self.linear, self.quadratic = jnp.asarray(linear, float), jnp.asarray(quadratic, float)

    def __call__(self, model, t, q, v):
        _, u, J = point_state(model, q, v, self.link, self.point)
        u = u - self.wind
        speed = jnp.sqrt(u @ u + 1e-12)  # of finite slope at rest
        return -J.T @ ((self.linear + self.quadratic * speed) * u)
