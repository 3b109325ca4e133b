"""Every robot of `example-robot-data` against Pinocchio, written to docs/robots.md:      python tools/robots.py"""

import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

import jax

jax.config.update("jax_enable_x64", True)

from oracles.robots import gaps, reader, robots

import denox as dx

HEAD = """# Robots

Every URDF file of `example-robot-data`, read by `dx.from_urdf` and by Pinocchio's own reader: the largest relative differences of inverse dynamics,
inertia matrix and forward dynamics in a random state, on a fixed and on a floating base. `python tools/robots.py` writes this page. Joints that mimic
others are read here as free by both (`mimic=False`).

| file | nv | fixed: inverse | inertia | forward | floating: inverse | inertia | forward |
|---|---|---|---|---|---|---|---|
"""


def row(path):
    cells, size = [], 0
    for floating in (False, True):
        try:
            model = dx.from_urdf(path, floating=floating, mimic=False)
        except ValueError as error:
            return ["", f"refused: {str(error).replace(str(path), '').lstrip(': ')}", *[""] * 5]
        size = size or model.nv
        try:
            theirs = reader(path, floating)
        except Exception as error:
            cells += [f"Pinocchio fails: {str(error).splitlines()[0]}", "", ""]
            continue
        cells += [f"{x:.0e}" if x else "0" for x in gaps(model, theirs, jax.random.key(0))] if model.nv else ["no joints", "", ""]
    return [str(size), *cells]


def main():
    warnings.simplefilter("ignore")
    lines = []
    for name, path in robots().items():
        lines.append("| " + " | ".join([f"`{name}`", *row(path)]) + " |")
        print(lines[-1], flush=True)
    (ROOT / "docs" / "robots.md").write_text(HEAD + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
