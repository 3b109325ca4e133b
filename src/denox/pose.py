"""Where a frame stands in another, as users write and read it."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from .types import Numbers, Position, Rotation


def traced(*values) -> bool:
    """Whether any of these numbers is traced by JAX, and so has no value yet."""
    return any(isinstance(x, jax.core.Tracer) for x in jax.tree.leaves(values))


def space(*values):
    """`jax.numpy` if any of these is an array of JAX, else `numpy`: what known numbers are computed with, so that building compiles nothing."""
    return jnp if any(isinstance(x, jax.Array) for x in jax.tree.leaves(values)) else np


def numbers(value, like=None):
    """The value as an array: of numpy if it is known, so that building a model compiles nothing, of JAX if it is traced."""
    if traced(value):
        return jnp.asarray(value) if not isinstance(value, list | tuple) else jnp.stack([numbers(x) for x in value])
    return np.asarray(value, like or float)


class Pose(eqx.Module):
    """Where a frame stands in another: x_outer = rotation @ x_inner + position. `outer @ inner` composes two.

    **Arguments:**

    - `rotation`: (3, 3), whose columns are the inner axes seen from the outer frame; the unit matrix if left out.
    - `position`: (3,) in m, the inner origin seen from the outer frame; zero if left out.

    Leading axes, as over links, are welcome.
    """

    rotation: Rotation
    position: Position

    def __init__(self, rotation: Numbers | None = None, position: Numbers | None = None):
        self.rotation = numbers(np.eye(3) if rotation is None else rotation)
        self.position = numbers(np.zeros(3) if position is None else position)

    @classmethod
    def from_rpy(cls, rpy: Numbers, position: Numbers | None = None) -> "Pose":
        """Of roll, pitch and yaw in radians about the fixed axes x, y, z, in this order (as in URDF)."""
        rpy = numbers(rpy)
        x, y, z = (turn(axis, rpy[..., k]) for k, axis in enumerate("xyz"))
        return cls(z @ y @ x, position)

    @classmethod
    def from_quaternion(cls, quaternion: Numbers, position: Numbers | None = None) -> "Pose":
        """Of Euler parameters, scalar first."""
        e = numbers(quaternion)
        if not traced(e) and (not np.isfinite(e).all() or abs(np.linalg.norm(e) - 1) > 1e-3):
            raise ValueError(f"Quaternion {e.tolist()} has length {np.linalg.norm(e):.6g}. Give unit Euler parameters, scalar first.")
        w, u = e[0], e[1:]
        xp = space(e)
        skew = xp.array([[0 * w, -u[2], u[1]], [u[2], 0 * w, -u[0]], [-u[1], u[0], 0 * w]])
        return cls(np.eye(3) + 2 * (w * skew + skew @ skew) / (e @ e), position)

    def __matmul__(self, inner: "Pose") -> "Pose":
        return Pose(self.rotation @ inner.rotation, self.position + (self.rotation @ inner.position[..., None])[..., 0])

    @property
    def inverse(self) -> "Pose":
        R = self.rotation.swapaxes(-1, -2)
        return Pose(R, -(R @ self.position[..., None])[..., 0])


def turn(axis: str, angle) -> Rotation:
    """The rotation by `angle` about the x, y or z axis; over arrays of angles too."""
    xp = space(angle)
    c, s, o, l = xp.cos(angle), xp.sin(angle), xp.zeros_like(angle), xp.ones_like(angle)
    rows = {
        "x": [[l, o, o], [o, c, -s], [o, s, c]],
        "y": [[c, o, s], [o, l, o], [-s, o, c]],
        "z": [[c, -s, o], [s, c, o], [o, o, l]],
    }[axis]
    return xp.stack([xp.stack(row, -1) for row in rows], -2)


def onto_z(axis) -> Rotation:
    """(..., 3) directions -> (..., 3, 3) rotations whose z axes they are; the unit matrix for z itself.

    Smooth but for z = 0, where it changes to another such rotation (Duff et al. 2017, Building an orthonormal basis, revisited).
    """
    xp = space(axis)
    axis = axis / xp.sqrt((axis * axis).sum(-1, keepdims=True))
    x, y, z = axis[..., 0], axis[..., 1], axis[..., 2]
    side = xp.where(z < 0, -1.0, 1.0)
    s = -1 / (side + z)
    rows = [[1 + side * x * x * s, x * y * s, x], [side * x * y * s, side + y * y * s, y], [-side * x, -y, z]]
    return xp.stack([xp.stack(row, -1) for row in rows], -2)
