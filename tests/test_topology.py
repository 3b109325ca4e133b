"""The order of visiting, for any tree."""

import numpy as np
import pytest
from helpers import random_parents

from denox.topology import plan


def chain(n):
    return list(range(-1, n - 1))


def bush(depth):
    return [(i - 1) // 2 if i else -1 for i in range(2**depth - 1)]


TREES = {
    "chain": chain(50),
    "one": [-1],
    "forest": [-1] * 9,
    "star": [-1] + [0] * 8,
    "bush": bush(6),
    "comb": [-1] + [i for i in range(20) for _ in (0, 1)],
}
TREES |= {f"random {k}": random_parents(np.random.default_rng(k), 40) for k in range(10)}


@pytest.mark.parametrize("name", TREES)
def test_each_node_finds_its_parents_value_in_the_row_it_looks_at(name):
    parents = TREES[name]
    p = plan(tuple(parents))
    assert sorted(p.order) == list(range(len(parents)))
    rows = [-1] * p.rows
    for i, source, target in zip(p.order, p.source, p.target, strict=True):
        assert rows[source] == parents[i]
        rows = [i] + [i if k == target else row for k, row in enumerate(rows) if k]


@pytest.mark.parametrize("name", TREES)
def test_few_rows_are_enough(name):
    parents = TREES[name]
    assert plan(tuple(parents)).rows <= 1 + np.log2(len(parents) + 1)


def test_a_chain_needs_one_row_and_keeps_its_order():
    p = plan(tuple(chain(12)))
    assert p.rows == 1
    assert p.order == tuple(range(12))
