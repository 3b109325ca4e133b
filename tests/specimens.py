"""Mechanisms that every claim is tried on. Add one here and every test meets it."""

import functools

import numpy as np
from helpers import random_builder, random_inertia, random_rotation, random_tree

import denox as dx


def pendulum():
    return dx.Builder().link("bob", None, dx.Revolute((0, 1, 0)), inertia=dx.Inertia(1.3, (0.1, 0, -0.4), (0.02, 0.03, 0.01))).build()


def brick():
    return dx.Builder().link("brick", None, dx.Free(), inertia=random_inertia(np.random.default_rng(1))).build()


def ball_chain():
    rng = np.random.default_rng(2)
    return random_builder(rng, [-1, 0, 1], ["spherical"] * 3).build()


def branched():
    """Revolute, prismatic and spherical joints, two branches that meet, links on fixed joints, one of them on the ground."""
    rng = np.random.default_rng(3)
    kinds = ["fixed", "revolute", "prismatic", "spherical", "fixed", "revolute", "prismatic", "revolute"]
    return random_builder(rng, [-1, 0, 1, 1, 3, 4, 2, -1], kinds).build()


def flyer():
    """A floating base with two short arms, one of them with a sliding joint."""
    rng = np.random.default_rng(4)
    return random_builder(rng, [-1, 0, 1, 0, 3, 3], ["free", "revolute", "prismatic", "revolute", "revolute", "revolute"]).build()


def springy():
    """Everything a joint can have: armature, damping, friction, springs with a rest."""
    rng = np.random.default_rng(5)
    builder = dx.Builder()
    builder.link("hip", None, dx.Revolute((1, 1, 0)), inertia=random_inertia(rng), armature=0.3, damping=0.2, stiffness=4.0, rest=0.3)
    builder.link("knee", "hip", dx.Prismatic((0, 1, 1)), dx.Pose(position=(0, 0.2, 0.1)), random_inertia(rng), friction=0.5, armature=0.0)
    builder.link(
        "foot", "knee", dx.Spherical(), dx.Pose(position=(0.1, 0, 0.3)), random_inertia(rng), damping=(0.1, 0.2, 0.3), stiffness=(1.0, 2.0, 5.0)
    )
    return builder.build()


def joint_box():
    """One of each joint made of several pairs, in a row and in a branch."""
    rng = np.random.default_rng(6)
    return random_builder(rng, [-1, 0, 1, 1, 3], ["planar", "helical", "universal", "cylindrical", "compound"]).build()


def hung():
    """A body on springs in all six directions, slack away from neutral."""
    rest = np.array([0.8, 0.6, 0, 0, 0.1, 0.2, 0.3])
    return (
        dx.Builder().link("body", None, dx.Free(), inertia=random_inertia(np.random.default_rng(7)), stiffness=(1, 2, 3, 4, 5, 6), rest=rest).build()
    )


def geared():
    """Joints that follow others: a chain of couplings and one with two sources, with armature and friction."""
    rng = np.random.default_rng(9)
    kinds = ["spherical", "revolute", "prismatic", "revolute", "helical", "revolute"]
    builder = random_builder(rng, [-1, 0, 1, 1, 3, 0], kinds, armature=True)
    return builder.couple("link2", "link1", 0.3, 0.1).couple("link4", {"link2": 2.0, "link5": -0.7}, offset=-0.2).build()


def riding():
    """A tree on a base that moves, with stops at its limits and friction that falls with speed."""
    rng = np.random.default_rng(10)
    builder = dx.Builder()
    stops = dict(limits=(-0.1, 0.2), limit_stiffness=30.0, limit_damping=2.0)
    rubs = dict(friction=0.5, static_friction=0.9, stribeck_speed=0.4)
    builder.link("arm", None, dx.Revolute((1, 2, 0)), dx.Pose(random_rotation(rng), (0.1, 0.2, 0)), random_inertia(rng), **stops, **rubs)
    builder.link("hand", "arm", dx.Spherical(), dx.Pose(position=(0.2, 0, 0.1)), random_inertia(rng))
    builder.link("slide", "arm", dx.Prismatic((0, 1, 1)), dx.Pose(position=(0.3, 0, 0)), random_inertia(rng), **rubs)
    pose = dx.Pose(random_rotation(rng), rng.uniform(-1, 1, 3))
    return dx.on_base(builder.build(), pose, rng.standard_normal(6), rng.standard_normal(6))


SPECIMENS = {
    "pendulum": pendulum,
    "puma": dx.zoo.puma,
    "stanford arm": dx.zoo.stanford_arm,
    "planar 3r": dx.zoo.planar_3r,
    "brick": brick,
    "ball chain": ball_chain,
    "branched": branched,
    "flyer": flyer,
    "springy": springy,
    "joint box": joint_box,
    "hung": hung,
    "two roots": lambda: random_tree(8, 6, ("revolute", "free", "spherical")),
}
names = list(SPECIMENS)
SPECIMENS |= {"geared": geared, "riding": riding}  # what the oracles do not know, and `names` leaves out


@functools.cache
def specimen(name):
    return SPECIMENS[name]()
