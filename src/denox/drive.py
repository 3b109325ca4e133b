"""What drives a mechanism through time: control, loads and wrenches as one differentiable thing."""

from collections.abc import Callable, Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from .model import Model
from .types import Coordinates, Number, Speeds


class Held(eqx.Module):
    """Forces given by samples: constant from one time to the next (`hold="zero"`), or a straight line between them (`hold="first"`)."""

    times: Float[Array, "times"]
    samples: Float[Array, "times nv"]
    hold: str = eqx.field(static=True)

    def __call__(self, t: Number, q: Coordinates, v: Speeds) -> Speeds:
        k = jnp.clip(jnp.searchsorted(self.times, t, side="right") - 1, 0, len(self.times) - 2)
        share = (t - self.times[k]) / (self.times[k + 1] - self.times[k])
        if self.hold == "zero":
            return self.samples[k]
        return self.samples[k] + share * (self.samples[k + 1] - self.samples[k])


class Drive(eqx.Module):
    """Control, loads and wrenches. Functions among them are static, so that a drive can leave a `jit` or a `vmap`; their arrays are leaves."""

    arrays: Any
    static: Any = eqx.field(static=True)

    @classmethod
    def of(cls, control: Callable | None, loads: Sequence[Callable], wrenches: Any) -> "Drive":
        return cls(*eqx.partition((control, tuple(loads), wrenches), eqx.is_array))

    @property
    def parts(self) -> tuple[Callable | None, tuple[Callable, ...], Any]:
        return eqx.combine(self.arrays, self.static)

    def forces(self, model: Model, t, q, v, extra) -> tuple[Any, Any]:
        """The joint forces of control and loads together, and the rates of the extra states."""
        control, loads, _ = self.parts
        rates = jax.tree.map(jnp.zeros_like, extra)
        if control is None:
            tau = jnp.zeros_like(v)
        elif extra is None:
            tau = control(t, q, v)
        else:
            tau, rates = control(t, q, v, extra)
        for load in loads:
            tau = tau + load(model, t, q, v)
        return tau, rates

    def wrenches(self, t, q, v) -> Any:
        """(links, 6), or None."""
        given: Any = self.parts[2]
        return given(t, q, v) if callable(given) else given


def closes_over_tracers(thing: Any, depth: int = 4) -> bool:
    """Whether a function holds values that are being traced, as in `jax.grad(lambda k: dx.simulate(..., control=lambda t, q, v: -k * v))`."""
    if isinstance(thing, jax.core.Tracer):
        return True
    if depth == 0 or thing is None:
        return False
    held: list[Any] = []
    for cell in getattr(thing, "__closure__", None) or ():
        try:
            held.append(cell.cell_contents)
        except ValueError:  # not filled yet
            continue
    held += [getattr(thing, "__self__", None), *(getattr(thing, "__defaults__", None) or ())]
    held += [*getattr(thing, "args", ()), *getattr(thing, "keywords", {}).values(), getattr(thing, "func", None)] if hasattr(thing, "func") else []
    if callable(thing) and not isinstance(thing, eqx.Module) and not hasattr(thing, "__code__") and hasattr(thing, "__dict__"):
        held += list(vars(thing).values())
    leaves = [leaf for x in held if x is not None for leaf in jax.tree.leaves(x)]
    return any(closes_over_tracers(leaf, depth - 1) for leaf in leaves)
