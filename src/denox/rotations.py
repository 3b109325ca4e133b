"""Rotations on scalars: sine and cosine, Euler parameters, rotation vectors, and rigid displacements.

Euler parameters `e0, e1, e2, e3` (a unit quaternion, scalar first) turn components of the child into components of the parent. Every
function is smooth, to any order, at no rotation.
"""

import jax
import jax.numpy as jnp

from .algebra import Frame, Mat, Scalar, Vec, stage, unit

# Of sine and cosine for |x| <= pi / 4 (the well-known minimax coefficients), and pi / 2 in parts so short that their multiples are exact for
# |x| up to a million; by the size of a number in bytes.
SIN = (-1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04)
SIN += (2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10)
COS = (4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05)
COS += (-2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11)
QUARTER = {
    8: (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21),
    4: (1.570556640625, 0.0002396702766418457, 1.5890691429376602e-08, 2.5633440682570896e-12),
}


def polynomial(coefficients, x: Scalar) -> Scalar:
    """c0 + c1 x + c2 x^2 + ..."""
    *rest, y = coefficients
    for c in reversed(rest):
        y = y * x + c
    return y


def _sincos(x):
    n = jnp.round(x * (2 / jnp.pi))
    r = x
    for part in QUARTER[x.dtype.itemsize]:
        r = r - n * part
    n, r = stage((n - 4 * jnp.floor(n / 4), r))
    s = r * r
    sin, cos = r + r * s * polynomial(SIN, s), 1 - s / 2 + s * s * polynomial(COS, s)
    odd = (n == 1) | (n == 3)
    sin, cos = jnp.where(odd, cos, sin), jnp.where(odd, sin, cos)
    return jnp.where(n >= 2, -sin, sin), jnp.where((n == 1) | (n == 2), -cos, cos)


@jax.custom_jvp
def sincos(x: Scalar) -> tuple[Scalar, Scalar]:
    """Sine and cosine to the last place. On CPUs in plain arithmetic: there XLA calls the C library for every single number, which is five
    times slower."""
    if x.dtype not in (jnp.float32, jnp.float64):
        return jnp.sin(x), jnp.cos(x)
    return jax.lax.platform_dependent(x, cpu=_sincos, default=lambda x: (jnp.sin(x), jnp.cos(x)))


@sincos.defjvp
def _(x, dx):
    sin, cos = sincos(*x)
    return (sin, cos), (cos * dx[0], -sin * dx[0])


# Euler parameters, as lists of four scalars


def rotation(e) -> Mat:
    """Of Euler parameters; scaled to unit length, so that any nonzero four numbers are a rotation."""
    w, u = e[0], Vec(*e[1:4])
    s = stage(2 / (w * w + u.dot(u)))
    turn = u.tilde
    return unit(w) + (turn * w + turn @ turn) * s


def euler_parameters(R: Mat):
    """Of a rotation, scalar part not negative where it is largest: from that row of 4 e e^T whose own square is largest, which is never small."""
    (a, d, g), (b, e, h), (c, f, i) = ((col.x, col.y, col.z) for col in (R.x, R.y, R.z))
    rows = [
        [1 + a + e + i, h - f, c - g, d - b],
        [h - f, 1 + a - e - i, b + d, c + g],
        [c - g, b + d, 1 - a + e - i, f + h],
        [d - b, c + g, f + h, 1 - a - e + i],
    ]
    squares = jnp.stack([rows[k][k] for k in range(4)])
    row = jnp.stack([jnp.stack(row) for row in rows])[jnp.argmax(squares, 0)]
    return normalized([row[k] for k in range(4)])


def product(a, b):
    """a b: first the turn b, then a."""
    a0, b0, u, v = a[0], b[0], Vec(*a[1:4]), Vec(*b[1:4])
    w = v * a0 + u * b0 + u.cross(v)
    return [a0 * b0 - u.dot(v), w.x, w.y, w.z]


def conjugate(e):
    return [e[0], -e[1], -e[2], -e[3]]


def normalized(e):
    s = 1 / jnp.sqrt(sum(x * x for x in e))
    return [x * s for x in e]


def rate(e, w: Vec):
    """de/dt = 1/2 e (0, w), for the angular velocity in the child's axes."""
    return [x / 2 for x in product(e, [jnp.zeros_like(w.x), w.x, w.y, w.z])]


# Rotation vectors. Each function of the angle is even, hence a power series in s = angle^2 near no rotation, where the closed form is 0 / 0.


def even(s: Scalar, closed, series, reach: float = 0.25) -> Scalar:
    """`closed(angle)` for the angle sqrt(s), and for s below `reach` the power series in s: both sides smooth wherever they are used."""
    small = s < reach
    angle = jnp.sqrt(jnp.where(small, 1, s))
    return jnp.where(small, polynomial(series, jnp.where(small, s, 0)), closed(angle))


def factorials(first: int, count: int = 10):
    """1 / first!, -1 / (first + 2)!, 1 / (first + 4)!, ..."""
    terms, term = [], 1.0
    for k in range(1, first + 1):
        term /= k
    for k in range(count):
        terms.append(term)
        term /= -(first + 2 * k + 1) * (first + 2 * k + 2)
    return terms


def sinc(s):
    """sin(x) / x of s = x^2."""
    return even(s, lambda x: sincos(x)[0] / x, factorials(1))


def versine(s):
    """(1 - cos(x)) / x^2 of s = x^2."""
    return even(s, lambda x: (1 - sincos(x)[1]) / (x * x), factorials(2))


def remainder(s):
    """(x - sin(x)) / x^3 of s = x^2."""
    return even(s, lambda x: (x - sincos(x)[0]) / (x * x * x), factorials(3))


def exponential(w: Vec):
    """Euler parameters of the turn by the rotation vector w."""
    s = w.dot(w) / 4
    u = w * (sinc(s) / 2)
    return [even(s, lambda x: sincos(x)[1], factorials(0)), u.x, u.y, u.z]


def logarithm(e) -> Vec:
    """The shortest rotation vector of Euler parameters, of any length."""
    side = jnp.where(e[0] < 0, -1, 1).astype(e[0].dtype)
    w, u = e[0] * side, Vec(*e[1:4]) * side
    n = u.dot(u)
    near = n < 0.04 * w * w  # there arctan(x) / x as a series in x^2 = n / w^2
    series = polynomial([(-1) ** k / (2 * k + 1) for k in range(12)], jnp.where(near, n, 0) / jnp.where(near, w * w, 1))
    far = jnp.sqrt(jnp.where(near, 1, n))
    return u * (2 * jnp.where(near, series / jnp.where(near, w, 1), jnp.arctan2(far, w) / far))


def advance(w: Vec) -> Mat:
    """V of the displacement [w; v]: its translation is V v.      V = 1 + (1 - cos)/x^2 w~ + (x - sin)/x^3 w~ w~"""
    s, W = w.dot(w), w.tilde
    return unit(w.x) + W * versine(s) + (W @ W) * remainder(s)


def retreat(w: Vec) -> Mat:
    """The inverse of `advance`, 1 - w~/2 + (1 - sinc / (2 versine)) / x^2 w~ w~; for less than a full turn."""
    s, W = w.dot(w), w.tilde
    bernoulli = [1 / 12, 1 / 720, 1 / 30240, 1 / 1209600, 1 / 47900160, 691 / 1307674368000, 1 / 74724249600]
    closed = lambda x: (1 - sinc(x * x) / (2 * versine(x * x))) / (x * x)
    return unit(w.x) - W * 0.5 + (W @ W) * even(s, closed, bernoulli, reach=0.1)


def displaced(frame: Frame, w: Vec, v: Vec) -> Frame:
    """The frame moved by the displacement [w; v], given in its own axes."""
    return frame @ Frame(rotation(exponential(w)), advance(w) @ v)
