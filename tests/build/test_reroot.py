"""Floating mechanisms seen from another link move the same."""

import jax.numpy as jnp
import numpy as np
import pytest
from helpers import close, random_builder, random_motion

import denox as dx


def floating():
    kinds = ["free", "revolute", "fixed", "helical", "universal", "prismatic", "spherical", "revolute"]
    return random_builder(np.random.default_rng(3), [-1, 0, 1, 2, 3, 0, 2, 6], kinds).build()


@pytest.mark.parametrize("link", ["link4", "link7", "link5", "link2"])
def test_every_link_moves_the_same(link, getkey):
    model = floating()
    turned = dx.reroot(model, link)
    assert turned.links[0] == link
    q, v, _, _ = random_motion(model, getkey())
    q_turned, v_turned = dx.reroot_state(model, turned, q, v)
    a, a_turned = (dx.forward_dynamics(m, *state, jnp.zeros(m.nv)) for m, state in ((model, (q, v)), (turned, (q_turned, v_turned))))
    one, other = dx.kinematics(model, q, v, a), dx.kinematics(turned, q_turned, v_turned, a_turned)
    for name in model.links:
        assert close(other.at(name).position, one.at(name).position, 1e-11)
        assert close(other.at(name).rotation, one.at(name).rotation, 1e-11)
        assert close(other.at(name).twist, one.at(name).twist, 1e-11)
        assert close(other.at(name).twist_rate, one.at(name).twist_rate, 1e-10)
    assert close(dx.energy(turned, q_turned, v_turned), dx.energy(model, q, v), 1e-11)


def test_what_has_no_free_root_is_refused():
    with pytest.raises(ValueError, match="stands on the ground"):
        dx.reroot(dx.zoo.puma(), "link2")
    with pytest.raises(ValueError, match="No link is called"):
        dx.reroot(floating(), "elbow")


def test_a_scaled_mechanism_is_similar(getkey):
    """Without gravity, hinges at the same speeds: forces go with mass times length squared."""
    model = random_builder(np.random.default_rng(5), [-1, 0, 1, 1], ["revolute", "helical", "spherical", "fixed"]).build()
    q, _, _, _ = random_motion(model, getkey())
    large = dx.scale(model, length=2.0, mass=3.0)
    assert close(dx.inertia_matrix(large, q), 12 * dx.inertia_matrix(model, q), 1e-12)
    assert close(dx.gravity_forces(large, q), 6 * dx.gravity_forces(model, q), 1e-12)
    assert close(dx.kinematics(large, q).position, 2 * dx.kinematics(model, q).position, 1e-12)
    with pytest.raises(ValueError, match="above 0"):
        dx.scale(model, mass=0.0)
