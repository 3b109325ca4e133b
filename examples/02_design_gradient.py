"""How much more torque must the shoulder of an arm hold, per meter by which its upper arm is longer?"""

import jax
import jax.numpy as jnp
import numpy as np

import denox as dx

EXPECTED = 56.2311057499  # 2026-11-18: first recorded

LENGTHS = np.array([0.45, 0.4, 0.15])  # m: upper arm, forearm, hand
PER_LENGTH = 6.0  # kg/m, of slender bars
ANGLES = np.array([0.3, -0.9, 0.5])  # rad


@jax.jit
def shoulder_torque(lengths):
    """In N m, against gravity along -y. The arm is built inside, so it can be differentiated by its lengths."""
    mass, o = PER_LENGTH * lengths, jnp.zeros(3)
    middle = jnp.stack([lengths / 2, o, o], -1)  # from the mass center to the next joint
    across = mass * lengths**2 / 12
    arm = dx.from_dh(a=lengths, mass=mass, r=middle, inertia=jnp.stack([o, across, across], -1), gravity=(0.0, -9.81, 0.0))
    return dx.gravity_forces(arm, ANGLES)[0]


def main() -> None:
    jax.config.update("jax_enable_x64", True)
    slopes = jax.grad(shoulder_torque)(LENGTHS)
    h = 1e-5  # m; the torque is quadratic in the lengths, so only rounding is left in a central difference
    differences = [(shoulder_torque(LENGTHS + step) - shoulder_torque(LENGTHS - step)) / (2 * h) for step in h * np.eye(3)]
    assert np.allclose(slopes, differences, rtol=1e-8), f"{slopes} by jax.grad, {differences} by differences"
    print(f"Shoulder torque per length of the upper arm: {slopes[0]:.12g} N m/m")


if __name__ == "__main__":
    main()
