"""The ten inertial parameters of a link, and what moves them from frame to frame.

`m, mx, my, mz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz`: mass, first moment and tensor of inertia about the origin of a frame, in its axes. Inverse
dynamics is linear in them. As a 4x4 matrix, J = integral of [r; 1] [r; 1]^T dm, they move by congruence: J' = T J T^T.
"""

from typing import Any

import equinox as eqx
import numpy as np
from jaxtyping import Float

from .pose import Pose, numbers, space
from .types import Known, Numbers

ROWS, COLUMNS = np.array([0, 0, 1, 0, 1, 2]), np.array([0, 1, 1, 2, 2, 2])  # xx, xy, yy, xz, yz, zz
DIAGONAL = np.array([1.0, 0, 1, 0, 0, 1])


def pseudo(phi) -> Any:
    """The pseudo-inertia J, (..., 4, 4), of ten numbers: second moments of mass, tr(I)/2 1 - I, first moments, mass."""
    xp = space(phi)
    m, h, I = phi[..., :1], phi[..., 1:4], phi[..., 4:]
    second = (I @ DIAGONAL)[..., None] / 2 * DIAGONAL - I
    flat = xp.concatenate([second, h, m], -1)
    return flat[..., np.array([[0, 1, 3, 6], [1, 2, 4, 7], [3, 4, 5, 8], [6, 7, 8, 9]])]


def parameters(J) -> Any:
    """The ten numbers, (..., 10), of a pseudo-inertia: I = tr(S) 1 - S for the second moments of mass S."""
    xp = space(J)
    S = J[..., ROWS, COLUMNS]
    I = (S @ DIAGONAL)[..., None] * DIAGONAL - S
    return xp.concatenate([J[..., 3, 3:], J[..., :3, 3], I], -1)


def moved(phi, rotation, position) -> Any:
    """Ten numbers seen from an outer frame, in which theirs stands at `rotation`, `position`: J' = T J T^T. Over leading axes alike."""
    xp = space(phi, rotation, position)
    top = xp.concatenate([rotation, position[..., None]], -1)
    last = np.broadcast_to(np.array([0, 0, 0, 1.0], top.dtype), (*top.shape[:-2], 1, 4))
    T = xp.concatenate([top, last], -2)
    return parameters(T @ pseudo(phi) @ T.swapaxes(-1, -2))


class Inertia(eqx.Module):
    """Mass and its distribution in a link, in the link's axes.

    **Arguments:**

    - `mass`: in kg.
    - `com`: (3,) the center of mass from the link's origin, in m; the origin itself if left out.
    - `about_com`: (3, 3) tensor of inertia about the center of mass, or its three principal moments, in kg m^2; none if left out.
    """

    mass: Float[Known, ""]
    com: Float[Known, "3"]
    about_com: Float[Known, "3 3"]

    def __init__(self, mass: Numbers = 0.0, com: Numbers | None = None, about_com: Numbers | None = None):
        self.mass = numbers(mass)
        self.com = numbers(np.zeros(3) if com is None else com)
        about = numbers(np.zeros(3) if about_com is None else about_com)
        if about.ndim == 1:
            about = about[:, None] * np.eye(3)
        self.about_com = about

    @property
    def parameters(self):
        """The ten numbers about the link's origin."""
        return ten(self.mass, self.com, self.about_com)

    def placed(self, pose: Pose) -> "Inertia":
        """The same mass seen from an outer frame."""
        R = pose.rotation
        return Inertia(self.mass, R @ self.com + pose.position, R @ self.about_com @ R.swapaxes(-1, -2))


def ten(mass, com, about_com):
    """The ten numbers about the origin, of mass, center of mass and tensor about it:      I = I_c - m d~ d~ (parallel axes)."""
    xp = space(mass, com, about_com)
    mass, com = mass[..., None], com
    dd = com[..., :, None] * com[..., None, :]
    I = about_com[..., ROWS, COLUMNS] + mass * ((com * com).sum(-1)[..., None] * DIAGONAL - dd[..., ROWS, COLUMNS])
    return xp.concatenate([mass, mass * com, I], -1)
