"""The generalized inertia matrix by composite bodies."""

import jax.numpy as jnp

from ..couplings import collected_square
from ..model import Model, admit
from ..public import public
from ..types import Coordinates, Square
from .composite import composites, over_pairs, rotors


@public
def inertia_matrix(model: Model, q: Coordinates) -> Square:
    r"""The generalized inertia matrix I of $I \dot v + b + \text{passive} = \tau$, symmetric and positive definite, armature on its diagonal.

    $$I_{ij} = p_j^T A_{ij}^T \tilde M_i p_i$$ for every speed j between the ground and i: the wrench on composite body i is shifted to the origin of
    j and projected on its column.

    Eq. [001, 21]
    Eq. [001, 22]
    Eq. [001, 24]
    """
    tree, q = admit(model, q=q)
    return collected_square(model, matrix(tree, q))


def matrix(model: Model, q) -> Square:
    """Of a tree, over all its speeds."""
    here = rotors(model, q)

    def entry(i, j):
        (w, O_i), (p, O_j) = i, j
        return p.dot(w.shifted(O_i - O_j))

    I = over_pairs(model, entry, (composites(model, here), here.origin), (here.column, here.origin))
    return I if model.armature is None else I + jnp.diag(model.armature)
