"""Kinetic and potential energy."""

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Float

from ..algebra import inertia, vec
from ..kinematics import ground, motions, move
from ..loads import spring_energy
from ..model import Model, admit, own_parameters
from ..nodes import nodes
from ..public import public
from ..sweeps import outward
from ..types import Coordinates, Number, Speeds


@public
def kinetic_energy(model: Model, q: Coordinates, v: Speeds) -> Number:
    """1/2 sum of t^T M t over the bodies, in J, with the share of the rotors (armature)."""
    return kinetic(*admit(model, q=q, v=v))


def kinetic(model: Model, q, v):
    def step(parent, node):
        here, _ = move(parent, node)
        M = node.inertia.turned(here.pose.rotation)
        return here, here.twist.dot(M @ here.twist)

    twice = outward(model.topology.plan, step, ground(model, q, gravity=False), nodes(model, q, v)).sum()
    rotors = 0 if model.armature is None else (model.armature * v * v).sum()
    return (twice + rotors) / 2


@public
def potential_energy(model: Model, q: Coordinates) -> Number:
    """-sum of m g . c over the bodies, zero for a mass at the inertial origin, and that of the springs, in J."""
    return potential(*admit(model, q=q))


def potential(model: Model, q):
    g = vec(model.gravity)

    def step(parent, node):
        here, _ = move(parent, node)
        moment = here.pose.position * node.inertia.mass + here.pose.rotation @ node.inertia.moment
        return here, -g.dot(moment)

    return outward(model.topology.plan, step, ground(model, q, gravity=False), nodes(model, q)).sum() + spring_energy(model, q)


@public
def energy(model: Model, q: Coordinates, v: Speeds) -> Number:
    """Kinetic and potential energy together, in J: what a mechanism without friction and actuation conserves."""
    model, q, v = admit(model, q=q, v=v)
    return kinetic(model, q, v) + potential(model, q)


class LinkEnergies(NamedTuple):
    """Over links, in J."""

    kinetic: Float[Array, "links"]
    potential: Float[Array, "links"]


@public
def link_energies(model: Model, q: Coordinates, v: Speeds) -> LinkEnergies:
    """Kinetic and potential energy of each link, 1/2 t^T M t and -m g . c, fixed ones too. Rotors and springs belong to no link."""
    model, q, v = admit(model, q=q, v=v)
    links = motions(model, q, v)
    own = inertia(own_parameters(model)).turned(links.pose.rotation)
    moment = links.pose.position * own.mass + own.moment
    return LinkEnergies(links.twist.dot(own @ links.twist) / 2, -vec(jnp.broadcast_to(model.gravity, (len(model.links), 3))).dot(moment))
