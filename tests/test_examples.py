"""Every numbered example gives its recorded number, and the pieces of the demo work on small sizes."""

import re
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest

pytest.importorskip("matplotlib")

import denox as dx
from examples import demo, plots

ROOT = Path(__file__).parent.parent
NUMBERED = sorted((ROOT / "examples").glob("[0-9]*.py"))
RECORD = re.compile(r"^EXPECTED = (\S+)  # \d{4}-\d\d-\d\d: \w+", re.MULTILINE)
RELATIVE = 1e-9  # numbers are printed and recorded with twelve digits


@pytest.fixture(autouse=True)
def float64():
    with jax.enable_x64(True):
        yield


@pytest.mark.parametrize("path", NUMBERED, ids=lambda path: path.stem)
def test_example_gives_its_recorded_number(path):
    record = RECORD.search(path.read_text())
    assert record, f"{path.name} has no line `EXPECTED = ...  # date: reason`"
    run = subprocess.run([sys.executable, path], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    printed = re.fullmatch(r"[^:]+: (\S+) \S.*\n", run.stdout)
    assert printed, f"{path.name} prints {run.stdout!r}: one line, `what: number unit`"
    assert float(printed[1]) == pytest.approx(float(record[1]), rel=RELATIVE)


@pytest.mark.parametrize("arm", demo.ARMS)
def test_torques_agree_with_other_engines(arm):
    curve = demo.torques(arm)
    assert demo.of_peak(curve.ours, curve.reference) < 1e-10


def test_fall_agrees_with_other_engines():
    q, v, drift = demo.falls("puma", steps=50)
    assert np.abs(q.ours - q.reference).max() < 1e-9
    assert np.abs(v.ours - v.reference).max() < 1e-9
    assert drift < 1e-9


def test_gradient_agrees_with_a_difference():
    slopes, error = demo.gradient(count=11)
    assert slopes.shape == (6, 10)
    assert error < 1e-12


def test_batch_is_timed_and_agrees():
    here, there, apart = demo.batch(size=8, seconds=0.01)
    assert here > 0
    assert there is None or (there > 0 and apart < 1e-12)


def test_pictures_are_written(tmp_path):
    image = pytest.importorskip("PIL.Image")
    t = np.array([0.0, 0.5, 1.0])
    values = np.outer(t, np.arange(6.0))
    plots.torques("arm", [demo.Curve("arm", t, values, values)], tmp_path / "torques.png")
    plots.falls("arms", [demo.Curve(name, t, values, values) for name in "ab"], tmp_path / "falls.png", slides=(2,))
    plots.heat_map(np.linspace(-1e3, 1e3, 60).reshape(6, 10), tmp_path / "heat_map.png")
    places = np.asarray(jax.vmap(demo.points, (None, 0))(dx.zoo.puma(), values))
    assert places.shape == (3, 8, 3)
    plots.strip(t, places, tmp_path / "strip.png", count=3)
    plots.film(t, places, tmp_path / "film.gif")
    assert len(list(tmp_path.glob("*.png"))) == 4
    with image.open(tmp_path / "film.gif") as film:
        assert film.n_frames == 3
