"""Mechanisms of the papers, ready to use."""

import numpy as np

from ..inertia import Inertia
from ..joints import Revolute
from ..model import Model
from ..pose import Pose, numbers
from ..types import Numbers
from .builder import Builder
from .dh import from_dh


def diagonal(*rows: tuple[float, float, float]) -> np.ndarray:
    return np.array([np.diag(row) for row in rows])


def puma(gravity: Numbers = (0.0, 0.0, -9.81)) -> Model:
    """The PUMA of 000, Table 3: six revolute joints.

    The direction of gravity is not stated there; along -z of the first axis is taken. `r` runs from the mass center to the next origin, which
    keeps the mass centers inside their links.
    """
    h = np.pi / 2
    return from_dh(
        a=[0, 0.432, 0.02, 0, 0, 0],
        b=[0, 0.149, 0, 0.432, 0, 0.05],
        alpha=[-h, 0, -h, -h, -h, 0],
        mass=[10.521, 15.761, 8.767, 1.052, 1.052, 0.351],
        r=[[0, 0, 0.054], [0.292, 0, 0], [0.02, 0, -0.197], [0, -0.057, 0], [0, 0, -0.007], [0, 0, 0.019]],
        inertia=diagonal(
            (1.612, 1.612, 0.5091),
            (0.4898, 8.0783, 8.2672),
            (3.3768, 3.3768, 0.3009),
            (0.181, 0.1273, 0.181),
            (0.0735, 0.1273, 0.0735),
            (0.0071, 0.0071, 0.0141),
        ),
        gravity=gravity,
    )


def stanford_arm(table: str | int = "000", gravity: Numbers = (0.0, 0.0, -9.81)) -> Model:
    """The Stanford arm, whose third joint is prismatic: 000, Table 4 (`table="000"`), or the table of 001, section 6.2 (`table="001"`).

    The two differ in b1 (0.1 and 0.2 m) and in the z components of r5 and r6. Inertias of links 1, 2 and 6 lie on the limit of the triangle
    inequality.
    """
    table = str(table).zfill(3)
    if table not in ("000", "001"):
        raise ValueError(f'`table` is "{table}". The papers 000 and 001 each have one: give "000" or "001".')
    old = table == "000"
    h = np.pi / 2
    return from_dh(
        a=[0, 0, 0, 0, 0, 0],
        b=[0.1 if old else 0.2, 0.1, 0, 0.6, 0, 0],
        alpha=[-h, -h, 0, h, -h, 0],
        joints="rrprrr",
        mass=[9, 6, 4, 1, 0.6, 0.5],
        r=[[0, -0.1, 0], [0, 0, 0], [0, 0, 0], [0, -0.1, 0], [0, 0, -0.06 if old else 0], [0, 0, 0.2 if old else 0]],
        inertia=diagonal(
            (0.01, 0.02, 0.01),
            (0.05, 0.06, 0.01),
            (0.4, 0.4, 0.01),
            (0.001, 0.001, 0.0005),
            (0.0005, 0.0005, 0.0002),
            (0.003, 0.001, 0.002),
        ),
        gravity=gravity,
    )


def planar_3r(lengths: Numbers = (0.3, 0.25, 0.22), masses: Numbers = (0.5, 0.4, 0.3), gravity: Numbers = (0.0, -9.81, 0.0)) -> Model:
    """Three uniform slender bars in the x, y plane, as in 001, section 6.1, which does not print its numbers: these are ReDySim's 3-link arm."""
    builder, parent, reach = Builder(gravity), "", 0.0
    for i, (length, mass) in enumerate(zip(numbers(lengths), numbers(masses), strict=True)):
        bar = Inertia(mass, [length / 2, 0.0, 0.0], [0.0, mass * length**2 / 12, mass * length**2 / 12])
        builder.link(f"link{i + 1}", parent or None, Revolute((0.0, 0.0, 1.0)), Pose(position=[reach, 0.0, 0.0]), bar)
        parent, reach = f"link{i + 1}", length
    return builder.frame("tip", parent, Pose(position=[reach, 0.0, 0.0])).build()
