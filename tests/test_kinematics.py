"""Twists are rates of poses, Jacobians are rates of points."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers import close, random_motion
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
