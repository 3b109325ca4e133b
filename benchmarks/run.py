"""denox beside Pinocchio's own batch call, in one process, interleaved, on one core: a table of times, ratios and compile seconds.

Forward dynamics stands beside `abaInParallel`, inverse dynamics beside `rneaInParallel`, gradients beside forward dynamics.

    python benchmarks/run.py                    # everything
    python benchmarks/run.py arm trees one      # some of it
    python benchmarks/run.py --out table.md

The machine is noisy, so what counts are the ratios: both sides take turns, and the least time of each is kept.
"""

import argparse
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

import jax

jax.config.update("jax_enable_x64", True)
import dataclasses

import numpy as np
import pinocchio as pin
from mechanisms import MECHANISMS

import denox as dx
from tests.oracles.pinocchio import Twin

HEAD = "| mechanism | batch | what | us per state | Pinocchio | ratio | compile, CPU s |"


class Case:
    """A mechanism and a batch of states, for denox and for Pinocchio."""

    def __init__(self, name, batch, out):
        self.name, self.batch, self.out = name, batch, out
        self.model = MECHANISMS[name]()
        self.twin = Twin(self.model)
        keys = jax.random.split(jax.random.key(0), 4)
        scale = min(1.0, 16 / self.model.nv)
        q, v = jax.vmap(lambda key: dx.random_state(self.model, key))(jax.random.split(keys[0], batch))
        a, tau = (jax.random.uniform(key, v.shape, minval=-1, maxval=1) for key in keys[1:3])
        self.q, self.v, self.a, self.tau = q, v * scale, a * scale, tau * 5
        self.check()

    def check(self):
        ours = dx.forward_dynamics(self.model, self.q[0], self.v[0], self.tau[0])
        theirs = self.twin.forward_dynamics(self.q[0], self.v[0], self.tau[0])
        assert np.abs(ours - theirs).max() < 1e-8 * np.abs(theirs).max(), self.name

    def pinocchio(self, what):
        pm = self.twin.model
        q, v, a, tau = (np.asfortranarray(x.T) for x in (self.twin.q(self.q), *map(self.twin.v, (self.v, self.a, self.tau))))
        out = np.zeros((pm.nv, self.batch), order="F")
        if what == "crba":
            return lambda: [pin.crba(pm, self.twin.data, x) for x in np.ascontiguousarray(q.T)]
        if what in ("aba derivatives", "rnea derivatives"):
            call, u = (pin.computeABADerivatives, tau) if what[0] == "a" else (pin.computeRNEADerivatives, a)
            states = list(zip(*(np.ascontiguousarray(x.T) for x in (q, v, u)), strict=True))
            return lambda: [call(pm, self.twin.data, *x) for x in states]
        pool = self.pool()
        if what == "aba":
            return lambda: pin.abaInParallel(1, pool, q, v, tau, out)
        return lambda: pin.rneaInParallel(1, pool, q, v, a, out)

    def pool(self):
        if not hasattr(self, "_pool"):
            self._pool = pin.ModelPool(self.twin.model, 1)
        return self._pool

    def report(self, what, fn, args, reference, seconds=1.5, evaluations=1):
        """`fn(*args)` compiled, so many evaluations for each state, against a call of Pinocchio's, which is one."""
        begin = time.process_time()
        run = jax.jit(fn)
        jax.block_until_ready(run(*args))
        compile_time = time.process_time() - begin
        calls = (lambda: jax.block_until_ready(run(*args))), self.pinocchio(reference)
        best = [np.inf, np.inf]
        for call in calls:
            call()
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            for k, call in enumerate(calls):
                begin = time.perf_counter()
                call()
                best[k] = min(best[k], time.perf_counter() - begin)
        ours, theirs = 1e6 * best[0] / self.batch / evaluations, 1e6 * best[1] / self.batch
        row = f"| {self.name} | {self.batch} | {what} | {ours:.3f} | {theirs:.3f} | {ours / theirs:.2f} | {compile_time:.1f} |"
        print(row, flush=True)
        self.out.append(row)
        return ours

    # what is timed

    def dynamics(self, lift=dx.batched, label=""):
        one = self.batch == 1
        lift = (lambda f, in_axes: f) if one else lift
        first = (lambda x: x[0]) if one else (lambda x: x)
        axes, m = (None, 0, 0, 0), self.model
        q, v, a, tau = map(first, (self.q, self.v, self.a, self.tau))
        self.report(f"forward dynamics{label}", lift(dx.forward_dynamics, in_axes=axes), (m, q, v, tau), "aba")
        self.report(f"inverse dynamics{label}", lift(dx.inverse_dynamics, in_axes=axes), (m, q, v, a), "rnea")

    def mass_matrix(self):
        fn = dx.inertia_matrix if self.batch == 1 else dx.batched(dx.inertia_matrix, in_axes=(None, 0))
        q = self.q[0] if self.batch == 1 else self.q
        self.report("inertia matrix (Pinocchio in a Python loop)", fn, (self.model, q), "crba")

    def gradients(self):
        """Of the sum of squared accelerations, through `dx.batched` or, for one state, plain."""
        one = lambda m, q, v, tau: (dx.forward_dynamics(m, q, v, tau) ** 2).sum()
        many = lambda *x: dx.batched(one, in_axes=(None, 0, 0, 0))(*x).sum()
        if self.batch == 1:
            many = lambda m, q, v, tau: one(m, q[0], v[0], tau[0])
        args = self.model, self.q, self.v, self.tau
        by_inertia = jax.grad(lambda inertia, m, *x: many(dataclasses.replace(m, inertia=inertia), *x))
        self.report("gradient of fd by q, v, tau", jax.grad(many, (1, 2, 3)), args, "aba")
        self.report("gradient of fd by all inertias", lambda m, *x: by_inertia(m.inertia, m, *x), args, "aba")
        self.report("gradient of fd by every number of the model", jax.grad(many), args, "aba")

    def jacobians(self):
        """All derivatives by q, v and what drives, of forward and of inverse dynamics."""
        axes, label = (None, 0, 0, 0), "(Pinocchio in a Python loop)"
        forward, inverse = (dx.batched(f, in_axes=axes) for f in (dx.linearize, dx.linearize_inverse))
        self.report(f"all Jacobians of fd {label}", forward, (self.model, self.q, self.v, self.tau), "aba derivatives")
        self.report(f"all Jacobians of id {label}", inverse, (self.model, self.q, self.v, self.a), "rnea derivatives")

    def rollout(self):
        """Forward dynamics inside a loop of one state, a thousand Euler steps: what a simulation pays per evaluation."""

        def run(m, q, v, tau):
            def step(state, _):
                q, v = state
                a = dx.forward_dynamics(m, q, v, tau)
                return (dx.integrate(m, q, v * 1e-4), v + a * 1e-4), None

            return jax.lax.scan(step, (q, v), None, 1000)[0]

        args = self.model, self.q[0], self.v[0], self.tau[0]
        self.report("a step, in a loop over one state", run, args, "aba", evaluations=1000)
        cost = lambda m, q, v, tau: (run(m, q, v, tau)[0] ** 2).sum()
        self.report("its gradient by every number of the model", jax.grad(cost), args, "aba", evaluations=1000)


SECTIONS = {
    "one": lambda out: [Case("arm of 7", 1, out).dynamics(), Case("arm of 7", 1, out).mass_matrix()],
    "arm": lambda out: [(case := Case("arm of 7", n, out)).dynamics() or case.mass_matrix() for n in (1024, 16384)],
    "vmap": lambda out: Case("arm of 7", 1024, out).dynamics(jax.vmap, ", plain vmap"),
    "million": lambda out: Case("arm of 7", 1048576, out).dynamics(),
    "trees": lambda out: [Case(name, 1024, out).dynamics() for name in ("binary tree of 30", "humanoid, floating", "Talos")],
    "chains": lambda out: [Case(f"chain of {n}", 64, out).dynamics() for n in (8, 64, 512)],
    "gradients": lambda out: [Case("arm of 7", n, out).gradients() for n in (1, 1024, 16384)],
    "tree_gradients": lambda out: [Case(name, 1024, out).gradients() for name in ("binary tree of 30", "humanoid, floating", "Talos")],
    "chain_gradients": lambda out: [Case(f"chain of {n}", 64, out).gradients() for n in (8, 64)],
    "jacobians": lambda out: [Case(name, 1024, out).jacobians() for name in ("arm of 7", "humanoid, floating", "Talos")],
    "rollout": lambda out: Case("arm of 7", 1, out).rollout(),
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sections", nargs="*", choices=[[], *SECTIONS], help="what to time; all but `million` if left out")
    parser.add_argument("--out", type=Path, help="write the table here too")
    options = parser.parse_args()
    rows = [HEAD, "|---|---|---|---|---|---|---|"]
    print(*rows, sep="\n", flush=True)
    for name in options.sections or [name for name in SECTIONS if name != "million"]:
        SECTIONS[name](rows)
    note = f"jax {jax.__version__}, Pinocchio {pin.__version__}, float64, one core, Python {sys.version.split()[0]}"
    print(note)
    if options.out:
        options.out.write_text("\n".join(rows) + f"\n\n{note}\n")
