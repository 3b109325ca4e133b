"""A module imports only from modules before it in the data's way."""

import ast
from pathlib import Path

import pytest

import denox

ROOT = Path(denox.__file__).parent
ORDER = [
    "types",
    "public",
    "algebra",
    "rotations",
    "pose",
    "inertia",
    "joints",
    "topology",
    "couplings",
    "model",
    "charts",
    "check",
    "base",
    "build.assemble",
    "build.builder",
    "build.dh",
    "build.zoo",
    "build.surgery",
    "build.xml",
    "build.urdf",
    "sweeps",
    "nodes",
    "state",
    "curves",
    "kinematics",
    "build.reroot",
    "loads",
    "dynamics.bodies",
    "dynamics.inverse",
    "dynamics.wrenches",
    "dynamics.composite",
    "dynamics.inertia_matrix",
    "dynamics.coriolis",
    "dynamics.momentum",
    "dynamics.factor",
    "dynamics.forward",
    "dynamics.hybrid",
    "dynamics.sensitivity",
    "dynamics.linearize",
    "dynamics.euler_rates",
    "dynamics.energy",
    "batch",
    "convert",
    "drive",
    "trajectory",
    "events",
    "elements",
    "controllers",
    "simulate",
]
MODULES = {".".join(p.relative_to(ROOT).with_suffix("").parts): p for p in ROOT.rglob("*.py") if p.name != "__init__.py"}


def imported(path, name):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = name.split(".")[: -node.level]
            target = ".".join([*base, *(node.module.split(".") if node.module else [])])
            for alias in node.names:
                inner = f"{target}.{alias.name}" if target else alias.name
                yield inner if inner in MODULES else target


def test_every_module_has_its_place():
    assert sorted(ORDER) == sorted(MODULES)


@pytest.mark.parametrize("name", ORDER)
def test_a_module_imports_only_from_earlier_ones(name):
    for other in imported(MODULES[name], name):
        assert ORDER.index(other) < ORDER.index(name), f"`{name}` imports from `{other}`, which comes later"


@pytest.mark.parametrize("name", ORDER)
def test_a_module_says_what_it_is_for_and_holds_one_idea(name):
    text = MODULES[name].read_text()
    assert ast.get_docstring(ast.parse(text))
    assert text.count("\n") < 500


def test_public_names_have_docstrings():
    for name in vars(denox):
        thing = getattr(denox, name)
        if not name.startswith("_") and callable(thing):
            assert thing.__doc__, name
