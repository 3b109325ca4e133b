"""Coordinates as a Lie group, against Pinocchio and by its axioms."""

import jax
import jax.numpy as jnp
import numpy as np
import pinocchio as pin
import pytest
from helpers import close, random_motion
from oracles.pinocchio import Twin
from specimens import specimen

import denox as dx


def test_minus_undoes_plus(model, getkey):
    q, v, _, _ = random_motion(model, getkey())
    dq = 0.5 * v
    assert close(dx.difference(model, q, dx.integrate(model, q, dq)), dq, 1e-12)
    assert np.abs(dx.difference(model, q, q)).max() < 1e-15


def test_plus_undoes_minus(model, getkey):
    (q0, _, _, _), (q1, _, _, _) = random_motion(model, getkey()), random_motion(model, getkey())
    there = dx.integrate(model, q0, dx.difference(model, q0, q1))
    assert close(dx.kinematics(model, there).rotation, dx.kinematics(model, q1).rotation, 1e-12)
    assert close(dx.kinematics(model, there).position, dx.kinematics(model, q1).position, 1e-12, floor=1.0)


def test_difference_agrees_with_pinocchio(model, getkey):
    (q0, _, _, _), (q1, _, _, _) = random_motion(model, getkey()), random_motion(model, getkey())
    twin = Twin(model)
    assert close(dx.difference(model, q0, q1), twin.back(pin.difference(twin.model, twin.q(q0), twin.q(q1))), 1e-11)


def test_coordinate_rates_are_the_slope_of_plus(model, getkey):
    q, v, _, _ = random_motion(model, getkey())
    slope = jax.jvp(lambda t: dx.integrate(model, q, t * v), (0.0,), (1.0,))[1]
    assert close(dx.coordinate_rates(model, q, v), slope, 1e-13)


def test_unit_length_stays(model, getkey):
    q, v, _, _ = random_motion(model, getkey())
    for _ in range(20):
        q = dx.integrate(model, q, v)
    for body, kind in enumerate(model.topology.kinds):
        if kind.coordinates > 1:
            assert abs(np.linalg.norm(q[model.topology.coordinates[body] :][:4]) - 1) < 1e-14


def test_neutral_is_no_motion():
    assert dx.neutral(specimen("flyer")).tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]


def test_random_states_keep_limits_and_differ():
    model = dx.Builder().link("a", None, dx.Revolute(), inertia=dx.Inertia(1, None, (1, 1, 1)), limits=(0.2, 0.3)).build()
    q, _ = jax.vmap(lambda k: dx.random_state(model, k))(jax.random.split(jax.random.key(0), 100))
    assert ((q >= 0.2) & (q <= 0.3)).all()
    assert jnp.ptp(q) > 0.05
    body = dx.Inertia(1, None, (1, 1, 1))
    model = dx.Builder().link("a", None, dx.Revolute(), inertia=body, limits=(5, np.inf)).link("b", "a", dx.Spherical(), inertia=body).build()
    q, _ = jax.vmap(lambda k: dx.random_state(model, k))(jax.random.split(jax.random.key(0), 100))
    assert (q[:, 0] >= 5).all()
    assert close(jnp.linalg.norm(q[:, 1:], axis=1), np.ones(100), 1e-14)


@pytest.mark.parametrize("where", ["same", "near", "half a turn"])
def test_derivatives_of_difference_are_finite(where):
    model = specimen("ball chain")
    q = dx.neutral(model)
    step = {"same": 0.0, "near": 1e-9, "half a turn": 3.0}[where]
    f = lambda dq: dx.difference(model, q, dx.integrate(model, q, dq))
    dq = jnp.full(9, step / np.sqrt(3))
    assert close(jax.jacobian(f)(dq), np.eye(9), 1e-9)
    assert np.isfinite(jax.hessian(lambda x: f(x).sum())(dq)).all()
