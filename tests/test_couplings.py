"""Joints that follow others, against the dense algebra `G^T M G` of Pinocchio's tree."""

import jax
import numpy as np
import pytest
from helpers import close, random_builder, random_motion
from oracles.pinocchio import Twin
from specimens import specimen

import denox as dx

G_GEARED = np.zeros((8, 6))  # of `specimens.geared`, written out: the ball, link1, link2 = 0.3 link1, link3, link4 = 0.6 link1 - 0.7 link5, link5
G_GEARED[:3, :3] = np.eye(3)
G_GEARED[3, 3], G_GEARED[4, 3], G_GEARED[5, 4], G_GEARED[7, 5] = 1, 0.3, 1, 1
G_GEARED[6, [3, 5]] = 0.6, -0.7


def spread(q):
    """The tree's coordinates."""
    return np.r_[q[:5], 0.3 * q[4] + 0.1, q[5], 2 * (0.3 * q[4] + 0.1) - 0.7 * q[6] - 0.2, q[6]]


def test_dynamics_equal_the_dense_algebra_of_pinocchios_tree(getkey):
    model, G = specimen("geared"), G_GEARED
    q, v, a, tau = random_motion(model, getkey())
    twin = Twin(model.uncoupled())
    tree_q = spread(np.asarray(q))
    M = G.T @ twin.inertia_matrix(tree_q) @ G
    bias = G.T @ twin.inverse_dynamics(tree_q, G @ v, np.zeros(8))
    assert close(dx.inertia_matrix(model, q), M, 1e-11)
    assert close(dx.bias_forces(model, q, v), bias, 1e-11)
    assert close(dx.inverse_dynamics(model, q, v, a), M @ a + bias, 1e-11)
    assert close(dx.forward_dynamics(model, q, v, tau), np.linalg.solve(M, tau - bias), 1e-10)
    lin = dx.linearize(model, q, v, tau)
    assert close(lin.by_input, np.linalg.inv(M), 1e-10)


def test_speeds_and_coordinates_fit_together(getkey):
    model = specimen("geared")
    q, v, _, _ = random_motion(model, getkey())
    h = 1e-6
    ahead, behind = (dx.kinematics(model, dx.integrate(model, q, s * h * v)).position for s in (1, -1))
    assert close(dx.kinematics(model, q, v).twist[:, 3:], (ahead - behind) / (2 * h), 1e-8)
    assert close(dx.jacobian(model, q, "link4") @ v, dx.kinematics(model, q, v).twist[4], 1e-12)
    assert close(dx.momentum_matrix(model, q) @ v, dx.momentum(model, q, v), 1e-12)
    assert close(dx.difference(model, q, dx.integrate(model, q, 0.1 * v)), 0.1 * v, 1e-11)
    assert close(v @ dx.inertia_matrix(model, q) @ v / 2, dx.kinetic_energy(model, q, v), 1e-12)


def test_the_convective_matrix_stays_skew(getkey):
    model = specimen("geared")
    q, v, _, _ = random_motion(model, getkey())
    rate = jax.jvp(lambda t: dx.inertia_matrix(model, dx.integrate(model, q, t * v)), (0.0,), (1.0,))[1]
    S = rate - 2 * dx.coriolis_matrix(model, q, v)
    assert close(S, -S.T, 1e-9, floor=1.0)
    rigid = dx.bias_forces(model, q, v) - dx.gravity_forces(model, q)
    assert close(dx.coriolis_matrix(model, q, v) @ v, rigid, 1e-10)


def test_names_tell_who_follows_whom():
    model = specimen("geared")
    assert model.joints == ("link0", "link1", "link3", "link5")
    assert (model.nq, model.nv) == (7, 6)
    assert model.q_index("link5") == slice(6, 7)
    assert "follows `link2`, `link5`" in model.summary()
    with pytest.raises(ValueError, match="follows `link1`"):
        model.q_index("link2")


def test_locking_a_source_locks_what_follows_it(getkey):
    model = specimen("geared")
    q, _, _, _ = random_motion(model, getkey())
    locked = dx.lock(model, {"link1": q[4]})
    assert locked.joints == ("link0", "link3", "link5")
    keep = np.array([0, 1, 2, 4, 5])
    M = np.asarray(dx.inertia_matrix(dx.rigid(model), q))[np.ix_(keep, keep)]
    assert close(dx.inertia_matrix(dx.rigid(locked), np.delete(q, 4)), M, 1e-11)
    with pytest.raises(ValueError, match="cannot be locked by itself"):
        dx.lock(model, {"link2": 0.1})


@pytest.mark.parametrize(
    ("couple", "match"),
    [
        (lambda b: b.couple("link1", "link9"), "no joint that moves is called `link9`"),
        (lambda b: b.couple("link0", "link1"), "several coordinates"),
        (lambda b: b.couple("link1", "link2").couple("link2", "link1"), "in a circle"),
        (lambda b: b.couple("link1", "link2").couple("link1", "link3"), "already"),
        (lambda b: b.couple("link1", {}), "empty"),
        (lambda b: b.couple("link1", "link2", float("nan")), "finite"),
        (lambda b: b.couple("link1", "link2", (1.0, 2.0)), "one number"),
    ],
)
def test_what_makes_no_sense_is_refused(couple, match):
    builder = random_builder(np.random.default_rng(0), [-1, 0, 1, 2], ["spherical", "revolute", "prismatic", "revolute"])
    with pytest.raises(ValueError, match=match):
        couple(builder).build()


def test_functions_that_do_not_know_couplings_say_so(getkey):
    model = specimen("geared")
    q, v, a, tau = random_motion(model, getkey())
    with pytest.raises(ValueError, match="inertia_matrix"):
        dx.factor(model, q)
    with pytest.raises(ValueError, match="follow others"):
        dx.hybrid_dynamics(model, q, v, tau, a, ("link0",))
