"""Files of `example-robot-data`, and how a model read from one is compared with Pinocchio's."""

from pathlib import Path

import numpy as np
import pinocchio as pin
from helpers import gap, quick

import denox as dx


def robots() -> dict[str, Path]:
    """All URDF files, by their names."""
    folder = next(
        parent / "share/example-robot-data/robots" for parent in Path(pin.__file__).parents if (parent / "share/example-robot-data").exists()
    )
    files = sorted(folder.rglob("*.urdf"))
    return {str(path.relative_to(folder)): path for path in files}


def reader(source, floating):
    """Pinocchio's model of a file or text."""
    text = source if isinstance(source, str) and "<" in source else Path(source).read_text()
    return pin.buildModelFromXML(text, *((pin.JointModelFreeFlyer(),) if floating else ()))


def gaps(model, theirs, key):
    """Relative differences of inverse dynamics, inertia matrix and forward dynamics in a random state, as Pinocchio finds them."""
    model = dx.rigid(model)
    q, v = dx.random_state(model, key)
    rng = np.random.default_rng(0)
    a, tau = rng.standard_normal((2, model.nv))
    Q, V, A, TAU = dx.convert.to_pinocchio(model, theirs, q, v, a, tau)
    data = theirs.createData()
    theirs.armature = np.zeros(theirs.nv)
    inverse = dx.convert.from_pinocchio(model, theirs, Q, V, None, pin.rnea(theirs, data, Q, V, A))[3]
    forward = dx.convert.from_pinocchio(model, theirs, Q, V, pin.aba(theirs, data, Q, V, TAU))[2]
    upper = np.triu(pin.crba(theirs, theirs.createData(), Q))
    M = upper + np.triu(upper, 1).T
    column = lambda e: dx.convert.from_pinocchio(model, theirs, Q, None, None, M @ dx.convert.to_pinocchio(model, theirs, q, e)[1])[3]
    columns = [column(e) for e in np.eye(model.nv)]
    ours = quick(lambda m, q, v, a, tau: (dx.inverse_dynamics(m, q, v, a), dx.inertia_matrix(m, q), dx.forward_dynamics(m, q, v, tau)))
    mine = ours(model, q, v, a, tau)
    return gap(mine[0], inverse), gap(mine[1], np.array(columns).T), gap(mine[2], forward)
