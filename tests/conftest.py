"""Every annotation of denox is checked while tests run; numbers are float64 unless a test says otherwise."""

import sys
from pathlib import Path

from jaxtyping import install_import_hook

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]
install_import_hook("denox", "beartype.beartype")

import itertools

import jax
import jaxtyping
import pytest

jax.config.update("jax_enable_x64", True)


@pytest.fixture
def getkey():
    """A new random key at each call, the same ones in each run of a test."""
    count = itertools.count()
    return lambda: jax.random.key(next(count))


@pytest.fixture
def as_users_run():
    """Without the checks of annotations, which would speak before denox does."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


@pytest.fixture(params=__import__("specimens").names)
def model(request):
    return __import__("specimens").specimen(request.param)
