"""How public functions are compiled: where they are defined, and as one kernel where they are called on one state.

A sweep over one state is a few microseconds' work in a hundred small kernels, and XLA's CPU runtime spends several times that on handing them to
its threads. So a public function is bound as a primitive of its own, `whole`, which stands for the function and is lowered, on CPUs, to a single
kernel. Mapped over a batch or differentiated it is the plain function again; and inside a loop, which XLA makes one kernel by itself, it is not used.
"""

import inspect
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental.xla_metadata import set_xla_metadata
from jax.extend.core import Primitive, jaxpr_as_fun, jaxprs_in_params
from jax.interpreters import ad, batching, mlir

whole = Primitive("whole")
whole.multiple_results = True

TRIED = ((0, 12),)  # versions of jax whose compiler is known to take a function as one kernel
ARITHMETIC = "add sub mul div neg sqrt square floor round sin cos atan2 integer_pow select_n clamp add_any eq ge lt or"
SHAPES = "slice stack split squeeze reshape broadcast_in_dim concatenate transpose gather pad iota convert_element_type reduce_sum"
STRUCTURE = "scan cond jit pjit custom_jvp_call optimization_barrier platform_index whole"
SUITS = set(f"{ARITHMETIC} {SHAPES} {STRUCTURE}".split())  # what such a kernel can be made of; not sorts, scatters, products of matrices


def public(fn: Callable | None = None, *, static: tuple[str, ...] = ()) -> Any:
    """Compiles a function of models and states; the decorator of every public numeric function. `static` names arguments that are words."""
    if fn is None:
        return partial(public, static=static)
    plain = jax.jit(fn, static_argnames=static)

    def bound(*args, **kwargs):
        program = plain.trace(*args, **kwargs)  # kept by `jit` for arguments of the same shapes
        numbers = jax.tree.leaves((args, {key: x for key, x in kwargs.items() if key not in static}))
        return jax.tree.unflatten(jax.tree.structure(program.out_info), whole.bind(*numbers, jaxpr=program.jaxpr))

    outermost = jax.jit(bound, static_argnames=static)

    signature = inspect.signature(fn)

    @wraps(fn)
    def call(*args, **kwargs):
        if static:  # words are known by their names
            args, kwargs = (), dict(signature.bind(*args, **kwargs).arguments)
            kwargs |= {key: tuple(kwargs[key]) for key in static if isinstance(kwargs.get(key), list)}
        tracers = [x for x in jax.tree.leaves((args, kwargs)) if isinstance(x, jax.core.Tracer)]
        run = outermost if not tracers else bound if all(map(compiled_directly, tracers)) else plain
        return run(*args, **kwargs)

    call.lower = outermost.lower
    return call


def compiled_directly(tracer: jax.core.Tracer) -> bool:
    """Whether the number is traced by a `jit` that nothing is around: no loop, which would rather have the plain function, no map, no derivative."""
    trace = getattr(tracer, "_trace", None)
    return type(trace).__name__ == "DynamicJaxprTrace" and type(getattr(trace, "parent_trace", None)).__name__ == "EvalTrace"


def sweeps(jaxpr) -> bool:
    """Whether a program has a loop over nodes; others have little to gain."""
    return any(eqn.primitive.name == "scan" and eqn.params["length"] > 0 for eqn in jaxpr.eqns)


def suits(jaxpr) -> bool:
    """Whether a program is made of nothing but what a single kernel can do. (Long sums are kernels of their own kind.)"""

    def fits(eqn):
        short = not eqn.primitive.name.startswith("reduce") or all(x.aval.size <= 1024 for x in eqn.invars)
        return eqn.primitive.name in SUITS and short and all(map(suits, jaxprs_in_params(eqn.params)))

    return all(map(fits, jaxpr.eqns))


def as_one_kernel(*args, jaxpr):
    """A call that is not to be inlined but compiled whole; a compiler that does not know these words ignores them.

    It has one argument, all numbers in a row, and gives the first of them back: an argument that a kernel does not use would be the end of the
    process (jax 0.12).
    """
    row = jnp.concatenate([jnp.ravel(x) for x in args])

    def unpacked(row):
        leaves, start = [], 0
        for x in args:
            leaves.append(row[start : start + x.size].reshape(x.shape))
            start += x.size
        return *jaxpr_as_fun(jaxpr)(*leaves), row[:1]

    with set_xla_metadata(xla_cpu_small_call="true", inlineable="false"):
        return jax.jit(unpacked)(row)[:-1]


def plainly(*args, jaxpr):
    return jaxpr_as_fun(jaxpr)(*args)


def lowered(ctx, *args, jaxpr):
    alike = len({x.dtype for x in jaxpr.in_avals}) == 1 and jnp.issubdtype(jaxpr.in_avals[0].dtype, jnp.floating)
    one = alike and jax.__version_info__[:2] in TRIED and sweeps(jaxpr.jaxpr) and suits(jaxpr.jaxpr)
    return mlir.lower_fun(as_one_kernel if one else plainly, multiple_results=True)(ctx, *args, jaxpr=jaxpr)


def differentiated(primals, tangents, *, jaxpr):
    """The plain function's, by those arguments that vary."""
    varies = [type(t) is not ad.Zero for t in tangents]
    pick = lambda values: [x for x, v in zip(values, varies, strict=True) if v]

    def of_varying(*moving):
        rest = iter(moving)
        return jaxpr_as_fun(jaxpr)(*(next(rest) if v else x for v, x in zip(varies, primals, strict=True)))

    return jax.jvp(of_varying, pick(primals), pick(tangents))


def mapped(args, dims, *, jaxpr):
    ys = jax.vmap(jaxpr_as_fun(jaxpr), in_axes=dims)(*args)
    return ys, [0] * len(ys)


def transposed(cotangents, *args, jaxpr):
    """The plain function's, by those arguments that it is linear in."""
    linear = [ad.is_undefined_primal(x) for x in args]

    def of_linear(*moving):
        rest = iter(moving)
        return jaxpr_as_fun(jaxpr)(*(next(rest) if is_linear else x for is_linear, x in zip(linear, args, strict=True)))

    like = [jax.ShapeDtypeStruct(x.aval.shape, x.aval.dtype) for x, is_linear in zip(args, linear, strict=True) if is_linear]
    back = iter(jax.linear_transpose(of_linear, *like)([ad.instantiate_zeros(ct) for ct in cotangents]))
    return [next(back) if is_linear else None for is_linear in linear]


whole.def_impl(plainly)
whole.def_abstract_eval(lambda *args, jaxpr: jaxpr.out_avals)
mlir.register_lowering(whole, mlir.lower_fun(plainly, multiple_results=True))
mlir.register_lowering(whole, lowered, platform="cpu")
ad.primitive_jvps[whole] = differentiated
ad.primitive_transposes[whole] = transposed
batching.primitive_batchers[whole] = mapped
