"""What holds for every mechanism, whatever its numbers."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from helpers import close, quick, random_motion
from oracles.pinocchio import Twin

import denox as dx


def test_forward_undoes_inverse(model, getkey):
    q, v, a, _ = random_motion(model, getkey())
    assert close(dx.forward_dynamics(model, q, v, dx.inverse_dynamics(model, q, v, a)), a, 1e-10)


def test_forces_are_inertia_bias_and_passive(model, getkey):
    q, v, a, _ = random_motion(model, getkey())
    parts = dx.inertia_matrix(model, q) @ a + dx.bias_forces(model, q, v) + dx.passive_forces(model, q, v)
    assert close(dx.inverse_dynamics(model, q, v, a), parts, 1e-12)


def test_inertia_matrix_is_symmetric_and_positive(model, getkey):
    M = np.asarray(dx.inertia_matrix(model, random_motion(model, getkey())[0]))
    assert close(M, M.T, 1e-15)
    assert np.linalg.eigvalsh(M)[0] > 0


def test_factor_solves_and_its_pivots_make_the_determinant(model, getkey):
    q, _, _, b = random_motion(model, getkey())
    M, udu = np.asarray(dx.inertia_matrix(model, q)), dx.factor(model, q)
    assert close(M @ udu.solve(b), b, 1e-10)
    assert close(udu.logdet(), np.linalg.slogdet(M)[1], 1e-11, floor=1.0)
    assert close(jnp.log(udu.D).sum(), udu.logdet(), 1e-13, floor=1.0)


def test_kinetic_energy_is_half_the_quadratic_form(model, getkey):
    q, v, _, _ = random_motion(model, getkey())
    assert close(dx.kinetic_energy(model, q, v), v @ dx.inertia_matrix(model, q) @ v / 2, 1e-13)
    assert close(dx.energy(model, q, v), dx.kinetic_energy(model, q, v) + dx.potential_energy(model, q), 1e-14)


def test_power_balances(model, getkey):
    """The energy grows by the power of the forces less what damping and friction take."""
    q, v, _, tau = random_motion(model, getkey())
    a = dx.forward_dynamics(model, q, v, tau)
    rates = dx.coordinate_rates(model, q, v), a
    power = jax.jvp(lambda q, v: dx.energy(model, q, v), (q, v), rates)[1]
    taken = dx.passive_forces(dataclasses.replace(model, stiffness=None), q, v) @ v
    assert close(power, tau @ v - taken, 1e-10, floor=1.0)


def test_gravity_forces_are_the_slope_of_the_potential(model, getkey):
    q, v, _, _ = random_motion(model, getkey())
    slope = jax.jvp(lambda q: dx.potential_energy(model, q), (q,), (dx.coordinate_rates(model, q, v),))[1]
    springs = dx.passive_forces(dataclasses.replace(model, damping=None, friction=None), q, v) @ v
    assert close(dx.gravity_forces(model, q) @ v + springs, slope, 1e-11, floor=1.0)


def test_linear_in_the_inertial_parameters(model, getkey):
    q, v, a, _ = random_motion(model, getkey())
    phi = dx.inertial_parameters(model)
    f = lambda phi: dx.inverse_dynamics(dx.with_inertial_parameters(model, phi), q, v, a)
    slope = jax.jvp(f, (phi,), (phi,))[1]
    assert close(f(phi) - f(0 * phi), slope, 1e-12)
    assert close(dx.inertial_parameters(dx.with_inertial_parameters(model, 2 * phi)), 2 * phi, 1e-14)


def test_wrenches_act_through_the_jacobians_transpose(model, getkey):
    q, v, a, _ = random_motion(model, getkey())
    w = jax.random.normal(getkey(), (len(model.links), 6))
    jacobians = [dx.jacobian(model, q, link) for link in model.links]
    expected = dx.inverse_dynamics(model, q, v, a) - sum(J.T @ f for J, f in zip(jacobians, w, strict=True))
    assert close(dx.inverse_dynamics(model, q, v, a, w), expected, 1e-11)
    tau = dx.inverse_dynamics(model, q, v, a, w)
    assert close(dx.forward_dynamics(model, q, v, tau, w), a, 1e-10)


def test_agrees_with_pinocchio(model, getkey):
    q, v, a, tau = random_motion(model, getkey())
    twin = Twin(model)
    passive = np.asarray(dx.passive_forces(model, q, v))
    assert close(dx.inverse_dynamics(model, q, v, a) - passive, twin.inverse_dynamics(q, v, a), 1e-11)
    assert close(dx.forward_dynamics(model, q, v, tau + passive), twin.forward_dynamics(q, v, tau), 1e-10)
    assert close(dx.inertia_matrix(model, q), twin.inertia_matrix(q), 1e-11)


def test_single_precision_agrees(model, getkey):
    q, v, a, tau = random_motion(model, getkey())
    single = model.astype(jnp.float32)
    f32 = [x.astype(jnp.float32) for x in (q, v, a, tau)]
    ours = quick(lambda m, q, v, a, tau: (dx.inverse_dynamics(m, q, v, a), dx.inertia_matrix(m, q), dx.forward_dynamics(m, q, v, tau)))
    for x, y, bound in zip(ours(single, *f32), ours(model, q, v, a, tau), (1e-5, 1e-5, 2e-3), strict=True):
        assert x.dtype == jnp.float32
        assert close(x, y, bound)


def test_rigid_leaves_out_what_joints_have(model, getkey):
    q, v, a, _ = random_motion(model, getkey())
    bare = dx.rigid(model)
    assert not np.any(dx.passive_forces(bare, q, v))
    assert close(dx.inverse_dynamics(bare, q, v, a), dx.inverse_dynamics(bare, q, v, 0 * a) + dx.inertia_matrix(bare, q) @ a, 1e-11)
