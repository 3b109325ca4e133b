"""A base whose motion is prescribed, against the same tree on a driven free joint, and against plain kinematics."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers import KINDS, close, random_inertia, random_motion, random_rotation

import denox as dx
from denox.algebra import mat
from denox.rotations import euler_parameters


def pair(kinds, parents, seed=4):
    """A tree on a free joint that can be driven, and the same tree on the ground."""

    def build(free):
        rng = np.random.default_rng(seed)
        builder, body = dx.Builder(gravity=(1.0, 2.0, -9.0)), random_inertia(rng)
        if free:
            builder.link("base", None, dx.Free(), inertia=body)
        for i, (parent, kind) in enumerate(zip(parents, kinds, strict=True)):
            on = f"link{parent}" if parent >= 0 else "base" if free else None
            pose = dx.Pose(random_rotation(rng), rng.uniform(-0.3, 0.3, 3))
            builder.link(f"link{i}", on, KINDS[kind](rng), pose, random_inertia(rng))
        return builder.build()

    return build(True), build(False)


@pytest.mark.parametrize(
    ("kinds", "parents"),
    [
        (["revolute", "spherical", "prismatic", "revolute"], [-1, 0, 0, -1]),
        (["free", "revolute", "helical"], [-1, 0, 1]),
        (["fixed", "revolute"], [-1, 0]),
    ],
)
def test_equals_the_tree_on_a_driven_joint(kinds, parents, getkey):
    driven, ground = pair(kinds, parents)
    q, v, a, tau = random_motion(driven, getkey())
    k = dx.kinematics(driven, q, v, a).at("base")
    riding = dx.on_base(ground, dx.Pose(k.rotation, k.position), k.twist, k.twist_rate)
    accelerations, forces = dx.hybrid_dynamics(driven, q, v, tau, a, ("base",))
    q, v, a = q[7:], v[6:], accelerations[6:]
    assert close(dx.forward_dynamics(riding, q, v, tau[6:]), a, 1e-10)
    assert close(dx.inverse_dynamics(riding, q, v, a), forces[6:], 1e-10)
    # What drives the base is what its free joint exerts, less what the base itself needs, in the base's axes.
    alone = dx.subtree(driven, "base").tree()
    alone = dx.with_inertial_parameters(alone, dx.inertial_parameters(alone).at[1:].set(0))
    turned = np.kron(np.eye(2), np.asarray(k.rotation).T)
    on_joint = forces[:6] - dx.inverse_dynamics(alone, *whole_state(k, q, v, a))[:6]
    assert close(turned @ dx.base_wrench(riding, q, v, a), on_joint, 1e-9, floor=1e-2)


def whole_state(k, q, v, a):
    """Of a tree on a free joint that moves as the base does."""
    e = jnp.stack(euler_parameters(mat(k.rotation)))
    R = np.asarray(k.rotation)
    w, u = R.T @ k.twist[:3], R.T @ k.twist[3:]
    rate_u = R.T @ k.twist_rate[3:] - np.cross(w, u)
    return jnp.r_[e, k.position, q], jnp.r_[w, u, v], jnp.r_[R.T @ k.twist_rate[:3], rate_u, a]


def test_twists_of_a_motion_in_time_are_its_derivatives():
    _, ground = pair(["revolute", "revolute"], [-1, 0])
    motion = lambda t: dx.Pose.from_rpy(jnp.stack([jnp.sin(t), t * t, t]), jnp.stack([t**3, t, jnp.cos(t)]))
    at = lambda t: dx.kinematics(dx.on_moving_base(ground, motion, t), jnp.array([0.3, -0.2]), jnp.zeros(2), jnp.zeros(2)).at("link1")
    t, h = 0.7, 1e-5
    assert close(at(t).twist[3:], (at(t + h).position - at(t - h).position) / (2 * h), 1e-8)
    assert close(at(t).twist_rate, (at(t + h).twist - at(t - h).twist) / (2 * h), 1e-8)


def test_a_base_at_rest_elsewhere_changes_nothing_but_gravitys_direction(getkey):
    _, ground = pair(["revolute", "spherical"], [-1, 0])
    q, v, a, _ = random_motion(ground, getkey())
    R = random_rotation(np.random.default_rng(1))
    turned = dataclasses.replace(ground, gravity=R @ ground.gravity)
    assert close(dx.inverse_dynamics(dx.on_base(turned, dx.Pose(R, (1.0, 2, 3))), q, v, a), dx.inverse_dynamics(ground, q, v, a), 1e-11)


def test_a_new_motion_compiles_nothing_and_gradients_reach_it(getkey):
    _, ground = pair(["revolute", "spherical"], [-1, 0])
    q, v, a, _ = random_motion(ground, getkey())
    cost = lambda twist: (dx.inverse_dynamics(dx.on_base(ground, None, twist), q, v, a) ** 2).sum()
    g = jax.grad(cost)(jnp.zeros(6))
    central = [(cost(1e-6 * e) - cost(-1e-6 * e)) / 2e-6 for e in np.eye(6)]
    assert close(g, central, 1e-7, floor=1.0)


def test_what_makes_no_sense_is_refused():
    _, ground = pair(["revolute"], [-1])
    with pytest.raises(ValueError, match="Give six numbers"):
        dx.on_base(ground, twist=(1.0, 2.0))
    with pytest.raises(ValueError, match="Give finite numbers"):
        dx.on_base(ground, twist=np.full(6, np.nan))
