"""Operations on models, by what must stay the same."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers import close, random_inertia, random_motion, random_rotation
from specimens import specimen

import denox as dx
from denox.build.surgery import unbuilt


def test_taken_apart_and_built_again_it_is_the_same(model, getkey):
    again = unbuilt(model).build()
    assert again.topology == model.topology
    q, v, a, tau = random_motion(model, getkey())
    assert close(dx.inverse_dynamics(again, q, v, a), dx.inverse_dynamics(model, q, v, a), 1e-12)
    assert close(dx.forward_dynamics(again, q, v, tau), dx.forward_dynamics(model, q, v, tau), 1e-10)
    assert close(dx.kinematics(again, q).position, dx.kinematics(model, q).position, 1e-13, floor=1.0)


def test_locking_is_projecting(model, getkey):
    q, v, _, _ = random_motion(model, getkey())
    for joint in model.joints[::2]:
        kept = np.ones(model.nv, bool)
        kept[model.v_index(joint)] = False
        kept_q = np.ones(model.nq, bool)
        kept_q[model.q_index(joint)] = False
        locked = dx.lock(model, {joint: q[model.q_index(joint)]})
        still = jnp.where(kept, v, 0.0)
        M, b = dx.inertia_matrix(model, q), dx.bias_forces(model, q, still)
        if not kept.any():
            assert locked.nv == 0
            continue
        assert close(dx.inertia_matrix(locked, q[kept_q]), M[np.ix_(kept, kept)], 1e-11)
        assert close(dx.bias_forces(locked, q[kept_q], v[kept]), b[kept], 1e-11, floor=1e-2)
        assert close(dx.kinematics(locked, q[kept_q]).position, dx.kinematics(model, q).position, 1e-12, floor=1.0)


def test_merging_keeps_the_dynamics_and_the_names(getkey):
    model = specimen("branched")
    merged = dx.merge(model)
    assert merged.links == ("link0", "link1", "link2", "link3", "link5", "link6", "link7")  # link0 stands on the ground
    assert merged.topology.frames == ("link4",)
    q, v, a, tau = random_motion(model, getkey())
    assert close(dx.inverse_dynamics(merged, q, v, a), dx.inverse_dynamics(model, q, v, a), 1e-12)
    assert close(dx.forward_dynamics(merged, q, v, tau), dx.forward_dynamics(model, q, v, tau), 1e-11)
    assert close(dx.kinematics(merged, q).at("link4").position, dx.kinematics(model, q).at("link4").position, 1e-14)


def test_locked_and_merged_several_deep(getkey):
    model = specimen("puma")
    few = dx.merge(dx.lock(model, {"link2": 0.4, "link3": -0.2, "link6": 1.0}))
    assert few.links == ("link1", "link4", "link5")
    q = jnp.array([0.1, 0.4, -0.2, 0.3, 0.7, 1.0])
    free = np.array([0, 3, 4])
    assert close(dx.inertia_matrix(few, q[free]), dx.inertia_matrix(model, q)[np.ix_(free, free)], 1e-12)
    assert close(dx.kinematics(few, q[free]).at("tip").position, dx.kinematics(model, q).at("tip").position, 1e-13)


def test_a_payload_comes_on_and_off(getkey):
    model, rng = specimen("puma"), np.random.default_rng(0)
    load, pose = random_inertia(rng), dx.Pose(random_rotation(rng), rng.uniform(-1, 1, 3))
    laden = dx.attach(model, "link6", load, pose)
    by_hand = unbuilt(model).link("load", "link6", dx.Fixed(), pose, load).build()
    q, v, a, _ = random_motion(model, getkey())
    assert close(dx.inverse_dynamics(laden, q, v, a), dx.inverse_dynamics(by_hand, q, v, a), 1e-12)
    assert close(dx.inertial_parameters(dx.detach(laden, "link6", load, pose)), dx.inertial_parameters(model), 1e-13)


def test_a_subtree_joined_back_is_the_whole(getkey):
    model = dataclasses.replace(specimen("puma"))
    hand, pose = dx.subtree(model, "link4"), np.asarray(model.placement)[3]
    upper = unbuilt(model)
    for name in ("link4", "link5", "link6"):
        del upper._links[name]
    upper._frames.clear()
    whole = dx.join(upper.build(), hand, "link3", dx.Pose(pose[:, :3], pose[:, 3]), prefix="hand ")
    assert whole.links == ("link1", "link2", "link3", "hand link4", "hand link5", "hand link6")
    q, v, _, tau = random_motion(model, getkey())
    assert close(dx.forward_dynamics(whole, q, v, tau), dx.forward_dynamics(model, q, v, tau), 1e-11)
    assert close(dx.kinematics(whole, q).at("hand tip").position, dx.kinematics(model, q).at("tip").position, 1e-13)


def test_two_models_on_one_ground_do_not_feel_each_other(getkey):
    a, b = specimen("puma"), specimen("flyer")
    both = dx.join(a, dataclasses.replace(b, gravity=a.gravity), prefix="other ")
    (q, v, _, tau), (p, u, _, f) = random_motion(a, getkey()), random_motion(b, getkey())
    b = dataclasses.replace(b, gravity=a.gravity)
    expected = jnp.concatenate([dx.forward_dynamics(a, q, v, tau), dx.forward_dynamics(b, p, u, f)])
    assert close(dx.forward_dynamics(both, *(jnp.concatenate(x) for x in ((q, p), (v, u), (tau, f)))), expected, 1e-11)


def test_renaming_changes_names_only():
    model = dx.rename(specimen("puma"), {"link1": "shoulder", "tip": "tool"})
    assert model.links[0] == model.joints[0] == "shoulder"
    assert model.topology.frames == ("tool",)


def test_locking_differentiates(getkey):
    model = specimen("planar 3r")
    f = lambda angle: dx.inertia_matrix(dx.lock(model, {"link2": angle}), jnp.ones(2)).sum()
    assert close(jax.grad(f)(0.3), (f(0.3 + 1e-6) - f(0.3 - 1e-6)) / 2e-6, 1e-8)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m: dx.lock(m, {"wrist": 0.0}), "No joint is called `wrist`"),
        (lambda m: dx.lock(m, {"link1": [0.0, 1.0]}), "Joint `link1` has 1 coordinates, but 2"),
        (lambda m: dx.attach(m, "hand", dx.Inertia(1.0)), "No link is called `hand`"),
        (lambda m: dx.subtree(m, "hand"), "No link is called `hand`"),
        (lambda m: dx.join(m, m), "Both models have a `link1`. Give a `prefix`"),
        (lambda m: dx.join(m, m, "hand", prefix="b "), "No link is called `hand`"),
        (lambda m: dx.rename(m, {"hand": "foot"}), "Nothing is called `hand`"),
        (lambda m: dx.rename(m, {"link1": "link2"}), "Two links would be called `link2`"),
    ],
)
def test_nonsense_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call(specimen("puma"))
