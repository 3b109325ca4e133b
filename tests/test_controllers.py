"""Controllers and loads against closed forms."""

import jax
import jax.numpy as jnp
import numpy as np
from helpers import close
from specimens import specimen

import denox as dx

STILL = (0.0, 0.0, 0.0)


def cart(gravity=STILL):
    return dx.Builder(gravity).link("cart", None, dx.Prismatic((0, 0, 1)), inertia=dx.Inertia(2.0, about_com=(1, 1, 1))).build()


def test_computed_torque_makes_the_error_a_linear_oscillator():
    """Critically damped: e = e0 (1 + w t) exp(-w t)."""
    model, w = specimen("planar 3r"), 4.0
    path = dx.cycloid(np.zeros(3), np.ones(3), 1.0)
    start, times = jnp.array([0.2, -0.1, 0.3]), np.linspace(0, 1.5, 16)
    control = dx.controllers.ComputedTorque(model, path, jnp.array(w * w), jnp.array(2 * w))
    ours = dx.simulate(model, start, jnp.zeros(3), times, control, rtol=1e-10, atol=1e-10)
    error = np.asarray(start)[None] * ((1 + w * times) * np.exp(-w * times))[:, None]
    assert np.abs(ours.q - path(times).q - error).max() < 1e-7
    slope = jax.grad(lambda kd: dx.simulate(model, start, jnp.zeros(3), times, dx.controllers.ComputedTorque(model, path, 16.0, kd)).q.sum())(8.0)
    assert np.isfinite(slope)


def test_compensated_gravity_and_a_place_to_stand_at():
    model, start = specimen("planar 3r"), jnp.array([0.2, -0.1, 0.3])
    tau = dx.controllers.GravityCompensation(model)(0.0, start, jnp.zeros(3))
    assert np.abs(dx.forward_dynamics(model, start, jnp.zeros(3), tau)).max() < 1e-11
    stand = dx.controllers.PD(model, start, 10.0, 1.0, gravity=True)
    assert close(stand(0.0, start, jnp.zeros(3)), tau, 1e-12)
    path = dx.cycloid(np.zeros(3), np.ones(3), 1.0)
    assert close(dx.controllers.FeedForward(model, path)(0.3, start, start), dx.inverse_dynamics(model, *path(0.3)), 1e-12)


def test_a_spring_to_the_ground_swings():
    """Period 2 pi sqrt(m / k) about the length of rest, pulled from above."""
    spring = dx.elements.SpringDamper("cart", STILL, None, (0, 0, 1.0), stiffness=8.0, rest=0.5)
    times = np.linspace(0, 3, 13)
    path = dx.simulate(cart(), [0.3], [0.0], times, loads=[spring], rtol=1e-10, atol=1e-10)
    assert np.abs(path.q[:, 0] - (0.5 - 0.2 * np.cos(2 * times))).max() < 1e-7


def test_a_body_rests_on_the_ground_and_drag_sets_a_last_speed():
    heavy = cart((0, 0, -9.81))
    ground = dx.elements.Ground("cart", stiffness=1e4, damping=2.0)
    path = dx.simulate(heavy, [0.05], [0.0], [0.0, 3.0], loads=[ground])
    assert close(path.tau[-1, 0], 2 * 9.81, 1e-3)
    assert -3e-3 < path.q[-1, 0] < 0
    fall = dx.simulate(heavy, [0.0], [0.0], [0.0, 20.0], loads=[dx.elements.Drag("cart", linear=2.0, quadratic=3.0)])
    u = (-2 + np.sqrt(4 + 12 * 2 * 9.81)) / 6
    assert close(fall.v[-1, 0], -u, 1e-6)
