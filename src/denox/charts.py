"""Free numbers for optimizers: charts in which every step is a model that makes sense.

A mass is the exponential of its number, an inertia the log-Cholesky form of its pseudo-inertia (Rucker and Wensing 2022), a placement the small
displacement from where it was. Everything else is itself.
"""

import dataclasses
from collections.abc import Sequence

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from .algebra import array, place, vec
from .inertia import parameters, pseudo
from .model import PER_SPEED, Model, own_parameters, with_inertial_parameters
from .pose import traced
from .rotations import displaced

LOG_CHOLESKY = ("alpha", "d1", "d2", "d3", "s12", "s23", "s13", "t1", "t2", "t3")
DISPLACEMENT = ("turn x", "turn y", "turn z", "shift x", "shift y", "shift z")
PLAIN = ("gravity", *(key for key in PER_SPEED if key != "effort"), "rest", "ratio", "offset")


def log_cholesky(phi: Float[Array, "10"]) -> Float[Array, "10"]:
    """The ten free numbers alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3 of a body's ten parameters, by J = U U^T for the pseudo-inertia J."""
    L = jnp.linalg.cholesky(pseudo(phi)[::-1, ::-1])
    U = L[::-1, ::-1]
    scale = U[3, 3]
    d = jnp.log(jnp.diagonal(U)[:3] / scale)
    return jnp.concatenate([jnp.log(scale)[None], d, jnp.stack([U[0, 1], U[1, 2], U[0, 2], U[0, 3], U[1, 3], U[2, 3]]) / scale])


def of_log_cholesky(theta: Float[Array, "10"]) -> Float[Array, "10"]:
    """The ten parameters of a body that can exist, whatever the ten numbers: J = U U^T with the upper triangle
    U = e^alpha [[e^d1, s12, s13, t1], [0, e^d2, s23, t2], [0, 0, e^d3, t3], [0, 0, 0, 1]]."""
    alpha, d, (s12, s23, s13, t1, t2, t3) = theta[0], jnp.exp(theta[1:4]), theta[4:]
    o, l = jnp.zeros_like(alpha), jnp.ones_like(alpha)
    U = jnp.stack([jnp.stack(row) for row in ([d[0], s12, s13, t1], [o, d[1], s23, t2], [o, o, d[2], t3], [o, o, o, l])])
    return parameters(jnp.exp(2 * alpha) * U @ U.T)


class Rebuild(eqx.Module):
    """A function from free numbers to the model they describe. `names` tells what each number is."""

    model: Model
    names: tuple[str, ...] = eqx.field(static=True)
    parts: tuple[tuple[str, int], ...] = eqx.field(static=True)

    def __call__(self, x: Float[Array, "n"]) -> Model:
        if jnp.shape(x) != (len(self.names),):
            raise ValueError(f"`x` has shape {jnp.shape(x)}, but {len(self.names)} numbers are free. They are named in `rebuild.names`.")
        model = self.model
        phi, placement = own_parameters(model), model.placement
        plain = {key: getattr(model, key) for key in PLAIN}
        start = 0
        for kind, i in self.parts:
            size = 1 if kind == "mass" else 10 if kind == "inertia" else 6 if kind == "placement" else plain[kind].size
            part, start = x[start : start + size], start + size
            if kind == "mass":
                phi = jnp.asarray(phi).at[i].multiply(jnp.exp(part[0]) / phi[i, 0])
            elif kind == "inertia":
                phi = jnp.asarray(phi).at[i].set(of_log_cholesky(part))
            elif kind == "placement":
                placement = placement.at[i].set(array(displaced(place(placement[i]), vec(part[:3]), vec(part[3:]))))
            else:
                plain[kind] = part
        return with_inertial_parameters(dataclasses.replace(model, placement=placement, **plain), phi)


def free(model: Model, selection: str | Sequence[str]) -> tuple[Float[Array, "n"], Rebuild]:
    """Some of a model's numbers as free ones, and the function that makes a model of them: `x, rebuild = dx.free(robot, "inertias")`.

    **Arguments:**

    - `selection`: one or more of
        - `"masses"`, or `"link3.mass"`: the logarithm of the mass; the link's other moments change in proportion;
        - `"inertias"`, or `"link3.inertia"`: the ten log-Cholesky numbers, whose every value is a body that can exist;
        - `"placements"`, or `"elbow.placement"` of a joint: a small displacement, turn then shift, in the axes in which the joint moves;
        - `"gravity"`, `"armature"`, `"damping"`, `"friction"`, `"stiffness"`, `"rest"`: themselves.

    **Returns:** the numbers (n,), and `rebuild`, with `rebuild(x)` the model and `rebuild.names` what each number is. Both work under `jit`, `grad`
    and `vmap`, with optax, optimistix and scipy.
    """
    phi = jnp.asarray(own_parameters(model))
    x, names, parts = [], [], []

    def add(kind, index, values, labels):
        x.append(values)
        names.extend(labels)
        parts.append((kind, index))

    def add_body(kind, i):
        link = model.links[i]
        if not traced(phi) and phi[i, 0] <= 0:
            raise ValueError(f"Link `{link}` has mass {float(phi[i, 0]):.6g}, and a logarithm needs more. Leave it out, or give it a mass.")
        if kind == "mass":
            return add(kind, i, jnp.log(phi[i, :1]), [f"{link}.log mass"])
        theta = log_cholesky(phi[i])
        if not traced(theta) and not np.ptp(theta[1:4]) < 14:  # thinner than a millionth of its length, or NaN
            raise ValueError(
                f"Link `{link}`: its inertia is no body's, or a flat one's, on the limit of the triangle inequality, and has no logarithm. "
                f"Leave `{link}.inertia` out, or give it some extent in every direction."
            )
        return add(kind, i, theta, [f"{link}.{name}" for name in LOG_CHOLESKY])

    def add_placement(joint):
        body = model.topology.joint_bodies[model.topology.find("joint", joint)][0]
        add("placement", body, jnp.zeros(6, model.dtype), [f"{joint}.{name}" for name in DISPLACEMENT])

    massive = [i for i in range(len(model.links)) if traced(phi) or phi[i, 0] > 0]
    for word in [selection] if isinstance(selection, str) else selection:
        owner, _, what = word.rpartition(".")
        if word in ("masses", "inertias"):
            for i in massive:
                add_body("mass" if word == "masses" else "inertia", i)
        elif word == "placements":
            for joint in model.topology.joints:
                add_placement(joint)
        elif word in PLAIN:
            value = getattr(model, word)
            if value is None:
                raise ValueError(f"This model has no {word}. Build it with `{word}=0.0` at a joint to have it free.")
            add(word, 0, value, [f"{word}[{k}]" for k in range(value.size)])
        elif owner and what in ("mass", "inertia"):
            add_body(what, model.topology.find("link", owner))
        elif owner and what == "placement":
            add_placement(owner)
        else:
            known = f"masses, inertias, placements, {', '.join(PLAIN)}, or `link.mass`, `link.inertia`, `joint.placement`"
            raise ValueError(f"`{word}` selects nothing. Choose among {known}.")
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"`{sorted(twice)[0]}` is selected twice. Name each number once.")
    return jnp.concatenate(x), Rebuild(model, tuple(names), tuple(parts))
