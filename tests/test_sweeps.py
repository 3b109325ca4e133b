"""One scan each way, for any tree, and each the other's transpose."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers import close, random_parents

from denox.sweeps import inward, outward
from denox.topology import plan

TREES = {"chain": list(range(-1, 11)), "bush": [(i - 1) // 2 if i else -1 for i in range(15)], "forest": [-1, -1, 0, 0, 1, 2, 2, 1, -1]}
TREES |= {f"random {k}": random_parents(np.random.default_rng(k), 25) for k in range(4)}


@pytest.mark.parametrize("name", TREES)
def test_outward_sums_over_ancestors_and_inward_over_descendants(name):
    parents = TREES[name]
    p, n = plan(tuple(parents)), len(parents)
    paths = np.zeros((n, n))
    for i, parent in enumerate(parents):
        paths[i] = paths[parent] if parent >= 0 else 0
        paths[i, i] = 1
    x = np.random.default_rng(0).standard_normal(n)
    rank, order = np.argsort(p.order), list(p.order)
    add = lambda total, x: (total + x, total + x)
    assert close(outward(p, add, jnp.zeros(()), x[order])[rank], paths @ x, 1e-14)
    assert close(inward(p, add, jnp.zeros(()), x[order])[rank], paths.T @ x, 1e-14)


@pytest.mark.parametrize("name", TREES)
def test_inward_is_the_transpose_of_outward(name):
    p = plan(tuple(TREES[name]))
    n = len(TREES[name])
    gains, x, y = np.random.default_rng(1).standard_normal((3, n))
    out = lambda x: outward(p, lambda parent, s: (s[0] * parent + s[1],) * 2, jnp.zeros(()), (gains, x))
    back = lambda y: inward(p, lambda hanging, s: (s[0] * (hanging + s[1]), hanging + s[1]), jnp.zeros(()), (gains, y))
    assert close(np.dot(y, out(x)), np.dot(back(y), x), 1e-13)
    assert close(jax.vjp(out, jnp.array(x))[1](jnp.array(y))[0], back(y), 1e-13)


def test_the_program_does_not_grow_with_the_tree():
    def size(n):
        p = plan(tuple(range(-1, n - 1)))
        f = lambda x: inward(p, lambda a, b: (a + b, a * b), jnp.zeros(()), outward(p, lambda a, b: (a * b, a + b), jnp.ones(()), x))
        return len(str(jax.make_jaxpr(f)(jnp.ones(n))).replace(str(n), ""))

    assert abs(size(700) - size(7)) < 0.1 * size(7)  # but for the tables of rows
