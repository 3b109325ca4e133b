"""The generalized inertia matrix by composite bodies."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..algebra import Force, Motion, Rigid, Vec, pytree, zero
from ..kinematics import ground, move
from ..model import Model, admit
from ..nodes import nodes
from ..public import public
from ..sweeps import inward, outward
from ..topology import take
from ..types import Coordinates, Square


@pytree
class Rotor:
    """Of a node, in inertial axes: origin, offset from the parent's, column p, inertia."""

    origin: Vec
    offset: Vec
    column: Motion
    inertia: Rigid


def compose(beyond: Rigid, node: Rotor) -> tuple[Rigid, Force]:
    """M~_i = M_i + sum of B^T M~ B over the children; and the wrench M~_i p_i that a unit acceleration of the speed needs.

    Eq. [001, 23a]
    Eq. [001, 23b]
    """
    M = beyond + node.inertia
    return M.shifted(node.offset), M @ node.column


@public
def inertia_matrix(model: Model, q: Coordinates) -> Square:
    r"""The generalized inertia matrix I of $I \dot v + b + \text{passive} = \tau$, symmetric and positive definite, armature on its diagonal.

    $$I_{ij} = p_j^T A_{ij}^T \tilde M_i p_i$$ for every speed j between the ground and i: the wrench on composite body i is shifted to the origin of
    j and projected on its column.

    Eq. [001, 21]
    Eq. [001, 22]
    Eq. [001, 24]
    """
    model, q = admit(model, q=q)
    topology = model.topology

    def step(parent, node):
        here, a = move(parent, node)
        R = here.pose.rotation
        return here, Rotor(here.pose.position, a, Motion(R.z * node.turn, R.z * node.slide), node.inertia.turned(R))

    rotors = outward(topology.plan, step, ground(model, q, gravity=False), nodes(model, q))
    wrenches = inward(topology.plan, compose, zero(Rigid, q), rotors)

    def entry(x):
        p, w, a = x
        return p.dot(w.shifted(a))

    lower, upper = np.nonzero(topology.support)  # speeds i and j, j on the way from the ground to i
    i, j = topology.rank[lower], topology.rank[upper]
    arms = jax.tree.map(lambda x: x[i] - x[j], rotors.origin)
    entries = lax.map(entry, (jax.tree.map(lambda x: x[j], rotors.column), jax.tree.map(lambda x: x[i], wrenches), arms))
    at = np.full((model.nv, model.nv), len(lower))
    at[lower, upper] = at[upper, lower] = np.arange(len(lower))
    I = take(jnp.append(entries, 0), at)
    return I if model.armature is None else I + jnp.diag(model.armature)
