"""The form of paper 003: three Euler parameters' rates as speeds."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers import close, random_motion
from specimens import specimen

import denox as dx
from denox.dynamics import euler_rates


def test_rates_are_those_of_the_euler_parameters(getkey):
    model = specimen("ball chain")
    q, v, _, _ = random_motion(model, getkey())
    r = dx.euler_rates.rates(model, q, v)
    dq = np.asarray(dx.coordinate_rates(model, q, v)).reshape(3, 4)
    assert close(r, dq[:, 1:].ravel(), 1e-13)
    assert close(dx.euler_rates.speeds(model, q, r), v, 1e-11)


@pytest.mark.parametrize("name", ["ball chain", "branched"])
def test_the_dynamics_are_lagranges_in_these_rates(name, getkey):
    """Kinetic energy is the same quadratic form; forward undoes inverse; power is the same."""
    model = specimen(name)
    q, v, a, _ = random_motion(model, getkey())
    r = dx.euler_rates.rates(model, q, v)
    assert close(r @ dx.euler_rates.inertia_matrix_of_rates(model, q) @ r / 2, dx.kinetic_energy(dx.rigid(model), q, v), 1e-10)
    f = dx.euler_rates.inverse_dynamics_of_rates(model, q, r, a)
    assert close(dx.euler_rates.forward_dynamics_of_rates(model, q, r, f), a, 1e-9)
    assert close(
        r @ dx.euler_rates.inverse_dynamics_of_rates(model, q, r, 0 * a), v @ dx.inverse_dynamics(model, q, v, euler_bias(model, q, r)), 1e-10
    )


def euler_bias(model, q, r):
    return euler_rates.convected(model, q, r)[1]


def test_the_second_rates_are_second_derivatives(getkey):
    """A motion at constant angular acceleration: its Euler parameters, differentiated in time."""
    model = dx.Builder().link("ball", None, dx.Spherical(), inertia=dx.Inertia(1.0, (0.1, 0.2, 0.3), (0.2, 0.3, 0.4))).build()
    q, v, _, tau = random_motion(model, getkey())
    a = dx.forward_dynamics(model, q, v, tau)
    rates_at = lambda t: dx.euler_rates.rates(model, dx.integrate(model, q, v * t), v + a * t)
    second = jax.jacfwd(rates_at)(0.0)
    r = dx.euler_rates.rates(model, q, v)
    force = euler_rates.speeds_matrix(model, q).T @ tau
    assert close(dx.euler_rates.forward_dynamics_of_rates(model, q, r, force), second, 1e-10)


def test_the_pole_at_half_a_turn_is_refused_by_name():
    model = specimen("ball chain")
    q = dx.neutral(model).at[4:8].set(jnp.array([0.0, 1.0, 0.0, 0.0]))
    with pytest.raises(Exception, match="Joint `link1` is at half a turn"):
        dx.euler_rates.speeds(model, q, jnp.ones(9)).block_until_ready()


def test_second_derivatives_are_finite_at_no_turn():
    model = specimen("ball chain")
    cost = lambda q, r: (dx.euler_rates.inverse_dynamics_of_rates(model, q, r, r) ** 2).sum()
    for leaf in jax.tree.leaves(jax.hessian(cost, (0, 1))(dx.neutral(model), jnp.zeros(9))):
        assert jnp.isfinite(leaf).all()
