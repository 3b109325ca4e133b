"""DH tables of both forms, against products of their four elementary motions."""

import numpy as np
import pytest
from helpers import close

import denox as dx


def Z(angle, shift):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, shift], [0, 0, 0, 1]])


def X(angle, shift):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0, shift], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]])


rng = np.random.default_rng(0)
JOINTS = "rprrp"
A, ALPHA, D, THETA, Q = rng.uniform(-1, 1, (5, 5))
MASS, COM = rng.uniform(1, 2, 5), rng.uniform(-0.2, 0.2, (5, 3))
TENSOR = np.array([np.diag(x) for x in rng.uniform(0.2, 0.3, (5, 3))])
TABLE = dict(a=A, alpha=ALPHA, d=D, theta=THETA, joints=JOINTS, mass=MASS, com=COM, inertia=TENSOR)
MOVED = [(t + q * (j == "r"), d + q * (j == "p")) for t, d, q, j in zip(THETA, D, Q, JOINTS, strict=True)]


def standard():
    frames = [np.eye(4)]
    for (theta, d), a, alpha in zip(MOVED, A, ALPHA, strict=True):
        frames.append(frames[-1] @ Z(theta, d) @ X(alpha, a))
    return frames[1:]


def modified():
    frames = [np.eye(4)]
    for (theta, d), a, alpha in zip(MOVED, A, ALPHA, strict=True):
        frames.append(frames[-1] @ X(alpha, a) @ Z(theta, d))
    return frames[1:]


@pytest.mark.parametrize(("make", "frames"), [(dx.from_dh, standard), (dx.from_mdh, modified)])
def test_the_tip_stands_where_the_product_of_motions_puts_it(make, frames):
    tip = dx.kinematics(make(**TABLE), Q).at("tip")
    assert close(tip.position, frames()[-1][:3, 3], 1e-14)
    assert close(tip.rotation, frames()[-1][:3, :3], 1e-14)


@pytest.mark.parametrize(("make", "frames"), [(dx.from_dh, standard), (dx.from_mdh, modified)])
def test_mass_centers_are_where_the_table_puts_them(make, frames):
    centers = np.array([(F @ [*c, 1])[:3] for F, c in zip(frames(), COM, strict=True)])
    assert close(dx.potential_energy(make(**TABLE), Q), 9.81 * MASS @ centers[:, 2], 1e-13)


def test_links_of_a_modified_table_have_its_frames():
    kin = dx.kinematics(dx.from_mdh(**TABLE), Q)
    assert close(kin.position, [F[:3, 3] for F in modified()], 1e-14)
    assert close(kin.rotation, [F[:3, :3] for F in modified()], 1e-14)


def test_kinetic_energy_by_links_moved_a_little():
    """Half the sum of m v^2 and w I w, velocities by differences of the frames."""
    v, h = rng.standard_normal(5), 1e-6
    for make, frames in ((dx.from_dh, standard), (dx.from_mdh, modified)):
        global MOVED
        keep, poses = MOVED, []
        for s in (h, -h):
            MOVED = [(t + s * u * (j == "r"), d + s * u * (j == "p")) for (t, d), u, j in zip(keep, v, JOINTS, strict=True)]
            poses.append(np.array(frames()))
        MOVED = keep
        rate, here = (poses[0] - poses[1]) / (2 * h), np.array(frames())
        energy = 0.0
        for F, dF, m, c, I in zip(here, rate, MASS, COM, TENSOR, strict=True):
            velocity = (dF @ [*c, 1])[:3]
            W = F[:3, :3].T @ dF[:3, :3]
            w = np.array([W[2, 1], W[0, 2], W[1, 0]])
            energy += m * velocity @ velocity / 2 + w @ I @ w / 2
        assert close(dx.kinetic_energy(make(**TABLE), Q, v), energy, 1e-8)


def test_spellings():
    b = {**TABLE, "b": D}
    del b["d"]
    assert close(dx.gravity_forces(dx.from_dh(**b), Q), dx.gravity_forces(dx.from_dh(**TABLE), Q), 1e-15)
    r = {**TABLE, "r": -COM}
    del r["com"]
    assert close(dx.gravity_forces(dx.from_dh(**r), Q), dx.gravity_forces(dx.from_dh(**TABLE), Q), 1e-15)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (dict(a=A[:3]), r"one entry per link.*'a': 3"),
        (dict(joints="rrxrr"), "r for revolute, p for prismatic"),
        (dict(b=D), "two spellings"),
        (dict(r=COM), "Give one of them"),
        (dict(gravity=(0, 9.81)), r"`gravity` is \(0, 9.81\)"),
        (dict(mass=MASS[:2]), r"`mass` has shape \(2,\).*\(5,\)"),
        (dict(mass=-MASS), r"Link `link1`.*negative"),
        (dict(inertia=TENSOR[:, :2]), r"`inertia` has shape"),
    ],
)
def test_tables_that_make_no_sense_are_refused(change, words):
    with pytest.raises(ValueError, match=words):
        dx.from_dh(**{**TABLE, **change})


def test_a_table_of_nothing_is_refused():
    with pytest.raises(ValueError, match="one entry per link"):
        dx.from_dh()
