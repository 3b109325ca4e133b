"""The rule by which forward dynamics is differentiated, against plain differentiation through the elimination."""

import jax
import jax.numpy as jnp
import pytest
from helpers import close, quick, random_motion
from jax.flatten_util import ravel_pytree
from specimens import specimen

from denox.dynamics import forward


def plain(model, q, v, tau, wrenches):
    """The accelerations with no rule: `jax` goes through all sweeps."""
    ruled, forward.eliminated = forward.eliminated, forward.swept
    try:
        return forward.accelerations(model, q, v, tau, wrenches)
    finally:
        forward.eliminated = ruled


def weigh(a):
    return jnp.cos(jnp.arange(a.size)) @ jnp.arcsinh(a)


@pytest.mark.parametrize("name", ["springy", "flyer"])
def test_first_and_second_derivatives_are_those_of_plain_differentiation(name, getkey):
    """By every number, wrenches among them, in both modes and mapped."""
    model = specimen(name)
    q, v, _, tau = random_motion(model, getkey())
    wrenches = jax.random.normal(getkey(), (len(model.links), 6))
    x, restore = ravel_pytree((model, q, v, tau, wrenches))
    d = jax.random.normal(getkey(), x.shape)

    def both(function):
        value = lambda x: weigh(function(*restore(x)))
        return quick(lambda x: jax.jvp(jax.grad(value), (x,), (d,)))(x)

    (g, gg), (g_plain, gg_plain) = both(forward.accelerations), both(plain)
    assert close(g, g_plain, 1e-10)
    assert close(gg, gg_plain, 1e-9)
    rule = lambda x: weigh(forward.accelerations(*restore(x)))
    assert close(quick(lambda x: jax.jvp(rule, (x,), (d,))[1])(x), g_plain @ d, 1e-10)
    assert close(quick(jax.vmap(jax.grad(rule)))(jnp.stack([x, x]))[1], g_plain, 1e-10)


def test_every_array_alone_has_the_derivative_it_has_among_all(getkey):
    """What is known not to vary is left out of the rule, leaf by leaf."""
    model = specimen("springy")
    q, v, _, tau = random_motion(model, getkey())
    leaves, tree = jax.tree.flatten((model, q, v, tau, jax.random.normal(getkey(), (len(model.links), 6))))
    value = lambda *leaves: weigh(forward.accelerations(*tree.unflatten(leaves)))
    together = quick(jax.grad(value, tuple(range(len(leaves)))))(*leaves)
    alone = quick(lambda *x: [jax.grad(value, k)(*x) for k in range(len(leaves))])(*leaves)
    for mine, theirs in zip(alone, together, strict=True):
        assert close(mine, theirs, 1e-11, floor=1e-3)
