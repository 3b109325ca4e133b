"""A mechanism: static topology, and numbers of which every one can be batched and differentiated."""

import dataclasses
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
import numpy as np

from .couplings import spread_coordinates, spread_forces, spread_speeds
from .inertia import moved
from .joints import Screw
from .public import public
from .topology import Topology
from .types import Leaf, Parameters

PER_SPEED = ("armature", "damping", "friction", "static_friction", "stribeck_speed", "stiffness", "limit_stiffness", "limit_damping", "effort")


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Model:
    """A mechanism. A pytree of few flat arrays: each array of an argument costs time to hand over.

    A body has the axes in which the sweeps work: its origin is its link's, its z axis is that of the screw that moves it. A link's own frame
    stands in its body by `mount`, which is a rotation alone but for links on fixed joints. What a model does not have (damping, say) is None:
    it costs nothing, and `0.0` is not the same.

    Read with `model.links`, `model.q_index("elbow")`, `dx.inertial_parameters(model)`; change with `dataclasses.replace` or `eqx.tree_at`.
    """

    topology: Topology = field(metadata=dict(static=True))
    placement: Leaf  # (bodies, 3, 4): at zero coordinates, in the parent body: rotation and position side by side
    screw: Leaf  # (screws, 2): of the bodies on screws: turn and slide per unit of the coordinate
    inertia: Leaf  # (links, 10): of each link, about its body's origin, in its body's axes
    mount: Leaf  # (links, 3, 4): of each link's frame, in its body
    gravity: Leaf  # (3,): m/s^2, inertial axes
    frame: Leaf = None  # (frames, 3, 4): of the named frames, in their links
    armature: Leaf = None  # (nv,): rotor inertia times gear ratio squared, adds to the inertia matrix
    damping: Leaf = None  # (nv,): force per speed
    friction: Leaf = None  # (nv,): Coulomb friction force
    static_friction: Leaf = None  # (nv,): friction force of the first slip, if larger than what stays (Stribeck)
    stribeck_speed: Leaf = None  # (nv,): speed at which it has come down
    stiffness: Leaf = None  # (nv,): spring force per displacement from rest
    rest: Leaf = None  # (nq,): coordinates at which the springs are slack
    limits: Leaf = None  # (nq, 2): lower and upper bound of each coordinate
    limit_stiffness: Leaf = None  # (nv,): force per overrun of a limit; without it limits exert none
    limit_damping: Leaf = None  # (nv,): force per speed beyond a limit
    effort: Leaf = None  # (nv,): largest force
    ratio: Leaf = None  # (terms,): of each coupling, how far its joint goes per unit of each source, couplings one after the other
    offset: Leaf = None  # (couplings,): the coordinate of each coupled joint where its sources are at zero
    base: Leaf = None  # (3, 4): where the ground of the mechanism stands in the inertial frame, if not there
    base_motion: Leaf = None  # (2, 6): its twist and twist rate about its origin, in inertial axes, if it moves
    loop: Leaf = None  # (loops, 2, 3, 4): where the joints that close loops stand, in link a and in link b
    loop_screw: Leaf = None  # (loop pairs, 5): axis, turn and slide of each of their pairs

    @property
    def nq(self) -> int:
        """How many coordinates: those of the joints, less the coupled ones."""
        return self.topology.nq - len(self.topology.couplings)

    @property
    def nv(self) -> int:
        """How many speeds: those of the joints, less the coupled ones."""
        return self.topology.nv - len(self.topology.couplings)

    @property
    def links(self) -> tuple[str, ...]:
        """Names of the links, in the order of building."""
        return self.topology.links

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints that move and have coordinates of their own: coupled ones follow others."""
        coupled = {coupling.joint for coupling in self.topology.couplings}
        return tuple(name for k, name in enumerate(self.topology.joints) if k not in coupled)

    @property
    def dtype(self) -> np.dtype:
        return self.inertia.dtype

    def q_index(self, joint: str) -> slice:
        """Where the joint's coordinates stand in q."""
        return self._span(joint, self.topology.coordinates)

    def v_index(self, joint: str) -> slice:
        """Where the joint's speeds stand in v."""
        return self._span(joint, self.topology.speeds)

    def _span(self, joint, starts):
        t, number = self.topology, self.topology.find("joint", joint)
        for coupling in t.couplings:
            if coupling.joint == number:
                followed = ", ".join(f"`{t.joints[k]}`" for k in coupling.sources)
                raise ValueError(f"Joint `{joint}` has no coordinate of its own: it follows {followed}. `model.uncoupled()` gives it one.")
        bodies = t.joint_bodies[number]
        first, last = (int(np.searchsorted(t.kept(starts), starts[k])) for k in (bodies[0], bodies[-1] + 1))
        return slice(first, last)

    def uncoupled(self) -> "Model":
        """The model whose coupled joints move by themselves, with coordinates of their own."""
        return dataclasses.replace(self, topology=dataclasses.replace(self.topology, couplings=()), ratio=None, offset=None)

    def tree(self) -> "Model":
        """The tree that remains when the joints that close loops are taken out."""
        return dataclasses.replace(self, topology=dataclasses.replace(self.topology, loops=()), loop=None, loop_screw=None)

    def astype(self, dtype) -> "Model":
        """The same model in another number type."""
        return jax.tree.map(lambda x: x.astype(dtype), self)

    def summary(self) -> str:
        """The tree drawn in text: of each link its joint, where its coordinates and speeds stand, and its mass."""
        t, known = self.topology, not isinstance(self.inertia, jax.core.Tracer) and self.inertia.ndim == 2
        moved_by = {t.link_bodies.index(bodies[-1]): k for k, bodies in enumerate(t.joint_bodies)}
        children: dict[int, list[int]] = {i: [] for i in range(-1, len(t.links))}
        for i, parent in enumerate(t.link_parents):
            children[parent].append(i)
        rows, stack = [], [(i, "") for i in reversed(children[-1])]
        while stack:
            link, stem = stack.pop()
            last = link == children[t.link_parents[link]][-1]
            joint, span = "Fixed", ""
            if link in moved_by:
                name = t.joints[moved_by[link]]
                joint = t.joint_types[moved_by[link]] + (f" `{name}`" if name != t.links[link] else "")
                span = self._place_in_state(name)
            mass = f"{float(self.inertia[link, 0]):.4g} kg" if known else ""
            rows.append((stem + ("└─ " if last else "├─ ") + t.links[link], joint, span, mass))
            stack += [(i, stem + ("   " if last else "│  ")) for i in reversed(children[link])]
        widths = [max(len(row[c]) for row in rows) for c in range(4)]
        lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
        frames = [f"frame `{name}` on `{t.links[link]}`" for name, link in zip(t.frames, t.frame_links, strict=True)]
        name = lambda link: f"`{t.links[link]}`" if link >= 0 else "the ground"
        loops = [f"loop `{loop.name}`: {loop.joint.__name__} between {name(loop.link_a)} and {name(loop.link_b)}" for loop in t.loops]
        return "\n".join([repr(self), "ground", *lines, *frames, *loops])

    def _place_in_state(self, joint: str) -> str:
        t = self.topology
        for coupling in t.couplings:
            if t.joints[coupling.joint] == joint:
                return "follows " + ", ".join(f"`{t.joints[k]}`" for k in coupling.sources)
        q, v = self.q_index(joint), self.v_index(joint)
        return f"q[{q.start}:{q.stop}] v[{v.start}:{v.stop}]"

    def __repr__(self) -> str:
        t = self.topology
        loops = f", {len(t.loops)} loops" if t.loops else ""
        couplings = f", {len(t.couplings)} couplings" if t.couplings else ""
        return f"Model({len(t.links)} links, {len(t.joints)} joints{couplings}{loops}, nq={self.nq}, nv={self.nv})"


def rigid(model: Model) -> Model:
    """The model without damping, friction, springs, stops and armature: what Pinocchio's `rnea` sees."""
    return dataclasses.replace(model, **{key: None for key in (*PER_SPEED, "rest") if key != "effort"})


@public
def inertial_parameters(model: Model) -> Parameters:
    """Of each link the ten numbers `m, mx, my, mz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz` about its own origin, in its own axes (links, 10)."""
    return own_parameters(model)


def own_parameters(model: Model):
    R = model.mount[..., :3].swapaxes(-1, -2)
    return moved(model.inertia, R, -(R @ model.mount[..., 3:])[..., 0])


@public
def with_inertial_parameters(model: Model, phi: Parameters) -> Model:
    """The model with these ten numbers per link, (links, 10). Never refuses: fits pass through odd places; `dx.check` does."""
    if jnp.shape(phi) != model.inertia.shape:
        raise ValueError(f"`phi` has shape {jnp.shape(phi)}, but {len(model.links)} links have {model.inertia.shape}: ten numbers per link.")
    phi = jnp.asarray(phi).astype(jnp.result_type(phi, model.inertia))
    return dataclasses.replace(model, inertia=moved(phi, model.mount[..., :3], model.mount[..., 3]))


def shapes(topology: Topology) -> dict[str, tuple[int, ...]]:
    """Of a model's arrays."""
    links, bodies, screws = len(topology.links), len(topology.parents), topology.kinds.count(Screw)
    nv, nq, frames, loops = topology.nv, topology.nq, len(topology.frames), len(topology.loops)
    per_speed = dict.fromkeys(PER_SPEED, (nv,))
    pairs = sum(len(loop.pairs) for loop in topology.loops)
    return per_speed | {
        "placement": (bodies, 3, 4),
        "screw": (screws, 2),
        "inertia": (links, 10),
        "mount": (links, 3, 4),
        "gravity": (3,),
        "frame": (frames, 3, 4),
        "rest": (nq,),
        "limits": (nq, 2),
        "ratio": (sum(len(coupling.sources) for coupling in topology.couplings),),
        "offset": (len(topology.couplings),),
        "base": (3, 4),
        "base_motion": (2, 6),
        "loop": (loops, 2, 3, 4),
        "loop_screw": (pairs, 5),
    }


def check_shapes(model: Model) -> None:
    """Refuses arrays that do not fit the topology: an index beyond an array's end would be a silent mistake."""
    for name, shape in shapes(model.topology).items():
        x = getattr(model, name)
        if x is not None and jnp.shape(x) != shape:
            raise ValueError(f"`model.{name}` has shape {jnp.shape(x)}, but this model ({model!r}) needs {shape}.")


def admit(model: Model, **states) -> tuple:
    """The tree and its states in one number type, their shapes checked: the door of every public function.

    States of a model with couplings are spread over the tree's coordinates and speeds, and the model that comes back is that tree.
    """
    check_shapes(model)
    states = {name: None if x is None else jnp.asarray(x) for name, x in states.items()}
    dtype = jax.dtypes.canonicalize_dtype(jnp.result_type(*jax.tree.leaves(model), *(x for x in states.values() if x is not None)))
    model = jax.tree.map(lambda x: x if x.dtype == dtype else x.astype(dtype), model)
    sizes = {"q": model.nq, "q0": model.nq, "q1": model.nq, "wrenches": (len(model.links), 6)}
    out = []
    for name, x in states.items():
        shape = sizes.get(name, model.nv)
        shape = shape if isinstance(shape, tuple) else (shape,)
        if x is not None and jnp.shape(x) != shape:
            cure = " Map over states with `jax.vmap` or `dx.batched`." if jnp.ndim(x) > len(shape) else ""
            raise ValueError(f"`{name}` has shape {jnp.shape(x)}, but this model (nq={model.nq}, nv={model.nv}) needs {shape}.{cure}")
        out.append(None if x is None else x.astype(dtype))
    if not model.topology.couplings:
        return model, *out
    ways = {"q": spread_coordinates, "q0": spread_coordinates, "q1": spread_coordinates, "tau": spread_forces, "b": spread_forces}
    spread = lambda name, x: x if x is None or name == "wrenches" else ways.get(name, spread_speeds)(model, x)
    return model.uncoupled(), *(spread(name, x) for name, x in zip(states, out, strict=True))


def refuse_loops(model: Model, function: str) -> None:
    """Loops are never ignored in silence."""
    if model.topology.loops:
        names = ", ".join(f"`{loop.name}`" for loop in model.topology.loops)
        raise ValueError(
            f"`dx.{function}` is for trees, but this model closes loops by {names}. "
            f"`model.tree()` cuts them open; `dx.closure.{function}` is to come."
        )
