"""Simulation: the equations of motion through time, by diffrax, with Euler parameters of unit length at the end of every step."""

from collections.abc import Callable, Sequence
from typing import Any

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .check import check_state
from .drive import Drive, Held, closes_over_tracers
from .dynamics.factor import factor
from .dynamics.forward import forward_dynamics
from .events import Event, as_diffrax, changed, gathered
from .model import Model, admit, refuse_loops
from .pose import traced
from .state import coordinate_rates
from .topology import Topology
from .trajectory import Trajectory, projected, reason
from .types import Numbers

CHECKPOINTS = 1024  # states kept on the way forward; between them reverse mode computes again


class Projected(diffrax.AbstractAdaptiveSolver, diffrax.AbstractWrappedSolver):
    """Any solver, with the coordinates brought back to unit Euler parameters at the end of each step.

    The rates of Euler parameters keep their length but for the error of a step, so what is taken away is of the size of that error: the order of the
    solver and its estimate of the error are as they were. Differentiable like any other arithmetic.
    """

    solver: diffrax.AbstractSolver

    @property
    def term_structure(self):
        return self.solver.term_structure

    @property
    def interpolation_cls(self):
        return self.solver.interpolation_cls

    @property
    def term_compatible_contr_kwargs(self):
        return self.solver.term_compatible_contr_kwargs

    def order(self, terms):
        return self.solver.order(terms)

    def strong_order(self, terms):
        return self.solver.strong_order(terms)

    def error_order(self, terms):
        return self.solver.error_order(terms)

    def init(self, terms, t0, t1, y0, args):
        return self.solver.init(terms, t0, t1, y0, args)

    def step(self, terms, t0, t1, y0, args, solver_state, made_jump):
        (q, v, extra), error, dense, state, result = self.solver.step(terms, t0, t1, y0, args, solver_state, made_jump)
        return (projected(args[0], q), v, extra), error, dense, state, result

    def func(self, terms, t0, y0, args):
        return self.solver.func(terms, t0, y0, args)


def redundant(topology: Topology) -> bool:
    """Whether some coordinates are Euler parameters."""
    return any(kind.coordinates != kind.speeds for kind in topology.kinds)


def simulate(
    model: Model,
    q0: Numbers,
    v0: Numbers,
    times: Numbers,
    control: Callable | Numbers | None = None,
    *,
    loads: Sequence[Callable] = (),
    wrenches: Callable | Numbers | None = None,
    extra: Any = None,
    hold: str = "zero",
    event: Any = None,
    resets: int = 32,
    solver: diffrax.AbstractSolver | None = None,
    rtol: Numbers | None = None,
    atol: Numbers | None = None,
    controller: diffrax.AbstractStepSizeController | None = None,
    step: Numbers | None = None,
    adjoint: diffrax.AbstractAdjoint | None = None,
    dense: bool = False,
    progress: bool = False,
    max_steps: int = 65536,
    throw: bool = True,
) -> Trajectory:
    """The motion of a tree from the state q0, v0 at times[0], saved at every one of `times`.

    **Arguments:**

    - `control`: joint forces. None; a function `(t, q, v) -> tau`; samples (times, nv), held until the next time (`hold="zero"`) or joined by
      straight lines (`hold="first"`); or an equinox module, whose arrays can be differentiated by.
    - `loads`: functions or modules `(model, t, q, v) -> tau`, added to the control.
    - `wrenches`: on links, (links, 6) or a function `(t, q, v) -> (links, 6)`; moment first, in inertial axes about each link's origin.
    - `extra`: initial values of states that ride along, any pytree of arrays; then the control is `(t, q, v, extra) -> (tau, rates)`.
    - `event`: a `dx.events.Event` or several, or a function `(model, t, q, v) -> number` that ends the simulation where it passes zero. Events with
      a reset change the state and go on, at most `resets` times.
    - `solver`, `controller`, `adjoint`: of diffrax; `Tsit5`, a PID controller with `rtol` and `atol`, and checkpointed reverse mode if left out. For
      forward mode or second derivatives give `adjoint=diffrax.DirectAdjoint()`. Tolerances are 1e-8 in float64 and 1e-5 in float32 if left out.
    - `step`: the first step in s, or every step if `controller=diffrax.ConstantStepSize()`.
    - `dense`: keep the solver's interpolation for `Trajectory.evaluate`.
    - `max_steps`: at most so many steps. With `throw=False` the part computed is returned, with its reason, instead of an error.

    **Returns:** a `Trajectory`. One program is compiled for each topology, control function and set of options, whatever the numbers.
    """
    refuse_loops(model, "simulate")
    times = jnp.asarray(times)
    dtype = admit(model, q=q0, v=v0)[1].dtype  # shapes are checked; what is coupled stays so
    model, q0, v0 = model.astype(dtype), jnp.asarray(q0, dtype), jnp.asarray(v0, dtype)
    times = times.astype(dtype)
    check_times(times)
    check_state(model, q0, v0)
    control = as_control(control, times, hold, model)
    wrenches = wrenches if wrenches is None or callable(wrenches) else jnp.asarray(wrenches, q0.dtype)
    extra = jax.tree.map(jnp.asarray, extra)
    drive = Drive.of(control, loads, wrenches)
    events = gathered(event)
    check_forces(model, drive, times, q0, v0, extra)
    solver = diffrax.Tsit5() if solver is None else solver
    adaptive = controller is None
    if adaptive:
        if not isinstance(solver, diffrax.AbstractAdaptiveSolver):
            raise ValueError(
                f"`{type(solver).__name__}` does not estimate its error. Give `controller=diffrax.ConstantStepSize()` and `step=`, or another solver."
            )
        controller = pid(rtol, atol, times)
        if isinstance(control, Held):
            at: dict[str, Any] = {"jump_ts" if hold == "zero" else "step_ts": times}
            controller = diffrax.ClipStepSizeController(controller, **at)
    elif step is None and isinstance(controller, diffrax.ConstantStepSize):
        raise ValueError("A constant step needs its size: give `step=` in s.")
    adjoint = diffrax.RecursiveCheckpointAdjoint(checkpoints=min(CHECKPOINTS, max_steps)) if adjoint is None else adjoint
    first = None if step is None else jnp.asarray(step, times.dtype)
    tolerance = jnp.asarray(1e-10 if times.dtype == jnp.float64 else 1e-5, times.dtype)
    numbers = model, q0, v0, extra, times, drive, events, first, controller, tolerance
    options = solver, adjoint, resets if any(e.reset is not None for e in events) else 0, dense, progress, max_steps
    inline = any(closes_over_tracers(x) for x in jax.tree.leaves((control, loads, wrenches, events), is_leaf=callable) if callable(x))
    try:
        path = (run if inline else compiled)(numbers, options)
    except TypeError as error:
        if "forward-mode" in str(error) or "custom_vjp" in str(error):
            raise TypeError(
                "The default adjoint of `dx.simulate`, checkpointed reverse mode, has neither forward mode nor second derivatives. Give "
                "`adjoint=diffrax.DirectAdjoint()` for both, or `adjoint=diffrax.ForwardMode()` for forward mode alone."
            ) from error
        raise
    return judged(path) if throw else path


def pid(rtol, atol, times) -> diffrax.PIDController:
    """Adaptive steps; below a millionth of a millionth of the time (float64) a step would change nothing, and something is wrong."""
    usual = 1e-8 if times.dtype == jnp.float64 else 1e-5
    rtol = jnp.asarray(usual if rtol is None else rtol, times.dtype)
    atol = rtol if atol is None else jnp.asarray(atol, times.dtype)
    least = 32 * jnp.finfo(times.dtype).eps * jnp.maximum(jnp.abs(times).max(), times[-1] - times[0])
    return diffrax.PIDController(rtol=rtol, atol=atol, dtmin=lax.stop_gradient(least))


def run(numbers, options) -> Trajectory:
    """The simulation, to be compiled."""
    model, q, v, extra, times, drive, events, first, controller, tolerance = numbers
    solver, adjoint, resets, dense, progress, max_steps = options
    event = as_diffrax(events, model, tolerance)
    solver = Projected(solver) if redundant(model.topology) else solver
    q = projected(model, q) if redundant(model.topology) else q

    def rates(t, y, args):
        model, drive = args
        q, v, extra = y
        tau, extra_rates = drive.forces(model, t, q, v, extra)
        return coordinate_rates(model, q, v), forward_dynamics(model, q, v, tau, drive.wrenches(t, q, v)), extra_rates

    def segment(t0, y, ts, dense):
        saveat = diffrax.SaveAt(subs=[diffrax.SubSaveAt(ts=ts), diffrax.SubSaveAt(t1=True)], dense=dense)
        return diffrax.diffeqsolve(
            diffrax.ODETerm(rates),
            solver,
            t0,
            times[-1],
            first,
            y,
            (model, drive),
            saveat=saveat,
            stepsize_controller=controller,
            adjoint=adjoint,
            event=event,
            max_steps=max_steps,
            throw=False,
            progress_meter=diffrax.TqdmProgressMeter() if progress else diffrax.NoProgressMeter(),
        )

    if resets:
        times, ys, end, stop, result, statistics, instants = bouncing(segment, events, model, times, (q, v, extra), resets)
        interpolation = None
    else:
        sol: Any = segment(times[0], (q, v, extra), times, dense)
        ys, end = sol.ys[0], jax.tree.map(lambda x: x[0], sol.ys[1])
        stop, result, statistics, interpolation, instants = sol.ts[1][0], sol.result, sol.stats, sol.interpolation, None
    reached = times <= stop
    hold = lambda x, last: jnp.where(reached.reshape(-1, *[1] * (x.ndim - 1)), x, last)
    q, v, extra = jax.tree.map(hold, ys, end)
    q = jax.vmap(lambda q: projected(model, q))(q) if redundant(model.topology) else q
    return Trajectory(jnp.minimum(times, stop), q, v, extra, stop, reached.sum(), result, statistics, model, drive, instants, interpolation)


def bouncing(segment, events: tuple[Event, ...], model, times, y, resets: int):
    """Pieces of motion from reset to reset, each saved at those times that lie in it."""
    empty = jax.tree.map(lambda x: jnp.zeros((len(times), *x.shape), x.dtype), y)

    def piece(carry, _):
        t, y, saved, over = carry
        sol = segment(t, y, jnp.maximum(times, t), False)
        stop, end = sol.ts[1][0], jax.tree.map(lambda x: x[0], sol.ys[1])
        q, v, go_on = changed(events, sol.event_mask, model, stop, *end[:2])
        mine = (times >= t) & (times <= stop) & ~over
        put = lambda new, old: jnp.where(mine.reshape(-1, *[1] * (new.ndim - 1)), new, old)
        saved = jax.tree.map(put, sol.ys[0], saved)
        happened = (sol.result == diffrax.RESULTS.event_occurred) & go_on & ~over
        after = jax.tree.map(lambda new, old: jnp.where(over, old, new), (q, v, end[2]), y)
        keep = lambda new, old: jnp.where(over, old, new)
        done = over | ~happened
        t = keep(stop, t)
        return (t, after, saved, done), (jnp.where(happened, stop, jnp.inf), over, sol.result._value, sol.stats)

    start = times[0], y, empty, jnp.zeros((), bool)
    (stop, end, saved, _), (instants, idle, codes, stats) = lax.scan(piece, start, None, resets + 1)
    last = jnp.maximum((~idle).sum() - 1, 0)
    result = eqx.tree_at(lambda r: r._value, diffrax.RESULTS.successful, codes[last])
    count = lambda x: jnp.where(idle, 0, x).sum()
    statistics = {key: x[0] if key == "max_steps" else count(x) for key, x in stats.items()}
    return times, saved, end, stop, result, statistics, instants[:-1]


compiled = eqx.filter_jit(run)


# What is refused


def check_times(times) -> None:
    if times.ndim != 1 or len(times) < 2:
        raise ValueError(f"`times` has shape {times.shape}. Give at least two times in a row, the first that of the initial state.")
    if not traced(times):
        values = np.asarray(times)
        wrong = np.flatnonzero(~(np.diff(values) > 0))
        if len(wrong) or not np.isfinite(values).all():
            k = int(wrong[0]) if len(wrong) else int(np.flatnonzero(~np.isfinite(values))[0]) - 1
            raise ValueError(f"`times` must increase, but times[{k}] is {values[k]} s and times[{k + 1}] is {values[k + 1]} s. Sort them, each once.")


def as_control(control, times, hold: str, model: Model):
    if hold not in ("zero", "first"):
        raise ValueError(f'`hold` is {hold!r}. Give "zero", constant until the next sample, or "first", straight lines between samples.')
    if control is None or callable(control):
        return control
    samples = jnp.asarray(control).astype(times.dtype)
    if samples.shape != (len(times), model.nv):
        raise ValueError(
            f"`control` has samples of shape {samples.shape}, but {len(times)} times and {model.nv} speeds need ({len(times)}, {model.nv}). "
            "Give one row for each time, or a function (t, q, v) -> tau."
        )
    if not traced(samples) and not np.isfinite(np.asarray(samples)).all():
        k, i = np.argwhere(~np.isfinite(np.asarray(samples)))[0]
        raise ValueError(f"`control[{k}, {i}]` is {samples[k, i]}, at t = {times[k]} s. Give finite forces.")
    return Held(times, samples, hold)


def check_forces(model: Model, drive: Drive, times, q, v, extra) -> None:
    """Shapes of what control, loads and wrenches give; nothing is computed."""
    control, loads, wrenches = drive.parts
    t = times[0]
    if control is not None:
        given = jax.eval_shape(lambda: control(t, q, v) if extra is None else control(t, q, v, extra))
        if extra is not None:
            if not isinstance(given, tuple) or len(given) != 2:
                raise ValueError("With extra states `control(t, q, v, extra)` gives two things: the joint forces, and the rates of the extra states.")
            given, rates = given
            like = lambda x: jax.tree.map(lambda y: y.shape, x)
            if like(rates) != like(extra):
                raise ValueError(f"`control` gives rates of shapes {like(rates)} for extra states of shapes {like(extra)}. Make them alike.")
        if jnp.shape(given) != (model.nv,):
            raise ValueError(f"`control` gives forces of shape {jnp.shape(given)}, but this model needs ({model.nv},): one for each speed.")
    for k, load in enumerate(loads):
        shape = jnp.shape(jax.eval_shape(lambda load=load: load(model, t, q, v)))
        if shape != (model.nv,):
            raise ValueError(f"`loads[{k}]` ({load!r}) gives forces of shape {shape}, but this model needs ({model.nv},): one for each speed.")
    if wrenches is not None:
        shape = jnp.shape(jax.eval_shape(lambda: drive.wrenches(t, q, v)))
        if shape != (len(model.links), 6):
            raise ValueError(f"`wrenches` has shape {shape}, but {len(model.links)} links need ({len(model.links)}, 6): moment first.")


# What is said when a simulation does not reach its end


def judged(path: Trajectory) -> Trajectory:
    """The trajectory, or an error that says what happened, when, at which joint, and the cure."""
    failed = (path.result != diffrax.RESULTS.successful) & (path.result != diffrax.RESULTS.event_occurred)
    if traced(failed):
        return path.result.error_if(path, failed)
    if np.ndim(failed):
        return path
    if failed:
        raise RuntimeError(complaint(path))
    return path


def complaint(path: Trajectory) -> str:
    """What happened, when, where."""
    model, q, v, t = path.model, path.q[-1], path.v[-1], float(path.stop)
    steps = int(path.statistics["num_steps"])
    when = f"The simulation ended at t = {t:.6g} s, before the last time asked for, after {steps} steps. {reason(path.result)}"
    pivots, rates = np.asarray(factor(model.uncoupled(), admit(model, q=q)[1]).D), np.asarray(path.a[-1])
    name = lambda m, k: next(j for j in m.joints if k in range(*m.v_index(j).indices(m.nv)))
    joint_of = lambda k: name(model, k)
    weak = int(np.argmin(pivots))
    if not np.isfinite(pivots).all() or pivots[weak] <= 1e-10 * pivots.max():
        cause = (
            f"Joint `{name(model.uncoupled(), weak)}` moves almost no mass there (pivot {pivots[weak]:.3g}): its acceleration is undefined. "
            "Give the links beyond it inertia, or the joint an `armature`."
        )
    elif not np.isfinite(rates).all():
        k = int(np.flatnonzero(~np.isfinite(rates))[0])
        cause = f"The acceleration of joint `{joint_of(k)}` is {rates[k]} there: look at what control, loads and wrenches give at that time."
    else:
        k = int(np.argmax(np.abs(rates)))
        cause = (
            f"The largest acceleration is that of joint `{joint_of(k)}`, {rates[k]:.3g}, at a speed of {float(v[k]):.3g}. Raise `max_steps` "
            f"({int(path.statistics['max_steps'])}) or loosen `rtol`; if the forces are stiff, give `solver=diffrax.Kvaerno5()`."
        )
    return f"{when} {cause} `throw=False` returns the part computed."
