"""Composite bodies: all that hangs on a speed, taken as one rigid body. Matrices over pairs of speeds are made of them."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..algebra import Force, Motion, Rigid, Vec, pytree, zero
from ..kinematics import ground, move
from ..model import Model
from ..nodes import nodes
from ..sweeps import inward, outward
from ..types import Square


@pytree
class Rotor:
    """Of a node, in inertial axes: origin, offset from the parent's, column p, inertia."""

    origin: Vec
    offset: Vec
    column: Motion
    inertia: Rigid


def rotors(model: Model, q) -> Rotor:
    """Of all nodes, in visiting order."""

    def step(parent, node):
        here, a = move(parent, node)
        R = here.pose.rotation
        return here, Rotor(here.pose.position, a, Motion(R.z * node.turn, R.z * node.slide), node.inertia.turned(R))

    return outward(model.topology.plan, step, ground(model, q, gravity=False), nodes(model, q))


def compose(beyond: Rigid, node: Rotor) -> tuple[Rigid, Force]:
    """M~_i = M_i + sum of B^T M~ B over the children; and the wrench M~_i p_i that a unit acceleration of the speed needs.

    Eq. [001, 23a]
    Eq. [001, 23b]
    """
    M = beyond + node.inertia
    return M.shifted(node.offset), M @ node.column


def composites(model: Model, here: Rotor) -> Force:
    """M~_i p_i of all nodes, about their own origins."""
    return inward(model.topology.plan, compose, zero(Rigid, here.origin.x), here)


def over_pairs(model: Model, entry: Callable[[Any, Any], Any], far: Any, near: Any) -> Square:
    """The matrix of `entry(far values of i, near values of j) -> (entry (i, j), entry (j, i))`, for every speed j between the ground and i; zero
    elsewhere. One number instead of two is for both.

    The entries of a pair are one step of a loop: under `vmap` the batch stays the only axis, which is what makes it fast.
    """
    topology, n = model.topology, model.nv
    i, j = np.nonzero(topology.support)
    pick = lambda values, which: jax.tree.map(lambda x: x[topology.rank[which]], values)
    entries = lax.map(lambda x: entry(*x), (pick(far, i), pick(near, j)))
    entries = entries if isinstance(entries, tuple) else (entries,)
    at = np.full((n, n), len(entries) * len(i))
    at[j, i] = (len(entries) - 1) * len(i) + np.arange(len(i))
    at[i, j] = np.arange(len(i))
    return jnp.concatenate([*entries, jnp.zeros(1, entries[0].dtype)])[at]
