"""How much can a PUMA carry, if its shoulder gives 350 N m and every joint turns by half a turn in 1 s (000, eq. 22, but ten times as fast)?

A thousand arms tell, each with its own payload.
"""

import jax
import jax.numpy as jnp
import numpy as np

import denox as dx

EXPECTED = 7.81680203631  # 2026-11-18: first recorded

TORQUE = 350.0  # N m
PAYLOADS = np.linspace(0.0, 20.0, 1001)  # kg


def loaded(arm: dx.Model, payload) -> dx.Model:
    """The arm with a point mass at its tip, which is fixed to the last link."""
    tip = arm.frame[0, :, 3]  # its one named frame, in the axes of the last link
    load = dx.Inertia(payload, com=tip).parameters
    return dx.with_inertial_parameters(arm, dx.inertial_parameters(arm).at[-1].add(load))


def peak_torque(arm: dx.Model, motion):
    """The largest torque of the shoulder, joint 2."""
    tau = jax.vmap(dx.inverse_dynamics, (None, 0, 0, 0))(arm, *motion)
    return jnp.abs(tau[:, 1]).max()


def main() -> None:
    jax.config.update("jax_enable_x64", True)
    motion = dx.cycloid(np.zeros(6), np.full(6, np.pi), 1.0)(jnp.linspace(0, 1, 101))
    arms = jax.vmap(loaded, (None, 0))(dx.zoo.puma(), PAYLOADS)  # one model, every number with an axis over the payloads
    peaks = jax.jit(dx.batched(peak_torque, in_axes=(0, None)))(arms, motion)
    assert (jnp.diff(peaks) > 0).all(), "more payload, more torque"
    print(f"Largest payload: {np.interp(TORQUE, peaks, PAYLOADS):.12g} kg")


if __name__ == "__main__":
    main()
