"""What denox does, in about a minute: `python -m examples.demo` from the root of the repository. Pictures go to `out/`.

The arms are those of papers 000 and 001. The curves they are compared with were computed by other engines (Pinocchio, MuJoCo) and are in
`examples/data/papers.npz`: of each arm a cycloidal motion and the torques it needs, and the states of a fall from rest without torques.
"""

import time
from functools import partial
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import denox as dx

from . import plots

OUT = Path("out")
ARMS = {
    "puma": ("PUMA", dx.zoo.puma),
    "stanford_000": ("Stanford arm, paper 000", partial(dx.zoo.stanford_arm, "000")),
    "stanford_001": ("Stanford arm, paper 001", partial(dx.zoo.stanford_arm, "001")),
}


class Curve(NamedTuple):
    """Values over times, of denox and of the reference, both (times, 6)."""

    name: str
    t: np.ndarray
    ours: np.ndarray
    reference: np.ndarray


def reference(arm: str, case: str) -> dict[str, np.ndarray]:
    """The arrays of a case, "cycloid" or "fall", by their short names."""
    with np.load(Path(__file__).parent / "data" / "papers.npz") as data:
        return {key.rpartition("/")[2]: data[key] for key in data.files if key.startswith(f"{arm}/{case}/")}


def say(what: str, value: float, unit: str = "", digits: str = ".1e") -> None:
    print(f"  {what:<76} {value:>8{digits}} {unit}".rstrip(), flush=True)


def of_peak(ours, reference) -> float:
    """The largest difference, relative to the largest value of the same joint."""
    return float((np.abs(ours - reference).max(0) / np.abs(reference).max(0)).max())


# 1. Torques of a motion


def torques(arm: str) -> Curve:
    """Along the cycloid of 000, eqs. 22-23."""
    name, build = ARMS[arm]
    ref = reference(arm, "cycloid")
    motion = dx.cycloid(ref["start"], ref["end"], ref["duration"])(ref["t"])
    tau = jax.vmap(dx.inverse_dynamics, (None, 0, 0, 0))(build(), *motion)
    return Curve(name, ref["t"], np.asarray(tau), ref["tau"])


# 2. Free fall


@partial(jax.jit, static_argnames="steps")
def fall(model: dx.Model, q, v, t, steps: int):
    """q and v at the times t (times, nv), without torques, by `steps` Runge-Kutta steps of fourth order from each time to the next.

    For joints of one coordinate, whose rate is the speed.
    """

    def rate(y):
        return jnp.stack([y[1], dx.forward_dynamics(model, y[0], y[1], jnp.zeros_like(y[1]))])

    def step(y, h):
        k1 = rate(y)
        k2 = rate(y + h / 2 * k1)
        k3 = rate(y + h / 2 * k2)
        k4 = rate(y + h * k3)
        return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

    def interval(y, h):
        y, _ = jax.lax.scan(step, y, jnp.full(steps, h / steps))
        return y, y

    start = jnp.stack([q, v])
    _, ys = jax.lax.scan(interval, start, jnp.diff(t))
    ys = jnp.concatenate([start[None], ys])
    return ys[:, 0], ys[:, 1]


def falls(arm: str, steps: int = 400) -> tuple[Curve, Curve, float]:
    """Coordinates and speeds of a fall, and the largest change of its energy in J."""
    name, build = ARMS[arm]
    model, ref = build(), reference(arm, "fall")
    q, v = fall(model, ref["q"][0], ref["v"][0], ref["t"], steps)
    energy = jax.vmap(dx.energy, (None, 0, 0))(model, q, v)
    drift = float(jnp.abs(energy - energy[0]).max())
    return Curve(name, ref["t"], np.asarray(q), ref["q"]), Curve(name, ref["t"], np.asarray(v), ref["v"]), drift


# 3. Many states at once


def least(calls, seconds: float = 3.0) -> list[float]:
    """The least time of each call in seconds, all called in turn."""
    best = [np.inf] * len(calls)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for k, call in enumerate(calls):
            begin = time.perf_counter()
            call()
            best[k] = min(best[k], time.perf_counter() - begin)
    return best


def batch(size: int = 1024, seconds: float = 3.0) -> tuple[float, float | None, float | None]:
    """Microseconds per forward dynamics of the PUMA, denox's and Pinocchio's, and how far they differ; None without Pinocchio."""
    model = dx.zoo.puma()
    q, v = jax.vmap(lambda key: dx.random_state(model, key))(jax.random.split(jax.random.key(0), size))
    tau = 10 * jax.random.normal(jax.random.key(1), v.shape)
    run = jax.jit(dx.batched(dx.forward_dynamics, in_axes=(None, 0, 0, 0)))
    ours = np.asarray(run(model, q, v, tau))  # the first call compiles
    calls = [lambda: run(model, q, v, tau).block_until_ready()]
    try:
        import pinocchio as pin
    except ImportError:
        return least(calls, seconds)[0] / size * 1e6, None, None
    from tests.oracles.pinocchio import Twin

    twin = Twin(model)
    pool = pin.ModelPool(twin.model, 1)
    states = [np.asfortranarray(x.T) for x in (twin.q(q), twin.v(v), twin.v(tau))]
    theirs = np.zeros_like(states[1], order="F")
    calls.append(lambda: pin.abaInParallel(1, pool, *states, theirs))
    here, there = (best / size * 1e6 for best in least(calls, seconds))
    return here, there, of_peak(ours, twin.back(theirs.T))


# 4. A gradient by every inertial parameter


def gradient(count: int = 501) -> tuple[np.ndarray, float]:
    """Of the integral of tau^T tau along the PUMA's cycloid, by the ten numbers of each link (6, 10), and its relative error.

    The cost is quadratic in the parameters, so a central difference is exact whatever its step, but for rounding.
    """
    model, ref = dx.zoo.puma(), reference("puma", "cycloid")
    t = jnp.linspace(0, ref["duration"], count)
    motion = dx.cycloid(ref["start"], ref["end"], ref["duration"])(t)

    @jax.jit
    def cost(phi):
        tau = dx.batched(dx.inverse_dynamics, in_axes=(None, 0, 0, 0))(dx.with_inertial_parameters(model, phi), *motion)
        return jnp.trapezoid((tau * tau).sum(-1), t)

    phi = dx.inertial_parameters(model)
    slopes = jax.jit(jax.grad(cost))(phi)
    way = jax.random.normal(jax.random.key(2), phi.shape)
    difference = (cost(phi + way) - cost(phi - way)) / 2
    return np.asarray(slopes), float(jnp.abs((slopes * way).sum() / difference - 1))


# 5. A film


@jax.jit
def points(model: dx.Model, q):
    """The base, the origins of the links and the tip, (links + 2, 3) in m."""
    here = dx.kinematics(model, q)
    return jnp.concatenate([jnp.zeros((1, 3)), here.position, here.at("tip").position[None]])


def main() -> None:
    begin = time.perf_counter()
    jax.config.update("jax_enable_x64", True)
    OUT.mkdir(exist_ok=True)
    print(f"denox {dx.__version__}, jax {jax.__version__}, float64")

    print("1. Torques along the cycloid, against other engines")
    curves = {arm: torques(arm) for arm in ARMS}
    for curve in curves.values():
        say(f"{curve.name}: largest difference, relative to each joint's peak", of_peak(curve.ours, curve.reference))
    plots.torques("PUMA", [curves["puma"]], OUT / "torques_puma.png")
    plots.torques("Stanford arm", [curves["stanford_000"], curves["stanford_001"]], OUT / "torques_stanford.png", slides=(2,))

    print("2. Free fall, against other engines")
    paths = {}
    for arm in ARMS:
        q, v, drift = paths[arm] = falls(arm)
        say(f"{q.name}, {q.t[-1]:.2f} s: largest difference of a coordinate", np.abs(q.ours - q.reference).max(), "rad or m")
        say(f"{v.name}, {v.t[-1]:.2f} s: largest difference of a speed", np.abs(v.ours - v.reference).max(), "rad/s or m/s")
        say(f"{q.name}, {q.t[-1]:.2f} s: largest change of energy", drift, "J")
    plots.falls("PUMA", [paths["puma"][0]], OUT / "fall_puma.png")
    plots.falls("Stanford arm", [paths["stanford_000"][0], paths["stanford_001"][0]], OUT / "fall_stanford.png", slides=(2,))

    print("3. Forward dynamics of the PUMA, 1024 states at once, one core")
    here, there, apart = batch()
    say("denox", here, "us per state", ".3f")
    if there is None:
        print("  Pinocchio is not installed: `pip install pin` to compare with it.")
    else:
        say("Pinocchio, abaInParallel", there, "us per state", ".3f")
        say("Pinocchio's time over denox's", there / here, "", ".1f")
        say("largest difference, relative to each joint's peak", apart)

    print("4. Gradient of the integral of squared torques by all 60 inertial parameters of the PUMA")
    slopes, error = gradient()
    say("relative error, against a central difference in a random direction", error)
    plots.heat_map(slopes, OUT / "gradient_puma.png")

    print("5. The falling PUMA as a film")
    q = paths["puma"][0]
    places = np.asarray(jax.vmap(points, (None, 0))(dx.zoo.puma(), q.ours))
    plots.strip(q.t, places, OUT / "fall_puma_strip.png")
    plots.film(q.t, places, OUT / "fall_puma.gif")
    say("out/fall_puma.gif", (OUT / "fall_puma.gif").stat().st_size / 1e6, "MB", ".2f")

    print(f"Pictures: {', '.join(sorted(str(path) for path in OUT.iterdir() if path.suffix in ('.png', '.gif')))}")
    print(f"Done in {time.perf_counter() - begin:.0f} s.")


if __name__ == "__main__":
    main()
