"""Any denox tree as a Pinocchio model, and states between the two orders.

Pinocchio numbers joints in the order they are added, and some of its algorithms (`crba`, derivatives) are right only if that is depth first,
so bodies are added depth first here whatever their order in denox.
"""

import numpy as np
import pinocchio as pin

from denox.joints import Ball, Loose, Screw

WORLD = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


class Twin:
    """`twin.model`, `twin.data`; `twin.q(q)` and `twin.v(v)` give Pinocchio's order, `twin.back(x)` denox's. Arrays (..., n)."""

    def __init__(self, model):
        topology = model.topology
        place, screws = np.asarray(model.placement, float), iter(np.asarray(model.screw, float))
        turns = {i: next(screws) for i, kind in enumerate(topology.kinds) if kind is Screw}
        masses = np.zeros((len(topology.parents), 10))
        for body, phi in zip(topology.link_bodies, np.asarray(model.inertia, float), strict=True):
            if body >= 0:
                masses[body] += phi
        pm = pin.Model()
        pm.gravity.linear = np.asarray(model.gravity, float)
        self.joints, self.topology = {-1: 0}, topology
        children = {i: [] for i in range(-1, len(topology.parents))}
        for i, parent in enumerate(topology.parents):
            children[parent].append(i)
        stack = list(reversed(children[-1]))
        while stack:
            i = stack.pop()
            stack += reversed(children[i])
            joint = self.joint(topology.kinds[i], turns.get(i))
            where = pin.SE3(place[i, :, :3], place[i, :, 3])
            self.joints[i] = pm.addJoint(self.joints[topology.parents[i]], joint, where, f"body{i}")
            pm.appendBodyToJoint(self.joints[i], self.inertia(masses[i]), pin.SE3.Identity())
        iq, iv = [], []  # denox's number of each of Pinocchio's
        for i in sorted(range(len(topology.parents)), key=lambda i: self.joints[i]):
            nq, nv = topology.coordinates[i], topology.speeds[i]
            order_q, order_v = {
                Screw: ([0], [0]),
                Ball: ([1, 2, 3, 0], [0, 1, 2]),
                Loose: ([4, 5, 6, 1, 2, 3, 0], [3, 4, 5, 0, 1, 2]),
            }[topology.kinds[i]]
            iq += [nq + k for k in order_q]
            iv += [nv + k for k in order_v]
        self.iq, self.iv = np.array(iq, int), np.array(iv, int)
        if model.armature is not None:
            pm.armature = np.asarray(model.armature, float)[self.iv]
        for name, body, mount in zip(topology.links, topology.link_bodies, np.asarray(model.mount, float), strict=True):
            frame = pin.Frame(name, self.joints[body], 0, pin.SE3(mount[:, :3], mount[:, 3]), pin.FrameType.OP_FRAME)
            pm.addFrame(frame)
        self.model, self.data = pm, pm.createData()
        self.frames = [pm.getFrameId(name) for name in topology.links]

    @staticmethod
    def joint(kind, screw):
        if kind is Ball:
            return pin.JointModelSpherical()
        if kind is Loose:
            return pin.JointModelFreeFlyer()
        turn, slide = screw
        if (turn, slide) == (1, 0):
            return pin.JointModelRZ()
        return pin.JointModelPZ() if (turn, slide) == (0, 1) else pin.JointModelHZ(slide / turn)

    @staticmethod
    def inertia(phi):
        if phi[0] > 0:
            return pin.Inertia.FromDynamicParameters(phi[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]])
        assert not phi[1:4].any(), "a massless body has no first moment"
        xx, xy, yy, xz, yz, zz = phi[4:]
        return pin.Inertia(0.0, np.zeros(3), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))

    def q(self, q):
        return np.asarray(q, float)[..., self.iq]

    def v(self, v):
        return np.asarray(v, float)[..., self.iv]

    def back(self, v):
        return np.asarray(v)[..., np.argsort(self.iv)]

    def back_matrix(self, M):
        at = np.argsort(self.iv)
        return np.asarray(M)[np.ix_(at, at)]

    def forces(self, q, v, wrenches):
        """External wrenches on links, (links, 6) moment first, in inertial axes about their origins -> Pinocchio's, in joint frames."""
        pin.framesForwardKinematics(self.model, self.data, self.q(q))
        total = [pin.Force.Zero() for _ in range(self.model.njoints)]
        for frame, w in zip(self.frames, np.asarray(wrenches, float), strict=True):
            joint = self.model.frames[frame].parentJoint
            here = pin.SE3(np.eye(3), self.data.oMf[frame].translation)
            world = here.act(pin.Force(w[3:], w[:3]))
            total[joint] = total[joint] + self.data.oMi[joint].actInv(world)
        vector = pin.StdVec_Force()
        for w in total:
            vector.append(w)
        return vector

    def inverse_dynamics(self, q, v, a, wrenches=None):
        extra = () if wrenches is None else (self.forces(q, v, wrenches),)
        return self.back(pin.rnea(self.model, self.data, self.q(q), self.v(v), self.v(a), *extra))

    def forward_dynamics(self, q, v, tau, wrenches=None):
        extra = () if wrenches is None else (self.forces(q, v, wrenches),)
        return self.back(pin.aba(self.model, self.data, self.q(q), self.v(v), self.v(tau), *extra))

    def inertia_matrix(self, q):
        M = np.triu(pin.crba(self.model, self.data, self.q(q)))
        return self.back_matrix(M + np.triu(M, 1).T)

    def kinematics(self, q, v, a):
        """Rotations, positions, twists, twist rates of the links, angular part first, in inertial axes."""
        pin.forwardKinematics(self.model, self.data, self.q(q), self.v(v), self.v(a))
        pin.updateFramePlacements(self.model, self.data)
        six = lambda m: np.concatenate([m.angular, m.linear])
        poses = [self.data.oMf[f] for f in self.frames]
        twists = [six(pin.getFrameVelocity(self.model, self.data, f, WORLD)) for f in self.frames]
        rates = [six(pin.getFrameClassicalAcceleration(self.model, self.data, f, WORLD)) for f in self.frames]
        return np.array([p.rotation for p in poses]), np.array([p.translation for p in poses]), np.array(twists), np.array(rates)

    def jacobian(self, q, link):
        J = pin.computeFrameJacobian(self.model, self.data, self.q(q), self.model.getFrameId(link), WORLD)
        return self.back(J[[3, 4, 5, 0, 1, 2]])

    def energy(self, q, v):
        kinetic = pin.computeKineticEnergy(self.model, self.data, self.q(q), self.v(v))
        return kinetic + pin.computePotentialEnergy(self.model, self.data, self.q(q))
