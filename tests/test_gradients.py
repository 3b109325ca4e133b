"""Derivatives by the state and by every number of the model, first and second, at generic and at awkward places."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers import close, gap, quick, random_motion
from jax.flatten_util import ravel_pytree
from specimens import specimen

import denox as dx


def weigh(*values):
    """One number that feels every component."""
    flat = ravel_pytree(values)[0]
    return jnp.cos(jnp.arange(flat.size)) @ jnp.arcsinh(flat / 10)


def accelerations(model, q, v, tau):
    return weigh(dx.forward_dynamics(model, q, v, tau))


def forces(model, q, v, a):
    return weigh(dx.inverse_dynamics(model, q, v, a))


def others(model, q, v, a):
    kin = dx.kinematics(model, q, v, a)
    tip = model.links[-1]
    return weigh(
        dx.inertia_matrix(model, q),
        dx.energy(model, q, v),
        (kin.rotation, kin.position, kin.twist, kin.twist_rate),
        dx.jacobian(model, q, tip),
        dx.jacobian_bias(model, q, v, tip),
        dx.factor(model, q).solve(a),
        dx.factor(model, q).logdet(),
        dx.passive_forces(model, q, v),
        dx.gravity_forces(model, q),
        dx.integrate(model, q, v),
        dx.difference(model, dx.neutral(model), q),
        dx.coordinate_rates(model, q, v),
        dx.inertial_parameters(model),
    )


def quantities(model, q, v, a):
    return weigh(
        dx.coriolis_matrix(model, q, v),
        dx.joint_wrenches(model, q, v, a),
        dx.momentum(model, q, v),
        dx.centroidal_momentum(model, q, v),
        dx.center_of_mass(model, q),
        dx.hybrid_dynamics(model, q, v, a, a, model.joints[:1]),
    )


def rest(model, q, v, a):
    tip = model.links[-1]
    return weigh(
        dx.jacobians(model, q, (tip, model.links[0]), jnp.ones((2, 3))),
        dx.accelerometer(model, q, v, a, tip),
        dx.link_energies(model, q, v),
        dx.base_wrench(model, q, v, a),
        dx.energy(model, q, v),
        dx.passive_forces(model, q, v),
        dx.momentum(model, q, v),
        dx.inertia_matrix(model, q),
        dx.integrate(model, q, v),
    )


FUNCTIONS = {f.__name__: f for f in (accelerations, forces, others, quantities, rest)}


def places(model, key):
    """A generic state; at rest with every coordinate neutral (arms straight, no turn); moving there."""
    q, v, a, _ = random_motion(model, key)
    still = dx.neutral(model)
    return {"generic": (q, v, a), "at rest": (still, 0 * v, 0 * a), "neutral, moving": (still, v, a)}


STEPS = (1e-6, 1e-5)  # rounding spoils the differences of short steps, curvature those of long ones: the better of two counts


def difference(f, x, d, h):
    """The derivative of f at x along d, by the central formula whose error is of fourth order in h."""
    one, two = (f(x + k * h * d) - f(x - k * h * d) for k in (1, 2))
    return (8 * one - two) / (12 * h)


def against_differences(f, model, states, first=1e-8, second=1e-7):
    """Gradient against differences in every number, and a second derivative against differences of gradients."""
    _, restore = ravel_pytree((model, *next(iter(states.values()))))
    value = lambda x: f(*restore(x))
    gradient = quick(jax.grad(value))
    differences = quick(lambda x, h: jax.lax.map(lambda e: difference(value, x, e, h), jnp.eye(x.size)))
    change = quick(lambda x, d: jax.jvp(jax.grad(value), (x,), (d,))[1])
    for place, state in states.items():
        x = ravel_pytree((model, *state))[0]
        g = gradient(x)
        assert min(gap(g, differences(x, h), floor=1e-2) for h in STEPS) < first, ("first order", place)
        d = jax.random.normal(jax.random.key(7), x.shape)
        gg = change(x, d)
        assert min(gap(gg, difference(gradient, x, d, h), floor=1e-2) for h in STEPS) < second, ("second order", place)


CASES = [(name, function) for name in ("planar 3r", "branched", "flyer", "springy") for function in ("accelerations", "forces")]
CASES += [("geared", "accelerations"), ("riding", "rest")]
CASES += [(name, "others") for name in ("planar 3r", "springy")] + [("springy", "quantities")]  # the slow tests try all on all


@pytest.mark.parametrize(("name", "function"), CASES)
def test_derivatives_agree_with_differences(name, function, getkey):
    model = specimen(name)
    against_differences(FUNCTIONS[function], model, places(model, getkey()))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "function"), [("geared", "forces"), ("geared", "rest"), ("riding", "accelerations"), ("riding", "forces")])
def test_derivatives_of_coupled_and_riding_models_agree_with_differences(name, function, getkey):
    model = specimen(name)
    against_differences(FUNCTIONS[function], model, places(model, getkey()))


@pytest.mark.slow
@pytest.mark.parametrize("function", FUNCTIONS)
def test_derivatives_agree_with_differences_everywhere(model, function, getkey):
    against_differences(FUNCTIONS[function], model, places(model, getkey()))


@pytest.mark.slow
@pytest.mark.parametrize("function", ["accelerations", "forces"])
def test_both_modes_agree_everywhere(model, function, getkey):
    both_modes_agree(model, function, getkey)


@pytest.mark.parametrize("function", ["accelerations", "forces"])
@pytest.mark.parametrize("name", ["stanford arm", "joint box", "hung", "two roots"])  # the others have their second derivatives looked at above
def test_both_modes_agree(name, function, getkey):
    both_modes_agree(specimen(name), function, getkey)


def both_modes_agree(model, function, getkey):
    q, v, a, _ = random_motion(model, getkey())
    numbers, restore = ravel_pytree((model, q, v, a))
    value = lambda x: FUNCTIONS[function](*restore(x))
    d = jax.random.normal(getkey(), numbers.shape)
    forward = quick(lambda x: jax.jvp(value, (x,), (d,))[1])(numbers)
    assert close(forward, quick(jax.grad(value))(numbers) @ d, 1e-11, floor=1e-3)


@pytest.mark.parametrize("name", ["pendulum", "planar 3r", "springy", "flyer"])
def test_single_precision_is_finite_at_awkward_places(name, getkey):
    model = specimen(name).astype(jnp.float32)
    grads = quick(jax.grad(accelerations, (0, 1, 2, 3)))
    twice = quick(lambda *x: jax.jvp(jax.grad(accelerations, 1), x, x)[1])
    for place, state in places(model, getkey()).items():
        state = [x.astype(jnp.float32) for x in state]
        for leaf in jax.tree.leaves((grads(model, *state), twice(model, *state))):
            assert leaf.dtype == jnp.float32
            assert jnp.isfinite(leaf).all(), place


def test_a_gradient_by_the_lengths_and_angles_of_a_dh_table():
    def cost(table):
        model = dx.from_dh(**table, joints="rrp", mass=[1.0, 2.0, 3.0], inertia=np.ones((3, 3)), com=np.full((3, 3), 0.1))
        return weigh(dx.forward_dynamics(model, jnp.array([0.1, 0.2, 0.3]), jnp.array([1.0, 2.0, 0.5]), jnp.ones(3)))

    rng = np.random.default_rng(0)
    table = {key: jnp.array(rng.uniform(0.2, 1, 3)) for key in ("a", "alpha", "d", "theta")}
    flat, restore = ravel_pytree(table)
    value = jax.jit(lambda x: cost(restore(x)))
    g = jax.jit(jax.grad(value))(flat)
    central = [(value(flat + 1e-6 * e) - value(flat - 1e-6 * e)) / 2e-6 for e in np.eye(flat.size)]
    assert close(g, central, 1e-8)


def test_a_gradient_by_what_a_builder_is_given(getkey):
    """Axis, placement, mass, center, tensor, damping, all traced."""

    def cost(x):
        body = dx.Inertia(x[0], x[1:4], jnp.diag(x[4:7]))
        builder = dx.Builder(gravity=x[7:10])
        builder.link("a", None, dx.Revolute(x[10:13]), dx.Pose(position=x[13:16]), body, damping=x[16])
        builder.link("b", "a", dx.Prismatic(x[17:20]), dx.Pose.from_rpy(x[20:23], x[23:26]), body)
        model = builder.link("c", "b", placement=dx.Pose(position=x[1:4]), inertia=body).build()
        return weigh(
            dx.forward_dynamics(model, jnp.array([0.4, 0.1]), jnp.array([1.0, -1.0]), jnp.zeros(2)), dx.kinematics(model, jnp.ones(2)).position
        )

    x = jax.random.uniform(getkey(), (26,), minval=0.5, maxval=1.0)
    g = jax.jit(jax.grad(cost))(x)
    value = jax.jit(cost)
    central = [(value(x + 1e-6 * e) - value(x - 1e-6 * e)) / 2e-6 for e in np.eye(26)]
    assert close(g, central, 1e-8)
