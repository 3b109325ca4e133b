"""Twists are rates of poses, Jacobians are rates of points."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers import close, random_motion
from oracles.pinocchio import Twin
from specimens import specimen

import denox as dx


def along(model, q, v, a=None):
    """Coordinates a little later, to second order in time."""
    return lambda t: dx.integrate(model, q, v * t + (0 if a is None else a * t * t / 2))


def test_twists_are_rates_of_poses(model, getkey):
    q, v, _, _ = random_motion(model, getkey())
    kin = dx.kinematics(model, q, v)
    pose = lambda t: (lambda k: (k.rotation, k.position))(dx.kinematics(model, along(model, q, v)(t)))
    (R, _), (dR, dp) = jax.jvp(pose, (0.0,), (1.0,))
    w = kin.twist[:, :3]
    assert close(kin.twist[:, 3:], dp, 1e-11, floor=1.0)
    assert close(jnp.cross(w[:, :, None], R, axis=1), dR, 1e-11, floor=1.0)


def test_rates_are_rates_of_twists(model, getkey):
    q, v, a, _ = random_motion(model, getkey())
    qdot = dx.coordinate_rates(model, q, v)
    rate = jax.jvp(lambda q, v: dx.kinematics(model, q, v).twist, (q, v), (qdot, a))[1]
    assert close(dx.kinematics(model, q, v, a).twist_rate, rate, 1e-11, floor=1.0)


def test_jacobian_gives_twists_of_points(model, getkey):
    q, v, a, _ = random_motion(model, getkey())
    point = np.array([0.1, -0.2, 0.3])
    for link in model.links:
        kin = dx.kinematics(model, q, v, a).at(link, point)
        J = dx.jacobian(model, q, link, point)
        assert close(J @ v, kin.twist, 1e-12, floor=1.0)
        assert close(J @ a + dx.jacobian_bias(model, q, v, link, point), kin.twist_rate, 1e-11, floor=1.0)


def test_frames_are_part_of_their_links(getkey):
    pose = dx.Pose.from_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    model = dx.Builder().link("a", None, dx.Revolute((1, 2, 3)), inertia=dx.Inertia(1, None, (1, 1, 1))).frame("tool", "a", pose).build()
    q, v, a, _ = random_motion(model, getkey())
    kin = dx.kinematics(model, q, v, a)
    assert close(kin.at("tool").position, kin.at("a", pose.position).position, 1e-15)
    assert close(kin.at("tool").rotation, kin.at("a").rotation @ pose.rotation, 1e-15)
    assert close(dx.jacobian(model, q, "tool"), dx.jacobian(model, q, "a", pose.position), 1e-15)


def test_a_batch_of_kinematics_can_be_looked_at():
    model = specimen("puma")
    q = jnp.ones((9, 6))
    tips = jax.vmap(dx.kinematics, (None, 0))(model, q).at("tip").position
    assert tips.shape == (9, 3)
    assert close(tips[4], dx.kinematics(model, q[4]).at("tip").position, 1e-15)


def test_what_is_not_asked_for_is_none():
    model = specimen("puma")
    kin = dx.kinematics(model, dx.neutral(model))
    assert kin.twist is None
    assert kin.twist_rate is None
    with pytest.raises(ValueError, match="speeds too"):
        dx.kinematics(model, dx.neutral(model), None, jnp.zeros(6))


def test_several_jacobians_at_once_are_those_one_by_one(model, getkey):
    q, _ = dx.random_state(model, getkey())
    points = jnp.asarray(np.random.default_rng(0).standard_normal((2, 3)))
    links = (model.links[-1], model.links[0])
    one_by_one = [dx.jacobian(model, q, link, point) for link, point in zip(links, points, strict=True)]
    assert close(dx.jacobians(model, q, links, points), jnp.stack(one_by_one), 1e-14)


def test_an_accelerometer_feels_what_it_should(getkey):
    """At rest gravity upward; in free fall nothing; else what Pinocchio's classical acceleration says, turned into the sensor's axes."""
    model = specimen("branched")
    q, v, a, _ = random_motion(model, getkey())
    zero = jnp.zeros(model.nv)
    R = dx.kinematics(model, q).at("link5").rotation
    assert close(dx.accelerometer(model, q, zero, zero, "link5"), -R.T @ model.gravity, 1e-12)
    rotation, _, _, rates = Twin(model).kinematics(q, v, a)
    assert close(dx.accelerometer(model, q, v, a, "link5"), rotation[5].T @ (rates[5, 3:] - model.gravity), 1e-10)
    brick = specimen("brick")
    q, v, _, _ = random_motion(brick, getkey())
    falling = dx.forward_dynamics(brick, q, v, jnp.zeros(6))
    c = dx.inertial_parameters(brick)[0, 1:4] / dx.inertial_parameters(brick)[0, 0]
    assert close(dx.accelerometer(brick, q, v, falling, "brick", c), np.zeros(3), 1e-11, floor=1.0)


def test_energies_by_link_add_up(model, getkey):
    q, v, _, _ = random_motion(model, getkey())
    parts, whole = dx.link_energies(dx.rigid(model), q, v), dx.rigid(model)
    grounded = [i for i, body in enumerate(model.topology.link_bodies) if body < 0]
    assert close(parts.kinetic.sum(), dx.kinetic_energy(whole, q, v), 1e-12)
    assert close(parts.potential.sum() - parts.potential[np.array(grounded, int)].sum(), dx.potential_energy(whole, q), 1e-11, floor=1.0)
