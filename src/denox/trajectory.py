"""The motion of a mechanism in time, as a simulation gives it."""

from pathlib import Path
from typing import Any

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from .couplings import kept_coordinates
from .drive import Drive
from .dynamics.energy import energy
from .dynamics.forward import forward_dynamics
from .kinematics import Kinematics, kinematics
from .model import Model, admit
from .state import by_kind, coordinate_rates
from .types import Numbers

REASONS = {
    "successful": "The whole time was simulated.",
    "event_occurred": "An event ended the simulation.",
    "max_steps_reached": "The steps were exhausted.",
    "dt_min_reached": "The steps became too small to go on.",
}


def projected(model: Model, q):
    """Coordinates with Euler parameters of unit length; the displacement by nothing brings any pair back to where it must be."""

    def rule(kind, q):
        return q if kind.coordinates == kind.speeds else kind.plus(q, [jnp.zeros_like(q[0])] * kind.speeds)

    tree, q = admit(model, q=q)
    return kept_coordinates(model, by_kind(tree, rule, answers="q", q=(q,)))


class Trajectory(eqx.Module):
    """States of a mechanism over times, (times, nq) and (times, nv), and with them the reason why the simulation ended.

    - `times`: as asked for, but none beyond `stop`, the time at which the simulation ended; rows of `q`, `v` and `extra` from there on hold the last
      state. `count` tells how many rows were computed, `part()` cuts the rest off.
    - `a`, `tau`, `energy`, `poses`: computed from the states when asked for.
    - `result`: of diffrax, `reason` in words; `statistics`: steps taken, accepted and rejected.

    With leading axes, as `jax.vmap` gives them, all of this is a batch of trajectories.
    """

    times: Float[Array, "*batch times"]
    q: Float[Array, "*batch times nq"]
    v: Float[Array, "*batch times nv"]
    extra: Any
    stop: Float[Array, "*batch"]
    count: Int[Array, "*batch"]
    result: diffrax.RESULTS
    statistics: dict[str, Any]
    model: Model
    drive: Drive
    resets: Float[Array, "*batch resets"] | None = None
    dense: diffrax.AbstractPath | None = None

    def over(self, fn):
        """`fn(model, drive, t, q, v, extra)` at every time, whatever the leading axes."""
        each = jax.vmap(fn, (None, None, 0, 0, 0, 0))
        for _ in range(jnp.ndim(self.times) - 1):
            each = jax.vmap(each)
        return compiled(each, fn)(self.model, self.drive, self.times, self.q, self.v, self.extra)

    @property
    def tau(self) -> Float[Array, "*batch times nv"]:
        """The joint forces of control and loads, (times, nv)."""
        return self.over(applied_forces)

    @property
    def a(self) -> Float[Array, "*batch times nv"]:
        """The rates of the speeds, (times, nv)."""
        return self.over(rates_of_speeds)

    @property
    def energy(self) -> Float[Array, "*batch times"]:
        """Kinetic and potential energy, (times,), in J."""
        return self.over(energies)

    @property
    def poses(self) -> Kinematics:
        """Poses and twists of all links over times: `trajectory.poses.at("tip").position` is (times, 3)."""
        return self.over(places)

    @property
    def reason(self) -> str:
        """Why the simulation ended, in words."""
        if jnp.ndim(self.stop):
            raise ValueError(f"This is a batch of {jnp.shape(self.stop)} trajectories. Ask one of them: `jax.tree.map(lambda x: x[0], trajectory)`.")
        return reason(self.result)

    def part(self) -> "Trajectory":
        """The rows that were computed, and those alone; not under `jit`."""
        n = int(self.count)
        cut = lambda x: x[:n]
        where = lambda t: (t.times, t.q, t.v, t.extra)
        return eqx.tree_at(where, self, jax.tree.map(cut, where(self)), is_leaf=lambda x: x is None)

    def evaluate(self, t: Numbers) -> tuple[Array, Array]:
        """q and v between the samples, (nq,) and (nv,) at a number, (n, nq) and (n, nv) at n of them.

        The solver's own interpolation if the simulation was asked for it by `dense=True`, as exact as its steps; otherwise a polynomial of fifth
        degree for q (third for v) through the samples and their rates, as exact as these are close.
        """
        t = jnp.asarray(t, self.times.dtype)
        if jnp.ndim(self.times) != 1:
            return jax.vmap(lambda self: self.evaluate(t))(self)
        if t.ndim:
            return jax.vmap(self.evaluate)(t)
        if self.dense is not None:
            q, v, _ = self.dense.evaluate(t)
            return projected(self.model, q), v
        return between(self, t)

    def to_frame(self):
        """A pandas table: time as the index, a column for each coordinate `q:joint` and speed `v:joint`, numbered where a joint has several."""
        import pandas

        names = {"q": (self.model.q_index, self.q), "v": (self.model.v_index, self.v)}
        columns = {}
        for letter, (index, values) in names.items():
            for joint in self.model.joints:
                span = range(*index(joint).indices(values.shape[-1]))
                columns |= {f"{letter}:{joint}" + (f"[{k}]" if len(span) > 1 else ""): np.asarray(values[:, i]) for k, i in enumerate(span)}
        return pandas.DataFrame(columns, index=pandas.Index(np.asarray(self.times), name="time"))

    def save(self, path: str | Path) -> None:
        """Numbers of the motion, not the mechanism, to an npz file."""
        numbers = {"times": self.times, "q": self.q, "v": self.v, "stop": self.stop, "count": self.count, "result": self.result._value}
        numbers |= {f"statistics/{key}": x for key, x in self.statistics.items()}
        numbers |= {f"extra/{k}": x for k, x in enumerate(jax.tree.leaves(self.extra))}
        numbers |= {} if self.resets is None else {"resets": self.resets}
        np.savez(path, allow_pickle=False, **{key: np.asarray(x) for key, x in numbers.items()})

    @staticmethod
    def load(path: str | Path, model: Model) -> "Trajectory":
        """A trajectory that was saved, of the same mechanism. Control and loads were not saved: `tau` is zero, and extra states are a list."""
        with np.load(path) as data:
            x = {key: jnp.asarray(data[key]) for key in data.files}
        if x["q"].shape[-1] != model.nq or x["v"].shape[-1] != model.nv:
            raise ValueError(f"`{path}` holds {x['q'].shape[-1]} coordinates and {x['v'].shape[-1]} speeds, but this model is {model!r}.")
        extra = [x[key] for key in sorted((k for k in x if k.startswith("extra/")), key=lambda k: int(k[6:]))] or None
        statistics = {key[11:]: value for key, value in x.items() if key.startswith("statistics/")}
        result = eqx.tree_at(lambda r: r._value, diffrax.RESULTS.successful, x["result"])
        drive = Drive.of(None, (), None)
        return Trajectory(x["times"], x["q"], x["v"], extra, x["stop"], x["count"], result, statistics, model, drive, x.get("resets"))

    def __repr__(self) -> str:
        return f"Trajectory({jnp.shape(self.times)} times of {self.model!r})"


def reason(result: diffrax.RESULTS) -> str:
    """In words."""
    for name, words in REASONS.items():
        if bool(result == getattr(diffrax.RESULTS, name)):
            return words
    return diffrax.RESULTS[result]


# What is computed at each time


def applied_forces(model, drive, t, q, v, extra):
    return drive.forces(model, t, q, v, extra)[0]


def rates_of_speeds(model, drive, t, q, v, extra):
    tau, _ = drive.forces(model, t, q, v, extra)
    return forward_dynamics(model, q, v, tau, drive.wrenches(t, q, v))


def energies(model, drive, t, q, v, extra):
    return energy(model, q, v)


def places(model, drive, t, q, v, extra):
    return kinematics(model, q, v)


known: dict[Any, Any] = {}


def compiled(each, fn):
    """One compiled program for each quantity and number of leading axes."""
    depth = 0
    inner = each
    while hasattr(inner, "__wrapped__"):
        inner, depth = inner.__wrapped__, depth + 1
    return known.setdefault((fn, depth), eqx.filter_jit(each))


def between(path: Trajectory, t):
    """Hermite polynomials on the interval of t: of fifth degree through q, dq/dt and d^2q/dt^2, of third degree through v and dv/dt."""
    model, times = path.model, path.times
    k = jnp.clip(jnp.searchsorted(times, t, side="right") - 1, 0, len(times) - 2)
    h = times[k + 1] - times[k]
    h = jnp.where(h > 0, h, 1)  # times repeat after an early end
    s = jnp.clip((t - times[k]) / h, 0, 1)

    def ends(i):
        q, v, extra = path.q[i], path.v[i], jax.tree.map(lambda x: x[i], path.extra)
        a = rates_of_speeds(model, path.drive, times[i], q, v, extra)
        dq, ddq = jax.jvp(lambda q, v: coordinate_rates(model, q, v), (q, v), (coordinate_rates(model, q, v), a))
        return q, dq, ddq, v, a

    (q0, r0, s0, v0, a0), (q1, r1, s1, v1, a1) = ends(k), ends(k + 1)
    up = s**3 * (10 - 15 * s + 6 * s**2)
    q = q0 + up * (q1 - q0)
    q = q + h * (s - 6 * s**3 + 8 * s**4 - 3 * s**5) * r0 + h * (-4 * s**3 + 7 * s**4 - 3 * s**5) * r1
    q = q + h**2 * ((s**2 - 3 * s**3 + 3 * s**4 - s**5) * s0 + (s**3 - 2 * s**4 + s**5) * s1) / 2
    v = v0 + s**2 * (3 - 2 * s) * (v1 - v0) + h * (s - 2 * s**2 + s**3) * a0 + h * (s**3 - s**2) * a1
    return projected(model, q), v
