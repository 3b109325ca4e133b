"""denox against Pinocchio on random trees of every joint kind, floating bases included, numbered in any order."""

import jax
import numpy as np
import pytest
from helpers import KINDS, close, quick, random_motion, random_tree, stacked
from oracles.pinocchio import Twin

import denox as dx

EACH = 40  # parameter sets and states for each topology


def everything(model, q, v, a, tau, wrenches):
    kin = dx.kinematics(model, q, v, a)
    return {
        "inverse dynamics": dx.inverse_dynamics(model, q, v, a, wrenches),
        "forward dynamics": dx.forward_dynamics(model, q, v, tau, wrenches),
        "inertia matrix": dx.inertia_matrix(model, q),
        "bias forces": dx.bias_forces(model, q, v),
        "energy": dx.energy(model, q, v),
        "kinematics": (kin.rotation, kin.position, kin.twist, kin.twist_rate),
        "jacobian": dx.jacobian(model, q, model.links[-1]),
        "bias of it": dx.jacobian_bias(model, q, v, model.links[-1]),
        "moved": dx.integrate(model, q, v),
    }


def oracle(model, q, v, a, tau, wrenches):
    import pinocchio as pin

    twin = Twin(model)
    zero = np.zeros(model.nv)
    moved = pin.integrate(twin.model, twin.q(q), twin.v(v))
    return {
        "inverse dynamics": twin.inverse_dynamics(q, v, a, wrenches),
        "forward dynamics": twin.forward_dynamics(q, v, tau, wrenches),
        "inertia matrix": twin.inertia_matrix(q),
        "bias forces": twin.inverse_dynamics(q, v, zero),
        "energy": twin.energy(q, v),
        "kinematics": twin.kinematics(q, v, a),
        "jacobian": twin.jacobian(q, model.links[-1]),
        "bias of it": twin.kinematics(q, v, zero)[3][-1],
        "moved": moved[np.argsort(twin.iq)],
    }


def upright(model, q):
    q = np.array(q)
    for body, kind in enumerate(model.topology.kinds):
        if kind.coordinates > 1:
            e = q[..., model.topology.coordinates[body] :][..., :4]
            e *= np.sign(e[..., :1])
    return q


def compare(seed, each):
    rng = np.random.default_rng((seed, 99))
    n, floating, armature = int(rng.integers(1, 13)), seed % 3 == 0, seed % 4 == 1
    kinds = [("revolute", "prismatic", "spherical", "free", "fixed"), ("revolute", "prismatic"), ("revolute",), ("spherical", "revolute", "fixed")]
    kinds += [tuple(KINDS)]
    make = lambda k: random_tree(seed, n, kinds[seed % 5], floating, armature, numbers=k)
    models = [make(k) for k in range(each)]
    motions = [random_motion(models[0], jax.random.key(k)) for k in range(each)]
    q, v, a, tau = (np.stack(x) for x in zip(*motions, strict=True))
    wrenches = rng.uniform(-5, 5, (each, len(models[0].links), 6))
    assert len({m.topology for m in models}) == 1
    ours = quick(jax.vmap(everything))(stacked(models), q, v, a, tau, wrenches)
    theirs = [oracle(m, *x) for m, *x in zip(models, q, v, a, tau, wrenches, strict=True)]
    bounds = {"forward dynamics": 1e-9, "inverse dynamics": 1e-11}
    for name in ours:
        if name == "moved":  # Euler parameters of either sign are one attitude
            ours[name], theirs = upright(models[0], ours[name]), [{**t, name: upright(models[0], t[name])} for t in theirs]
        expected = jax.tree.map(lambda *x: np.stack(x), *(t[name] for t in theirs))
        for x, y in zip(jax.tree.leaves(ours[name]), jax.tree.leaves(expected), strict=True):
            assert close(x, y, bounds.get(name, 1e-11), floor=1e-2), (seed, name)


@pytest.mark.parametrize("seed", range(25))
def test_everything_agrees_with_pinocchio(seed):
    compare(seed, EACH)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(40))
def test_a_thousand_topologies_agree_with_pinocchio(block):
    for seed in range(25 + 25 * block, 50 + 25 * block):
        compare(seed, 4)
        jax.clear_caches()
