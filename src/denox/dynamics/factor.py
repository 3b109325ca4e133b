"""The inertia matrix as U D U^T, by eliminating one column at a time from the tips to the ground, and solves with it in O(n)."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from ..algebra import Articulated, Force, Motion, Scalar, pytree, stage, zero
from ..couplings import refuse_couplings
from ..model import Model, admit
from ..nodes import of_speeds, visiting
from ..public import public
from ..sweeps import inward, outward
from ..topology import Plan
from ..types import Coordinates, Number, Speeds
from .bodies import Body, bodies, resisted


@pytree
class Gain:
    """Of one elimination: the pivot m^ = p^T M^ p, an entry of D, and psi = M^ p / m^, what the node adds to U."""

    pivot: Scalar
    psi: Force


def eliminate(M: Articulated, body: Body, armature: Scalar | None) -> tuple[Articulated, Gain]:
    """Of the articulated inertia M^ at a node: the gain, and what the parent feels of it, A^T (M^ - psi^ psi^T) A.

    psi^ = M^ p,      m^ = p^T psi^,      psi = psi^ / m^.

    Eq. [000, 19c]
    Eq. [000, 19d]
    Differs from the paper in: 19c is printed with a factor A^T that does not belong there; a joint may own several columns, eliminated one at a
    time; armature adds to the pivot.
    """
    M = M.plus(body.inertia)
    psi_hat = stage(M @ body.column)
    pivot = resisted(body.column.dot(psi_hat), armature)
    psi = stage(psi_hat * (1 / pivot))
    return M.reduced(psi_hat, psi).shifted(body.offset), Gain(pivot, psi)


def reduce(eta: Force, body: Body, gain: Gain, phi: Scalar) -> tuple[Force, Scalar]:
    """phi^ = phi - p^T eta,      eta_parent = A^T (eta + psi phi^),      phi~ = phi^ / m^.

    Eq. [000, 19a]
    Eq. [000, 19b]
    Eq. [000, 20]
    """
    phi_hat = stage(phi - body.column.dot(eta))
    return (eta + gain.psi * phi_hat).shifted(body.offset), phi_hat / gain.pivot


def accelerate(parent: Motion, x) -> tuple[Motion, Scalar]:
    """dv/dt = phi~ - psi^T mu,      mu = A mu_parent, to which the node adds p dv/dt.

    Eq. [000, 21a]
    Eq. [000, 21b]
    Differs from the paper in: 21a is printed with psi^ for psi.
    """
    body, gain, phi = x
    mu = parent.shifted(body.offset)
    a = stage(phi - mu.dot(gain.psi))
    return mu + body.column * a, a


class UDU(eqx.Module):
    """The inertia matrix of a tree at a configuration, I = U D U^T with U unit upper triangular in the order of visiting.

    Holds the gains of the elimination, not matrices: `solve` takes O(n).
    """

    model: Model
    bodies: Body
    gains: Gain

    @property
    def D(self) -> Float[Array, "nv"]:
        """The pivots: the inertia that each speed feels with all speeds beyond it free."""
        return of_speeds(self.model, self.gains.pivot)

    def solve(self, b: Speeds) -> Speeds:
        """x of I x = b, by one inward and one outward sweep.      Eq. [000, 18]"""
        return solve(self, b)

    def logdet(self) -> Number:
        """The logarithm of the determinant of I: the sum over the pivots' logarithms."""
        return jnp.log(self.gains.pivot).sum()


@public
def solve(udu: UDU, b: Speeds) -> Speeds:
    """x of I x = b."""
    model, b = admit(udu.model, b=b)
    return of_speeds(model, resolved(model.topology.plan, udu.bodies, udu.gains, visiting(model, b)))


def resolved(plan: Plan, bodies: Body, gains: Gain, b):
    """The same over nodes, in visiting order."""

    def step(eta, x):
        body, gain, phi = x
        return reduce(eta, body, gain, phi)

    phi = inward(plan, step, zero(Force, b), (bodies, gains, b))
    return outward(plan, accelerate, zero(Motion, b), (bodies, gains, phi))


@public
def factor(model: Model, q: Coordinates) -> UDU:
    """U D U^T of the inertia matrix, armature included, in O(n).      Eq. [000, 18]"""
    refuse_couplings(model, "factor", "Factor the tree, `dx.factor(model.uncoupled(), ...)`, or the dense `dx.inertia_matrix(model, q)`.")
    model, q = admit(model, q=q)
    here = bodies(model, q, gravity=False)

    def step(M, x):
        body, armature = x
        return eliminate(M, body, armature)

    gains = inward(model.topology.plan, step, zero(Articulated, q), (here, visiting(model, model.armature)))
    return UDU(model, here, gains)
