"""The door of the sweeps: a model's arrays and a state become scalars over nodes, whatever the joints are, in visiting order.

Every node is a screw about the z axis of its own frame. A pair that states its pose (ball, free) is a row of screws that do not turn by a
coordinate of theirs but have speeds: their z axes are the x, y, z axes of the body in turn, each frame the one before with its axes renamed.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from .algebra import Frame, Mat, Rigid, Scalar, Vec, identity, inertia, place, pytree, unit
from .joints import Screw
from .model import Model
from .topology import take


@pytree
class Node:
    """What a sweep needs to know of one speed."""

    placement: Frame  # at q = 0, in the node before
    turn: Scalar
    slide: Scalar
    q: Scalar
    v: Scalar
    a: Scalar  # along the node's own axis: the bias of its pair, and the acceleration of the speed where that is given
    inertia: Rigid  # of the body, at its last node; zero at those before


def components(x: Float[Array, "n"], at: np.ndarray) -> list[Float[Array, "bodies"]]:
    """The k-th coordinate, or speed, of every pair of a kind, for each k."""
    return [take(x, column) for column in at.T]


def body_inertias(model: Model) -> Float[Array, "bodies 10"]:
    """The ten numbers of each body: the sum over its links."""
    table = model.topology.body_links
    if table.shape[0] == 1 and len(model.inertia) == table.shape[1]:
        return take(model.inertia, table[0])
    rows = jnp.concatenate([model.inertia, jnp.zeros((1, 10), model.dtype)])
    total = rows[table[0]]
    for row in table[1:]:
        total = total + rows[row]
    return total


def cycled(first: Frame, count: int) -> list[Frame]:
    """Placements of the nodes of a pair that states its pose: z along the body's x, y, z in turn."""
    R, e = first.rotation, unit(first.position.x)
    o = jnp.zeros_like(first.position.x)
    renamed = Frame(Mat(e.y, e.z, e.x), Vec(o, o, o))
    return [Frame(Mat(R.y, R.z, R.x), first.position)] + [renamed] * (count - 1)


def nodes(model: Model, q, v=None, a=None) -> Node:
    """The nodes of a model in a state, in visiting order; at rest if `v` is left out, with no acceleration of the speeds if `a` is."""
    topology = model.topology
    v = jnp.zeros(model.nv, q.dtype) if v is None else v
    placements, bodies = place(model.placement), inertia(body_inertias(model))
    parts, places = [], []
    for kind, (group, at_q, at_v) in topology.groups.items():
        placement, body = jax.tree.map(lambda x, group=group: take(x, group), (placements, bodies))
        qs, vs = components(q, at_q), components(v, at_v)
        fill = lambda number, like=body.mass: jnp.full_like(like, number)
        if kind is Screw:
            frames, angles, screws = [placement], qs, [(model.screw[:, 0], model.screw[:, 1])]
        else:
            frames = cycled(identity(body.mass) if topology.floats else placement @ kind.pose(qs), kind.speeds)
            angles, screws = [fill(0)] * kind.speeds, [(fill(turn), fill(slide)) for turn, slide in kind.columns]
        biases = kind.biases(vs)
        for k, at in enumerate(at_v.T):
            mass = body if k + 1 == kind.speeds else jax.tree.map(jnp.zeros_like, body)
            rate = biases[k] if a is None else biases[k] + take(a, at)
            parts.append(Node(frames[k], *screws[k], angles[k], vs[k], rate, mass))
            places.append(at)
    order = np.argsort(np.concatenate(places))[list(topology.plan.order)]
    return jax.tree.map(lambda *x: take(jnp.concatenate(x), order), *parts)


def base_frame(model: Model, q) -> Frame:
    """The frame from which the sweeps begin: the ground, or a floating body's pose."""
    topology = model.topology
    if not topology.floats:
        return identity(jnp.zeros((), q.dtype))
    kind = topology.kinds[0]
    return place(model.placement[0]) @ kind.pose([q[k] for k in range(kind.coordinates)])


# Between the order of building and the order of visiting


def visiting(model: Model, x):
    """Numbers over speeds, in visiting order."""
    return None if x is None else take(x, model.topology.plan.order)


def of_speeds(model: Model, y):
    """Numbers over nodes back in the order of the speeds."""
    return take(y, model.topology.rank)


def of_links(model: Model, ys, ground):
    """Values over nodes -> values of each link's body; `ground` for links fixed there."""
    topology = model.topology
    ys = jax.tree.map(lambda y: take(y, topology.carriers), ys)
    if -1 in topology.link_bodies:
        ys = jax.tree.map(lambda y, g: jnp.concatenate([y, jnp.broadcast_to(g, y.shape[1:])[None]]), ys, ground)
    index = np.array(topology.link_bodies, int) % (len(topology.parents) + 1)
    return jax.tree.map(lambda y: take(y, index), ys)
