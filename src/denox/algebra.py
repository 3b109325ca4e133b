"""Vectors, rotations, motions, forces and inertias as small objects made of scalars.

Everything in denox is written for one state, with `a + b`, `R @ a`, `a.cross(b)` on these objects, so that a step of a recursion reads
like its equation. A component is a scalar: `jax.vmap` turns each into one contiguous array over the batch, which is what SIMD units
want, and no code knows of batches.

Six-vectors have inertial components and belong to a link's own origin, as in the DeNOC papers: going from link to link shifts them by
the offset `a` between the origins and rotates nothing.
"""

from dataclasses import dataclass, fields
from typing import Any, TypeVar, dataclass_transform

import jax
import jax.numpy as jnp
from jax import lax

Scalar = Any  # one number of one state; under `vmap` an array of them
T = TypeVar("T")


def stage(values: T) -> T:
    """The identity, also for derivatives; but XLA's CPU back end computes the values once and does not fuse them into all that uses them.

    Without it a shared part (a cosine, a rotation) is computed again for every component that needs it. Other devices are left free to
    fuse. One barrier per component: a barrier over several cannot be transposed where only some of them are linear (jax 0.12).
    """
    return lax.platform_dependent(values, cpu=lambda x: jax.tree.map(lax.optimization_barrier, x), default=lambda x: x)


@dataclass_transform(frozen_default=True)
def pytree(cls: type[T]) -> type[T]:
    """A frozen dataclass whose fields are the children of a pytree."""
    return jax.tree_util.register_dataclass(dataclass(frozen=True)(cls))


class Linear:
    """Sums and multiples, component by component."""

    def __add__(self, other):
        return jax.tree.map(lambda x, y: x + y, self, other)

    def __sub__(self, other):
        return jax.tree.map(lambda x, y: x - y, self, other)

    def __neg__(self):
        return jax.tree.map(lambda x: -x, self)

    def __mul__(self, s: Scalar):
        return jax.tree.map(lambda x: x * s, self)


# Three dimensions


@pytree
class Vec(Linear):
    """A vector by its three components."""

    x: Scalar
    y: Scalar
    z: Scalar

    def dot(self, b: "Vec") -> Scalar:
        return self.x * b.x + self.y * b.y + self.z * b.z

    def cross(self, b: "Vec") -> "Vec":
        a = self
        return Vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)

    def outer(self, b: "Vec") -> "Mat":
        """a b^T."""
        return Mat(self * b.x, self * b.y, self * b.z)

    @property
    def tilde(self) -> "Mat":
        """The matrix a~ of the cross product, a~ b = a x b."""
        a, o = self, jnp.zeros_like(self.x)
        return Mat(Vec(o, a.z, -a.y), Vec(-a.z, o, a.x), Vec(a.y, -a.x, o))


@pytree
class Mat(Linear):
    """A matrix by its three columns."""

    x: Vec
    y: Vec
    z: Vec

    def __matmul__(self, b) -> Any:
        """A b for a vector b; column by column for a matrix."""
        if isinstance(b, Vec):
            return self.x * b.x + self.y * b.y + self.z * b.z
        return Mat(self @ b.x, self @ b.y, self @ b.z)

    @property
    def T(self) -> "Mat":
        a, b, c = self.x, self.y, self.z
        return Mat(Vec(a.x, b.x, c.x), Vec(a.y, b.y, c.y), Vec(a.z, b.z, c.z))

    def tdot(self, b: Vec) -> Vec:
        """A^T b."""
        return Vec(self.x.dot(b), self.y.dot(b), self.z.dot(b))

    def spun(self, cos: Scalar, sin: Scalar) -> "Mat":
        """A times a turn about z."""
        return Mat(self.x * cos + self.y * sin, self.y * cos - self.x * sin, self.z)

    @property
    def upper(self) -> "Sym":
        """The upper triangle: of a matrix known to be symmetric, or of one summand of such a matrix."""
        return Sym(self.x.x, self.y.x, self.z.x, self.y.y, self.z.y, self.z.z)


@pytree
class Sym(Linear):
    """A symmetric matrix by its upper triangle."""

    xx: Scalar
    xy: Scalar
    xz: Scalar
    yy: Scalar
    yz: Scalar
    zz: Scalar

    @property
    def full(self) -> Mat:
        return Mat(Vec(self.xx, self.xy, self.xz), Vec(self.xy, self.yy, self.yz), Vec(self.xz, self.yz, self.zz))

    def __matmul__(self, b) -> Any:
        return self.full @ b

    def turned(self, R: Mat) -> "Sym":
        """R S R^T, six of its nine entries."""
        A, B = R.T, (R @ self.full).T
        return Sym(A.x.dot(B.x), A.x.dot(B.y), A.x.dot(B.z), A.y.dot(B.y), A.y.dot(B.z), A.z.dot(B.z))


def cross(a: Vec, B: Mat) -> Mat:
    """a~ B: the cross product with each column."""
    return Mat(a.cross(B.x), a.cross(B.y), a.cross(B.z))


@pytree
class Frame:
    """Where a frame stands in another: x_outer = rotation @ x_inner + position. As composed, `outer @ inner`."""

    rotation: Mat
    position: Vec

    def __matmul__(self, inner: "Frame") -> "Frame":
        return Frame(self.rotation @ inner.rotation, self.position + self.rotation @ inner.position)


# Six dimensions


@pytree
class Motion(Linear):
    """A twist t = [w; v], a twist rate, or the column p of a speed.      Eq. [000, 7]"""

    angular: Vec
    linear: Vec

    def shifted(self, a: Vec) -> "Motion":
        """A t, to an origin that lies further by a.      Eq. [000, 11d]"""
        return Motion(self.angular, self.linear + self.angular.cross(a))

    def dot(self, w: "Force") -> Scalar:
        """t^T w: power."""
        return self.angular.dot(w.moment) + self.linear.dot(w.force)


@pytree
class Force(Linear):
    """A wrench w = [n; f].      Eq. [000, 7]"""

    moment: Vec
    force: Vec

    def shifted(self, a: Vec) -> "Force":
        """A^T w, back to the origin from which this one lies further by a.      Eq. [000, 3]"""
        return Force(self.moment + a.cross(self.force), self.force)


@pytree
class Rigid(Linear):
    """A rigid body about an origin: mass m, first moment h = m d, second moment I; M = [[I, h~], [-h~, m 1]].      Eq. [000, 6]"""

    mass: Scalar
    moment: Vec
    about: Sym

    def turned(self, R: Mat) -> "Rigid":
        return Rigid(self.mass, R @ self.moment, self.about.turned(R))

    def shifted(self, a: Vec) -> "Rigid":
        """A^T M A, about the origin from which this one lies further by a (parallel axes)."""
        m, h = self.mass, self.moment
        ah, aa = a.outer(h), a.outer(a)
        arm = h.dot(a) * 2 + m * a.dot(a)  # trace of what the shift adds to the second moments of mass
        added = -(ah.upper + ah.T.upper + aa.upper * m)
        I = self.about + added
        return Rigid(m, h + a * m, Sym(I.xx + arm, I.xy, I.xz, I.yy + arm, I.yz, I.zz + arm))

    def __matmul__(self, t: Motion) -> Force:
        w, v = t.angular, t.linear
        return Force(self.about @ w + self.moment.cross(v), v * self.mass + w.cross(self.moment))


@pytree
class Articulated(Linear):
    """The inertia of bodies that hang together by joints, M = [[A, B], [B^T, C]]."""

    A: Sym
    B: Mat
    C: Sym

    def plus(self, body: Rigid) -> "Articulated":
        m, o = body.mass, jnp.zeros_like(body.mass)
        return self + Articulated(body.about, body.moment.tilde, Sym(m, o, o, m, o, m))

    def __matmul__(self, t: Motion) -> Force:
        w, v = t.angular, t.linear
        return Force(self.A @ w + self.B @ v, self.B.tdot(w) + self.C @ v)

    def shifted(self, a: Vec) -> "Articulated":
        """A^T M A: B' = B + a~ C, A' = A + a~ B^T + (a~ B'^T)^T."""
        B = self.B + cross(a, self.C.full)
        return Articulated(self.A + cross(a, self.B.T).upper + cross(a, B.T).T.upper, B, self.C)

    def reduced(self, u: Force, g: Force) -> "Articulated":
        """M - u g^T for parallel wrenches u, g."""
        n, f = u.moment, u.force
        return self - Articulated(n.outer(g.moment).upper, n.outer(g.force), f.outer(g.force).upper)


# To and from arrays


def zero(kind: Any, like: Scalar) -> Any:
    """The zero of this kind, in the number type of `like`."""
    parts = [field.type for field in fields(kind)]
    return kind(*(zero(part, like) if part is not Scalar else jnp.zeros((), like.dtype) for part in parts))


def unit(like: Scalar) -> Mat:
    """The unit matrix, whose columns are the unit vectors, shaped as `like`."""
    o, l = jnp.zeros_like(like), jnp.ones_like(like)
    return Mat(Vec(l, o, o), Vec(o, l, o), Vec(o, o, l))


def identity(like: Scalar) -> Frame:
    o = jnp.zeros_like(like)
    return Frame(unit(like), Vec(o, o, o))


def vec(a) -> Vec:
    """Of an array (..., 3)."""
    return Vec(*(a[..., i] for i in range(3)))


def mat(a) -> Mat:
    """Of an array (..., 3, 3)."""
    return Mat(*(vec(a[..., :, j]) for j in range(3)))


def place(a) -> Frame:
    """Of an array (..., 3, 4), rotation and position side by side."""
    return Frame(mat(a[..., :3]), vec(a[..., 3]))


def motion(a) -> Motion:
    """Of an array (..., 6)."""
    return Motion(vec(a[..., :3]), vec(a[..., 3:]))


def force(a) -> Force:
    """Of an array (..., 6)."""
    return Force(vec(a[..., :3]), vec(a[..., 3:]))


def inertia(a) -> Rigid:
    """Of the ten numbers m, mx, my, mz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz, an array (..., 10)."""
    m, x, y, z, xx, xy, yy, xz, yz, zz = (a[..., i] for i in range(10))
    return Rigid(m, Vec(x, y, z), Sym(xx, xy, xz, yy, yz, zz))


def array(a) -> jax.Array:
    """Back to arrays: a vector (..., 3), a matrix (..., 3, 3), a frame (..., 3, 4), a six-vector (..., 6), an inertia (..., 10)."""
    stack = lambda *x: jnp.stack(jnp.broadcast_arrays(*x), -1)
    match a:
        case Vec():
            return stack(a.x, a.y, a.z)
        case Mat():
            return stack(array(a.x), array(a.y), array(a.z))
        case Sym():
            return array(a.full)
        case Frame():
            return jnp.concatenate([array(a.rotation), array(a.position)[..., None]], -1)
        case Motion():
            return jnp.concatenate([array(a.angular), array(a.linear)], -1)
        case Force():
            return jnp.concatenate([array(a.moment), array(a.force)], -1)
        case Rigid():
            h, I = a.moment, a.about
            return stack(a.mass, h.x, h.y, h.z, I.xx, I.xy, I.yy, I.xz, I.yz, I.zz)
        case _:
            raise TypeError(f"`{type(a).__name__}` has no array form.")
