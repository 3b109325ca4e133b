"""Momentum and center of mass."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from ..algebra import Force, Vec, array
from ..model import Model, admit
from ..public import public
from ..types import Coordinates, Point, Speeds
from .composite import Rotor, composites, rotors


def center(here: Rotor) -> Vec:
    """Of the nodes' masses."""
    moments = here.inertia.moment + here.origin * here.inertia.mass
    return jax.tree.map(lambda x: x.sum(0), moments) * (1 / here.inertia.mass.sum())


def columns(model: Model, here: Rotor) -> Force:
    """Momentum of unit speeds, about the inertial origin, over nodes: the composite bodies' M~ p."""
    return composites(model, here).shifted(here.origin)


def about_origin(model: Model, q):
    """(6, nv)"""
    return array(columns(model, rotors(model, q)))[model.topology.rank].T


def about_center(model: Model, q):
    """(6, nv)"""
    here = rotors(model, q)
    back = jax.tree.map(lambda x, like: jnp.broadcast_to(-x, like.shape), center(here), here.origin)
    return array(columns(model, here).shifted(back))[model.topology.rank].T


@public
def center_of_mass(model: Model, q: Coordinates) -> Point:
    """Of all links that move, in inertial axes from the inertial origin, in m."""
    model, q = admit(model, q=q)
    return array(center(rotors(model, q)))


@public
def center_of_mass_jacobian(model: Model, q: Coordinates) -> Float[Array, "3 nv"]:
    """J of the velocity J v of the center of mass, in inertial axes."""
    model, q = admit(model, q=q)
    here = rotors(model, q)
    return array(columns(model, here).force)[model.topology.rank].T / here.inertia.mass.sum()


@public
def momentum(model: Model, q: Coordinates, v: Speeds) -> Float[Array, "6"]:
    """Angular momentum about the inertial origin, then linear momentum, in inertial axes: kg m^2/s and kg m/s."""
    model, q, v = admit(model, q=q, v=v)
    return about_origin(model, q) @ v


@public
def momentum_matrix(model: Model, q: Coordinates) -> Float[Array, "6 nv"]:
    """The matrix that takes speeds to the momentum about the inertial origin, angular rows first."""
    return about_origin(*admit(model, q=q))


@public
def centroidal_momentum(model: Model, q: Coordinates, v: Speeds) -> Float[Array, "6"]:
    """Angular momentum about the center of mass, then linear momentum, in inertial axes: kg m^2/s and kg m/s."""
    model, q, v = admit(model, q=q, v=v)
    return about_center(model, q) @ v


@public
def centroidal_momentum_matrix(model: Model, q: Coordinates) -> Float[Array, "6 nv"]:
    """The matrix that takes speeds to the momentum about the center of mass, angular rows first."""
    return about_center(*admit(model, q=q))
