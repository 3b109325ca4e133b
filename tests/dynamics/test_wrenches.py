"""Joint wrenches against Pinocchio, and their projections."""

import jax
import numpy as np
import pinocchio as pin
from helpers import close, random_motion
from oracles.pinocchio import Twin

import denox as dx


def test_agrees_with_pinocchio(model, getkey):
    q, v, a, _ = random_motion(model, getkey())
    twin, w = Twin(model), dx.joint_wrenches(model, q, v, a)
    pin.forwardKinematics(twin.model, twin.data, twin.q(q))
    pin.rnea(twin.model, twin.data, twin.q(q), twin.v(v), twin.v(a))
    for i, body in enumerate(model.topology.link_bodies):
        if body >= 0 and model.topology.link_bodies.index(body) == i:  # the link whose joint moves the body
            j = twin.joints[body]
            R, f = twin.data.oMi[j].rotation, twin.data.f[j]
            assert close(w[i], np.r_[R @ f.angular, R @ f.linear], 1e-11)


def test_their_projections_are_the_joint_forces(model, getkey):
    """Of the rigid tree, with external wrenches, for joints whose columns the Jacobian shows: J of the link less J of its parent."""
    model = dx.rigid(model)
    q, v, a, _ = random_motion(model, getkey())
    external = jax.random.normal(getkey(), (len(model.links), 6))
    w, tau = dx.joint_wrenches(model, q, v, a, external), dx.inverse_dynamics(model, q, v, a, external)
    for joint, bodies in zip(model.joints, model.topology.joint_bodies, strict=True):
        link = model.topology.link_bodies.index(bodies[-1])
        at = model.v_index(joint)
        J = dx.jacobian(model, q, model.links[link])[:, at]
        assert close(J.T @ w[link], tau[at], 1e-10, floor=1e-2)


def test_the_ground_carries_the_weight_and_what_accelerates_it(model, getkey):
    """The sum of all wrenches from the ground is the rate of momentum less gravity's part."""
    q, v, a, _ = random_motion(model, getkey())
    w = np.asarray(dx.joint_wrenches(model, q, v, a))
    roots = [i for i, parent in enumerate(model.topology.link_parents) if parent < 0]
    fixed = [i for i, body in enumerate(model.topology.link_bodies) if body < 0]
    mass = np.asarray(dx.inertial_parameters(model))[:, 0]
    rate = jax.jvp(lambda q, v: dx.momentum(model, q, v), (q, v), (dx.coordinate_rates(model, q, v), a))[1][3:]
    moving, resting = mass.sum() - mass[fixed].sum(), mass[fixed].sum()
    assert close(w[roots, 3:].sum(0), rate - (moving + resting) * np.asarray(model.gravity), 1e-11)
