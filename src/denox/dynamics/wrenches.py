"""What passes through the joints."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from ..algebra import Force, Motion, array, force, inertia, vec, zero
from ..kinematics import base, motions
from ..model import Model, admit, own_parameters
from ..public import public
from ..sweeps import inward
from ..topology import plan, take
from ..types import Coordinates, Speeds, Wrenches
from .bodies import newton_euler


@public
def joint_wrenches(model: Model, q: Coordinates, v: Speeds, a: Speeds, wrenches: Wrenches | None = None) -> Float[Array, "links 6"]:
    """The wrench that each link's parent exerts on it through their joint, fixed ones too: moment first, in inertial axes about the link's origin.

    Its projection on the joint's columns is the joint's force, armature and passive elements aside; the rest is what bearings carry. The sum goes
    inward over links, not bodies.

    Eq. [003, 22]
    """
    model, q, v, a, wrenches = admit(model, q=q, v=v, a=a, wrenches=wrenches)
    links = motions(model, q, v, a)
    felt = Motion(links.rate.angular, links.rate.linear - vec(jnp.broadcast_to(model.gravity, (len(model.links), 3))))
    own = newton_euler(inertia(own_parameters(model)).turned(links.pose.rotation), links.twist, felt)
    own = own if wrenches is None else own - force(wrenches)
    visits = plan(model.topology.link_parents)
    above = np.maximum(model.topology.link_parents, 0)  # what a link on the ground hands on, no one takes
    offset = jax.tree.map(lambda x: x - x[above], links.pose.position)

    def step(hanging, link):
        offset, own = link
        w = hanging + own
        return w.shifted(offset), w

    xs = jax.tree.map(lambda x: take(x, visits.order), (offset, own))
    return take(array(inward(visits, step, zero(Force, q), xs)), np.argsort(visits.order))


@public
def base_wrench(model: Model, q: Coordinates, v: Speeds, a: Speeds, wrenches: Wrenches | None = None) -> Float[Array, "6"]:
    """What holds the base, or drives it if it is made to move (`dx.on_base`): moment first, in inertial axes about the base's origin.

    The sum of the wrenches on the links that stand on it.
    """
    tree = model.topology.link_parents
    through = joint_wrenches(model, q, v, a, wrenches)
    model, q, *_ = admit(model, q=q)
    roots = np.array([i for i, parent in enumerate(tree) if parent < 0])
    origin = base(model, q).pose.position
    arms = jax.tree.map(lambda x, o: x[roots] - o, motions(model, q).pose.position, origin)
    return array(force(through[roots]).shifted(arms)).sum(0)
