"""Joints. Whatever it is called, a joint is a row of pairs, and a pair is a screw, a ball or free; nothing else asks which joint it has.

A screw turns its body by `turn q` about its z axis and slides it by `slide q` along it: a hinge has 1, 0; a slider 0, 1; a helix 1, pitch.
Whatever axis a joint has in its link is turned onto z by a constant rotation, once, when the model is built. A ball or free pair states its
pose, which must not come from three angles.

In the sweeps every pair is a row of nodes, one per speed, and every node is a screw: see `nodes.py`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp

from . import rotations
from .algebra import Frame, Vec
from .pose import numbers, onto_z
from .types import Numbers

# Pairs: what moves. Each method takes lists of components, one number or one array over many pairs of the kind.


class Kind:
    """How a pair moves. Abstract; the final kinds below are never built, they are names for static functions.

    - `coordinates`, `speeds`: how many of each; `neutral`: the coordinates of no motion.
    - `columns`: of a pair that states its pose, (turn, slide) of each node, whose axes are the body's x, y, z in turn and again; as many as it has
      speeds.
    - `pose(q)`: where the body stands from its placement, or None if `turn q` and `slide q` say so.
    - `biases(v)`: the part of each node's acceleration along its own axis that the speeds cause.
    - `rates(q, v)`: time derivatives of the coordinates.
    - `plus(q, dq)` and `minus(q0, q1)`: coordinates after the displacement dq made of speeds, and the displacement between two.
    - `random(key, size)`: coordinates of `size` pairs.
    """

    coordinates: ClassVar[int]
    speeds: ClassVar[int]
    neutral: ClassVar[tuple[float, ...]]
    columns: ClassVar[tuple[tuple[float, float], ...]] = ((1.0, 0.0),) * 3 + ((0.0, 1.0),) * 3
    pose: ClassVar[Callable]
    biases: ClassVar[Callable]
    rates: ClassVar[Callable]
    plus: ClassVar[Callable]
    minus: ClassVar[Callable]
    random: ClassVar[Callable]


class Screw(Kind):
    """Turning about an axis, sliding along it, or both in proportion."""

    coordinates, speeds, neutral = 1, 1, (0.0,)

    @staticmethod
    def pose(q):
        return None

    @staticmethod
    def biases(v):
        return [jnp.zeros_like(v[0])]

    @staticmethod
    def rates(q, v):
        return v

    @staticmethod
    def plus(q, dq):
        return [q[0] + dq[0]]

    @staticmethod
    def minus(q0, q1):
        return [q1[0] - q0[0]]

    @staticmethod
    def random(key, size):
        return jax.random.uniform(key, (size, 1), minval=-jnp.pi, maxval=jnp.pi)


class Ball(Kind):
    """Turning about a point. Coordinates: Euler parameters. Speeds: angular velocity in the body's axes.

    All its columns turn with the body, but a row of screws lets each turn with those before it only: the biases are the difference.
    """

    coordinates, speeds, neutral = 4, 3, (1.0, 0.0, 0.0, 0.0)

    @staticmethod
    def pose(q):
        o = jnp.zeros_like(q[0])
        return Frame(rotations.rotation(q), Vec(o, o, o))

    @staticmethod
    def biases(v):
        x, y, z = v
        return [-y * z, x * z, -x * y]

    @staticmethod
    def rates(q, v):
        return rotations.rate(q, Vec(*v))

    @staticmethod
    def plus(q, dq):
        return rotations.normalized(rotations.product(q, rotations.exponential(Vec(*dq))))

    @staticmethod
    def minus(q0, q1):
        w = rotations.logarithm(rotations.product(rotations.conjugate(q0), q1))
        return [w.x, w.y, w.z]

    @staticmethod
    def random(key, size):
        q = jax.random.normal(key, (size, 4))
        return q / jnp.linalg.norm(q, axis=1, keepdims=True)


class Loose(Kind):
    """No constraint. Coordinates: Euler parameters, then position. Speeds: angular velocity, then velocity of the origin, in the body's axes."""

    coordinates, speeds, neutral = 7, 6, (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    @staticmethod
    def pose(q):
        return Frame(rotations.rotation(q), Vec(*q[4:7]))

    @staticmethod
    def biases(v):
        slip = Vec(*v[3:]).cross(Vec(*v[:3]))
        return [*Ball.biases(v[:3]), slip.x, slip.y, slip.z]

    @staticmethod
    def rates(q, v):
        u = rotations.rotation(q) @ Vec(*v[3:])
        return [*rotations.rate(q[:4], Vec(*v[:3])), u.x, u.y, u.z]

    @staticmethod
    def plus(q, dq):
        """The displacement of a constant twist through unit time: the exponential of rigid motions."""
        w, v = Vec(*dq[:3]), Vec(*dq[3:])
        p = Vec(*q[4:]) + rotations.rotation(q) @ (rotations.advance(w) @ v)
        return [*Ball.plus(q[:4], dq[:3]), p.x, p.y, p.z]

    @staticmethod
    def minus(q0, q1):
        w = Ball.minus(q0[:4], q1[:4])
        v = rotations.retreat(Vec(*w)) @ rotations.rotation(q0).tdot(Vec(*q1[4:]) - Vec(*q0[4:]))
        return [*w, v.x, v.y, v.z]

    @staticmethod
    def random(key, size):
        ball, place = jax.random.split(key)
        return jnp.concatenate([Ball.random(ball, size), jax.random.normal(place, (size, 3))], 1)


# Joints: what users name


@dataclass(frozen=True)
class Pair:
    """A member of a joint. The axis is in the link's axes, with every coordinate of the joint at zero."""

    kind: type[Kind]
    axis: Numbers = (0.0, 0.0, 1.0)
    turn: Numbers = 1.0
    slide: Numbers = 0.0


class Joint(ABC):
    """Abstract: what stands between a link and its parent. A new joint is one class with `pairs`, the row of pairs from the parent to the link."""

    @abstractmethod
    def pairs(self) -> tuple[Pair, ...]: ...


@dataclass(frozen=True)
class Fixed(Joint):
    """No motion: the link is part of its parent's body."""

    def pairs(self):
        return ()


@dataclass(frozen=True)
class Revolute(Joint):
    """Turning about an axis through the link's origin. One coordinate, the angle; one speed."""

    axis: Numbers = (0.0, 0.0, 1.0)

    def pairs(self):
        return (Pair(Screw, self.axis, turn=1.0, slide=0.0),)


@dataclass(frozen=True)
class Prismatic(Joint):
    """Sliding along an axis. One coordinate, the distance; one speed."""

    axis: Numbers = (0.0, 0.0, 1.0)

    def pairs(self):
        return (Pair(Screw, self.axis, turn=0.0, slide=1.0),)


@dataclass(frozen=True)
class Spherical(Joint):
    """Turning about the link's origin. Coordinates: Euler parameters. Speeds: angular velocity in the link's axes."""

    def pairs(self):
        return (Pair(Ball),)


@dataclass(frozen=True)
class Free(Joint):
    """No constraint. Coordinates: Euler parameters, then position. Speeds: angular velocity, then velocity of the origin, in the link's axes."""

    def pairs(self):
        return (Pair(Loose),)


@dataclass(frozen=True)
class Helical(Joint):
    """A screw: turning about an axis and sliding along it in proportion. One coordinate, the angle; `pitch` in m per rad."""

    axis: Numbers = (0.0, 0.0, 1.0)
    pitch: Numbers = 0.0

    def pairs(self):
        return (Pair(Screw, self.axis, turn=1.0, slide=self.pitch),)


@dataclass(frozen=True)
class Cylindrical(Joint):
    """Turning about an axis and sliding along it, each by itself. Coordinates: angle, distance."""

    axis: Numbers = (0.0, 0.0, 1.0)

    def pairs(self):
        return Revolute(self.axis).pairs() + Prismatic(self.axis).pairs()


@dataclass(frozen=True)
class Universal(Joint):
    """Turning about two axes through the link's origin: the first fixed in the parent, the second in the link. Coordinates: the two angles.

    Both axes are given in the link's axes as they are at zero angles.
    """

    first: Numbers = (1.0, 0.0, 0.0)
    second: Numbers = (0.0, 1.0, 0.0)

    def pairs(self):
        return Revolute(self.first).pairs() + Revolute(self.second).pairs()


@dataclass(frozen=True)
class Planar(Joint):
    """Moving in a plane: sliding in two directions and turning about the normal. Coordinates: two distances in the parent's axes, the angle.

    The directions are the x and y axes of a frame whose z axis is the normal; those of the link itself if that is its z axis.
    """

    normal: Numbers = (0.0, 0.0, 1.0)

    def pairs(self):
        K = onto_z(numbers(self.normal))
        return Prismatic(K[:, 0]).pairs() + Prismatic(K[:, 1]).pairs() + Revolute(self.normal).pairs()


@dataclass(frozen=True, init=False)
class Compound(Joint):
    """Several joints in a row through the link's origin, from the parent to the link: `dx.Compound(dx.Prismatic((1, 0, 0)), dx.Spherical())`."""

    joints: tuple[Joint, ...]

    def __init__(self, *joints: Joint):
        object.__setattr__(self, "joints", joints)

    def pairs(self):
        return tuple(pair for joint in self.joints for pair in joint.pairs())
