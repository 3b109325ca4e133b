"""Free numbers: there and back, whatever their values, and differentiable."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers import close, gap, random_motion
from specimens import specimen
from test_gradients import STEPS, difference

import denox as dx
from denox.charts import log_cholesky, of_log_cholesky
from denox.inertia import pseudo

ALL = ["inertias", "placements", "gravity", "armature", "damping", "friction", "stiffness", "rest"]


def test_log_cholesky_goes_there_and_back(getkey):
    for phi in dx.inertial_parameters(specimen("branched")):
        assert close(of_log_cholesky(log_cholesky(phi)), phi, 1e-13)
    theta = jax.random.normal(getkey(), (10,))
    assert close(log_cholesky(of_log_cholesky(theta)), theta, 1e-12)
    assert np.linalg.eigvalsh(pseudo(np.asarray(of_log_cholesky(3 * theta))))[0] > 0


@pytest.mark.parametrize("selection", [*ALL, ALL, ["masses", "damping"], "hip.mass", "knee.inertia", "foot.placement"])
def test_rebuilding_the_same_numbers_gives_the_same_model(selection, getkey):
    model = specimen("springy")
    x, rebuild = dx.free(model, selection)
    assert x.shape == (len(rebuild.names),)
    assert len(set(rebuild.names)) == len(rebuild.names)
    q, v, a, _ = random_motion(model, getkey())
    assert close(dx.inverse_dynamics(rebuild(x), q, v, a), dx.inverse_dynamics(model, q, v, a), 1e-12)


def test_any_numbers_make_a_model_that_passes_the_check(getkey):
    model = specimen("flyer")
    x, rebuild = dx.free(model, ["inertias", "placements"])
    dx.check(rebuild(x + jax.random.normal(getkey(), x.shape)))


def test_a_placement_moves_in_its_own_axes():
    model = specimen("planar 3r")
    x, rebuild = dx.free(model, "link2.placement")
    moved = rebuild(x.at[jnp.array([2, 3])].set(jnp.array([0.5, 0.1])))  # turn about z and shift along x
    q = jnp.zeros(3)
    assert close(
        dx.kinematics(moved, q).position[1],
        dx.kinematics(model, q).position[1] + np.array([0.1 * np.sinc(0.5 / np.pi), 0.1 * (1 - np.cos(0.5)) / 0.5, 0]),
        1e-13,
    )
    assert close(dx.kinematics(moved, q).rotation[1], dx.kinematics(model, q.at[1].set(0.5)).rotation[1], 1e-13)


def test_masses_scale_their_links():
    model = specimen("puma")
    x, rebuild = dx.free(model, "masses")
    assert rebuild.names[0] == "link1.log mass"
    assert close(dx.inertial_parameters(rebuild(x + jnp.log(2.0))), 2 * dx.inertial_parameters(model), 1e-13)


def test_gradients_by_free_numbers(getkey):
    model = specimen("springy")
    x, rebuild = dx.free(model, ALL)
    q, v, _, tau = random_motion(model, getkey())
    f = jax.jit(lambda x: jnp.arcsinh(dx.forward_dynamics(rebuild(x), q, v, tau) / 10).sum())
    d = jax.random.normal(getkey(), x.shape)
    g = jax.grad(f)
    assert min(gap(g(x) @ d, difference(f, x, d, h)) for h in STEPS) < 1e-7
    assert min(gap(jax.jvp(g, (x,), (d,))[1], difference(g, x, d, h)) for h in STEPS) < 1e-5


@pytest.mark.parametrize(
    ("selection", "words"),
    [
        ("weights", "`weights` selects nothing. Choose among masses"),
        ("hand.mass", "No link is called `hand`"),
        ("hand.placement", "No joint is called `hand`"),
        ("damping", r"no damping. Build it with `damping=0.0`"),
        (["masses", "link1.mass"], "`link1.log mass` is selected twice"),
        ("link1.inertia", "Link `link1`.*limit of the triangle inequality"),
    ],
)
def test_nonsense_is_refused(selection, words):
    with pytest.raises(ValueError, match=words):
        dx.free(specimen("stanford arm"), selection)


def test_numbers_of_another_count_are_refused(as_users_run):
    _, rebuild = dx.free(specimen("puma"), "masses")
    with pytest.raises(ValueError, match="6 numbers are free"):
        rebuild(jnp.zeros(5))
