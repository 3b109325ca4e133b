"""The scalar algebra is matrix algebra."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers import close, random_rotation

from denox import algebra as al

rng = np.random.default_rng(0)
a, b, c = (rng.standard_normal(3) for _ in range(3))
A, B = rng.standard_normal((2, 3, 3))
S = A + A.T
R = random_rotation(rng)
t, w = rng.standard_normal((2, 6))
phi = rng.standard_normal(10)
V, M = al.vec, al.mat


def skew(x):
    return np.cross(np.eye(3), x)


def sym(x):
    return M(x).upper


def rigid(phi):
    m, h, I = phi[0], phi[1:4], np.zeros((3, 3))
    I[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]] = phi[4:]
    I = I + I.T - np.diag(np.diag(I))
    return np.block([[I, skew(h)], [-skew(h), m * np.eye(3)]])


def shift(x):
    """A of a twist taken to an origin that lies further by x."""
    return np.block([[np.eye(3), np.zeros((3, 3))], [-skew(x), np.eye(3)]])


def dense(x):
    """Of an articulated inertia."""
    A, B, C = al.array(x.A), al.array(x.B), al.array(x.C)
    return np.block([[A, B], [B.T, C]])


def articulated(full):
    return al.Articulated(sym(full[:3, :3]), M(full[:3, 3:]), sym(full[3:, 3:]))


full = (lambda X: X @ X.T)(rng.standard_normal((6, 6)))

CLAIMS = {
    "dot": lambda: (V(a).dot(V(b)), a @ b),
    "cross": lambda: (al.array(V(a).cross(V(b))), np.cross(a, b)),
    "outer": lambda: (al.array(V(a).outer(V(b))), np.outer(a, b)),
    "tilde": lambda: (al.array(V(a).tilde @ V(b)), np.cross(a, b)),
    "matrix times vector": lambda: (al.array(M(A) @ V(a)), A @ a),
    "matrix times matrix": lambda: (al.array(M(A) @ M(B)), A @ B),
    "transpose": lambda: (al.array(M(A).T), A.T),
    "transpose times vector": lambda: (al.array(M(A).tdot(V(a))), A.T @ a),
    "turn about z": lambda: (
        al.array(M(A).spun(np.cos(0.3), np.sin(0.3))),
        A @ np.array([[np.cos(0.3), -np.sin(0.3), 0], [np.sin(0.3), np.cos(0.3), 0], [0, 0, 1]]),
    ),
    "symmetric": lambda: (al.array(sym(S)), S),
    "symmetric times vector": lambda: (al.array(sym(S) @ V(a)), S @ a),
    "symmetric turned": lambda: (al.array(sym(S).turned(M(R))), R @ S @ R.T),
    "sum": lambda: (al.array(V(a) + V(b) * 2.0 - -V(c)), a + 2 * b + c),
    "frames compose": lambda: (
        al.array(al.place(np.c_[R, a]) @ al.place(np.c_[A, b])),
        (np.block([[R, a[:, None]], [0, 0, 0, 1]]) @ np.block([[A, b[:, None]], [0, 0, 0, 1]]))[:3],
    ),
    "motion shifted": lambda: (al.array(al.motion(t).shifted(V(a))), shift(a) @ t),
    "force shifted": lambda: (al.array(al.force(w).shifted(V(a))), shift(a).T @ w),
    "power": lambda: (al.motion(t).dot(al.force(w)), t @ w),
    "rigid times motion": lambda: (al.array(al.inertia(phi) @ al.motion(t)), rigid(phi) @ t),
    "rigid shifted": lambda: (rigid(np.array(al.array(al.inertia(phi).shifted(V(a))))), shift(a).T @ rigid(phi) @ shift(a)),
    "rigid turned": lambda: (
        rigid(np.array(al.array(al.inertia(phi).turned(M(R))))),
        np.kron(np.eye(2), R) @ rigid(phi) @ np.kron(np.eye(2), R).T,
    ),
    "articulated times motion": lambda: (al.array(articulated(full) @ al.motion(t)), full @ t),
    "articulated shifted": lambda: (dense(articulated(full).shifted(V(a))), shift(a).T @ full @ shift(a)),
    "articulated plus rigid": lambda: (dense(articulated(full).plus(al.inertia(phi))), full + rigid(phi)),
    "articulated reduced": lambda: (dense(articulated(full).reduced(al.force(w), al.force(2 * w))), full - 2 * np.outer(w, w)),
    "unit": lambda: (al.array(al.unit(jnp.ones(()))), np.eye(3)),
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_scalars_agree_with_matrices(claim):
    ours, theirs = CLAIMS[claim]()
    assert close(ours, theirs, 1e-14)


@pytest.mark.parametrize("kind", [al.Vec, al.Mat, al.Sym, al.Motion, al.Force, al.Rigid, al.Articulated])
def test_zero_is_neutral(kind):
    zero = al.zero(kind, jnp.zeros((), jnp.float32))
    x = jax.tree.map(lambda o: o + 1.5, zero)
    assert jax.tree.map(float, x + zero) == jax.tree.map(float, x)
    assert {leaf.dtype for leaf in jax.tree.leaves(zero)} == {np.dtype("float32")}


def test_arrays_go_there_and_back():
    assert close(al.array(al.inertia(phi)), phi, 0)
    assert close(al.array(al.motion(t)), t, 0)
    assert close(al.array(al.mat(A)), A, 0)
    with pytest.raises(TypeError, match="Articulated"):
        al.array(articulated(full))


def test_stage_is_the_identity_for_values_and_derivatives():
    f = lambda x: (al.stage(al.vec(x)).dot(al.vec(x)) ** 2).sum()
    g = lambda x: (x @ x) ** 2
    x = jnp.array(a)
    assert close(jax.grad(f)(x), jax.grad(g)(x), 1e-14)
    assert close(jax.hessian(f)(x), jax.hessian(g)(x), 1e-14)
    assert close(jax.vmap(jax.grad(f))(jnp.stack([x, 2 * x])), jnp.stack([jax.grad(g)(x), jax.grad(g)(2 * x)]), 1e-14)
