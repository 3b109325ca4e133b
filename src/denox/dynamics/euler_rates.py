"""Spherical joints as paper 003 has them: with the rates of three Euler parameters as speeds.

The joints of a model have the angular velocity in the child's axes for speeds. Here the three speeds of a spherical joint are the rates of
`e1, e2, e3` instead, `v = G* r`, and everything else follows: forces by `G*^T`, accelerations by `dv/dt = G* dr/dt + dG*/dt r`. Their form has a
pole at half a turn, e0 = 0, where the three rates do not tell the angular velocity; it is refused there by name, and a joint that goes there is
better described by its angular velocity, which has none.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from ..algebra import Vec, array
from ..check import joint_of
from ..couplings import refuse_couplings
from ..joints import Ball
from ..model import Model, admit
from ..public import public
from ..rotations import rotation
from ..state import coordinate_rates
from ..types import Coordinates, Speeds, Square
from .forward import forward_dynamics
from .inertia_matrix import inertia_matrix
from .inverse import inverse_dynamics

POLE = 1e-6  # of e0


def balls(model: Model):
    """Of each spherical joint: its name, where its coordinates and where its speeds begin."""
    t = model.topology
    return [(joint_of(t, i), int(t.coordinates[i]), int(t.speeds[i])) for i, kind in enumerate(t.kinds) if kind is Ball]


def away_from_pole(model: Model, q):
    """q itself; an error that names the joint at half a turn."""
    for joint, at, _ in balls(model):
        cure = "Use its angular velocity there: `dx.forward_dynamics` and the others without three rates."
        q = eqx.error_if(q, jnp.abs(q[at]) < POLE, f"Joint `{joint}` is at half a turn, e0 = 0, where the rates of e1, e2, e3 have a pole. {cure}")
    return q


def blocks(model: Model, q, block):
    """A matrix (nv, nv): one, but for `block(e)` at the speeds of spherical joints."""
    total = jnp.eye(model.nv, dtype=q.dtype)
    for _, at, start in balls(model):
        place = np.zeros((model.nv, 3))
        place[start : start + 3] = np.eye(3)
        total = total + place @ (block([q[at + k] for k in range(4)]) - np.eye(3)) @ place.T
    return total.astype(q.dtype)


def speeds_matrix(model: Model, q):
    """G* = (1 + B^T) / e0 in the child's axes.      Eq. [003, 14]"""
    return blocks(model, q, lambda e: (np.eye(3) + array(rotation(e)).T) / e[0])


def rates_matrix(model: Model, q):
    """The inverse of G*, (e0 1 + e~) / 2, which has no pole."""
    return blocks(model, q, lambda e: (e[0] * np.eye(3) + array(Vec(*e[1:]).tilde)) / 2)


def known(model: Model, q) -> tuple:
    refuse_couplings(model, "euler_rates", "Take `model.uncoupled()`.")
    model, q = admit(model, q=q)
    return model, away_from_pole(model, q)


@public
def speeds(model: Model, q: Coordinates, rates: Speeds) -> Speeds:
    """v = G* r: angular velocities of spherical joints from the rates of e1, e2, e3.

    Eq. [003, 12]
    Eq. [003, 13]
    """
    model, q = known(model, q)
    return speeds_matrix(model, q) @ rates


@public
def rates(model: Model, q: Coordinates, v: Speeds) -> Speeds:
    """r of v = G* r: the rates of e1, e2, e3, in place of angular velocities."""
    model, q = known(model, q)
    return rates_matrix(model, q) @ v


@public
def inertia_matrix_of_rates(model: Model, q: Coordinates) -> Square:
    """G*^T I G*, the inertia matrix that belongs to the columns P = [G*; 0].

    Eq. [003, 16]
    Eq. [003, 17]
    """
    tree, q = known(model, q)
    G = speeds_matrix(tree, q)
    return G.T @ inertia_matrix(tree, q) @ G


def convected(model: Model, q, r):
    """v and dG*/dt r."""
    v = speeds_matrix(model, q) @ r
    return v, jax.jvp(lambda q: speeds_matrix(model, q) @ r, (q,), (coordinate_rates(model, q, v),))[1]


@public
def inverse_dynamics_of_rates(model: Model, q: Coordinates, rates: Speeds, rate_rates: Speeds) -> Speeds:
    """Forces that do work on the rates: G*^T tau.      Eq. [003, 15]"""
    tree, q = known(model, q)
    v, bias = convected(tree, q, rates)
    G = speeds_matrix(tree, q)
    return G.T @ inverse_dynamics(tree, q, v, G @ rate_rates + bias)


@public
def forward_dynamics_of_rates(model: Model, q: Coordinates, rates: Speeds, tau: Speeds) -> Speeds:
    """d2/dt2 of e1, e2, e3 and the accelerations of the other speeds, under forces that do work on the rates."""
    tree, q = known(model, q)
    v, bias = convected(tree, q, rates)
    R = rates_matrix(tree, q)
    return R @ (forward_dynamics(tree, q, v, R.T @ tau) - bias)
