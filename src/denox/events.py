"""Events: what ends a simulation, or changes the state at an instant and lets it go on. The time of an event is differentiable."""

from collections.abc import Callable, Sequence
from typing import Any

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import optimistix as optx

from .dynamics.factor import factor
from .kinematics import jacobian, kinematics
from .model import Model
from .types import Coordinates, Numbers, Speeds

State = tuple[Coordinates, Speeds]


class Event(eqx.Module):
    """Happens when `condition(model, t, q, v)`, a number, changes its sign.

    - `rising`: True if from below to above zero only, False if from above to below only, None if either way.
    - `reset`: `(model, t, q, v) -> (q, v)`, the state after the event; None ends the simulation.
    """

    condition: Callable
    rising: bool | None = eqx.field(static=True, default=None)
    reset: Callable | None = None


class JointLimit(eqx.Module):
    """A coordinate of a joint at `value`: zero there, positive above."""

    value: Any
    joint: str = eqx.field(static=True)
    component: int = eqx.field(static=True, default=0)

    def __call__(self, model, t, q, v):
        return q[model.q_index(self.joint)][self.component] - self.value


class Height(eqx.Module):
    """The distance of a point of a link from a plane through `through` with the unit vector `normal`, in m."""

    point: Any
    normal: Any
    through: Any
    link: str = eqx.field(static=True)

    def __call__(self, model, t, q, v):
        return self.normal @ (kinematics(model, q).at(self.link, self.point).position - self.through)


class SpeedOf(eqx.Module):
    """A speed of a joint."""

    joint: str = eqx.field(static=True)
    component: int = eqx.field(static=True, default=0)

    def __call__(self, model, t, q, v):
        return v[model.v_index(self.joint)][self.component]


class Impact(eqx.Module):
    """An impulse along the gradient of the condition, through the inertia matrix, that turns the condition's rate r into -restitution r:

    v+ = v - (1 + restitution) r M^{-1} J^T / (J M^{-1} J^T),      r = J v.

    `condition` gives the row J by its derivative along the speeds: a row of a Jacobian of a point, or of the unit matrix.
    """

    row: Callable  # (model, q) -> (nv,)
    restitution: Any

    def __call__(self, model, t, q, v):
        J = self.row(model, q)
        push = factor(model, q).solve(J)
        return q, v - (1 + self.restitution) * (J @ v) / (J @ push) * push


class JointRow(eqx.Module):
    joint: str = eqx.field(static=True)
    component: int = eqx.field(static=True, default=0)

    def __call__(self, model, q):
        return jnp.zeros(model.nv, q.dtype).at[model.v_index(self.joint).start + self.component].set(1)


class PointRow(eqx.Module):
    point: Any
    normal: Any
    link: str = eqx.field(static=True)

    def __call__(self, model, q):
        return self.normal @ jacobian(model, q, self.link, self.point)[3:]


# What users call


def at_limit(joint: str, value: Numbers, *, upper: bool = True, restitution: Numbers | None = None, component: int = 0) -> Event:
    """A joint of one coordinate reaches `value` from below (`upper`) or from above. Ends the simulation, or bounces if `restitution` is given."""
    reset = None if restitution is None else Impact(JointRow(joint, component), jnp.asarray(restitution))
    return Event(JointLimit(jnp.asarray(value), joint, component), upper, reset)


def touches(
    link: str, point: Numbers = (0, 0, 0), *, normal: Numbers = (0, 0, 1), through: Numbers = (0, 0, 0), restitution: Numbers | None = None
) -> Event:
    """A point of a link or frame, in its axes, comes through a plane from the side of its normal. Ends the simulation, or bounces."""
    n = jnp.asarray(normal, float)
    n, point, through = n / jnp.linalg.norm(n), jnp.asarray(point, float), jnp.asarray(through, float)
    reset = None if restitution is None else Impact(PointRow(point, n, link), jnp.asarray(restitution, float))
    return Event(Height(point, n, through, link), False, reset)


def at_rest(joint: str, component: int = 0) -> Event:
    """A speed of a joint passes zero."""
    return Event(SpeedOf(joint, component))


def gathered(event: Any) -> tuple[Event, ...]:
    """One event, several, or a function `(model, t, q, v) -> number` that ends the simulation."""
    if event is None:
        return ()
    events = tuple(event) if isinstance(event, Sequence) else (event,)
    for one in events:
        if not callable(one) and not isinstance(one, Event):
            raise ValueError(f"`event` holds {one!r}. Give a `dx.events.Event`, or a function (model, t, q, v) -> number.")
    return tuple(one if isinstance(one, Event) else Event(one) for one in events)


def as_diffrax(events: tuple[Event, ...], model: Model, tolerance) -> diffrax.Event | None:
    """Conditions on diffrax's state (q, v, extra), with a root finder for the exact time."""
    if not events:
        return None

    def watched(event):
        return lambda t, y, args, **_: event.condition(args[0], t, y[0], y[1])

    finder = optx.Newton(tolerance, tolerance, norm=optx.rms_norm)
    return diffrax.Event([watched(e) for e in events], finder, [e.rising for e in events])


def changed(events: tuple[Event, ...], mask: Sequence[Any], model: Model, t, q, v) -> tuple[Any, Any, Any]:
    """The state after the events that happened, and whether the simulation goes on."""
    go_on = jnp.zeros((), bool)
    for event, happened in zip(events, mask, strict=True):
        if event.reset is not None:
            after = event.reset(model, t, q, v)
            q, v = jax.tree.map(lambda new, old, happened=happened: jnp.where(happened, new, old), after, (q, v))
            go_on = go_on | happened
    return q, v, go_on
