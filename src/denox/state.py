"""Coordinates as points of a Lie group, speeds as its tangents."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from .couplings import kept_coordinates, kept_speeds
from .model import Model, admit
from .nodes import components
from .public import public
from .topology import take
from .types import Coordinates, Speeds

FAR = 1e3  # rad or m: files write 1e16 for no limit, and angles that large have no digits left


def by_kind(model: Model, rule, *, answers: str, q=(), v=()):
    """`rule(kind, *components)` for each kind of pair, over all pairs of the kind at once; `answers` tells whether it gives "q" or "v"."""
    parts, places = [], []
    for kind, (_, at_q, at_v) in model.topology.groups.items():
        parts += rule(kind, *(components(x, at_q) for x in q), *(components(x, at_v) for x in v))
        places.append((at_q if answers == "q" else at_v).T.ravel())
    return take(jnp.concatenate(parts), np.argsort(np.concatenate(places))) if parts else jnp.zeros(0, model.dtype)


def neutral(model: Model) -> Coordinates:
    """The coordinates of no motion: zeros, and Euler parameters 1, 0, 0, 0."""
    values = [x for kind in model.topology.kinds for x in kind.neutral]
    return kept_coordinates(model, jnp.array(values, model.dtype))


def random_state(model: Model, key: Key[Array, ""]) -> tuple[Coordinates, Speeds]:
    """Coordinates and speeds at random: screws within pi (rad or m) of neutral, between their limits where they have them, and within 2 pi of a limit
    on one side that is further out; uniform Euler parameters, whatever their limits; normal speeds."""
    whole, model = model, model.uncoupled()
    draw = lambda kind, key, group: list(kind.random(key, len(group)).astype(model.dtype).T)
    keys = {kind: jax.random.fold_in(key, k) for k, kind in enumerate(model.topology.groups)}
    q = by_kind(model, lambda kind: draw(kind, keys[kind], model.topology.groups[kind][0]), answers="q")
    if model.limits is not None:
        straight = np.concatenate([[kind.coordinates == 1] * kind.coordinates for kind in model.topology.kinds])
        low, high = model.limits.T
        bounded = lambda bound: jnp.abs(bound) < FAR
        high = jnp.where(bounded(high), high, jnp.inf)
        low = jnp.where(bounded(low), low, jnp.minimum(-jnp.pi, high - 2 * jnp.pi))
        high = jnp.where(bounded(high), high, jnp.maximum(jnp.pi, low + 2 * jnp.pi))
        share = jax.random.uniform(jax.random.fold_in(key, 101), q.shape, q.dtype)
        q = jnp.where(straight, low + share * (high - low), q)
    v = jax.random.normal(jax.random.fold_in(key, 102), (model.nv,), model.dtype)
    return kept_coordinates(whole, q), kept_speeds(whole, v)


@public
def integrate(model: Model, q: Coordinates, dq: Speeds) -> Coordinates:
    """q + dq on the Lie group: the coordinates after the constant speeds dq through unit time. Euler parameters stay of unit length."""
    return kept_coordinates(model, plus(*admit(model, q=q, dq=dq)))


def plus(model: Model, q, dq):
    return by_kind(model, lambda kind, q, dq: kind.plus(q, dq), answers="q", q=(q,), v=(dq,))


@public
def difference(model: Model, q0: Coordinates, q1: Coordinates) -> Speeds:
    """q1 - q0 on the Lie group: the shortest dq for which `integrate(model, q0, dq)` is q1."""
    return kept_speeds(model, minus(*admit(model, q0=q0, q1=q1)))


def minus(model: Model, q0, q1):
    return by_kind(model, lambda kind, q0, q1: kind.minus(q0, q1), answers="v", q=(q0, q1))


@public
def coordinate_rates(model: Model, q: Coordinates, v: Speeds) -> Coordinates:
    """dq/dt: the speeds themselves but for Euler parameters, which change by half the quaternion product with the angular velocity."""
    tree, q, v = admit(model, q=q, v=v)
    return kept_coordinates(model, by_kind(tree, lambda kind, q, v: kind.rates(q, v), answers="q", q=(q,), v=(v,)))
