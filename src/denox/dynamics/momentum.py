"""Momentum and center of mass."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from ..algebra import Force, Vec, array
from ..couplings import per_speed
from ..kinematics import ground, move
from ..model import Model, admit
from ..nodes import nodes
from ..public import public
from ..sweeps import outward
from ..types import Coordinates, Point, Speeds
from .composite import Rotor, composites, rotors


def center(here: Rotor) -> Vec:
    """Of the nodes' masses."""
    moments = here.inertia.moment + here.origin * here.inertia.mass
    return jax.tree.map(lambda x: x.sum(0), moments) * (1 / here.inertia.mass.sum())


def columns(model: Model, here: Rotor) -> Force:
    """Momentum of unit speeds, about the inertial origin, over nodes: the composite bodies' M~ p."""
    return composites(model, here).shifted(here.origin)


def matrix(model: Model, q, centroidal: bool):
    """(6, nv), about the inertial origin or the center of mass."""
    tree, q = admit(model, q=q)
    here = rotors(tree, q)
    total = columns(tree, here)
    if centroidal:
        total = total.shifted(jax.tree.map(lambda x, like: jnp.broadcast_to(-x, like.shape), center(here), here.origin))
    return per_speed(model, array(total)[tree.topology.rank].T)


def total(model: Model, q, v) -> Force:
    """The sum of the bodies' momenta M t about the inertial origin, whatever moves them: also a base that is made to move."""

    def step(parent, node):
        here, _ = move(parent, node)
        return here, (node.inertia.turned(here.pose.rotation) @ here.twist).shifted(here.pose.position)

    parts = outward(model.topology.plan, step, ground(model, q, gravity=False), nodes(model, q, v))
    return jax.tree.map(lambda x: x.sum(0), parts)


@public
def center_of_mass(model: Model, q: Coordinates) -> Point:
    """Of all links that move, in inertial axes from the inertial origin, in m."""
    model, q = admit(model, q=q)
    return array(center(rotors(model, q)))


@public
def center_of_mass_jacobian(model: Model, q: Coordinates) -> Float[Array, "3 nv"]:
    """J of the velocity J v of the center of mass, in inertial axes, on a base at rest."""
    tree, q = admit(model, q=q)
    here = rotors(tree, q)
    return per_speed(model, array(columns(tree, here).force)[tree.topology.rank].T / here.inertia.mass.sum())


@public
def momentum(model: Model, q: Coordinates, v: Speeds) -> Float[Array, "6"]:
    """Angular momentum about the inertial origin, then linear momentum, in inertial axes: kg m^2/s and kg m/s."""
    model, q, v = admit(model, q=q, v=v)
    return array(total(model, q, v))


@public
def momentum_matrix(model: Model, q: Coordinates) -> Float[Array, "6 nv"]:
    """The matrix that takes speeds to the momentum about the inertial origin, angular rows first, on a base at rest."""
    return matrix(model, q, centroidal=False)


@public
def centroidal_momentum(model: Model, q: Coordinates, v: Speeds) -> Float[Array, "6"]:
    """Angular momentum about the center of mass, then linear momentum, in inertial axes: kg m^2/s and kg m/s."""
    model, q, v = admit(model, q=q, v=v)
    return array(total(model, q, v).shifted(-center(rotors(model, q))))


@public
def centroidal_momentum_matrix(model: Model, q: Coordinates) -> Float[Array, "6 nv"]:
    """The matrix that takes speeds to the momentum about the center of mass, angular rows first, on a base at rest."""
    return matrix(model, q, centroidal=True)
