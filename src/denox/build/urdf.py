"""Robots from URDF files."""

import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from ..inertia import Inertia
from ..joints import Fixed, Free, Joint, Planar, Prismatic, Revolute
from ..model import Model
from ..pose import Pose, numbers
from ..types import Numbers
from .builder import Builder
from .surgery import stands
from .xml import Element, attribute, children, number, only, parsed, read_number, source_text, vector

TYPES = {"revolute": Revolute, "continuous": Revolute, "prismatic": Prismatic, "planar": Planar, "floating": Free, "fixed": Fixed}


@dataclass
class Hinge:
    """A joint of the file."""

    name: str
    type: str
    parent: str
    child: str
    joint: Joint
    placement: Pose
    numbers: dict = field(default_factory=dict)
    mimic: tuple[str, float, float] | None = None


@dataclass
class Robot:
    """What a file says, each thing by itself."""

    name: str
    source: str
    inertias: dict[str, Inertia]
    joints: dict[str, Hinge]


def from_urdf(
    source: str | bytes | os.PathLike,
    floating: bool = False,
    lock: Mapping[str, Numbers] | Iterable[str] | None = None,
    root: str | None = None,
    merge: bool = True,
    *,
    mimic: bool = True,
    gravity: Numbers = (0.0, 0.0, -9.81),
) -> Model:
    """A robot from a URDF file or its text. Meshes are not needed, packages not looked for.

    **Arguments:**

    - `source`: a path, or the text itself.
    - `floating`: whether the root link is on a free joint, called `root_joint`; else it is fixed to the ground.
    - `lock`: joints to be fixed, by name: at zero, or in a mapping at these coordinates.
    - `root`: the link to begin with: it and what hangs on it is read. The link that has no parent, if left out.
    - `merge`: whether links on fixed joints are summed into those they are fixed to, their names kept as frames.
    - `mimic`: whether `<mimic>` couples coordinates, so that the joint has none of its own; else such joints are free to move.
    - `gravity`: (3,) in m/s^2; URDF states none.

    Links come depth first in the order of the file, base to tip. Joint types: revolute, continuous, prismatic, planar, floating, fixed. Read are
    inertias, limits with efforts, damping, friction, and rotor inertias of transmissions, times the reduction squared, as armature. Bounds of
    speeds, visuals, collisions, sensors and what else a file has are no part of a model.

    An error names the file, the element and the cure.
    """
    name, text, _ = source_text(source)
    robot = read(name, text)
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = built(robot, floating, locked(robot, lock), root, merge, mimic, gravity)
    except ValueError as error:
        message = str(error) if str(error).startswith(name) else f"{name}: {error}"
        raise ValueError(message) from error
    for message in dict.fromkeys(str(w.message) for w in caught):
        warnings.warn(f"{name}: {message}", stacklevel=2)
    return model


def built(robot: Robot, floating: bool, lock: dict, root: str | None, merge: bool, mimic: bool, gravity) -> Model:
    order = depth_first(robot, root)
    settle_mimics(robot, order, lock, mimic)
    links = list(order)
    hosts: dict[str, tuple[str, Pose]] = {}  # of each link that is merged: where it has gone
    inertias = {link: robot.inertias[link] for link in links}
    for link, hinge in order.items():
        if merge and hinge is not None and isinstance(hinge.joint, Fixed):
            host, at = hosts.get(hinge.parent, (hinge.parent, Pose()))
            hosts[link] = host, at @ hinge.placement
    parts: dict[str, list[Inertia]] = {}
    for link, (host, at) in hosts.items():
        parts.setdefault(host, [inertias[host]]).append(inertias[link].placed(at))
    inertias |= {host: combined(bodies) for host, bodies in parts.items()}
    builder = Builder(gravity)
    for link, hinge in order.items():
        if link in hosts:
            continue
        if hinge is None:
            joint_name = "root_joint" if floating and "root_joint" not in robot.joints else link
            builder.link(link, None, Free() if floating else Fixed(), inertia=inertias[link], joint_name=joint_name)
            continue
        host, at = hosts.get(hinge.parent, (hinge.parent, Pose()))
        builder.link(link, host, hinge.joint, at @ hinge.placement, inertias[link], joint_name=hinge.name, **hinge.numbers)
    for link, (host, at) in hosts.items():
        builder.frame(link, host, at)
    for hinge in order.values():
        if hinge is not None and hinge.mimic is not None:
            builder.couple(hinge.name, *hinge.mimic)
    return builder.build()


def combined(bodies: list[Inertia]) -> Inertia:
    """Several bodies as one, summed about their common center: no difference of large numbers makes a small tensor negative."""
    m = sum(body.mass for body in bodies)
    c = sum(body.mass * body.com for body in bodies) / m if m > 0 else np.zeros(3)
    about = np.zeros((3, 3))
    for body in bodies:
        d = body.com - c
        about = about + body.about_com + body.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return Inertia(m, c, about)


def depth_first(robot: Robot, root: str | None) -> dict[str, Hinge | None]:
    """The links from the root, each with the joint it hangs on, parents first, in the order of the file."""
    above: dict[str, Hinge] = {}
    below: dict[str, list[Hinge]] = {link: [] for link in robot.inertias}
    for hinge in robot.joints.values():
        for role, link in (("parent", hinge.parent), ("child", hinge.child)):
            if link not in below:
                raise ValueError(f"{robot.source}: joint `{hinge.name}` has the {role} `{link}`, but no link is called so. Add it or mend the name.")
        if hinge.parent == hinge.child:
            raise ValueError(f"{robot.source}: joint `{hinge.name}` joins link `{hinge.child}` to itself. Name two links.")
        if hinge.child in above:
            raise ValueError(
                f"{robot.source}: link `{hinge.child}` is the child of joints `{above[hinge.child].name}` and `{hinge.name}`. URDF describes trees: "
                "take one of them out and close the loop with `dx.Builder.close`."
            )
        above[hinge.child] = hinge
        below[hinge.parent].append(hinge)
    roots = [link for link in below if link not in above]
    if root is not None and root not in below:
        raise ValueError(f"{robot.source}: no link is called `{root}`, which was to be the root. Links: {', '.join(below)}.")
    if root is None and len(roots) > 1:
        raise ValueError(f"{robot.source} has several roots: links `{'`, `'.join(roots)}` have no parent. Join them, or choose one with `root=`.")
    if root is None and not roots:
        raise ValueError(f"{robot.source} has no root: every link has a parent, so joints close a cycle: {', '.join(robot.joints)}. Take one out.")
    order: dict[str, Hinge | None] = {}
    start = roots[0] if root is None else root
    stack: list[tuple[str, Hinge | None]] = [(start, None)]
    while stack:
        link, hinge = stack.pop()
        if link in order:
            raise ValueError(f"{robot.source}: joint `{hinge.name if hinge else link}` closes a cycle through link `{link}`. Take one joint out.")
        order[link] = hinge
        stack += [(next_one.child, next_one) for next_one in reversed(below[link])]
    lost = [link for link in below if link not in order]
    if root is None and lost:
        raise ValueError(f"{robot.source}: links `{'`, `'.join(lost)}` do not hang on the root `{start}`: their joints form a cycle. Take one out.")
    return order


def locked(robot: Robot, lock: Mapping[str, Numbers] | Iterable[str] | None) -> dict[str, np.ndarray]:
    """The coordinates of the joints to be fixed."""
    lock = [lock] if isinstance(lock, str) else lock or ()
    wanted = dict(lock) if isinstance(lock, Mapping) else dict.fromkeys(lock)
    values = {}
    for name, q in wanted.items():
        if name not in robot.joints:
            raise ValueError(f"{robot.source}: no joint is called `{name}`, which was to be locked. Joints: {', '.join(robot.joints)}.")
        neutral = np.array([x for pair in robot.joints[name].joint.pairs() for x in pair.kind.neutral])
        values[name] = neutral if q is None else numbers(q).reshape(-1)
        if values[name].shape != neutral.shape:
            raise ValueError(f"{robot.source}: joint `{name}` has {len(neutral)} coordinates, but `lock` gives {values[name].tolist()}.")
    return values


def settle_mimics(robot: Robot, order: Mapping[str, Hinge | None], lock: dict[str, np.ndarray], mimic: bool) -> None:
    """Fixes what is locked, and what mimics something locked; leaves the other mimics to be coupled."""
    present = {hinge.name: hinge for hinge in order.values() if hinge is not None}
    for hinge in present.values():
        if not mimic or isinstance(hinge.joint, Fixed):
            hinge.mimic = None
        if hinge.mimic is not None:
            chain(robot, present, hinge)
    for name, q in lock.items():
        mimics = present[name].mimic if name in present else None
        if mimics is not None:
            to = mimics[0]
            raise ValueError(f"{robot.source}: joint `{name}`, which was to be locked, mimics `{to}`. Lock `{to}`, and it is locked too.")
        if name in present:
            fix(present[name], q)
    followers: list[tuple[Hinge, float]] = []
    for hinge in present.values():  # chains have no cycles, so each ends at a joint that is locked or at one that moves
        leaders = chain(robot, present, hinge)
        if leaders and leaders[-1].name in lock:
            q = float(lock[leaders[-1].name][0])
            for one in reversed([hinge, *leaders[:-1]]):
                _, ratio, offset = one.mimic or ("", 1.0, 0.0)
                q = ratio * q + offset
            followers.append((hinge, q))
    for hinge, q in followers:
        fix(hinge, np.array([q]))


def chain(robot: Robot, present: Mapping[str, Hinge], hinge: Hinge) -> list[Hinge]:
    """The joints that a joint mimics, one after the other, to the last."""
    leaders: list[Hinge] = []
    while hinge.mimic is not None:
        to = hinge.mimic[0]
        where = f"{robot.source}: joint `{hinge.name}` mimics `{to}`"
        if to not in present:
            raise ValueError(f"{where}, which is not there. Joints: {', '.join(present)}.")
        leader = present[to]
        if leader in leaders or to == hinge.name:
            raise ValueError(f"{where}, which mimics it in turn. One of them must move by itself.")
        if leader.type not in ("revolute", "continuous", "prismatic"):
            raise ValueError(f"{where}, which is {leader.type} and has not one coordinate. Make `{hinge.name}` fixed, or let it mimic another.")
        leaders.append(leader)
        hinge = leader
    return leaders


def fix(hinge: Hinge, q) -> None:
    hinge.placement = hinge.placement @ stands(hinge.joint.pairs(), q)
    hinge.joint, hinge.numbers, hinge.mimic = Fixed(), {}, None


# From text


def read(name: str, text: str) -> Robot:
    """What the text says."""
    top = parsed(name, text)
    if top.tag != "robot":
        cure = {"mujoco": "Read it with `dx.from_mjcf`.", "sdf": "Convert it to URDF."}.get(str(top.tag), "A URDF file is one element `<robot>`.")
        raise ValueError(f"{name} begins with `<{top.tag}>`, not with `<robot>`. {cure}")
    macro = next((child for child in top if "xacro" in str(child.tag)), None)
    if macro is not None:
        tag = str(macro.tag).rpartition("}")[2]
        raise ValueError(f"{name} holds xacro macros (`<xacro:{tag}>`). Expand them first: `xacro file.urdf.xacro > file.urdf`.")
    inertias: dict[str, Inertia] = {}
    for element in children(top, "link"):
        link = attribute(f"{name}: a link", element, "name")
        if link in inertias:
            raise ValueError(f"{name}: two links are called `{link}`. Give each its own name.")
        inertias[link] = read_inertia(f"{name}: link `{link}`", element)
    if not inertias:
        raise ValueError(f"{name} has no `<link>`. A robot has one at least.")
    joints: dict[str, Hinge] = {}
    for element in children(top, "joint"):
        hinge = read_joint(name, element)
        if hinge.name in joints:
            raise ValueError(f"{name}: two joints are called `{hinge.name}`. Give each its own name.")
        joints[hinge.name] = hinge
    for joint, inertia in rotors(name, top).items():
        if joint in joints and not isinstance(joints[joint].joint, Fixed):
            joints[joint].numbers["armature"] = inertia
    return Robot(top.get("name") or "robot", name, inertias, joints)


def read_pose(where: str, element: Element) -> Pose:
    origin = only(where, element, "origin")
    return Pose.from_rpy(vector(where, origin, "rpy"), vector(where, origin, "xyz"))


def read_inertia(where: str, link: Element) -> Inertia:
    """Of a link: none if the file gives none. Its tensor is about the center of mass, in the axes of `<origin>`."""
    inertial = only(where, link, "inertial")
    if inertial is None:
        return Inertia()
    mass, tensor = only(where, inertial, "mass"), only(where, inertial, "inertia")
    if mass is None:
        raise ValueError(f"{where}: `<inertial>` has no `<mass>`. Give it one, or take `<inertial>` out if the link has no mass.")
    pose = read_pose(where, inertial)
    xx, xy, xz, yy, yz, zz = (0.0 if tensor is None else number(where, tensor, key, 0.0) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    m = number(where, mass, "value")
    moments, axes = np.linalg.eigh(I)
    if -1e-12 * m < moments[0] < 0:  # zeros as exporters print them, -5e-20
        I = axes * np.maximum(moments, 0) @ axes.T
    about = pose.rotation @ I @ pose.rotation.T
    return Inertia(m, pose.position, (about + about.T) / 2)


def read_joint(name: str, element: Element) -> Hinge:
    joint = attribute(f"{name}: a joint", element, "name")
    where = f"{name}: joint `{joint}`"
    kind = attribute(where, element, "type")
    if kind not in TYPES:
        raise ValueError(f'{where} has `type="{kind}"`. URDF knows {", ".join(TYPES)}.')
    ends = [only(where, element, role) for role in ("parent", "child")]
    for role, end in zip(("parent", "child"), ends, strict=True):
        if end is None:
            raise ValueError(f'{where} has no `<{role} link="...">`. Name the link there.')
    parent, child = (attribute(where, end, "link") for end in ends if end is not None)
    hinge = Hinge(joint, kind, parent, child, Fixed(), read_pose(where, element))
    if kind == "fixed":
        return hinge
    axis = vector(where, only(where, element, "axis"), "xyz", (1.0, 0.0, 0.0))
    if kind != "floating" and not np.linalg.norm(axis) > 1e-12:
        raise ValueError(f"{where}: axis {axis.tolist()} is zero. Give a direction, of any length.")
    hinge.joint = Free() if kind == "floating" else TYPES[kind](axis)
    limit, dynamics, mimic = (only(where, element, tag) for tag in ("limit", "dynamics", "mimic"))
    if limit is not None:
        if kind in ("revolute", "prismatic"):
            hinge.numbers["limits"] = [number(where, limit, key, 0.0, infinite=True) for key in ("lower", "upper")]
        if limit.get("effort") is not None:
            hinge.numbers["effort"] = number(where, limit, "effort", infinite=True)
    if dynamics is not None:
        hinge.numbers |= {key: number(where, dynamics, key) for key in ("damping", "friction") if dynamics.get(key) is not None}
    for key in ("effort", "damping", "friction"):
        if hinge.numbers.get(key, 0.0) < 0:
            raise ValueError(f"{where}: {key} {hinge.numbers[key]} is negative. It is the size of a force, zero or more.")
    if mimic is not None:
        if kind in ("planar", "floating"):
            raise ValueError(f"{where} is {kind} and has `<mimic>`, which is for joints of one coordinate. Take it out.")
        hinge.mimic = attribute(where, mimic, "joint"), number(where, mimic, "multiplier", 1.0), number(where, mimic, "offset", 0.0)
    return hinge


def rotors(name: str, top: Element) -> dict[str, float]:
    """Of each joint with a transmission that states its rotor's inertia: that inertia times the reduction squared.

    There is no standard for it; read are `<rotorInertia>`, `<motorInertia>` (text) and Drake's `rotor_inertia`, `gear_ratio` (value).
    """
    found = {}
    for transmission in children(top, "transmission"):
        joint = next((one.get("name") for one in children(transmission, "joint")), None)
        where, values = f"{name}: transmission of joint `{joint}`", {}
        for element in transmission.iter():
            tag = str(element.tag).rpartition("}")[2].rpartition(":")[2]
            key = {"rotorInertia": "inertia", "motorInertia": "inertia", "rotor_inertia": "inertia"}.get(tag)
            key = key or {"mechanicalReduction": "ratio", "gear_ratio": "ratio"}.get(tag)
            text = element.get("value") or (element.text or "").strip()
            if key and text:
                values[key] = read_number(f"{where}: `<{tag}>` {text}", text)
        if joint and "inertia" in values:
            found[joint] = values["inertia"] * values.get("ratio", 1.0) ** 2
    return found
