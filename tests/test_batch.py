"""`dx.batched` is `jax.vmap`."""

import jax
import jax.numpy as jnp
import pytest
from helpers import close, quick, random_motion
from jax.flatten_util import ravel_pytree
from specimens import specimen

import denox as dx

SHARED = (None, 0, 0, 0)


def states(model, count):
    return [jnp.stack(x) for x in zip(*(random_motion(model, jax.random.key(k))[:3] for k in range(count)), strict=True)]


@pytest.mark.parametrize("count", [1, 4, 7, 12])
def test_equals_vmap_with_blocks_that_do_not_fit(count):
    model = specimen("springy")
    x = states(model, count)
    assert close(dx.batched(dx.forward_dynamics, SHARED, block=4)(model, *x), jax.vmap(dx.forward_dynamics, SHARED)(model, *x), 1e-12)


def test_models_of_their_own():
    model = specimen("springy")
    x = states(model, 5)
    scale = jnp.linspace(1, 2, 5)
    models = jax.vmap(lambda s: dx.with_inertial_parameters(model, s * dx.inertial_parameters(model)))(scale)
    axes = jax.tree.map(lambda _: None, model)
    models = jax.tree.map(lambda one, many: many, model, models)
    assert close(dx.batched(dx.inverse_dynamics, 0, block=2)(models, *x), jax.vmap(dx.inverse_dynamics)(models, *x), 1e-12)
    import dataclasses

    axes = dataclasses.replace(axes, inertia=0)
    only = dataclasses.replace(model, inertia=models.inertia)
    expected = jax.vmap(dx.inverse_dynamics, (axes, 0, 0, 0))(only, *x)
    assert close(dx.batched(dx.inverse_dynamics, (axes, 0, 0, 0), block=2)(only, *x), expected, 1e-12)


def test_other_axes_and_keywords():
    f = lambda a, b, c=0: {"sum": a @ b + c}
    a, b = jnp.arange(15.0).reshape(3, 5), jnp.arange(3.0)
    ours = dx.batched(f, in_axes=(1, None), block=2)(a, b, c=jnp.arange(5.0))
    assert close(ours["sum"], jax.vmap(f, in_axes=(1, None))(a, b, c=jnp.arange(5.0))["sum"], 0)
    assert close(dx.batched(lambda a: a.sum(), in_axes=-1, block=2)(a), a.sum(0), 1e-15)


def test_every_mode_of_differentiation_goes_through():
    model = specimen("planar 3r")
    q, v, tau = states(model, 5)
    loss = lambda lift: lambda m, q: (lift(dx.forward_dynamics)(m, q, v, tau) ** 2).sum()
    blocks, whole = (lambda f: dx.batched(f, SHARED, block=2)), (lambda f: jax.vmap(f, SHARED))
    flat = lambda x: ravel_pytree(x)[0]
    modes = {
        "reverse": lambda f: jax.grad(f, (0, 1))(model, q),
        "forward": lambda f: jax.jvp(f, (model, q), (model, q))[1],
        "forward over reverse": lambda f: jax.jvp(lambda q: jax.grad(f, 1)(model, q), (q,), (q,))[1],
        "reverse over reverse": lambda f: jax.grad(lambda q: (jax.grad(f, 1)(model, q) ** 2).sum())(q),
    }
    for name, mode in modes.items():
        assert close(flat(quick(lambda: mode(loss(blocks)))()), flat(quick(lambda: mode(loss(whole)))()), 1e-10), name


def test_asked_for_twice_compiled_once():
    model = specimen("pendulum")
    x = states(model, 9)
    run = lambda: jax.block_until_ready(dx.batched(dx.inverse_dynamics, SHARED, block=4)(model, *x))
    run()
    from test_transforms import count_compilations

    assert count_compilations(run) == 0


def test_a_gradient_is_not_mistaken_for_its_function():
    """Wrappers copy the attributes of what they wrap, and methods share those of their function."""
    f = lambda x: (x**2).sum()
    x = jnp.arange(12.0).reshape(4, 3)
    assert close(dx.batched(f, block=2)(x), jax.vmap(f)(x), 1e-15)
    assert close(dx.batched(jax.grad(f), block=2)(x), 2 * x, 1e-15)

    class Scaled:
        def __init__(self, s):
            self.s = s

        def run(self, x):
            return self.s * x

    for s in (1.0, 2.0):
        assert close(dx.batched(Scaled(s).run, block=2)(x), s * x, 0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m: dx.batched(dx.gravity_forces, block=0), "at least 1"),
        (lambda m: dx.batched(dx.gravity_forces, in_axes=(None,))(m, jnp.zeros((2, 1))), "one for each"),
        (lambda m: dx.batched(lambda a, b: a + b)(jnp.zeros(3), jnp.zeros(4)), r"\[3, 4\]"),
        (lambda m: dx.batched(lambda a: a)(jnp.zeros(())), "without axes"),
    ],
)
def test_what_makes_no_sense_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call(specimen("pendulum"))
