"""How long does a rod take for a small swing about its end?"""

import jax
import jax.numpy as jnp

import denox as dx

EXPECTED = 1.79428058619  # 2026-11-18: first recorded

LENGTH, MASS, GRAVITY = 1.2, 3.0, 9.81  # m, kg, m/s^2


def pendulum() -> dx.Model:
    """A uniform slender rod that hangs down along -z and turns about y."""
    across = MASS * LENGTH**2 / 12
    rod = dx.Inertia(MASS, com=(0.0, 0.0, -LENGTH / 2), about_com=(across, across, 0.0))
    return dx.Builder(gravity=(0.0, 0.0, -GRAVITY)).link("rod", joint=dx.Revolute((0.0, 1.0, 0.0)), inertia=rod).build()


def period(model: dx.Model):
    """2 pi / w, where w^2 is the acceleration back to rest per angle."""
    back = jax.jacfwd(dx.forward_dynamics, argnums=1)(model, jnp.zeros(1), jnp.zeros(1), jnp.zeros(1))
    return 2 * jnp.pi / jnp.sqrt(-back[0, 0])


def main() -> None:
    jax.config.update("jax_enable_x64", True)
    found = period(pendulum())
    about_hinge, arm = MASS * LENGTH**2 / 3, LENGTH / 2
    known = 2 * jnp.pi * jnp.sqrt(about_hinge / (MASS * GRAVITY * arm))  # 2 pi sqrt(I / (m g d))
    assert jnp.abs(found / known - 1) < 1e-12, f"{found} s, but the formula gives {known} s"
    print(f"Period of small swings: {found:.12g} s")


if __name__ == "__main__":
    main()
