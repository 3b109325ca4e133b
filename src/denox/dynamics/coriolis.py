"""The matrix of convective inertia terms."""

import jax
import numpy as np

from ..algebra import Force, Linear, Mat, Motion, Rigid, Vec, cross, pytree, zero
from ..couplings import collected_square
from ..kinematics import at_rest, ground, move
from ..model import Model, admit
from ..nodes import nodes
from ..public import public
from ..sweeps import inward, outward
from ..types import Coordinates, Speeds, Square
from .composite import over_pairs


@pytree
class Flow:
    """Of a node in motion, in inertial axes: origin and its velocity, offset a from the parent's, column p, inertia, angular velocity."""

    origin: Vec
    velocity: Vec
    offset: Vec
    column: Motion
    inertia: Rigid
    angular: Vec


@pytree
class Convected(Linear):
    """Of what hangs on a node: composite inertia M~, and the composite H = sum of A^T (M dA/dt + B A) = [[P, 0], [-u~, 0]]."""

    inertia: Rigid
    P: Mat
    u: Vec


def convect(beyond: Convected, x) -> tuple[Convected, tuple]:
    """Adds a node to what hangs on it, and hands both on to the parent, whose origin lies back by a and moves away at da/dt:

    H_parent = sum of A^T (H A + M~ dA/dt) + B,      B = [[w~ I, 0], [-(w x h)~, 0]].

    B t = W M E t, and B + B^T is the rate of M, which makes dI/dt - 2 C skew.

    Eq. [001, 27]
    Eq. [001, 28]
    Differs from the papers in: their W M E lacks m d~ w~ in its lower left block, which does not change C v but is what makes it skew.
    """
    node, column_rate, offset_rate = x
    M, p, w = node.inertia, node.column, node.angular
    S = beyond + Convected(M, cross(w, M.about.full), w.cross(M.moment))
    F = S.inertia @ column_rate + Force(S.P @ p.angular, p.angular.cross(S.u))
    G = S.inertia @ p
    L = S.P.tdot(p.angular) + S.u.cross(p.linear)
    m, h = S.inertia.mass, S.inertia.moment
    u = S.u + offset_rate * m
    P = S.P - h.tilde @ offset_rate.tilde - cross(node.offset, u.tilde)
    return Convected(S.inertia.shifted(node.offset), P, u), (F, G, L)


@public
def coriolis_matrix(model: Model, q: Coordinates, v: Speeds) -> Square:
    r"""C of the convective forces C v, gravity not among them, in O(n^2), with $\dot I - 2C$ skew.

    $$C = N^T (M \dot N + B N)$$

    For a pair of speeds j, k on one way to the ground, with the composite body of the farther one:
    $C_{jk} = p_j^T A^T (\tilde M \dot p_k + H p_k)$ if k is farther, $(\tilde M p_j)^T (A p_k)^\cdot + (H^T p_j)^T A p_k$ if j is.

    A base that is made to move adds forces of its own, which are in `dx.bias_forces` and not here.

    Eq. [000, 16b]
    Eq. [001, 25]
    Eq. [001, 26]
    Eq. [001, 29]
    """
    tree, q, v = admit(at_rest(model), q=q, v=v)
    topology = tree.topology

    def step(parent, node):
        here, a = move(parent, node)
        R, t = here.pose.rotation, here.twist
        p = Motion(R.z * node.turn, R.z * node.slide)
        return here, Flow(here.pose.position, t.linear, a, p, node.inertia.turned(R), t.angular)

    flows = outward(topology.plan, step, ground(tree, q, gravity=False), nodes(tree, q, v))
    # All columns of a pair turn, and its origin moves, with the body: the velocities of its last node.
    body_of_node = np.repeat(np.arange(len(topology.parents)), np.diff(topology.speeds))[list(topology.plan.order)]
    last = topology.carriers[body_of_node]
    w, V = jax.tree.map(lambda x: x[last], (flows.angular, flows.velocity))
    parents = np.array(topology.parents, int)[body_of_node]
    leads = np.isin(np.array(topology.plan.order), topology.speeds[:-1])  # the offset from the parent is that of a pair's first node
    above = np.where(parents >= 0, topology.carriers[parents], 0)
    moves = np.where(parents >= 0, 1.0, 0.0)
    zeroed = np.where(leads, 1.0, 0.0)
    offset_rate = jax.tree.map(lambda own, x: (own - x[above] * moves) * zeroed, V, flows.velocity)
    p = flows.column
    column_rate = Motion(w.cross(p.angular), w.cross(p.linear))
    start = Convected(zero(Rigid, q), zero(Mat, q), zero(Vec, q))
    F, G, L = inward(topology.plan, convect, start, (flows, column_rate, offset_rate))

    def entry(i, j):
        """Of the farther speed i and of j: C_ij and C_ji."""
        (O_i, V_i, F, G, L), (O_j, V_j, p, p_rate) = i, j
        r, r_rate = O_i - O_j, V_i - V_j
        moved = p.shifted(r)
        rate = p_rate.shifted(r) + Motion(p.angular * 0, p.angular.cross(r_rate))
        return rate.dot(G) + moved.angular.dot(L), p.dot(F.shifted(r))

    return collected_square(model, over_pairs(tree, entry, (flows.origin, V, F, G, L), (flows.origin, V, p, column_rate)))
