"""Rotations against matrices, series against closed forms, and smoothness where they meet."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg
from helpers import close

from denox import rotations as ro
from denox.algebra import Frame, Vec, array, mat, vec
from denox.pose import onto_z

VECTORS = [np.zeros(3), [1e-9, 0, 0], [1e-3, -2e-3, 1e-3], [0.3, -0.2, 0.1], [0.29, 0.29, 0.29], [1.0, -2.0, 0.5], [2.0, 1.8, -1.2]]


def skew(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sine_and_cosine_are_right_to_the_last_place(dtype):
    x = np.concatenate([scale * np.linspace(-1, 1, 4001) for scale in (0.1, 4, 100, 1e6)]).astype(dtype)
    exact = np.sin(x.astype(np.longdouble)), np.cos(x.astype(np.longdouble))
    error = max(np.abs(np.asarray(a) - b).max() for a, b in zip(jax.jit(ro.sincos)(x), exact, strict=True))
    assert error < np.finfo(dtype).eps


def test_sine_and_cosine_differentiate_to_any_order():
    x = 0.7
    sine = lambda x: ro.sincos(x)[0]
    assert close(jax.grad(jax.grad(jax.grad(sine)))(x), -np.cos(x), 1e-15)


@pytest.mark.parametrize("w", VECTORS)
def test_exponential_and_logarithm(w):
    w = np.array(w)
    e = ro.exponential(vec(w))
    assert close(array(ro.rotation(e)), scipy.linalg.expm(skew(w)), 1e-14)
    assert abs(sum(x * x for x in e) - 1) < 1e-15
    assert np.abs(array(ro.logarithm(e)) - w).max() < 1e-14 * max(1, np.linalg.norm(w))
    assert np.abs(array(ro.logarithm([-x for x in e])) - w).max() < 1e-14 * max(1, np.linalg.norm(w))


@pytest.mark.parametrize("w", VECTORS)
def test_advance_is_the_translation_of_a_screw_motion(w):
    w, v = np.array(w), np.array([0.3, -1.0, 2.0])
    twist = np.block([[skew(w), v[:, None]], [np.zeros((1, 4))]])
    assert close(array(ro.advance(vec(w)) @ vec(v)), scipy.linalg.expm(twist)[:3, 3], 1e-13)
    assert close(array(ro.retreat(vec(w)) @ ro.advance(vec(w))), np.eye(3), 1e-13)
    moved = ro.displaced(Frame(mat(np.eye(3)), vec(np.zeros(3))), vec(w), vec(v))
    assert close(array(moved), scipy.linalg.expm(twist)[:3], 1e-13)


def test_products_turn_one_after_the_other():
    a, b = np.random.default_rng(0).standard_normal((2, 4))
    assert close(array(ro.rotation(ro.product(a, b))), array(ro.rotation(a) @ ro.rotation(b)), 1e-14)
    assert close(array(ro.rotation(ro.conjugate(a))), array(ro.rotation(a).T), 1e-15)


@pytest.mark.parametrize("axis", [*np.eye(3), *-np.eye(3), [0.6, 0, 0.8], [3, -4, 0], [0.48, 0.6, -0.64]])
def test_a_frame_about_any_axis(axis):
    K = onto_z(np.array(axis, float))
    assert close(K @ K.T, np.eye(3), 1e-15)
    assert close(K[:, 2], axis / np.linalg.norm(axis), 1e-15)
    assert np.linalg.det(K) > 0


@pytest.mark.parametrize("name", ["sinc", "versine", "remainder"])
@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float64])
def test_even_functions_are_smooth_where_series_and_closed_form_meet(name, dtype):
    f = getattr(ro, name)
    s = jnp.array([np.nextafter(dtype(0.25), dtype(0)), 0.25], dtype)  # the last number of one, the first of the other
    for order in range(3):
        values = jax.vmap(f)(s)
        assert np.ptp(values) < 20 * 10**order * np.finfo(dtype).eps, order
        f = jax.grad(f)
    assert np.isfinite(jax.grad(f)(jnp.zeros((), dtype)))


def test_logarithm_and_exponential_have_all_derivatives_at_no_turn():
    there_and_back = lambda w: array(ro.logarithm(ro.exponential(Vec(*w))))
    at = jnp.zeros(3)
    assert close(jax.jacobian(there_and_back)(at), np.eye(3), 1e-15)
    assert np.abs(jax.jacobian(jax.jacobian(there_and_back))(at)).max() < 1e-15
    third = jax.jacobian(jax.jacobian(jax.jacobian(there_and_back)))(at)
    assert np.abs(third).max() < 1e-13
