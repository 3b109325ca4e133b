"""The shapes of public arrays, by the same words everywhere."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jax import Array
from jax.typing import ArrayLike
from jaxtyping import Float

Numbers = ArrayLike | Sequence[Any] | np.ndarray  # what a builder takes: traced or not, nested lists too

Leaf = Any  # an array of a model; whatever a mapping over its leaves puts there

Coordinates = Float[Array, "nq"]
Speeds = Float[Array, "nv"]
Square = Float[Array, "nv nv"]
Wrenches = Float[Array, "links 6"]
Parameters = Float[Array, "links 10"]
Number = Float[Array, ""]
Point = Float[Array, "3"]
Known = Array | np.ndarray  # of numpy where a model is built of known numbers
Rotation = Float[Known, "*any 3 3"]
Position = Float[Known, "*any 3"]
