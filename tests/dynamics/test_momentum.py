"""Momentum and mass center against Pinocchio, and by what they are."""

import dataclasses

import jax
import numpy as np
import pinocchio as pin
from helpers import close, random_motion
from oracles.pinocchio import Twin
from specimens import specimen

import denox as dx


def test_agrees_with_pinocchio(model, getkey):
    q, v, _, _ = random_motion(model, getkey())
    twin = Twin(model)
    pin.centerOfMass(twin.model, twin.data, twin.q(q), twin.v(v))
    assert close(dx.center_of_mass(model, q), twin.data.com[0], 1e-12)
    assert close(dx.center_of_mass_jacobian(model, q) @ v, twin.data.vcom[0], 1e-11, floor=1e-2)
    h = pin.computeCentroidalMomentum(twin.model, twin.data, twin.q(q), twin.v(v))
    assert close(dx.centroidal_momentum(model, q, v), np.r_[h.angular, h.linear], 1e-11)
    A = np.reshape(pin.ccrba(twin.model, twin.data, twin.q(q), twin.v(v)), (6, -1))[[3, 4, 5, 0, 1, 2]]
    assert close(dx.centroidal_momentum_matrix(model, q), twin.back(A), 1e-11)


def test_momentum_moves_from_the_center_to_the_origin(model, getkey):
    q, v, _, _ = random_motion(model, getkey())
    c, h = np.asarray(dx.center_of_mass(model, q)), np.asarray(dx.centroidal_momentum(model, q, v))
    assert close(dx.momentum(model, q, v), np.r_[h[:3] + np.cross(c, h[3:]), h[3:]], 1e-12)
    assert close(dx.momentum_matrix(model, q) @ v, dx.momentum(model, q, v), 1e-13)


def test_the_jacobian_is_the_slope_of_the_center(model, getkey):
    q, v, _, _ = random_motion(model, getkey())
    rate = jax.jvp(lambda q: dx.center_of_mass(model, q), (q,), (dx.coordinate_rates(model, q, v),))[1]
    assert close(dx.center_of_mass_jacobian(model, q) @ v, rate, 1e-11, floor=1e-2)


def test_a_free_body_without_gravity_keeps_its_momentum(getkey):
    model = specimen("flyer")
    model = dataclasses.replace(model, gravity=0 * model.gravity)
    q, v, _, tau = random_motion(model, getkey())
    tau = tau.at[:6].set(0)  # forces between links alone
    a = dx.forward_dynamics(model, q, v, tau)
    rate = jax.jvp(lambda q, v: dx.momentum(model, q, v), (q, v), (dx.coordinate_rates(model, q, v), a))[1]
    assert np.abs(rate).max() < 1e-11
