"""Linear relations between coordinates: mimic joints, gears, racks, belts, differentials.

A coupled joint has no coordinate of its own: `q_tree = G q + o` with constant G, so that `v_tree = G v`, `a_tree = G a`, and forces that do work on
the tree's speeds are collected by `tau = G^T tau_tree`. Couplings live at the public boundary: `admit` spreads states over the tree on the way in,
the functions below collect on the way out, and no sweep knows of them.
"""

from typing import Any

import jax.numpy as jnp
import numpy as np

from .topology import Topology


def spreading(topology: Topology, starts: np.ndarray, ratio) -> Any:
    """G, (all, kept): from the coordinates (or speeds) that remain to those of the tree, where `starts` tells where each body's begin."""
    kept = topology.kept(starts)
    G = np.eye(starts[-1])[:, kept]
    rows, term = {}, 0
    for coupling in topology.couplings:
        row = jnp.zeros(len(kept), ratio.dtype)
        for source in coupling.sources:
            row = row + ratio[term] * rows.get(source, G[starts[topology.joint_bodies[source][0]]])
            term += 1
        rows[coupling.joint] = row
        G = G + np.eye(starts[-1])[starts[topology.joint_bodies[coupling.joint][0]]][:, None] * row
    return G


def offsets(topology: Topology, ratio, offset) -> Any:
    """o, over the tree's coordinates."""
    total, values, term = jnp.zeros(topology.nq, offset.dtype), {}, 0
    for k, coupling in enumerate(topology.couplings):
        value = offset[k]
        for source in coupling.sources:
            value = value + ratio[term] * values.get(source, 0.0)
            term += 1
        values[coupling.joint] = value
        total = total + np.eye(topology.nq)[topology.coordinates[topology.joint_bodies[coupling.joint][0]]] * value
    return total


def constraints(model: Any) -> Any:
    """A, (couplings, nv of the tree), of A v_tree = 0: one for the coupled speed, minus the ratios for its sources. A G = 0."""
    topology, rows, term = model.topology, [], 0
    unit = lambda joint: np.eye(topology.nv)[topology.speeds[topology.joint_bodies[joint][0]]]
    for coupling in topology.couplings:
        row = unit(coupling.joint)
        for source in coupling.sources:
            row = row - model.ratio[term] * unit(source)
            term += 1
        rows.append(row)
    return jnp.stack(rows)


# On the way in


def spread_coordinates(model: Any, q):
    """q_tree = G q + o."""
    topology = model.topology
    G = spreading(topology, topology.coordinates, model.ratio)
    return (G @ q + offsets(topology, model.ratio, model.offset)).astype(q.dtype)


def spread_speeds(model: Any, v):
    """v_tree = G v."""
    return (spreading(model.topology, model.topology.speeds, model.ratio) @ v).astype(v.dtype)


def spread_forces(model: Any, tau):
    """Forces on the tree that G^T collects to tau: on the speeds that remain, none on the coupled ones."""
    topology = model.topology
    return (np.eye(topology.nv)[:, topology.kept(topology.speeds)] @ tau).astype(tau.dtype)


# On the way out


def collected(model: Any, forces):
    """G^T f, along the first axis: what forces on the tree's speeds are on those that remain. Without couplings, themselves."""
    if not model.topology.couplings:
        return forces
    return (spreading(model.topology, model.topology.speeds, model.ratio).T @ forces).astype(forces.dtype)


def per_speed(model: Any, matrix):
    """J G, along the last axis: of a matrix that takes the tree's speeds, the one that takes those that remain."""
    if not model.topology.couplings:
        return matrix
    return (matrix @ spreading(model.topology, model.topology.speeds, model.ratio)).astype(matrix.dtype)


def collected_square(model: Any, matrix):
    """G^T M G."""
    return collected(model, per_speed(model, matrix))


def kept_coordinates(model: Any, q):
    """Of the tree's coordinates, those that remain."""
    return q[model.topology.kept(model.topology.coordinates)] if model.topology.couplings else q


def kept_speeds(model: Any, v):
    """Of the tree's speeds (or accelerations), those that remain."""
    return v[model.topology.kept(model.topology.speeds)] if model.topology.couplings else v


def refuse_couplings(model: Any, function: str, cure: str) -> None:
    """Couplings are never ignored in silence."""
    if model.topology.couplings:
        names = ", ".join(f"`{model.topology.joints[coupling.joint]}`" for coupling in model.topology.couplings)
        raise ValueError(f"`dx.{function}` does not know couplings, but the joints {names} follow others. {cure}")
