"""The references of the papers' mechanisms, made with engines that share nothing with denox."""

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers import close, quick

import denox as dx

FOLDER = Path(__file__).parent / "published"
ARMS = {
    "01_puma": dx.zoo.puma,
    "02_stanford_seed000": dx.zoo.stanford_arm,
    "02_stanford_seed001": lambda: dx.zoo.stanford_arm("001"),
    "03_planar3R": dx.zoo.planar_3r,
}


def load(name):
    return json.loads((FOLDER / f"{name}.json").read_text())


def cases(data, kind):
    return [case for case in data["cases"] if case["kind"] == kind]


def columns(rows, *keys):
    """Arrays over states."""
    return [np.array([row[key] for row in rows]) for key in keys]


def over(fn):
    """Over the states of a file, the model shared."""
    return quick(jax.vmap(fn, in_axes=(None, 0, 0, 0)))


@pytest.mark.parametrize("name", ARMS)
def test_torques_of_the_cycloid(name):
    (case,) = cases(load(name), "inverse_dynamics")
    model, t = ARMS[name](), np.array(case["t"])
    path = case["trajectory"]
    motion = dx.cycloid(path["q0"], path["qT"], path["T"])(t)
    for ours, key in zip(motion, ("q", "qd", "qdd"), strict=True):
        assert close(ours, case[key], 1e-13)
    assert close(over(dx.inverse_dynamics)(model, *motion), case["tau"], 1e-11)
    assert close(jax.vmap(dx.gravity_forces, (None, 0))(model, motion.q), case["tau_gravity"], 1e-11)
    if "tip_position_O_np1" in case:
        assert close(jax.vmap(dx.kinematics, (None, 0))(model, motion.q).at("tip").position, case["tip_position_O_np1"], 1e-13)


@pytest.mark.parametrize("name", ARMS)
def test_random_states(name):
    (case,) = cases(load(name), "random_states")
    model = ARMS[name]()
    q, v, tau, a, M, c, g = columns(case["states"], "q", "qd", "tau", "qdd", "M", "c", "g")
    assert close(over(dx.forward_dynamics)(model, q, v, tau), a, 1e-10)
    assert close(over(dx.inverse_dynamics)(model, q, v, a), tau, 1e-9)
    assert close(jax.vmap(dx.inertia_matrix, (None, 0))(model, q), M, 1e-11)
    assert close(jax.vmap(dx.gravity_forces, (None, 0))(model, q), g, 1e-11, floor=1.0)
    assert close(jax.vmap(dx.bias_forces, (None, 0, 0))(model, q, v), c + g, 1e-11)
    if "udut_diag" in case["states"][0]:
        assert close(jax.vmap(lambda m, q: dx.factor(m, q).D, (None, 0))(model, q), columns(case["states"], "udut_diag")[0], 1e-10)


def rk4(model, q, v, dt, steps):
    """A plain integrator for joints with one coordinate."""

    def rates(state):
        q, v = state
        return v, dx.forward_dynamics(model, q, v, jnp.zeros_like(v))

    def step(state, _):
        add = lambda k, s: jax.tree.map(lambda x, y: x + s * y, state, k)
        k1 = rates(state)
        k2 = rates(add(k1, dt / 2))
        k3 = rates(add(k2, dt / 2))
        k4 = rates(add(k3, dt))
        return jax.tree.map(lambda x, a, b, c, d: x + dt / 6 * (a + 2 * b + 2 * c + d), state, k1, k2, k3, k4), None

    return jax.lax.scan(step, (q, v), None, steps)[0]


@pytest.mark.parametrize("name", ARMS)
def test_free_fall(name):
    """The first half second, and energy over all the reference has."""
    for case in cases(load(name), "forward_simulation"):
        model = ARMS[name]()
        if "gravity" in case:
            model = ARMS[name].__call__() if name == "03_planar3R" else {"02_stanford_seed000": "000", "02_stanford_seed001": "001"}[name]
            model = dx.zoo.stanford_arm(model, gravity=case["gravity"])
        q, v, t = (jnp.array(case[key]) for key in ("q", "qd", "t"))
        k = int(np.searchsorted(t, 0.5))
        ends = rk4(model, q[0], v[0], t[k] / 4000, 4000)
        assert close(ends[0], q[k], 1e-9), case["name"]
        assert close(ends[1], v[k], 1e-9), case["name"]
        energy = jax.vmap(dx.energy, (None, 0, 0))(model, q, v)
        assert close(energy, case["energy"], 1e-9, floor=1.0)


def dh_arm(rows, gravity, base=None, mount=None):
    keys = ("a", "b", "alpha", "mass", "r", "inertia_about_C_in_frame_ip1")
    a, b, alpha, mass, r, inertia = columns([{**row, "b": 0.0 if row["b"] == "JV" else row["b"]} for row in rows], *keys)
    return dx.from_dh(a=a, b=b, alpha=alpha, mass=mass, r=r, inertia=inertia, gravity=gravity, joints="".join(row["joint"] for row in rows))


def test_a_chain_of_a_hundred_links():
    data = load("10_chain_100")
    model = dh_arm(data["model"], data["gravity"])
    q, v, tau, a, bias = columns(data["cases"][0]["states"], "q", "qd", "tau", "qdd", "bias")
    assert close(over(dx.forward_dynamics)(model, q, v, tau), a, 1e-9)
    assert close(jax.vmap(dx.bias_forces, (None, 0, 0))(model, q, v), bias, 1e-11)
    tip = jax.vmap(dx.kinematics, (None, 0))(model, q).at("tip").position
    assert close(tip, columns(data["cases"][0]["states"], "tip")[0], 1e-12)


def test_balls_in_a_row():
    data = load("09_ball_chain")
    builder, parent, place = dx.Builder(data["model"]["gravity"]), None, np.zeros(3)
    for i, link in enumerate(data["model"]["links"]):
        body = dx.Inertia(link["mass"], link["mass_centre"], link["inertia_about_mass_centre"])
        builder.link(f"body{i}", parent, dx.Spherical(), dx.Pose(position=place), body)
        parent, place = f"body{i}", np.array(link["next_joint"])
    model = builder.frame("tip", parent, dx.Pose(position=place)).build()
    states = data["cases"][0]["states"]
    flat = lambda key: np.array([np.ravel(state[key]) for state in states])
    q, v, tau, a = map(flat, ("quat", "omega_rel", "tau", "omega_rel_dot"))
    M, bias, tip, alpha = columns(states, "M", "bias", "tip", "alpha_world")
    assert close(over(dx.forward_dynamics)(model, q, v, tau), a, 1e-10)
    assert close(over(dx.inverse_dynamics)(model, q, v, a), tau, 1e-9)
    assert close(jax.vmap(dx.inertia_matrix, (None, 0))(model, q), M, 1e-11)
    assert close(jax.vmap(dx.bias_forces, (None, 0, 0))(model, q, v), bias, 1e-11)
    kin = jax.vmap(dx.kinematics, (None, 0, 0, 0))(model, q, v, a)
    assert close(kin.at("tip").position, tip, 1e-13)
    assert close(kin.twist_rate[..., :3], alpha, 1e-11)


@pytest.mark.parametrize("group", [0, 1])
def test_an_arm_on_a_free_flyer(group):
    data = load("08_freeflyer")["groups"][group]
    arm = dh_arm(data["arm"], data["gravity"])
    base, mount = data["base"], data["mount"]
    body = dx.Inertia(base["mass"], base["mass_centre_base_frame"], base["inertia_about_mass_centre_base_frame"])
    builder = dx.Builder(data["gravity"]).link("base", None, dx.Free(), inertia=body)
    parent, first = "base", dx.Pose(mount["R"], mount["p"])
    phi = np.asarray(dx.inertial_parameters(arm))
    for i, name in enumerate(arm.links):  # the arm's own links, hung on the base
        place = np.asarray(arm.placement[i])
        pose = first @ dx.Pose(place[:, :3], place[:, 3]) if i == 0 else dx.Pose(place[:, :3], place[:, 3])
        m, h = phi[i, 0], phi[i, 1:4]
        xx, xy, yy, xz, yz, zz = phi[i, 4:]
        about = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - m * (h @ h / m**2 * np.eye(3) - np.outer(h, h) / m**2)
        builder.link(name, parent, dx.Revolute(), pose, dx.Inertia(m, h / m, (about + about.T) / 2))
        parent = name
    model = builder.build()
    for state in data["cases"][0]["states"]:
        R, V = np.array(state["base_R"]), np.array(state["base_V"])
        local = lambda x, R=R: np.concatenate([R.T @ x[:3], R.T @ x[3:]])
        q = np.concatenate([state["base_quat_wxyz"], state["base_position"], state["q"]])
        v = np.concatenate([local(V), state["qd"]])
        wrenches = np.zeros((7, 6))
        wrenches[0] = state["base_wrench"]
        a = dx.forward_dynamics(model, q, v, np.concatenate([np.zeros(6), state["tau"]]), wrenches)
        assert close(a[6:], state["qdd"], 1e-10)
        # acceleration of the base in inertial axes, from the rates of components in its own
        rate = dx.kinematics(model, q, v, a).at("base").twist_rate
        assert close(rate, state["base_alpha"], 1e-10)
        as_force = dx.forward_dynamics(model, q, v, np.concatenate([local(np.array(state["base_wrench"])), state["tau"]]))
        assert close(as_force, a, 1e-10)


def test_planar_3r_from_its_lagrangian():
    """Equations of motion derived by sympy from the energies alone."""
    import sympy as sp

    lengths, masses, g = (0.3, 0.25, 0.22), (0.5, 0.4, 0.3), 9.81
    q, v, a = (sp.symbols(f"{name}1:4") for name in "qva")
    x = y = angle = rate = sp.Integer(0)
    vx = vy = kinetic = potential = sp.Integer(0)
    for k, (length, m) in enumerate(zip(lengths, masses, strict=True)):
        angle, rate = angle + q[k], rate + v[k]
        cx, cy = x + length / 2 * sp.cos(angle), y + length / 2 * sp.sin(angle)
        ux, uy = vx - length / 2 * sp.sin(angle) * rate, vy + length / 2 * sp.cos(angle) * rate
        kinetic += m * (ux**2 + uy**2) / 2 + m * length**2 / 12 * rate**2 / 2
        potential += m * g * cy
        x, y = x + length * sp.cos(angle), y + length * sp.sin(angle)
        vx, vy = vx - length * sp.sin(angle) * rate, vy + length * sp.cos(angle) * rate
        del cx
    lagrangian = kinetic - potential
    tau = []
    for k in range(3):
        p = sp.diff(lagrangian, v[k])
        total = sum(sp.diff(p, q[j]) * v[j] + sp.diff(p, v[j]) * a[j] for j in range(3))
        tau.append(total - sp.diff(lagrangian, q[k]))
    torque = sp.lambdify((q, v, a), tau)
    model = dx.zoo.planar_3r()
    for state in np.random.default_rng(0).standard_normal((5, 3, 3)):
        assert close(dx.inverse_dynamics(model, *state), torque(*state), 1e-13)
