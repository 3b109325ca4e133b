"""Driven and free joints mixed, against a dense partition of the inertia matrix."""

import jax.numpy as jnp
import numpy as np
import pytest
from helpers import close, random_motion
from specimens import specimen

import denox as dx


def test_equals_a_dense_partition(model, getkey):
    q, v, a, tau = random_motion(model, getkey())
    M, b = np.asarray(dx.inertia_matrix(model, q)), np.asarray(dx.bias_forces(model, q, v) + dx.passive_forces(model, q, v))
    for driven in ((), model.joints[:1], model.joints[::2], model.joints):
        given = np.zeros(model.nv, bool)
        for joint in driven:
            given[model.v_index(joint)] = True
        expected = np.array(a)
        free = ~given
        if free.any():
            right = np.asarray(tau - b)[free] - M[np.ix_(free, given)] @ expected[given]
            expected[free] = np.linalg.solve(M[np.ix_(free, free)], right)
        ours, forces = dx.hybrid_dynamics(model, q, v, tau, a, driven)
        assert close(ours, expected, 1e-10)
        assert close(forces, np.where(given, M @ expected + b, tau), 1e-9)


def test_a_driven_joint_may_move_nothing():
    """A massless tip would have no pivot, but needs none when its motion is given."""
    model = specimen("planar 3r")
    light = dx.with_inertial_parameters(model, dx.inertial_parameters(model).at[2].set(0))
    a, tau = dx.hybrid_dynamics(light, *jnp.ones((4, 3)), ("link3",))
    assert np.isfinite(a).all()
    assert abs(tau[2]) < 1e-14


def test_an_unknown_joint_is_named(as_users_run):
    model = specimen("planar 3r")
    with pytest.raises(ValueError, match="No joint is called `wrist`"):
        dx.hybrid_dynamics(model, *jnp.ones((4, 3)), ("wrist",))
