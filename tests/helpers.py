"""Random mechanisms and motions, and comparisons that know number types."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

import denox as dx

QUICK = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}  # for value tests: compiling is most of their time


def quick(fn, **kwargs):
    """Compiled with most optimizations off: the same program, ready sooner."""
    return jax.jit(fn, compiler_options=QUICK, **kwargs)


def gap(a, b, floor=1e-300):
    """The largest difference, relative to the largest value, or to `floor` if that is larger."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    assert a.shape == b.shape, (a.shape, b.shape)
    return 0.0 if a.size == 0 else float(np.abs(a - b).max() / max(np.abs(b).max(), floor))


def close(a, b, rtol=1e-11, floor=1e-300):
    error = gap(a, b, floor)
    assert np.isfinite(np.asarray(a)).all(), "not finite"
    assert error <= rtol, f"relative difference {error:.2e} above {rtol:.0e}"
    return True


def random_rotation(rng):
    Q = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    return Q * np.linalg.det(Q)


def random_inertia(rng):
    """Of a general body: a box turned in its link."""
    m, (a, b, c) = rng.uniform(0.5, 2), rng.uniform(0.1, 0.4, 3)
    R = random_rotation(rng)
    about = R @ np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) @ R.T * m / 12
    return dx.Inertia(m, rng.uniform(-0.1, 0.1, 3), (about + about.T) / 2)


KINDS = {
    "revolute": lambda rng: dx.Revolute(rng.standard_normal(3)),
    "prismatic": lambda rng: dx.Prismatic(rng.standard_normal(3)),
    "spherical": lambda rng: dx.Spherical(),
    "free": lambda rng: dx.Free(),
    "fixed": lambda rng: dx.Fixed(),
    "helical": lambda rng: dx.Helical(rng.standard_normal(3), rng.uniform(0.1, 0.5)),
    "cylindrical": lambda rng: dx.Cylindrical(rng.standard_normal(3)),
    "universal": lambda rng: dx.Universal(rng.standard_normal(3), rng.standard_normal(3)),
    "planar": lambda rng: dx.Planar(rng.standard_normal(3)),
    "compound": lambda rng: dx.Compound(dx.Prismatic(rng.standard_normal(3)), dx.Spherical()),
}


def random_parents(rng, n):
    """Of a tree in the order of building, not depth first: -1 for the ground."""
    return [-1 if i == 0 or rng.random() < 0.1 else int(rng.integers(max(0, i - 4), i)) for i in range(n)]


def random_builder(rng, parents, kinds, armature=False):
    builder = dx.Builder(gravity=rng.uniform(-10, 10, 3))
    for i, (parent, kind) in enumerate(zip(parents, kinds, strict=True)):
        pose = dx.Pose(random_rotation(rng), rng.uniform(-0.3, 0.3, 3))
        extra = {"armature": rng.uniform(0.1, 0.5)} if armature and kind != "fixed" else {}
        builder.link(f"link{i}", None if parent < 0 else f"link{parent}", KINDS[kind](rng), pose, random_inertia(rng), **extra)
    return builder


def random_tree(seed, n=7, kinds=tuple(KINDS), floating=False, armature=False, numbers=None):
    """A model of n links with joints of these kinds in random order; `numbers` chooses other parameters for the same topology."""
    rng = np.random.default_rng(seed)
    parents, names = random_parents(rng, n), [kinds[k % len(kinds)] for k in rng.permutation(n)]
    if floating:
        parents, names[0] = [-1, *(max(0, p) for p in parents[1:])], "free"
    elif set(names) == {"fixed"}:
        names[0] = "revolute"
    rng = rng if numbers is None else np.random.default_rng((seed, numbers))
    return random_builder(rng, parents, names, armature).build()


def random_motion(model, key):
    """q, v, a, tau."""
    q, v = dx.random_state(model, key)
    a, tau = jax.random.normal(jax.random.fold_in(key, 1), (2, model.nv), model.dtype)
    return q, v, a, tau


def stacked(trees):
    """Many models of one topology as one whose every number has a leading axis."""
    return jax.tree.map(lambda *x: jnp.stack(x), *trees)


def arrays(model):
    """The names of a model's arrays that are there."""
    return [f.name for f in dataclasses.fields(model) if f.name != "topology" and getattr(model, f.name) is not None]
