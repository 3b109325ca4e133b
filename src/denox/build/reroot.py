"""Floating mechanisms seen from another link."""

import dataclasses
from itertools import pairwise

import jax.numpy as jnp

from ..algebra import Mat, array, mat, vec
from ..inertia import Inertia
from ..joints import Ball, Fixed, Loose, Pair, Screw
from ..kinematics import kinematics
from ..model import Model
from ..pose import Pose, numbers
from ..rotations import conjugate, euler_parameters, rotation
from ..types import Coordinates, Speeds
from .surgery import Row, unbuilt, with_loops


def reroot(model: Model, link: str) -> Model:
    """The same floating mechanism with another link as the one that carries the free joint.

    The joints between the old and the new root are turned round: each keeps its name and its coordinates (axes point the other way; a row of pairs
    stands in reverse; a spherical joint has the inverse Euler parameters). A turned joint `elbow` carries a massless link `elbow.turned`, on
    which its old parent is fixed, so that every link keeps its name, its frame and its inertia. `dx.reroot_state` converts states.
    """
    t = model.topology
    start, builder = t.find("link", link), unbuilt(model.tree())
    way = [start]
    while t.link_parents[way[-1]] >= 0:
        way.append(t.link_parents[way[-1]])
    root = builder._links[t.links[way[-1]]]
    if [pair.kind for pair in root.joint.pairs()] != [Loose] or t.link_parents.count(-1) != 1:
        raise ValueError(f"Only a mechanism on a single free joint has no fixed root, but `{root.name}` stands on the ground. Give it `dx.Free()`.")
    if len(way) == 1:
        return model
    if model.topology.loops or model.topology.couplings:
        raise ValueError("A model with loops or couplings cannot be rerooted. Take `model.tree()` or `model.uncoupled()`, and build them anew.")
    old, links = builder._links, {}
    head = old[link]
    free = dict(joint=root.joint, joint_name=root.joint_name, numbers=root.numbers)
    links[link] = dataclasses.replace(head, parent=None, placement=root.placement, **free)
    for lower, upper in pairwise(way):
        child, parent = old[t.links[lower]], old[t.links[upper]]
        back = child.placement.inverse
        if child.joint.pairs():
            turned = Row(getattr(child.joint, "label", type(child.joint).__name__), tuple(map(reversed_pair, reversed(child.joint.pairs()))))
            stand = f"{child.joint_name}.turned"
            numbers_back = {key: value[::-1] for key, value in child.numbers.items()}
            turn = dict(joint=turned, placement=Pose(), inertia=Inertia(), numbers=numbers_back)
            links[stand] = dataclasses.replace(child, name=stand, parent=child.name, **turn)
            links[parent.name] = dataclasses.replace(parent, parent=stand, joint=Fixed(), joint_name=parent.name, placement=back, numbers={})
        else:
            links[parent.name] = dataclasses.replace(parent, parent=child.name, joint=Fixed(), joint_name=parent.name, placement=back, numbers={})
    turned_links = set(links)
    waiting = {name: part for name, part in old.items() if name not in turned_links}
    while waiting:  # what hangs on the way follows its parents
        ready = [name for name, part in waiting.items() if part.parent in links]
        for name in ready:
            links[name] = waiting.pop(name)
    builder._links = links
    return with_loops(builder.build(), model)


def reversed_pair(pair: Pair) -> Pair:
    """The same relative motion seen from the other side: a screw about the opposite axis."""
    if pair.kind is Loose:
        raise ValueError("A free joint on the way to the new root cannot be turned round. Lock it first.")
    return dataclasses.replace(pair, axis=-numbers(pair.axis)) if pair.kind is Screw else pair


def reroot_state(model: Model, rerooted: Model, q: Coordinates, v: Speeds) -> tuple[Coordinates, Speeds]:
    """The state of `dx.reroot(model, link)` that is the state q, v of the model: the same poses and twists of all links."""
    t = rerooted.topology
    new_root, q, v = t.links[t.link_parents.index(-1)], jnp.asarray(q), jnp.asarray(v)
    here = kinematics(model, q, v).at(new_root)
    at = mat(rerooted.placement[0, :, :3]), vec(rerooted.placement[0, :, 3])
    place_R = mat(here.rotation)
    e = euler_parameters(Mat(*(at[0].tdot(column) for column in (place_R.x, place_R.y, place_R.z))))
    p = array(at[0].tdot(vec(here.position) - at[1]))
    w, u = (array(place_R.tdot(vec(x))) for x in (here.twist[:3], here.twist[3:]))
    turned = {name.removesuffix(".turned") for name in set(t.links) - set(model.links)}
    qs, vs = [jnp.stack(e), p], [w, u]
    for name, bodies in zip(t.joints[1:], t.joint_bodies[1:], strict=True):
        own_q, own_v = q[model.q_index(name)], v[model.v_index(name)]
        if name not in turned:
            qs, vs = [*qs, own_q], [*vs, own_v]
            continue
        for body in bodies:  # the pairs in reverse, each seen from its other side
            if t.kinds[body] is Ball:
                e, own_q, w, own_v = own_q[-4:], own_q[:-4], own_v[-3:], own_v[:-3]
                qs.append(jnp.stack(conjugate(list(e))))
                vs.append(-array(rotation(list(e)) @ vec(w)))
            else:
                qs, vs, own_q, own_v = [*qs, own_q[-1:]], [*vs, own_v[-1:]], own_q[:-1], own_v[:-1]
    return jnp.concatenate(qs), jnp.concatenate(vs)
