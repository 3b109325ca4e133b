"""Arms from Denavit-Hartenberg tables, as the papers and handbooks print them."""

import numpy as np

from ..check import check, check_inertia
from ..inertia import Inertia, moved, ten
from ..joints import Prismatic, Revolute
from ..model import Model
from ..pose import numbers, space, traced, turn
from ..types import Numbers
from .assemble import assemble

KINDS = {"r": Revolute, "p": Prismatic}


def table(joints: str | None, **columns):
    """The columns as arrays over links, zero where left out, and the joints' letters."""
    given = {name: numbers(value) for name, value in columns.items() if value is not None}
    sizes = {name: value.shape[0] for name, value in given.items() if value.ndim}
    if joints is not None:
        sizes["joints"] = len(joints)
    if not sizes or len(set(sizes.values())) > 1:
        raise ValueError(f"The columns of a DH table have one entry per link, but here are {sizes or 'none'}.")
    n = next(iter(sizes.values()))
    joints = "r" * n if joints is None else joints.lower()
    if set(joints) - set(KINDS):
        raise ValueError(f'`joints` is "{joints}". Give one letter per link: r for revolute, p for prismatic, as "rrprrr".')
    return joints, [given[name] + np.zeros(n) if name in given else np.zeros(n) for name in columns]


def bodies(n: int, mass, com, about_com):
    """The ten numbers of each link (n, 10), about the frame in which `com` and `about_com` are given."""
    mass = numbers(np.zeros(n) if mass is None else mass)
    com = numbers(np.zeros((n, 3)) if com is None else com)
    about_com = numbers(np.zeros((n, 3, 3)) if about_com is None else about_com)
    if about_com.shape == (n, 3):
        about_com = about_com[..., None] * np.eye(3)
    for name, value, shape in (("mass", mass, (n,)), ("com or r", com, (n, 3)), ("inertia", about_com, (n, 3, 3))):
        if value.shape != shape:
            raise ValueError(f"`{name}` has shape {value.shape}, but a table of {n} links needs {shape}.")
    if not traced(mass, com, about_com):
        for i in range(n):
            check_inertia(f"Link `link{i + 1}`", Inertia(mass[i], com[i], about_com[i]))
    return ten(mass, com, about_com)


def spelled(d, b):
    if d is not None and b is not None:
        raise ValueError("`d` and `b` are two spellings of the joint offset. Give one of them.")
    return b if d is None else d


def arm(joints, rotation, position, inertia, gravity, tip) -> Model:
    n = len(joints)
    if numbers(gravity).shape != (3,):
        raise ValueError(f"`gravity` is {gravity}: give three components in inertial axes, as (0, 0, -9.81).")
    links = tuple(f"link{i + 1}" for i in range(n))
    model = assemble(
        links=links,
        parents=tuple(range(-1, n - 1)),
        joints=tuple(KINDS[letter]() for letter in joints),
        joint_names=links,
        rotation=rotation,
        position=position,
        inertia=inertia,
        gravity=gravity,
        frames=(("tip", n - 1),),
        frame_places=tip[None],
    )
    return check(model)


def from_dh(
    a: Numbers | None = None,
    alpha: Numbers | None = None,
    d: Numbers | None = None,
    theta: Numbers | None = None,
    joints: str | None = None,
    mass: Numbers | None = None,
    r: Numbers | None = None,
    inertia: Numbers | None = None,
    gravity: Numbers = (0.0, 0.0, -9.81),
    *,
    b: Numbers | None = None,
    com: Numbers | None = None,
) -> Model:
    r"""An arm from a standard (distal) DH table, as the papers tabulate: arrays over links.

    Frame i is fixed to link i-1, its z axis is that of joint i, and link i carries frame i+1, which stands in frame i at
    $\mathrm{Rot}(z, \theta)\,\mathrm{Trans}(z, d)\,\mathrm{Trans}(x, a)\,\mathrm{Rot}(x, \alpha)$. Frame 1 is the inertial one.

    **Arguments:**

    - `a`, `alpha`, `d` (or `b`, as in the papers), `theta`: lengths in m, angles in rad. Of `d` and `theta`, the one that moves holds the offset
      at which its coordinate is zero.
    - `joints`: a letter per link, r for revolute and p for prismatic; all revolute if left out.
    - `mass`: (n,). `r`: (n, 3) from the mass center to the next origin, in frame i+1; or `com`: (n, 3) from the next origin to the mass center.
    - `inertia`: (n, 3, 3), or principal moments (n, 3), about the mass center in frame i+1.

    Link i has its origin at O_i, which slides along with a prismatic link, and the axes of frame i turned with the link. The named frame "tip" is
    frame n+1.

    All numbers may be traced.
    """
    joints, (a, alpha, d, theta) = table(joints, a=a, alpha=alpha, d=spelled(d, b), theta=theta)
    if r is not None and com is not None:
        raise ValueError("`r` is from the mass center to the next origin, `com` from there to the mass center. Give one of them.")
    n, slides = len(joints), np.array([letter == "p" for letter in joints])
    xp = space(a, alpha, d, theta)
    o = np.zeros(n)
    next_rotation = turn("x", alpha)  # of frame i+1 in link i
    next_position = xp.stack([a, o, xp.where(slides, 0.0, d)], -1)
    own_rotation, own_position = turn("z", theta), xp.stack([o, o, xp.where(slides, d, 0.0)], -1)  # of link i in frame i
    before = lambda values, first: xp.concatenate([first[None], values[:-1]])
    R, p = before(next_rotation, np.eye(3)), before(next_position, np.zeros(3))
    center = com if r is None else -numbers(r)
    phi = moved(bodies(n, mass, center, inertia), next_rotation, next_position)
    tip = xp.concatenate([next_rotation[-1], next_position[-1][:, None]], -1)
    return arm(joints, R @ own_rotation, p + (R @ own_position[..., None])[..., 0], phi, gravity, tip)


def from_mdh(
    a: Numbers | None = None,
    alpha: Numbers | None = None,
    d: Numbers | None = None,
    theta: Numbers | None = None,
    joints: str | None = None,
    mass: Numbers | None = None,
    com: Numbers | None = None,
    inertia: Numbers | None = None,
    gravity: Numbers = (0.0, 0.0, -9.81),
    *,
    b: Numbers | None = None,
) -> Model:
    r"""An arm from a modified (proximal) DH table, as in Craig's book and ReDySim: arrays over links.

    Frame i is fixed to link i and stands in frame i-1 at
    $\mathrm{Rot}(x, \alpha)\,\mathrm{Trans}(x, a)\,\mathrm{Rot}(z, \theta)\,\mathrm{Trans}(z, d)$,
    where `a` and `alpha` of row i are those between axes i-1 and i. Frame 0 is the inertial one.

    `com` (n, 3) is from the origin of frame i to the mass center, `inertia` (n, 3, 3) or (n, 3) about the mass center, both in frame i; the other
    arguments are those of `dx.from_dh`. Link i has the frame i; the named frame "tip" is the last of them.
    """
    joints, (a, alpha, d, theta) = table(joints, a=a, alpha=alpha, d=spelled(d, b), theta=theta)
    n = len(joints)
    xp = space(a, alpha, d, theta)
    o = np.zeros(n)
    R = turn("x", alpha)
    position = xp.stack([a, o, o], -1) + R[..., 2] * d[..., None]
    tip = np.concatenate([np.eye(3), np.zeros((3, 1))], -1)
    return arm(joints, R @ turn("z", theta), position, bodies(n, mass, com, inertia), gravity, tip)
