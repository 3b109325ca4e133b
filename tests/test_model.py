"""What a model says of itself."""

import jax
import jax.numpy as jnp
import numpy as np
from helpers import close
from specimens import specimen

import denox as dx


def test_the_summary_draws_the_tree():
    lines = specimen("branched").summary().split("\n")
    assert lines[0] == "Model(8 links, 6 joints, nq=9, nv=8)"
    assert lines[2].startswith("├─ link0")
    assert "Fixed" in lines[2]
    assert lines[3].split() == ["│", "└─", "link1", "Revolute", "q[0:1]", "v[0:1]", "1.818", "kg"]
    assert sum("Spherical  q[2:6] v[2:5]" in line for line in lines) == 1


def test_the_summary_names_frames_loops_and_joints():
    body = dx.Inertia(1.0, None, (1, 1, 1))
    builder = dx.Builder().link("a", None, dx.Revolute(), inertia=body, joint_name="hip").frame("tool", "a")
    text = builder.close("pin", "a", None, dx.Spherical()).build().summary()
    assert "Revolute `hip`" in text
    assert "frame `tool` on `a`" in text
    assert "loop `pin`: Spherical between `a` and the ground" in text


def test_long_chains_have_summaries():
    text = dx.from_dh(a=np.ones(1200), mass=np.ones(1200), inertia=np.ones((1200, 3))).summary()
    assert text.count("\n") == 1202


def test_models_are_pytrees_of_their_numbers():
    model = specimen("springy")
    leaves, structure = jax.tree.flatten(model)
    assert all(isinstance(x, jax.Array) for x in leaves)
    assert jax.tree.unflatten(structure, leaves).topology is model.topology
    assert hash(model.topology) == hash(specimen("springy").topology)


def test_the_number_type_follows_the_settings_and_can_be_changed():
    model = specimen("planar 3r")
    assert model.dtype == jnp.float64
    assert {x.dtype for x in jax.tree.leaves(model.astype(jnp.float32))} == {np.dtype("float32")}


def test_the_pseudo_inertia_moves_the_ten_numbers():
    from denox.inertia import moved, parameters, pseudo

    rng = np.random.default_rng(0)
    body = dx.Inertia(2.0, rng.uniform(-1, 1, 3), rng.uniform(1, 2, 3))
    pose = dx.Pose.from_rpy(rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3))
    assert close(parameters(pseudo(body.parameters)), body.parameters, 1e-15)
    assert close(moved(body.parameters, pose.rotation, pose.position), body.placed(pose).parameters, 1e-14)
    assert np.linalg.eigvalsh(pseudo(body.parameters))[0] > -1e-12
