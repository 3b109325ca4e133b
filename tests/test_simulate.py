"""Trajectories against references, their invariants, their gradients, and what is refused."""

import json
from pathlib import Path

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers import close
from specimens import specimen

import denox as dx

FOLDER = Path(__file__).parent / "published"
FINE = dict(rtol=1e-11, atol=1e-11)


def load(name):
    return json.loads((FOLDER / f"{name}.json").read_text())


def falls(name):
    return [case for case in load(name)["cases"] if case["kind"] == "forward_simulation"]


def norms(model, q):
    """Of the Euler parameters of each ball or free joint."""
    t = model.topology
    starts = [t.coordinates[i] for i, kind in enumerate(t.kinds) if kind.coordinates > 1]
    return np.array([np.linalg.norm(np.asarray(q)[..., s : s + 4], axis=-1) for s in starts])


ARMS = {
    "01_puma": lambda **_: dx.zoo.puma(),
    "02_stanford_seed000": lambda **gravity: dx.zoo.stanford_arm("000", **gravity),
    "02_stanford_seed001": lambda **gravity: dx.zoo.stanford_arm("001", **gravity),
    "03_planar3R": lambda **_: dx.zoo.planar_3r(),
}


@pytest.mark.parametrize("name", ARMS)
def test_falls_of_the_references(name):
    for case in falls(name):
        model = ARMS[name](**({"gravity": case["gravity"]} if "gravity" in case else {}))
        path = dx.simulate(model, case["q"][0], case["qd"][0], case["t"], **FINE)
        assert np.abs(path.q - np.array(case["q"])).max() < 1e-7, case["name"]
        assert np.abs(path.v - np.array(case["qd"])).max() < 1e-7 * max(1, np.abs(case["qd"]).max()), case["name"]
        assert close(path.energy, case["energy"], 1e-9, floor=1.0)


def test_balls_in_a_row():
    data = load("09_ball_chain")
    builder, parent, place = dx.Builder(data["model"]["gravity"]), None, np.zeros(3)
    for i, link in enumerate(data["model"]["links"]):
        body = dx.Inertia(link["mass"], link["mass_centre"], link["inertia_about_mass_centre"])
        builder.link(f"body{i}", parent, dx.Spherical(), dx.Pose(position=place), body)
        parent, place = f"body{i}", np.array(link["next_joint"])
    model, case = builder.build(), data["cases"][1]
    flat = lambda key: np.reshape(case[key], (len(case["t"]), -1))
    path = dx.simulate(model, flat("quat")[0], flat("omega_rel")[0], case["t"], **FINE)
    assert close(path.v, flat("omega_rel"), 1e-7)
    signs = np.sign((np.reshape(path.q, (-1, 5, 4)) * np.reshape(case["quat"], (-1, 5, 4))).sum(-1, keepdims=True))
    assert close(np.reshape(path.q, (-1, 5, 4)) * signs, case["quat"], 1e-7)
    assert np.abs(norms(model, path.q) - 1).max() < 1e-12


def paper_forces(t, q, v):
    """The actuation of 004, as printed."""
    return jnp.array([10 * jnp.sin(jnp.pi * t / 2), 20, 10 * jnp.sin(jnp.pi * t / 4), 20])


@pytest.mark.parametrize("variant", [0, 1])
def test_rrpr_under_its_forces(variant):
    data = load("07_rrpr")["variants"][variant]
    axes = dict(x=(1, 0, 0), y=(0, 1, 0), z=(0, 0, 1))
    builder, parent = dx.Builder(data["model"]["gravity"]), None
    for i, link in enumerate(data["model"]["links"]):
        joint = (dx.Revolute if link["joint"] == "r" else dx.Prismatic)(axes[link["axis"]])
        body = dx.Inertia(link["mass"], link["mass_centre"], link["inertia_about_mass_centre_diag"])
        builder.link(f"body{i}", parent, joint, dx.Pose(position=link["joint_position_in_parent_frame"]), body)
        parent = f"body{i}"
    model = builder.build()
    for case in data["cases"]:
        path = dx.simulate(model, case["q"][0], case["qd"][0], case["t"], paper_forces, **FINE)
        assert close(path.tau, case["tau"], 1e-13)
        assert close(path.q, case["q"], 1e-7)
        assert close(path.a, case["qdd"], 1e-6)


@pytest.mark.parametrize("name", ["puma", "flyer", "ball chain"])
def test_energy_and_unit_length_over_ten_seconds(name):
    model = specimen(name)
    path = dx.simulate(model, *calm(model), np.linspace(0, 10, 101), rtol=1e-12, atol=1e-12)
    scale = max(float(jax.vmap(dx.kinetic_energy, (None, 0, 0))(model, path.q, path.v).max()), 1.0)
    assert np.abs(path.energy - path.energy[0]).max() < 1e-9 * scale
    assert norms(model, path.q).size == 0 or np.abs(norms(model, path.q) - 1).max() < 1e-12


def calm(model):
    q, v = dx.random_state(model, jax.random.key(3))
    return q, 0.1 * v


def test_projection_keeps_the_order_of_the_solver():
    """Halving a constant step divides the error of a fifth order method by 32."""
    model = specimen("ball chain")
    q, v = dx.random_state(model, jax.random.key(0))
    run = lambda step: dx.simulate(model, q, v, [0.0, 0.4], controller=diffrax.ConstantStepSize(), step=step).v[-1]
    truth = dx.simulate(model, q, v, [0.0, 0.4], rtol=1e-13, atol=1e-13).v[-1]
    coarse, fine = (np.abs(run(h) - truth).max() for h in (0.01, 0.005))
    assert coarse / fine > 20


def test_gradient_by_all_inertias_of_a_fall():
    model, q, v = dx.zoo.puma(), jnp.array([0.3, -0.5, 0.4, 0.2, 0.7, -0.1]), jnp.zeros(6)
    phi = dx.inertial_parameters(model)
    cost = lambda phi, q=q: (dx.simulate(dx.with_inertial_parameters(model, phi), q, v, [0.0, 1.0], rtol=1e-11, atol=1e-11).q[-1] ** 2).sum()
    slopes = jax.grad(cost)(phi)
    way = jax.random.normal(jax.random.key(1), phi.shape) * jnp.abs(phi)
    h = 1e-3
    f = lambda s: cost(phi + s * h * way)
    difference = (8 * (f(1) - f(-1)) - (f(2) - f(-2))) / (12 * h)
    assert close((slopes * way).sum(), difference, 1e-5)
    for k in (3, 17, 41):  # single parameters too
        step = jnp.zeros(phi.size).at[k].set(1e-4).reshape(phi.shape)
        f = lambda s, step=step: cost(phi + s * step)
        difference = (8 * (f(1) - f(-1)) - (f(2) - f(-2))) / 12e-4
        assert close(slopes.ravel()[k], difference, 1e-5, floor=float(jnp.abs(slopes).max()))


def test_gradients_are_finite_at_rest_in_float32():
    model = specimen("flyer").astype(jnp.float32)
    q, v = dx.neutral(model), jnp.zeros(model.nv, jnp.float32)

    def cost(model, q, v):
        path = dx.simulate(model, q, v, [0.0, 0.2])
        return (path.q[-1] ** 2).sum() + path.v[-1].sum()

    slopes = jax.grad(cost, (0, 1, 2))(model, q, v)
    assert all(x.dtype == jnp.float32 and np.isfinite(x).all() for x in jax.tree.leaves(slopes))


def swing(**options):
    model = specimen("pendulum")
    return lambda k: dx.simulate(model, [1.0], [0.0], [0.0, 0.5, 1.0], lambda t, q, v: -k * v, **options).q[-1, 0]


def test_controls_may_close_over_traced_numbers():
    k, h = 0.3, 1e-4
    cost = swing(rtol=1e-10)
    assert close(jax.grad(cost)(k), (cost(k + h) - cost(k - h)) / (2 * h), 1e-6)
    with pytest.raises(TypeError, match="DirectAdjoint"):
        jax.jvp(swing(), (k,), (1.0,))


@pytest.mark.slow
def test_forward_mode_and_second_derivatives():
    k, h = 0.3, 1e-4
    direct = jax.jit(swing(adjoint=diffrax.DirectAdjoint(), max_steps=64, rtol=1e-9))
    slope = jax.jit(jax.grad(direct))
    difference = (direct(k + h) - direct(k - h)) / (2 * h)
    assert close(slope(k), difference, 1e-6)
    assert close(jax.jit(lambda k: jax.jvp(direct, (k,), (1.0,))[1])(k), difference, 1e-6)
    assert close(jax.jit(jax.jacfwd(swing(adjoint=diffrax.ForwardMode(), rtol=1e-9)))(k), difference, 1e-6)
    assert close(jax.jit(jax.jacfwd(slope))(k), (slope(k + h) - slope(k - h)) / (2 * h), 1e-5)


def test_a_second_call_with_other_numbers_compiles_nothing():
    model, times, traces = specimen("pendulum"), np.linspace(0, 1, 11), []
    control = lambda t, q, v: (traces.append(1), -0.1 * v)[1]
    dx.simulate(model, [0.1], [0.0], times, control)
    first = len(traces)
    heavier = dx.with_inertial_parameters(model, 2 * dx.inertial_parameters(model))
    dx.simulate(heavier, [0.4], [0.2], times + 1, control, rtol=1e-6)
    assert len(traces) - first <= 1, "only the check of shapes looks at the control again"


def test_batches_have_their_own_steps():
    model, times = specimen("flyer"), np.linspace(0, 0.3, 4)
    q, v = jax.vmap(lambda key: dx.random_state(model, key))(jax.random.split(jax.random.key(0), 3))
    one = lambda q, v: dx.simulate(model, q, v, times)
    many = jax.vmap(one)(q, v)
    blocks = dx.batched(one, block=2)(q, v)
    assert many.q.shape == (3, 4, model.nq)
    for k in range(3):
        alone = one(q[k], v[k])
        assert close(many.q[k], alone.q, 1e-9)
        assert close(blocks.v[k], alone.v, 1e-9)
        assert many.statistics["num_steps"][k] == alone.statistics["num_steps"]
    assert many.energy.shape == (3, 4)
    assert many.a.shape == (3, 4, model.nv)


def test_samples_are_held():
    model = dx.Builder((0, 0, 0)).link("cart", None, dx.Prismatic((1, 0, 0)), inertia=dx.Inertia(2.0, about_com=(1, 1, 1))).build()
    times, tau = np.array([0.0, 1.0, 2.0]), np.array([[2.0], [-4.0], [6.0]])
    zero = dx.simulate(model, [0.0], [0.0], times, tau)
    assert close(zero.v[:, 0], [0, 1, -1], 1e-9)
    first = dx.simulate(model, [0.0], [0.0], times, tau, hold="first")
    assert close(first.v[:, 0], [0, -0.5, 0], 1e-9, floor=1)
    slopes = jax.grad(lambda tau: dx.simulate(model, [0.0], [0.0], times, tau).v[-1, 0])(tau)
    assert close(slopes[:, 0], [0.5, 0.5, 0], 1e-9)


def test_extra_states_ride_along():
    """The work of a damper is the energy that is lost."""
    model = specimen("pendulum")
    control = lambda t, q, v, work: (-0.3 * v, -0.3 * v @ v)
    path = dx.simulate(model, [1.0], [0.0], np.linspace(0, 2, 21), control, extra=0.0, rtol=1e-10, atol=1e-10)
    assert close(path.energy - path.energy[0], path.extra, 1e-8)
    assert close(path.tau[:, 0], -0.3 * path.v[:, 0], 1e-12)


def test_between_the_samples():
    model = specimen("flyer")
    q, v = calm(model)
    times = np.linspace(0, 0.5, 51)
    path, exact = (dx.simulate(model, q, v, times, dense=dense, **FINE) for dense in (False, True))
    t = np.array([0.0, 0.1234, 0.3001, 0.5])
    truth = dx.simulate(model, q, v, t, **FINE)
    for smooth, tolerance in ((path, 1e-6), (exact, 1e-9)):
        ours = smooth.evaluate(t)
        assert close(ours[0], truth.q, tolerance)
        assert close(ours[1], truth.v, 10 * tolerance)
    assert close(path.evaluate(0.2)[0], path.q[20], 1e-12)


def test_files_and_tables(tmp_path):
    model = specimen("flyer")
    path = dx.simulate(model, *calm(model), np.linspace(0, 0.3, 4))
    path.save(tmp_path / "motion.npz")
    again = dx.Trajectory.load(tmp_path / "motion.npz", model)
    assert (again.q == path.q).all()
    assert again.reason == path.reason
    assert int(again.statistics["num_steps"]) == int(path.statistics["num_steps"])
    table = path.to_frame()
    assert table.shape == (4, model.nq + model.nv)
    with pytest.raises(ValueError, match="coordinates"):
        dx.Trajectory.load(tmp_path / "motion.npz", specimen("pendulum"))


@pytest.mark.usefixtures("as_users_run")
class TestWhatIsRefused:
    def refuse(self, words, *args, error=ValueError, **options):
        model = specimen("pendulum")
        with pytest.raises(error, match=words):
            dx.simulate(model, *args, **options)

    def test_states(self):
        self.refuse("nan", [np.nan], [0.0], [0.0, 1.0])
        self.refuse("shape", [0.0, 0.0], [0.0], [0.0, 1.0])

    def test_times(self):
        self.refuse(r"times\[1\] is 1.0 s and times\[2\] is 0.5", [0.0], [0.0], [0.0, 1.0, 0.5])
        self.refuse("two times", [0.0], [0.0], [0.0])

    def test_controls(self):
        self.refuse(r"shape \(2,\)", [0.0], [0.0], [0.0, 1.0], lambda t, q, v: jnp.zeros(2))
        self.refuse("one row for each time", [0.0], [0.0], [0.0, 1.0], np.zeros((5, 1)))

    def test_steps_exhausted(self):
        self.refuse("bob.*max_steps", [1.0], [0.0], [0.0, 9.0], error=RuntimeError, max_steps=8)
        path = dx.simulate(specimen("pendulum"), [1.0], [0.0], np.linspace(0, 9, 91), max_steps=8, throw=False)
        assert 0 < path.count < 91
        assert float(path.stop) < 9
        assert "exhausted" in path.reason
        assert path.part().q.shape == (int(path.count), 1)
        assert np.isfinite(path.q).all()

    def test_a_force_that_is_not_a_number(self):
        self.refuse("t = 0.5.*bob", [1.0], [0.0], [0.0, 1.0], lambda t, q, v: jnp.where(t > 0.5, jnp.nan, 0.0) * v + 0 * v, error=RuntimeError)


def test_coupled_joints_stay_coupled():
    """Energy is conserved by the whole, and the joint that follows does: a ladder of gears falls as one."""
    model = dx.rigid(specimen("geared"))
    q, v = dx.random_state(model, jax.random.key(3))
    path = dx.simulate(model, q, v, jnp.linspace(0, 1, 5), rtol=1e-10)
    assert path.q.shape == (5, model.nq)
    energies = jax.vmap(lambda q, v: dx.energy(model, q, v))(path.q, path.v)
    assert close(energies, jnp.full(5, energies[0]), 1e-8)
    assert np.abs(np.linalg.norm(path.q[:, :4], axis=1) - 1).max() < 1e-12
