"""Derivatives in the tangent against Pinocchio's analytical ones."""

import numpy as np
import pinocchio as pin
from helpers import close, random_motion
from oracles.pinocchio import Twin

import denox as dx


def test_forward_agrees_with_pinocchio(model, getkey):
    model = dx.rigid(model)
    q, v, _, tau = random_motion(model, getkey())
    twin = Twin(model)
    by_q, by_v, by_tau = pin.computeABADerivatives(twin.model, twin.data, twin.q(q), twin.v(v), twin.v(tau))
    ours = dx.linearize(model, q, v, tau)
    assert close(ours.value, dx.forward_dynamics(model, q, v, tau), 1e-12)
    assert close(ours.by_q, twin.back_matrix(np.atleast_2d(by_q)), 1e-9)
    assert close(ours.by_v, twin.back_matrix(np.atleast_2d(by_v)), 1e-9, floor=1e-3)
    assert close(ours.by_input, twin.back_matrix(np.atleast_2d(by_tau)), 1e-9)


def test_inverse_agrees_with_pinocchio(model, getkey):
    model = dx.rigid(model)
    q, v, a, _ = random_motion(model, getkey())
    twin = Twin(model)
    by_q, by_v, by_a = pin.computeRNEADerivatives(twin.model, twin.data, twin.q(q), twin.v(v), twin.v(a))
    ours = dx.linearize_inverse(model, q, v, a)
    M = np.triu(np.atleast_2d(by_a))
    assert close(ours.value, dx.inverse_dynamics(model, q, v, a), 1e-12)
    assert close(ours.by_q, twin.back_matrix(np.atleast_2d(by_q)), 1e-10)
    assert close(ours.by_v, twin.back_matrix(np.atleast_2d(by_v)), 1e-10, floor=1e-3)
    assert close(ours.by_input, twin.back_matrix(M + np.triu(M, 1).T), 1e-10)
