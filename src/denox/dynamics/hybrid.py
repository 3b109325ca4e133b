"""Hybrid dynamics: of each joint either the force is given or the acceleration."""

import jax.numpy as jnp
import numpy as np

from ..algebra import Articulated, Force, Motion, zero
from ..couplings import refuse_couplings
from ..kinematics import applied
from ..loads import resisting
from ..model import Model, admit, refuse_loops
from ..nodes import of_speeds, visiting
from ..public import public
from ..sweeps import inward, outward
from ..types import Coordinates, Speeds, Wrenches
from .bodies import bodies, resisted
from .factor import Gain, accelerate
from .forward import Hanging
from .inverse import forces


@public(static=("driven",))
def hybrid_dynamics(
    model: Model,
    q: Coordinates,
    v: Speeds,
    tau: Speeds,
    a: Speeds,
    driven: tuple[str, ...],
    wrenches: Wrenches | None = None,
) -> tuple[Speeds, Speeds]:
    """All accelerations and all forces, where the joints named in `driven` follow the accelerations in `a` and the others feel the forces in `tau`.

    A driven speed is not eliminated: the parent feels the whole inertia beyond it, and the wrench that its acceleration needs. The entries of
    `tau` at driven joints and of `a` at the others are not looked at.

    **Returns:** accelerations and forces of all speeds, in O(n).
    """
    refuse_loops(model, "hybrid_dynamics")
    refuse_couplings(model, "hybrid_dynamics", "Drive all of them, or close them as loops.")
    model, q, v, tau, a, wrenches = admit(model, q=q, v=v, tau=tau, a=a, wrenches=wrenches)
    given = np.zeros(model.nv, bool)
    for joint in driven:
        given[model.v_index(joint)] = True

    def step(outer, x):
        body, tau, a, given, armature, external = x
        M, p = outer.inertia.plus(body.inertia), body.column
        w = outer.wrench + body.wrench
        w = w if external is None else w - external
        psi_hat = M @ p
        pivot = jnp.where(given, 1, resisted(p.dot(psi_hat), armature))
        psi = psi_hat * jnp.where(given, 0, 1 / pivot)
        phi = jnp.where(given, a, (tau - p.dot(w)) / pivot)
        return Hanging(M.reduced(psi_hat, psi), w + psi_hat * phi).shifted(body.offset), (Gain(pivot, psi), phi)

    plan, here = model.topology.plan, bodies(model, q, v)
    passive = resisting(model, q, v)
    known = visiting(model, tau - passive), visiting(model, a), visiting(model, given), visiting(model, model.armature)
    gains, phi = inward(plan, step, Hanging(zero(Articulated, q), zero(Force, q)), (here, *known, applied(model, q, wrenches)))
    a = of_speeds(model, outward(plan, accelerate, zero(Motion, q), (here, gains, phi)))
    return a, jnp.where(given, forces(model, q, v, a, wrenches) + passive, tau)
