"""C is not unique: C v is, and so is that dI/dt - 2 C is skew."""

import jax
import numpy as np
from helpers import close, random_motion

import denox as dx


def test_times_the_speeds_it_gives_the_convective_forces(model, getkey):
    q, v, _, _ = random_motion(model, getkey())
    assert close(dx.coriolis_matrix(model, q, v) @ v, dx.bias_forces(model, q, v) - dx.gravity_forces(model, q), 1e-11, floor=1e-2)


def test_the_rate_of_the_inertia_matrix_less_twice_c_is_skew(model, getkey):
    q, v, _, _ = random_motion(model, getkey())
    rate = jax.jvp(lambda q: dx.inertia_matrix(model, q), (q,), (dx.coordinate_rates(model, q, v),))[1]
    S = np.asarray(rate - 2 * dx.coriolis_matrix(model, q, v))
    assert np.abs(S + S.T).max() < 1e-12 * max(1, np.abs(S).max())


def test_it_is_linear_in_the_speeds(model, getkey):
    (q, v, _, _), (_, u, _, _) = random_motion(model, getkey()), random_motion(model, getkey())
    C = lambda v: dx.coriolis_matrix(model, q, v)
    assert close(C(2 * v + u), 2 * C(v) + C(u), 1e-12, floor=1e-3)
