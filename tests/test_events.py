"""Events against closed forms."""

import jax
import jax.numpy as jnp
import numpy as np
from helpers import close
from specimens import specimen

import denox as dx

G = 9.81


def stone():
    return dx.Builder().link("stone", None, dx.Prismatic((0, 0, 1)), inertia=dx.Inertia(2.0, about_com=(1, 1, 1))).build()


def test_a_stone_lands_when_it_must():
    def landing(height):
        return dx.simulate(stone(), height[None], [0.0], np.linspace(0, 3, 7), event=dx.events.touches("stone"))

    h = jnp.array(2.0)
    path = landing(h)
    assert close(path.stop, np.sqrt(2 * 2 / G), 1e-8)
    assert "event" in path.reason
    assert close(path.v[-1, 0], -np.sqrt(2 * G * 2), 1e-8)
    assert np.abs(path.q[-1]).max() < 1e-8
    assert close(jax.grad(lambda h: landing(h).stop)(h), 1 / np.sqrt(2 * G * 2), 1e-6)


def test_a_stone_bounces():
    h, e = 2.0, 0.5
    fall = np.sqrt(2 * h / G)
    times = np.linspace(0, 1.5 * fall, 16)
    event = dx.events.touches("stone", restitution=e)
    path = dx.simulate(stone(), [h], [0.0], times, event=event, resets=3)
    assert close(path.resets[0], fall, 1e-8)
    assert not np.isfinite(path.resets[1:]).any()
    after = times - fall
    height = np.where(after < 0, h - G * times**2 / 2, e * G * fall * after - G * after**2 / 2)
    assert close(path.q[:, 0], height, 1e-7)


def test_a_limit_stops_one_joint_and_the_impulse_is_felt_by_the_others():
    """The other joints get no impulse of their own: their momentum M v does not change."""
    model = specimen("planar 3r")
    event = dx.events.at_limit(model.joints[1], 0.3, restitution=0.8)
    q, v = jnp.array([0.1, 0.3, -0.2]), jnp.array([0.4, 1.0, -0.7])
    after = event.reset(model, 0.0, q, v)[1]
    change = dx.inertia_matrix(model, q) @ (after - v)
    assert close(after[1], -0.8 * v[1], 1e-12)
    assert np.abs(change[jnp.array([0, 2])]).max() < 1e-12 * np.abs(change[1])
