"""Derivatives in the tangent against Pinocchio's analytical ones, and against plain differentiation."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pinocchio as pin
import pytest
from helpers import close, quick, random_motion
from oracles.pinocchio import Twin
from specimens import specimen

import denox as dx
from denox.pose import turn


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


def by_rows(function, model, q, v, u):
    """The derivatives of `function(model, q, v, u)` along the tangent, by plain differentiation."""
    moved = lambda dq, v, u: function(model, dx.integrate(model, q, dq), v, u)
    return jax.jacfwd(moved, (0, 1, 2))(jnp.zeros_like(v), v, u)


WAYS = {"forward": (dx.linearize, dx.forward_dynamics), "inverse": (dx.linearize_inverse, dx.inverse_dynamics)}


@pytest.mark.parametrize("name", ["springy", "hung"])
@pytest.mark.parametrize("way", WAYS)
def test_agrees_with_plain_differentiation_passive_elements_included(name, way, getkey):
    dedicated, function = WAYS[way]
    model = specimen(name)
    q, v, u, _ = random_motion(model, getkey())
    plain = quick(lambda *x: by_rows(function, model, *x))
    for state in ((q, v, u), (dx.neutral(model), 0 * v, 0 * u)):
        ours = dedicated(model, *state)
        assert close(ours.value, function(model, *state), 1e-12, floor=1e-3)
        for mine, theirs in zip((ours.by_q, ours.by_v, ours.by_input), plain(*state), strict=True):
            assert close(mine, theirs, 1e-11, floor=1e-2)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_can_be_differentiated_itself(way, getkey):
    """By the state and by every number, in both modes, against plain second derivatives; along turns of the placements alone, not of raw entries."""
    dedicated, function = WAYS[way]
    model = specimen("springy")
    q, v, u, _ = random_motion(model, getkey())
    dq, dv, du = jax.random.normal(getkey(), (3, model.nv))

    def pulled(s, derivatives):
        R = turn("x", s) @ turn("y", 2 * s)
        moved = dataclasses.replace(model, inertia=model.inertia * (1 + s), placement=R @ model.placement, armature=model.armature + s)
        J = derivatives(moved, dx.integrate(model, q, s * dq), v + s * dv, u + s * du)
        return sum((jnp.cos(jnp.arange(x.size)).reshape(x.shape) * x).sum() for x in J)

    ours = lambda s: pulled(s, lambda *x: (lambda L: (L.by_q, L.by_v, L.by_input))(dedicated(*x)))
    plain = lambda s: pulled(s, lambda *x: by_rows(function, *x))
    expected = quick(lambda s: jax.jvp(plain, (s,), (1.0,))[1])(0.0)
    assert close(quick(lambda s: jax.jvp(ours, (s,), (1.0,))[1])(0.0), expected, 1e-10)
    assert close(quick(jax.grad(ours))(0.0), expected, 1e-10)
