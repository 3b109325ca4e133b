"""Mechanisms link by link."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..check import check, check_inertia, finite
from ..inertia import Inertia
from ..joints import Fixed, Joint
from ..model import PER_SPEED, Model
from ..pose import Pose, numbers, space, traced
from ..topology import Coupling, Loop
from ..types import Numbers
from .assemble import assemble


@dataclass
class _Link:
    name: str
    parent: str | None
    joint: Joint
    joint_name: str
    placement: Pose
    inertia: Inertia
    numbers: dict = field(default_factory=dict)


def stacked(values):
    """One array of many, of JAX only if any is traced."""
    return (space(values)).stack(values)


class Builder:
    """Collects links, frames and loops, and builds a model of them.

    **Arguments:**

    - `gravity`: (3,) in m/s^2, inertial axes.

    All numbers may be traced: a function that builds its model inside can be differentiated and compiled. Numbers that are not are checked.
    """

    def __init__(self, gravity: Numbers = (0.0, 0.0, -9.81)):
        self._gravity = numbers(gravity)
        if self._gravity.shape != (3,):
            raise ValueError(f"`gravity` has shape {self._gravity.shape}: give three components in inertial axes, as (0, 0, -9.81).")
        finite("`gravity`", self._gravity)
        self._links: dict[str, _Link] = {}
        self._frames: dict[str, tuple[str, Pose]] = {}
        self._loops: dict[str, tuple] = {}
        self._couplings: dict[str, tuple[dict, Numbers]] = {}

    def link(
        self,
        name: str,
        parent: str | None = None,
        joint: Joint | None = None,
        placement: Pose | None = None,
        inertia: Inertia | None = None,
        *,
        joint_name: str | None = None,
        armature: Numbers | None = None,
        damping: Numbers | None = None,
        friction: Numbers | None = None,
        static_friction: Numbers | None = None,
        stribeck_speed: Numbers | None = None,
        stiffness: Numbers | None = None,
        rest: Numbers | None = None,
        limits: Numbers | None = None,
        limit_stiffness: Numbers | None = None,
        limit_damping: Numbers | None = None,
        effort: Numbers | None = None,
    ) -> "Builder":
        """Adds a link and the joint between it and its parent.

        **Arguments:**

        - `name`: of the link, and of the joint unless `joint_name` is given.
        - `parent`: a link added before; the ground if left out.
        - `joint`: `dx.Revolute(axis)` and so on, its axis in the link's axes; `dx.Fixed()` if left out.
        - `placement`: where the link's frame stands in its parent's at zero coordinates.
        - `inertia`: of the link; massless if left out.
        - `armature`, `damping`, `friction`, `stiffness`, `effort`: a number, or one per speed of the joint; what no joint of the model has costs
          nothing. `static_friction`, `stribeck_speed`: of friction that is larger at the first slip; see `dx.passive_forces`.
        - `rest`: coordinates at which the spring is slack. `limits`: (lower, upper), or one such row per coordinate; they exert a force if there is
          a `limit_stiffness` (and `limit_damping`).
        """
        joint = Fixed() if joint is None else joint
        placement = Pose() if placement is None else placement
        inertia = Inertia() if inertia is None else inertia
        if not isinstance(name, str) or not name:
            raise ValueError(f"A link's name is a word, not {name!r}.")
        if name in self._links:
            other = self._links[name].parent
            raise ValueError(
                f"Link `{name}` already has parent `{other or 'the ground'}`, and a link has one. "
                "If it hangs on two, describe one of the joints with `Builder.close(...)`; if it is another link, give it another name."
            )
        if name in self._frames:
            raise ValueError(f"Link `{name}`: a frame has this name already. Give one of them another.")
        if parent == name:
            raise ValueError(f"Link `{name}` cannot be its own parent. Name a link added before it, or none for the ground.")
        if parent is not None and parent not in self._links:
            raise ValueError(
                f"Link `{name}`: no link is called `{parent}` (yet). Add parents before their children. "
                f"Links so far: {', '.join(self._links) or 'none'}. A cycle is closed with `Builder.close(...)`."
            )
        for what, value, kind in (("joint", joint, Joint), ("placement", placement, Pose), ("inertia", inertia, Inertia)):
            if not isinstance(value, kind):
                raise ValueError(f"Link `{name}`: `{what}` is {value!r}. Give a `dx.{kind.__name__}`.")
        joint_name = joint_name or name
        if joint_name in {link.joint_name for link in self._links.values()}:
            raise ValueError(f"Link `{name}`: another joint is called `{joint_name}` already. Give this one its own `joint_name`.")
        pairs = joint.pairs()
        for pair in pairs:
            check_axis(f"Joint `{joint_name}`", pair.axis)
        check_placement(f"Link `{name}`", placement)
        check_inertia(f"Link `{name}`", inertia)
        nv, nq = sum(pair.kind.speeds for pair in pairs), sum(pair.kind.coordinates for pair in pairs)
        given = dict(armature=armature, damping=damping, friction=friction, stiffness=stiffness, effort=effort, rest=rest, limits=limits)
        given |= dict(static_friction=static_friction, stribeck_speed=stribeck_speed, limit_stiffness=limit_stiffness, limit_damping=limit_damping)
        if not pairs and any(x is not None for x in given.values()):
            raise ValueError(f"Link `{name}` is on a fixed joint, which has no armature, damping, friction, spring or limits. Leave them out.")
        spread = {}
        for key, value in given.items():
            if value is not None:
                shape = (nq, 2) if key == "limits" else (nq,) if key == "rest" else (nv,)
                spread[key] = check_spread(f"Joint `{joint_name}`", key, numbers(value), shape)
        if static_friction is not None and (friction is None or stribeck_speed is None):
            raise ValueError(f"Joint `{joint_name}`: `static_friction` needs `friction`, what is left of it in motion, and `stribeck_speed`.")
        if limit_stiffness is not None or limit_damping is not None:
            if limits is None:
                raise ValueError(f"Joint `{joint_name}` has a stop at its limits, but no `limits`. Give (lower, upper).")
            if nq != nv:
                raise ValueError(f"Joint `{joint_name}` turns about a point: limits of its Euler parameters cannot be stops. Leave `limit_...` out.")
        self._links[name] = _Link(name, parent, joint, joint_name, placement, inertia, spread)
        return self

    def frame(self, name: str, link: str, placement: Pose | None = None) -> "Builder":
        """Names a frame that is part of a link, as a tool or a sensor."""
        if name in self._frames or name in self._links:
            raise ValueError(f"Frame `{name}`: the name is taken already. Give it another.")
        self._known("Frame", name, link)
        placement = Pose() if placement is None else placement
        check_placement(f"Frame `{name}`", placement)
        self._frames[name] = (link, placement)
        return self

    def close(
        self,
        name: str,
        link_a: str | None,
        link_b: str | None,
        joint: Joint,
        placement_a: Pose | None = None,
        placement_b: Pose | None = None,
    ) -> "Builder":
        """Closes a loop: the frame at `placement_a` in link a and the one at `placement_b` in link b are joined; None is the ground."""
        if name in self._loops:
            raise ValueError(f"Loop `{name}`: another loop has this name already. Give it its own.")
        for link in (link_a, link_b):
            if link is not None:
                self._known("Loop", name, link)
        if link_a == link_b:
            raise ValueError(f"Loop `{name}` joins `{link_a or 'the ground'}` to itself. Name two different links.")
        if not isinstance(joint, Joint):
            raise ValueError(f"Loop `{name}`: `joint` is {joint!r}. Give a `dx.Joint`, as `dx.Revolute(axis)`.")
        for pair in joint.pairs():
            check_axis(f"Loop `{name}`", pair.axis)
        placement_a, placement_b = placement_a or Pose(), placement_b or Pose()
        for placement in (placement_a, placement_b):
            check_placement(f"Loop `{name}`", placement)
        self._loops[name] = link_a, link_b, joint, placement_a, placement_b
        return self

    def couple(self, joint: str, to: str | Mapping[str, Numbers], ratio: Numbers = 1.0, offset: Numbers = 0.0) -> "Builder":
        """Makes a joint follow others: its coordinate is `ratio` times that of the joint `to`, plus `offset`. It has no coordinate of its own then.

        A mimic joint, a pair of gears (`ratio` minus the ratio of teeth), a belt, a rack (m per rad); `to={"left": 0.5, "right": 0.5}` is a
        differential. Joints of one coordinate, added before or after; one that follows may be followed.
        """
        if joint in self._couplings:
            raise ValueError(f"Joint `{joint}` follows {', '.join(self._couplings[joint][0])} already. Couple a joint once: `to` may name several.")
        sources = {to: ratio} if isinstance(to, str) else dict(to)
        if not sources:
            raise ValueError(f"Joint `{joint}` follows nothing: `to` is empty. Name a joint.")
        for name, value in (*sources.items(), ("offset", offset)):
            if numbers(value).shape != ():
                raise ValueError(f"Coupling of `{joint}`: `{name}` has {numbers(value)}. Give one number.")
            finite(f"Coupling of `{joint}`: `{name}`", numbers(value))
        self._couplings[joint] = sources, offset
        return self

    def _coupled(self) -> tuple[tuple[Coupling, ...], list, list]:
        """The couplings, sources first, with their ratios and offsets."""
        moving = [link for link in self._links.values() if link.joint.pairs()]
        index = {link.joint_name: k for k, link in enumerate(moving)}
        for joint, (sources, _) in self._couplings.items():
            for name in (joint, *sources):
                if name not in index:
                    raise ValueError(f"Coupling of `{joint}`: no joint that moves is called `{name}`. Those that do: {', '.join(index)}.")
                pairs = moving[index[name]].joint.pairs()
                if sum(pair.kind.speeds for pair in pairs) != 1:
                    raise ValueError(f"Coupling of `{joint}`: joint `{name}` has several coordinates. Couple joints that have one.")
        couplings, ratios, offsets, waiting = [], [], [], dict(self._couplings)
        while waiting:
            ready = [joint for joint, (sources, _) in waiting.items() if not set(sources) & set(waiting)]
            if not ready:
                raise ValueError(f"The joints {', '.join(f'`{joint}`' for joint in waiting)} follow each other in a circle. Let one of them go free.")
            for joint in ready:
                sources, offset = waiting.pop(joint)
                couplings.append(Coupling(index[joint], tuple(index[name] for name in sources)))
                ratios += list(sources.values())
                offsets.append(offset)
        return tuple(couplings), ratios, offsets

    def _known(self, what, name, link):
        if link not in self._links:
            raise ValueError(f"{what} `{name}`: no link is called `{link}`. Links so far: {', '.join(self._links) or 'none'}.")

    def build(self) -> Model:
        """The model, checked where its numbers are known."""
        if not self._links:
            raise ValueError("There is nothing to build. Add a link first: `Builder().link(name, joint=...)`.")
        links = list(self._links.values())
        index = {None: -1, **{link.name: i for i, link in enumerate(links)}}
        places = lambda poses: stacked([stacked([*pose.rotation.T, pose.position]).T for pose in poses])
        kinds_of = lambda joint: tuple(pair.kind for pair in joint.pairs())
        loops = tuple(Loop(name, type(joint), index[a], index[b], kinds_of(joint)) for name, (a, b, joint, _, _) in self._loops.items())
        loop_pairs = [pair for _, _, joint, _, _ in self._loops.values() for pair in joint.pairs()]
        loop_screws = [stacked([*numbers(pair.axis), numbers(pair.turn), numbers(pair.slide)]) for pair in loop_pairs]
        couplings, ratios, offsets = self._coupled()
        model = assemble(
            links=tuple(self._links),
            parents=tuple(index[link.parent] for link in links),
            joints=tuple(link.joint for link in links),
            joint_names=tuple(link.joint_name for link in links),
            rotation=stacked([link.placement.rotation for link in links]),
            position=stacked([link.placement.position for link in links]),
            inertia=stacked([link.inertia.parameters for link in links]),
            gravity=self._gravity,
            frames=tuple((name, index[link]) for name, (link, _) in self._frames.items()),
            frame_places=places([pose for _, pose in self._frames.values()]) if self._frames else None,
            loops=loops,
            loop_places=stacked([places([a, b]) for _, _, _, a, b in self._loops.values()]) if loops else None,
            loop_screws=stacked(loop_screws) if loop_screws else np.zeros((0, 5)) if loops else None,
            couplings=couplings,
            per_number=self._per_number(links) | ({"ratio": ratios, "offset": offsets} if couplings else {}),
        )
        return check(model)

    def _per_number(self, links) -> dict:
        """Arrays over speeds and coordinates of what any joint has; zero, or unbounded, where the others have it not."""
        arrays = {}
        for key in (*PER_SPEED, "rest", "limits"):
            if not any(key in link.numbers for link in links):
                continue
            parts = []
            for link in links:
                pairs = link.joint.pairs()
                nv, nq = sum(pair.kind.speeds for pair in pairs), sum(pair.kind.coordinates for pair in pairs)
                missing = {
                    "limits": np.array([[-np.inf, np.inf]] * nq).reshape(nq, 2),
                    "rest": np.array([x for pair in pairs for x in pair.kind.neutral]),
                    "effort": np.full(nv, np.inf),
                    "stribeck_speed": np.ones(nv),
                    "static_friction": link.numbers.get("friction", np.zeros(nv)),
                }.get(key, np.zeros(nv))
                parts.append(link.numbers.get(key, missing))
            arrays[key] = (space(parts)).concatenate(parts)
        return arrays


def check_axis(owner: str, axis) -> None:
    axis = numbers(axis)
    if axis.shape != (3,):
        raise ValueError(f"{owner}: axis {axis} has shape {axis.shape}. Give three components in the link's axes.")
    if traced(axis):
        return
    finite(f"{owner}: axis", axis)
    if np.linalg.norm(axis) < 1e-12:
        raise ValueError(f"{owner}: axis {axis.tolist()} is zero. Give a direction in the link's axes, of any length.")


def check_placement(owner: str, pose: Pose) -> None:
    if not isinstance(pose, Pose):
        raise ValueError(f"{owner}: the placement is {pose!r}. Give a `dx.Pose`.")
    R, p = pose.rotation, pose.position
    if R.shape != (3, 3) or p.shape != (3,):
        raise ValueError(f"{owner}: placement has rotation {R.shape} and position {p.shape}. They are (3, 3) and (3,).")
    if traced(R, p):
        return
    finite(f"{owner}: placement", R, p)
    if np.abs(R @ R.T - np.eye(3)).max() > 1e-6 or np.linalg.det(R) < 0:
        raise ValueError(
            f"{owner}: placement has rotation {np.round(R, 4).tolist()}, which is not a rotation matrix (orthogonal, determinant 1). "
            "`dx.Pose.from_rpy` and `dx.Pose.from_quaternion` make one."
        )


def check_spread(owner: str, key: str, value, shape):
    if value.shape == () and key != "limits":
        value = value + np.zeros(shape)
    if key == "limits" and value.shape == (2,):
        value = value + np.zeros(shape)
    if value.shape != shape:
        raise ValueError(f"{owner}: `{key}` has shape {value.shape}. This joint needs {shape}, or one number for all.")
    if traced(value):
        return value
    if np.isnan(value).any():
        raise ValueError(f"{owner}: `{key}` is {value.tolist()}. NaN is no value; leave it out if it is unknown.")
    if key == "stribeck_speed" and (value <= 0).any():
        raise ValueError(f"{owner}: `stribeck_speed` is {value.tolist()}. Give the speed, more than 0, at which friction has come down.")
    if key in PER_SPEED and (value < 0).any():
        raise ValueError(f"{owner}: `{key}` is {value.tolist()}. It cannot be negative.")
    if key == "limits" and (value[:, 0] > value[:, 1]).any():
        raise ValueError(f"{owner}: limits {value.tolist()} have the lower bound above the upper. Give (lower, upper).")
    return value
