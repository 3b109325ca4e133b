"""The only loops over a tree: one `lax.scan` outward, one inward, whatever the tree.

Nodes are visited depth first (see `topology.plan`), and the scan carries a few rows of values: row 0 holds the value of the node visited last,
the others wait where the tree branches. A chain needs row 0 alone, a humanoid one more. No padding, no buffer updated by index, and compile
time depends on the rows only, not on the number of links.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jax import lax

from .topology import Plan


def among(index, choices: Sequence[Callable[[], Any]]) -> Any:
    """The choice of this number; a plain value where there is but one."""
    return choices[0]() if len(choices) == 1 else lax.switch(index, choices)


def outward(plan: Plan, step: Callable, base: Any, xs: Any) -> Any:
    """From the ground to the tips: `step(value of the parent, x) -> value, y` for each node. Returns the ys, in visiting order.

    `base` is the value of the ground; the xs are pytrees of arrays over nodes in visiting order.
    """

    def visit(rows, x):
        source, target, x = x
        value, y = step(among(source, [lambda row=row: row for row in rows]), x)
        kept = [lambda k=k: [value if i == k else row for i, row in enumerate(rows) if i] for k in range(plan.rows)]
        return [value, *among(target, kept)], y

    return lax.scan(visit, [base] * plan.rows, (np.array(plan.source, int), np.array(plan.target, int), xs))[1]


def inward(plan: Plan, step: Callable, zero: Any, xs: Any) -> Any:
    """From the tips to the ground: `step(sum over the children, x) -> value to hand on, y` for each node. Returns the ys, in visiting order.

    The transpose of `outward`: values are summed where they were handed out, and a tip has the sum `zero`. Rows are not cleared after use: a
    tip takes `zero` instead of its row, and the first child to come replaces what is in the row.
    """
    tip = [zero] if plan.rows > 1 else []  # a chain begins at zero, and its one row is never stale
    own = np.where(np.array(plan.bears, bool), plan.target, plan.rows).astype(int)
    parent = np.array(plan.source, int) + plan.rows * np.array(plan.shares, int)

    def visit(rows, x):
        own, parent, x = x
        value, y = step(among(own, [lambda row=row: row for row in (*rows, *tip)]), x)
        first = [lambda k=k: [value if i == k else row for i, row in enumerate(rows) if i] for k in range(plan.rows)]
        later = [lambda k=k: [row + value if i == k else row for i, row in enumerate(rows) if i] for k in range(plan.rows)]
        return [value, *among(parent, first + later if tip else first)], y

    return lax.scan(visit, [zero] * plan.rows, (own, parent, xs), reverse=True)[1]
