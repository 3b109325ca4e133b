"""Coordinates as points of a Lie group, speeds as its tangents."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from .joints import Kind
from .model import Model, admit
from .nodes import components
from .public import public
from .topology import take
from .types import Coordinates, Speeds


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
    return jnp.array(values, model.dtype)


def random_state(model: Model, key: Key[Array, ""]) -> tuple[Coordinates, Speeds]:
    """Coordinates and speeds at random: angles up to half a turn, within limits where the model has them; uniform Euler parameters; normal speeds."""

    def rule(kind: type[Kind]):
        group, at_q, _ = model.topology.groups[kind]
        q = kind.random(jax.random.fold_in(key, int(at_q[0, 0])), len(group)).astype(model.dtype)
        return list(q.T)

    q = by_kind(model, rule, answers="q")
    if model.limits is not None:
        low, high = model.limits.T
        bounded = jnp.isfinite(low) & jnp.isfinite(high)
        share = jax.random.uniform(jax.random.fold_in(key, model.nq), q.shape, q.dtype)
        low, high = jnp.where(bounded, low, 0), jnp.where(bounded, high, 0)
        q = jnp.where(bounded, low + share * (high - low), q)
    return q, jax.random.normal(jax.random.fold_in(key, model.nq + 1), (model.nv,), model.dtype)


@public
def integrate(model: Model, q: Coordinates, dq: Speeds) -> Coordinates:
    """q + dq on the Lie group: the coordinates after the constant speeds dq through unit time. Euler parameters stay of unit length."""
    return plus(*admit(model, q=q, dq=dq))


def plus(model: Model, q, dq):
    return by_kind(model, lambda kind, q, dq: kind.plus(q, dq), answers="q", q=(q,), v=(dq,))


@public
def difference(model: Model, q0: Coordinates, q1: Coordinates) -> Speeds:
    """q1 - q0 on the Lie group: the shortest dq for which `integrate(model, q0, dq)` is q1."""
    return minus(*admit(model, q0=q0, q1=q1))


def minus(model: Model, q0, q1):
    return by_kind(model, lambda kind, q0, q1: kind.minus(q0, q1), answers="v", q=(q0, q1))


@public
def coordinate_rates(model: Model, q: Coordinates, v: Speeds) -> Coordinates:
    """dq/dt: the speeds themselves but for Euler parameters, which change by half the quaternion product with the angular velocity."""
    model, q, v = admit(model, q=q, v=v)
    return by_kind(model, lambda kind, q, v: kind.rates(q, v), answers="q", q=(q,), v=(v,))
