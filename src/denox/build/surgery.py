"""Operations on models. Each gives a new model: the old one is taken apart into the builder it could have come from, which is changed and built."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np

from ..inertia import Inertia, moved
from ..joints import Fixed, Joint, Pair, Screw
from ..model import PER_SPEED, Model, own_parameters, with_inertial_parameters
from ..pose import Pose, numbers, onto_z, space, traced, turn
from ..types import Numbers
from .builder import Builder


@dataclass(frozen=True)
class Row(Joint):
    """A joint known by its pairs alone, under the name it had."""

    label: str
    row: tuple[Pair, ...]

    def pairs(self):
        return self.row


def known(x):
    """An array of a model: of numpy if its numbers are known."""
    return x if traced(x) else np.asarray(x, float)


def pose_of(place) -> Pose:
    """Of an array (3, 4)."""
    return Pose(place[:, :3], place[:, 3])


def body_of(phi) -> Inertia:
    """Mass, center and tensor of ten numbers."""
    xp = space(phi)
    m, massive = phi[0], phi[0] != 0
    c = xp.where(massive, phi[1:4] / xp.where(massive, m, 1), 0)
    xx, xy, yy, xz, yz, zz = (moved(phi, np.eye(3), -c)[4 + k] for k in range(6))
    return Inertia(m, c, xp.stack([xp.stack([xx, xy, xz]), xp.stack([xy, yy, yz]), xp.stack([xz, yz, zz])]))


def unbuilt(model: Model) -> Builder:
    """A builder of which the model could have come."""
    t = model.topology
    builder = Builder(known(model.gravity))
    mount, placement, phi = known(model.mount), known(model.placement), known(own_parameters(model))
    screws = dict(zip([i for i, kind in enumerate(t.kinds) if kind is Screw], known(model.screw), strict=True))
    movers = {t.link_bodies.index(bodies[-1]): k for k, bodies in enumerate(t.joint_bodies)}
    for i, (link, parent) in enumerate(zip(t.links, t.link_parents, strict=True)):
        back = pose_of(mount[parent]).inverse if parent >= 0 else Pose()
        if i not in movers:
            builder.link(link, t.links[parent] if parent >= 0 else None, Fixed(), back @ pose_of(mount[i]), body_of(phi[i]))
            continue
        k = movers[i]
        name, bodies = t.joints[k], t.joint_bodies[k]
        K = mount[i][:, :3].T  # of the last pair, in the link's axes; of those before by their placements
        row: list[Pair] = []
        for body in reversed(bodies):
            row.insert(0, Pair(t.kinds[body], K[:, 2], *screws.get(body, ())))
            first = pose_of(placement[body]) @ Pose(K.T)
            K = K @ placement[body][:, :3].T
        at_v, at_q = (slice(int(starts[bodies[0]]), int(starts[bodies[-1] + 1])) for starts in (t.speeds, t.coordinates))
        extra = {key: known(getattr(model, key))[at_v] for key in PER_SPEED if getattr(model, key) is not None}
        extra |= {key: known(getattr(model, key))[at_q] for key in ("rest", "limits") if getattr(model, key) is not None}
        joint = Row(t.joint_types[k], tuple(row))
        builder.link(link, t.links[parent] if parent >= 0 else None, joint, back @ first, body_of(phi[i]), joint_name=name, **extra)
    for name, link, place in zip(t.frames, t.frame_links, known(model.frame) if t.frames else (), strict=True):
        builder.frame(name, t.links[link], pose_of(place))
    ratios = iter(() if model.ratio is None else known(model.ratio))
    for coupling, offset in zip(t.couplings, () if model.offset is None else known(model.offset), strict=True):
        builder.couple(t.joints[coupling.joint], {t.joints[source]: next(ratios) for source in coupling.sources}, offset=offset)
    return builder


def with_loops(model: Model, old: Model) -> Model:
    """The base of an old model, and its loops, on the links of the same names."""
    model = dataclasses.replace(model, base=old.base, base_motion=old.base_motion)
    if not old.topology.loops:
        return model
    name = lambda i: old.links[i] if i >= 0 else None
    index = {None: -1, **{link: i for i, link in enumerate(model.links)}}
    gone = [loop.name for loop in old.topology.loops if not {name(loop.link_a), name(loop.link_b)} <= set(index)]
    if gone:
        raise ValueError(f"Loop `{gone[0]}` hangs on a link that is not there any more. Take it out first: `model.tree()`.")
    loops = tuple(dataclasses.replace(loop, link_a=index[name(loop.link_a)], link_b=index[name(loop.link_b)]) for loop in old.topology.loops)
    return dataclasses.replace(model, topology=dataclasses.replace(model.topology, loops=loops), loop=old.loop, loop_screw=old.loop_screw)


def stands(pairs: tuple[Pair, ...], q) -> Pose:
    """Where a joint puts its link from its placement, at these coordinates."""
    pose, q = Pose(), numbers(q)
    for pair in pairs:
        own, q = q[: pair.kind.coordinates], q[pair.kind.coordinates :]
        if pair.kind is Screw:
            K = onto_z(numbers(pair.axis))
            pose = pose @ Pose(K @ turn("z", pair.turn * own[0]) @ K.T, K[:, 2] * pair.slide * own[0])
        else:
            pose = pose @ Pose.from_quaternion(own[:4], own[4:] if len(own) > 4 else None)
    return pose


def lock(model: Model, joints: Mapping[str, Numbers]) -> Model:
    """The model with these joints fixed at these coordinates: `dx.lock(robot, {"elbow": 0.3})`. Their links stay, on fixed joints.

    A joint that follows locked ones alone is locked with them; one that follows others too keeps the share of the locked ones as an offset.
    """
    builder, values = unbuilt(model), {joint: numbers(q) for joint, q in joints.items()}
    followers, builder._couplings = builder._couplings, {}
    for joint, (sources, offset) in followers.items():
        if joint in values:
            raise ValueError(f"Joint `{joint}` follows {', '.join(sources)} and cannot be locked by itself. Lock those, or `model.uncoupled()`.")
        left = {name: ratio for name, ratio in sources.items() if name not in values}
        offset = offset + sum((ratio * values[name].reshape(()) for name, ratio in sources.items() if name in values), 0.0)
        if left:
            builder._couplings[joint] = left, offset
        else:
            values[joint] = numbers(offset)
    for joint, q in values.items():
        link = model.links[model.topology.link_bodies.index(model.topology.joint_bodies[model.topology.find("joint", joint)][-1])]
        old, q = builder._links[link], numbers(q).reshape(-1)
        size = sum(pair.kind.coordinates for pair in old.joint.pairs())
        if q.shape != (size,):
            raise ValueError(f"Joint `{joint}` has {size} coordinates, but {q.shape[0]} are given: {q}. Give each its value.")
        builder._links[link] = dataclasses.replace(old, joint=Fixed(), placement=old.placement @ stands(old.joint.pairs(), q), numbers={})
    return with_loops(builder.build(), model)


def merge(model: Model) -> Model:
    """The same dynamics with the links on fixed joints summed into the links they are fixed to; their names stay, as frames."""
    builder, frames = unbuilt(model), {}
    for link in list(builder._links.values()):
        host = builder._links.get(link.parent) if link.parent in builder._links else frames.get(link.parent)
        if isinstance(host, tuple):  # the parent has been merged itself
            host_name, at = host
            link = dataclasses.replace(link, parent=host_name, placement=at @ link.placement)
            host = builder._links[host_name]
        if not isinstance(link.joint, Fixed) or host is None:
            builder._links[link.name] = link
            continue
        phi = host.inertia.parameters + link.inertia.placed(link.placement).parameters
        builder._links[host.name] = dataclasses.replace(host, inertia=body_of(phi))
        frames[link.name] = (host.name, link.placement)
        del builder._links[link.name]
    for name, (link, pose) in list(builder._frames.items()):
        if link in frames:
            builder._frames[name] = (frames[link][0], frames[link][1] @ pose)
    builder._frames |= frames
    return with_loops(builder.build(), model)


def attach(model: Model, link: str, payload: Inertia, placement: Pose | None = None) -> Model:
    """The model with a payload on a link, at `placement` in the link; no new link, and nothing is compiled anew. `detach` takes it off."""
    return laden(model, link, payload, placement, 1)


def detach(model: Model, link: str, payload: Inertia, placement: Pose | None = None) -> Model:
    """The model without a payload that its link's inertia includes."""
    return laden(model, link, payload, placement, -1)


def laden(model: Model, link: str, payload: Inertia, placement: Pose | None, sign: int) -> Model:
    load = payload.placed(placement or Pose()).parameters
    phi = jnp.asarray(own_parameters(model)).at[model.topology.find("link", link)].add(sign * load)
    return with_inertial_parameters(model, phi)


def rename(model: Model, names: Mapping[str, str]) -> Model:
    """The model with other names for links, joints and frames; whatever has an old name gets the new one."""
    t = model.topology
    for old in names:
        if old not in {*t.links, *t.joints, *t.frames}:
            raise ValueError(f"Nothing is called `{old}`. Links: {', '.join(t.links)}. Joints: {', '.join(t.joints)}. Frames: {', '.join(t.frames)}.")
    renamed = {kind: tuple(names.get(name, name) for name in getattr(t, kind)) for kind in ("links", "joints", "frames")}
    for kind, values in renamed.items():
        twice = {name for name in values if values.count(name) > 1}
        if twice:
            raise ValueError(f"Two {kind} would be called `{twice.pop()}`. Give each its own name.")
    return dataclasses.replace(model, topology=dataclasses.replace(t, **renamed))


def subtree(model: Model, link: str, placement: Pose | None = None) -> Model:
    """The part of a model from this link outward, whose joint now stands at `placement` on the ground."""
    start = model.topology.find("link", link)
    keep = {start}
    for i, parent in enumerate(model.topology.link_parents):
        if parent in keep:
            keep.add(i)
    builder, names = unbuilt(model.tree()), {model.links[i] for i in keep}
    builder._links = {name: part for name, part in builder._links.items() if name in names}
    builder._links[link] = dataclasses.replace(builder._links[link], parent=None, placement=placement or Pose())
    builder._frames = {name: frame for name, frame in builder._frames.items() if frame[0] in names}
    inside = {part.joint_name for part in builder._links.values()}
    for joint, (sources, _) in builder._couplings.items():
        if joint in inside and not set(sources) <= inside:
            raise ValueError(f"Joint `{joint}` follows {', '.join(sources)}, of which not all are beyond `{link}`. Take `model.uncoupled()`.")
    builder._couplings = {joint: coupling for joint, coupling in builder._couplings.items() if joint in inside}
    return builder.build()


def join(model: Model, other: Model, link: str | None = None, placement: Pose | None = None, prefix: str = "") -> Model:
    """Two models as one: what stands on the other's ground now stands at `placement` in a link of the first, or on the ground. `prefix` goes before
    the other's names. Gravity is the first one's."""
    if link is not None:
        model.topology.find("link", link)
    builder, rest, at = unbuilt(model.tree()), unbuilt(other.tree()), placement or Pose()
    for part in rest._links.values():
        name = prefix + part.name
        if name in builder._links or name in builder._frames:
            raise ValueError(f"Both models have a `{name}`. Give a `prefix` for the second one's names.")
        root = part.parent is None
        builder._links[name] = dataclasses.replace(
            part,
            name=name,
            joint_name=prefix + part.joint_name,
            parent=link if root else prefix + (part.parent or ""),
            placement=at @ part.placement if root else part.placement,
        )
    builder._frames |= {prefix + name: (prefix + on, pose) for name, (on, pose) in rest._frames.items()}
    for joint, (sources, offset) in rest._couplings.items():
        builder._couplings[prefix + joint] = {prefix + source: ratio for source, ratio in sources.items()}, offset
    if model.topology.loops or other.topology.loops:
        raise ValueError("A model with loops cannot be joined yet. Take them out with `model.tree()`, join, and close them again in a `Builder`.")
    return with_loops(builder.build(), model)


def scale(model: Model, length: Numbers = 1.0, mass: Numbers = 1.0) -> Model:
    """A similar mechanism: all lengths times `length`, all masses times `mass`, so that moments of inertia go with mass length^2.

    Coordinates, limits, springs and friction stay what they are; nothing is compiled anew.
    """
    for name, value in (("length", length), ("mass", mass)):
        if not traced(value) and not (np.isfinite(value) and value > 0):
            raise ValueError(f"`{name}` is {value}. Scale by a finite number above 0.")
    longer = lambda place: None if place is None else place.at[..., 3].multiply(length)
    powers = jnp.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 2])
    screw = model.screw.at[:, 1].multiply(jnp.where(model.screw[:, 0] != 0, jnp.asarray(length), 1.0))  # a pitch is a length; a slider's unit is not
    places = {key: longer(getattr(model, key)) for key in ("placement", "mount", "frame", "loop")}
    return dataclasses.replace(model, screw=screw, inertia=model.inertia * mass * jnp.asarray(length, model.dtype) ** powers, **places)
