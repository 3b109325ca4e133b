"""Mechanisms to time: an arm of 7, a binary tree of 30, a floating humanoid, Talos, chains. All numbers general, all axes as they come."""

import importlib.metadata

import numpy as np

import denox as dx


def box(rng, mass, size):
    """A body of general shape: mass center off the origin, tensor turned."""
    a, b, c = size * (0.5 + rng.random(3))
    Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    I = Q @ np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) @ Q.T * mass / 12
    return dx.Inertia(mass, size / 2 * rng.uniform(-1, 1, 3), (I + I.T) / 2)


def arm7():
    """Seven revolute joints, neighbours crossed, as in most arms of this kind."""
    rng, builder = np.random.default_rng(7), dx.Builder()
    for i in range(7):
        rpy = (0, 0, 0) if i == 0 else ((-1) ** i * np.pi / 2, 0, 0)
        xyz = (0, 0.19 * (i % 2 == 0 and i > 0), 0.17 * (i % 2 == 1 or i == 0))
        parent = f"link{i - 1}" if i else None
        builder.link(f"link{i}", parent, dx.Revolute(), dx.Pose.from_rpy(rpy, xyz), box(rng, 4.0 - 0.45 * i, 0.2))
    return builder.build()


def tree30():
    """A binary tree of 30 revolute joints."""
    rng, builder, count = np.random.default_rng(30), dx.Builder(), 0

    def grow(parent, depth, budget):
        nonlocal count
        name, axis = f"link{count}", np.eye(3)[count % 3]
        count += 1
        pose = dx.Pose.from_rpy(rng.uniform(-1, 1, 3), rng.uniform(-0.3, 0.3, 3))
        builder.link(name, parent, dx.Revolute(axis), pose, box(rng, 0.5 + 3 * rng.random() / (1 + depth), 0.2))
        for part in (budget // 2, budget - 1 - budget // 2):
            if part > 0:
                grow(name, depth + 1, part)

    grow(None, 0, 30)
    return builder.build()


def humanoid():
    """A floating base with two legs of 6, a torso of 2, two arms of 7 and a neck of 2."""
    rng, builder = np.random.default_rng(130), dx.Builder()
    builder.link("base", None, dx.Free(), inertia=box(rng, 10.0, 0.3))

    def limb(name, parent, first, count, step, mass):
        for k in range(count):
            pose = dx.Pose.from_rpy(rng.uniform(-0.3, 0.3, 3), first if k == 0 else step)
            body = box(rng, mass * (0.6 + 0.4 * rng.random()), 0.15)
            builder.link(f"{name}{k}", parent, dx.Revolute(np.eye(3)[(k + 2) % 3]), pose, body)
            parent = f"{name}{k}"
        return parent

    for side, y in (("left", 1), ("right", -1)):
        limb(f"{side} leg", "base", (0, 0.1 * y, -0.05), 6, (0, 0, -0.15), 3.0)
    torso = limb("torso", "base", (0, 0, 0.1), 2, (0, 0, 0.1), 6.0)
    for side, y in (("left", 1), ("right", -1)):
        limb(f"{side} arm", torso, (0, 0.2 * y, 0.3), 7, (0, 0.04 * y, -0.08), 1.2)
    limb("neck", torso, (0, 0, 0.4), 2, (0, 0, 0.05), 1.0)
    return builder.build()


def chain(n):
    """n revolute joints in a row, about x, y and z in turn."""
    rng, builder = np.random.default_rng(1000 + n), dx.Builder()
    for i in range(n):
        pose = dx.Pose.from_rpy(rng.uniform(-0.2, 0.2, 3), (0, 0, 0.1))
        body = box(rng, 0.5 + 0.5 * rng.random(), 0.1)
        builder.link(f"link{i}", f"link{i - 1}" if i else None, dx.Revolute(np.eye(3)[i % 3]), pose, body)
    return builder.build()


def talos():
    """Talos on a fixed base with its grippers locked, as the package `example-robot-data` describes it and Pinocchio reads it."""
    import pinocchio as pin

    path = next(f.locate() for f in importlib.metadata.files("example-robot-data") if f.name == "talos_reduced.urdf")
    pm = pin.buildModelFromUrdf(str(path))
    grippers = [i for i, name in enumerate(pm.names) if "gripper" in name]
    return from_pinocchio(pin.buildReducedModel(pm, grippers, pin.neutral(pm)))


def from_pinocchio(pm):
    """A tree of revolute joints as Pinocchio holds it."""
    builder = dx.Builder()
    for i in range(1, pm.njoints):
        kind = pm.joints[i].shortname()
        axis = np.eye(3)["XYZ".index(kind[-1])] if kind[-2:] in ("RX", "RY", "RZ") else pm.joints[i].extract().axis
        where, body = pm.jointPlacements[i], pm.inertias[i]
        builder.link(
            pm.names[i],
            pm.names[pm.parents[i]] if pm.parents[i] else None,
            dx.Revolute(axis),
            dx.Pose(where.rotation, where.translation),
            dx.Inertia(body.mass, body.lever, body.inertia),
        )
    return builder.build()


MECHANISMS = {"arm of 7": arm7, "binary tree of 30": tree30, "humanoid, floating": humanoid, "Talos": talos}
MECHANISMS |= {f"chain of {n}": lambda n=n: chain(n) for n in (8, 64, 512)}
