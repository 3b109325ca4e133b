"""Passive elements by what they are: forces of energies, and power that is lost."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers import close, random_inertia

import denox as dx
from denox.loads import GIVE, SLIP


def hinge(**numbers):
    return dx.Builder().link("arm", None, dx.Revolute((0, 1, 0)), inertia=random_inertia(np.random.default_rng(0)), **numbers).build()


def passive(model, q, v=0.0):
    return dx.passive_forces(model, jnp.array([q]), jnp.array([v]))[0]


def test_friction_falls_from_its_static_value_with_speed():
    model = hinge(friction=2.0, static_friction=3.0, stribeck_speed=0.5)
    for v in (0.3, -1.0, 20.0):
        full = np.sign(v) * (2 + np.exp(-((v / 0.5) ** 2)))
        assert close(passive(model, 0.0, v), full * abs(v) / np.hypot(v, SLIP), 1e-12)
    assert passive(model, 0.0, 0.0) == 0


def test_a_stop_is_a_spring_beyond_its_limit_alone():
    model = hinge(limits=(-0.5, 1.0), limit_stiffness=100.0)
    assert passive(model, 0.99) == 0
    assert passive(model, -0.49) == 0
    assert close(passive(model, 1.1), 100 * (0.1 - GIVE / 2), 1e-10)
    assert close(passive(model, -0.6), -100 * (0.1 - GIVE / 2), 1e-10)
    for q in (1.1, 1.0005, 1.0, 0.3, -0.5007, -0.7):  # the force is the slope of the energy
        slope = jax.grad(lambda q: dx.potential_energy(dx.rigid(model), q) - dx.potential_energy(model, q))(jnp.array([q]))
        assert close(-slope[0], passive(model, q), 1e-9, floor=1e-6)


def test_a_stop_damps_only_where_it_holds():
    model = hinge(limits=(-0.5, np.inf), limit_damping=3.0)
    assert passive(model, 2.0, 1.0) == 0
    assert close(passive(model, -0.6, 2.0), 6.0, 1e-12)


def test_derivatives_are_finite_at_limits_and_where_there_are_none():
    builder = dx.Builder().link("a", None, dx.Revolute(), inertia=random_inertia(np.random.default_rng(0)), limits=(0.0, np.inf), limit_stiffness=5.0)
    model = builder.link("ball", "a", dx.Spherical(), inertia=random_inertia(np.random.default_rng(1))).build()
    q = dx.neutral(model)
    for leaf in jax.tree.leaves(jax.jacfwd(jax.jacrev(lambda q, v: dx.passive_forces(model, q, v), (0, 1)), (0, 1))(q, jnp.zeros(4))):
        assert jnp.isfinite(leaf).all()


@pytest.mark.parametrize(
    ("numbers", "match"),
    [
        (dict(static_friction=1.0), "needs `friction`"),
        (dict(friction=1.0, static_friction=1.0, stribeck_speed=0.0), "more than 0"),
        (dict(limit_stiffness=1.0), "no `limits`"),
        (dict(limits=(0, 1), limit_stiffness=-1.0), "negative"),
    ],
)
def test_what_makes_no_sense_is_refused(numbers, match):
    with pytest.raises(ValueError, match=match):
        hinge(**numbers)


def test_limits_of_a_ball_cannot_be_stops():
    with pytest.raises(ValueError, match="turns about a point"):
        dx.Builder().link("ball", None, dx.Spherical(), limits=(-1, 1), limit_stiffness=1.0)
