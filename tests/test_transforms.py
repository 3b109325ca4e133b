"""Every public function under jit, vmap and in both precisions; what is compiled, and how often."""

import dataclasses
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers import arrays, close, random_motion, random_tree
from jax.extend.core import jaxprs_in_params
from specimens import specimen

import denox as dx
from denox.public import suits

STATES = {
    "kinematics": lambda m, q, v, a: dx.kinematics(m, q, v, a).twist_rate,
    "jacobian": lambda m, q, v, a: dx.jacobian(m, q, m.links[-1]),
    "jacobian_bias": lambda m, q, v, a: dx.jacobian_bias(m, q, v, m.links[-1]),
    "inverse_dynamics": lambda m, q, v, a: dx.inverse_dynamics(m, q, v, a),
    "bias_forces": lambda m, q, v, a: dx.bias_forces(m, q, v),
    "gravity_forces": lambda m, q, v, a: dx.gravity_forces(m, q),
    "passive_forces": lambda m, q, v, a: dx.passive_forces(m, q, v),
    "forward_dynamics": lambda m, q, v, a: dx.forward_dynamics(m, q, v, a),
    "inertia_matrix": lambda m, q, v, a: dx.inertia_matrix(m, q),
    "factor": lambda m, q, v, a: dx.factor(m, q).solve(a),
    "energy": lambda m, q, v, a: dx.energy(m, q, v),
    "kinetic_energy": lambda m, q, v, a: dx.kinetic_energy(m, q, v),
    "potential_energy": lambda m, q, v, a: dx.potential_energy(m, q),
    "integrate": lambda m, q, v, a: dx.integrate(m, q, v),
    "difference": lambda m, q, v, a: dx.difference(m, dx.neutral(m), q),
    "coordinate_rates": lambda m, q, v, a: dx.coordinate_rates(m, q, v),
    "inertial_parameters": lambda m, q, v, a: dx.inertial_parameters(m),
    "with_inertial_parameters": lambda m, q, v, a: dx.with_inertial_parameters(m, dx.inertial_parameters(m)).inertia,
}
LINEAR_TIME = [name for name in STATES if name not in ("inertia_matrix", "jacobian")]


@pytest.mark.parametrize("function", STATES)
@pytest.mark.parametrize("name", ["branched", "flyer", "springy"])
def test_plain_jitted_and_mapped_calls_agree(name, function, getkey):
    model, fn = specimen(name), STATES[function]
    q, v, a, _ = random_motion(model, getkey())
    plain = fn(model, q, v, a)
    assert close(jax.jit(fn)(model, q, v, a), plain, 1e-12, floor=1e-3)
    mapped = jax.vmap(fn, (None, 0, 0, 0))(model, *(jnp.stack([x, x]) for x in (q, v, a)))
    assert close(mapped[1], plain, 1e-12, floor=1e-3)


def count_compilations(call):
    events = []
    listen = lambda name, *rest, **more: events.append(name) if "backend_compile" in name else None
    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        call()
    finally:
        jax.monitoring.unregister_event_duration_listener(listen)
    return len(events)


@pytest.mark.parametrize("function", STATES)
def test_the_second_call_compiles_nothing_whatever_the_numbers(function, getkey):
    model, fn = specimen("springy"), STATES[function]
    state = random_motion(model, getkey())[:3]
    jax.block_until_ready(fn(model, *state))
    other = jax.tree.map(lambda x: x * 1.01, model)
    states = [x * 1.01 for x in state]
    assert count_compilations(lambda: jax.block_until_ready(fn(other, *states))) == 0


def test_the_counter_counts():
    assert count_compilations(lambda: jax.jit(lambda x: x * 3.25 + 1)(jnp.ones(17))) > 0


def shapes(jaxpr):
    for eqn in jaxpr.eqns:
        for var in eqn.outvars:
            yield tuple(var.aval.shape)
        for inner in jaxprs_in_params(eqn.params):
            yield from shapes(inner)


@pytest.mark.parametrize("function", LINEAR_TIME)
def test_programs_of_linear_time_hold_no_square_of_the_speeds(function):
    model = random_tree(1, 23, ("revolute", "prismatic", "spherical"))
    q, v, a, _ = random_motion(model, jax.random.key(0))
    seen = set(shapes(jax.make_jaxpr(STATES[function])(model, q, v, a).jaxpr))
    square = {shape for shape in seen if sum(n in (model.nv, model.nq) for n in shape) > 1}
    assert not square


def test_compiled_programs_do_not_grow_with_the_chain():
    from helpers import random_builder

    def size(n):
        model = random_builder(np.random.default_rng(0), list(range(-1, n - 1)), ["revolute"] * n).build()
        q, v, _, tau = random_motion(model, jax.random.key(0))
        return jax.jit(lambda *x: dx.forward_dynamics(*x)).lower(model, q, v, tau).as_text().count("\n")

    assert size(64) == size(8)


WITH_WRENCHES = {
    "inverse_dynamics with wrenches": lambda m, q, v, a: dx.inverse_dynamics(m, q, v, a, jnp.ones((len(m.links), 6))),
    "forward_dynamics with wrenches": lambda m, q, v, a: dx.forward_dynamics(m, q, v, a, jnp.ones((len(m.links), 6))),
}


@pytest.mark.parametrize("function", [name for name in [*STATES, *WITH_WRENCHES] if "parameters" not in name])
def test_sweeps_of_one_state_become_one_kernel(function):
    """All that public functions are made of can be compiled whole; else a plain call would take the slow way unseen."""
    model = specimen("branched")
    q, v, a, _ = random_motion(model, jax.random.key(0))
    assert suits(jax.make_jaxpr({**STATES, **WITH_WRENCHES}[function])(model, q, v, a).jaxpr)


def test_many_fixed_links_and_long_chains_are_no_hurdle():
    """Long sums cannot be part of a single kernel: such programs must take the plain way, or have none."""
    builder = dx.Builder()
    for i in range(40):
        builder.link(f"l{i}", f"l{i - 1}" if i else None, dx.Revolute(), inertia=dx.Inertia(1.0, None, (1, 1, 1)))
    for i in range(40):
        builder.link(f"f{i}", "l39", dx.Fixed(), inertia=dx.Inertia(1.0, None, (1, 1, 1)))
    model = builder.build()
    state = jnp.zeros((3, 40))
    assert jnp.isfinite(dx.forward_dynamics(model, *state)).all()
    long = dx.from_dh(a=np.full(1500, 0.1), mass=np.ones(1500), inertia=np.ones((1500, 3)))
    assert jnp.isfinite(dx.energy(long, *jnp.zeros((2, 1500))))


def test_plain_calls_agree_with_no_compiling_at_all(getkey):
    model = specimen("planar 3r")
    q, v, _, tau = random_motion(model, getkey())
    compiled = dx.forward_dynamics(model, q, v, tau)
    with jax.disable_jit():
        assert close(dx.forward_dynamics(model, q, v, tau), compiled, 1e-12)


def test_a_solve_can_be_transposed(getkey):
    model = specimen("branched")
    q, v, _, b = random_motion(model, getkey())
    udu = dx.factor(model, q)
    assert close(jax.linear_transpose(udu.solve, b)(v)[0], udu.solve(v), 1e-11)


def test_gradients_that_are_not_compiled_compile_once(getkey):
    model = specimen("planar 3r")
    q, v, _, tau = random_motion(model, getkey())
    gradient = jax.grad(lambda q: dx.forward_dynamics(model, q, v, tau).sum())
    gradient(q)
    other = q + 0.1
    assert count_compilations(lambda: jax.block_until_ready(gradient(other))) == 0


def test_states_of_mixed_number_types_promote(as_users_run):
    model = specimen("planar 3r")
    q = dx.inverse_dynamics(model, [0, 0, 0], np.zeros(3, np.float32), jnp.ones(3, int))
    assert q.dtype == jnp.float64
    single = model.astype(jnp.float32)
    assert single.dtype == jnp.float32
    assert dx.gravity_forces(single, np.zeros(3, np.float32)).dtype == jnp.float32


@pytest.mark.parametrize("array", arrays(specimen("springy")))
def test_every_array_of_a_model_can_be_mapped_over(array, getkey):
    model = specimen("springy")
    q, v, a, _ = random_motion(model, getkey())
    both = jnp.stack([getattr(model, array), getattr(model, array) * 1.1])
    fn = lambda x: dx.inverse_dynamics(dataclasses.replace(model, **{array: x}), q, v, a)
    assert close(jax.vmap(fn)(both)[1], fn(both[1]), 1e-12)


def test_importing_changes_no_setting_and_touches_no_device():
    code = """
import jax
before = {name: getattr(jax.config, name) for name in dir(jax.config) if name.startswith("jax_")}
import denox
after = {name: getattr(jax.config, name) for name in dir(jax.config) if name.startswith("jax_")}
assert before == after, "a setting changed"
from jax._src import xla_bridge
assert not xla_bridge.backends_are_initialized(), "a device was touched"
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_models_are_built_without_compiling():
    make = lambda: random_tree(123, 9)
    make()
    assert count_compilations(lambda: random_tree(124, 9)) == 0
