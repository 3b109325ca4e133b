"""Models are what their builder was told, and what makes no sense is refused by name, value and cure."""

import dataclasses
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pinocchio as pin
import pytest
from helpers import close, random_inertia, random_motion, random_rotation

import denox as dx

BODY = dx.Inertia(1.0, (0.1, 0.2, 0.3), (0.3, 0.4, 0.5))


def test_any_axis_agrees_with_pinocchio_built_by_hand(getkey):
    """Not through `oracles`, which reads the model: here both are told the same numbers."""
    rng = np.random.default_rng(0)
    builder, pm, parent, joint = dx.Builder(gravity=(1, 2, -9)), pin.Model(), None, 0
    pm.gravity.linear = np.array([1.0, 2, -9])
    axes = [(1, 0, 0), (0, -1, 0), (0, 0, -1), (0.6, -0.8, 0), (1, 2, 3), (-1, 0.2, -3)]
    for i, axis in enumerate(axes):
        axis, R, p, body = np.array(axis, float), random_rotation(rng), rng.uniform(-1, 1, 3), random_inertia(rng)
        unit = axis / np.linalg.norm(axis)
        slides = i % 3 == 1
        builder.link(f"l{i}", parent, (dx.Prismatic if slides else dx.Revolute)(axis), dx.Pose(R, p), body)
        kind = pin.JointModelPrismaticUnaligned if slides else pin.JointModelRevoluteUnaligned
        joint = pm.addJoint(joint, kind(*unit), pin.SE3(R, p), f"l{i}")
        pm.appendBodyToJoint(joint, pin.Inertia(float(body.mass), body.com, body.about_com), pin.SE3.Identity())
        parent = f"l{i}"
    model, data = builder.build(), pm.createData()
    q, v, a, tau = (np.asarray(x) for x in random_motion(model, getkey()))
    assert close(dx.inverse_dynamics(model, q, v, a), pin.rnea(pm, data, q, v, a), 1e-12)
    assert close(dx.forward_dynamics(model, q, v, tau), pin.aba(pm, data, q, v, tau), 1e-11)
    pin.forwardKinematics(pm, data, q)
    kin = dx.kinematics(model, q)
    assert close(kin.position, [data.oMi[i + 1].translation for i in range(6)], 1e-14)
    assert close(kin.rotation, [data.oMi[i + 1].rotation for i in range(6)], 1e-14)


def test_links_on_fixed_joints_move_with_their_bodies(getkey):
    """A link cut in two that are fixed to each other is the same mechanism."""
    rng = np.random.default_rng(1)
    bodies, pose = [random_inertia(rng) for _ in range(3)], dx.Pose(random_rotation(rng), rng.uniform(-1, 1, 3))
    elbow = dx.Pose(random_rotation(rng), rng.uniform(-1, 1, 3))
    apart = dx.Builder().link("arm", None, dx.Revolute((1, 1, 0)), inertia=bodies[0]).link("tool", "arm", dx.Fixed(), pose, bodies[1])
    apart = apart.link("hand", "tool", dx.Revolute((0, 1, 2)), elbow, bodies[2]).build()
    phi = bodies[0].parameters + bodies[1].placed(pose).parameters
    joined = dx.Builder().link("arm", None, dx.Revolute((1, 1, 0)), inertia=bodies[0])
    joined = joined.link("hand", "arm", dx.Revolute((0, 1, 2)), pose @ elbow, bodies[2]).build()
    joined = dx.with_inertial_parameters(joined, dx.inertial_parameters(joined).at[0].set(phi))
    q, v, a, tau = random_motion(joined, getkey())
    assert close(dx.inverse_dynamics(apart, q, v, a), dx.inverse_dynamics(joined, q, v, a), 1e-13)
    assert close(dx.forward_dynamics(apart, q, v, tau), dx.forward_dynamics(joined, q, v, tau), 1e-12)
    assert close(dx.kinematics(apart, q).at("hand").position, dx.kinematics(joined, q).at("hand").position, 1e-14)
    assert close(dx.inertial_parameters(apart)[1], bodies[1].parameters, 1e-14)


def test_names_and_places_of_coordinates():
    model = dx.Builder().link("base", None, dx.Free(), inertia=BODY).link("arm", "base", dx.Revolute(), inertia=BODY, joint_name="shoulder")
    model = model.link("plate", "arm").link("hand", "arm", dx.Spherical(), inertia=BODY).build()
    assert model.links == ("base", "arm", "plate", "hand")
    assert model.joints == ("base", "shoulder", "hand")
    assert (model.nq, model.nv) == (12, 10)
    assert (model.q_index("shoulder"), model.v_index("shoulder")) == (slice(7, 8), slice(6, 7))
    assert (model.q_index("hand"), model.v_index("hand")) == (slice(8, 12), slice(7, 10))
    assert "4 links, 3 joints, nq=12, nv=10" in repr(model)


def test_the_order_of_building_does_not_matter(getkey):
    rng = np.random.default_rng(2)
    parts = {name: (random_inertia(rng), dx.Pose(random_rotation(rng), rng.uniform(-1, 1, 3))) for name in "abcde"}
    parents = {"a": None, "b": "a", "c": "b", "d": "a", "e": "d"}

    def build(order):
        builder = dx.Builder()
        for name in order:
            builder.link(name, parents[name], dx.Revolute((1, 2, 3)), parts[name][1], parts[name][0])
        return builder.build()

    one, other = build("abcde"), build("adbec")
    q, v, _, tau = random_motion(one, getkey())
    to = np.array([one.links.index(name) for name in other.links])
    assert close(dx.forward_dynamics(other, q[to], v[to], tau[to]), dx.forward_dynamics(one, q, v, tau)[to], 1e-12)
    assert close(dx.inertia_matrix(other, q[to]), dx.inertia_matrix(one, q)[np.ix_(to, to)], 1e-13)


def test_a_structure_without_joints_still_has_poses():
    model = dx.Builder().link("wall").link("shelf", "wall", dx.Fixed(), dx.Pose(position=(1, 2, 3)), BODY).build()
    assert model.nv == 0
    assert close(dx.kinematics(model, jnp.zeros(0)).at("shelf").position, (1, 2, 3), 0)
    assert dx.forward_dynamics(model, *jnp.zeros((3, 0))).shape == (0,)
    assert float(dx.energy(model, *jnp.zeros((2, 0)))) == 0


def test_what_no_joint_has_is_not_there():
    model = dx.Builder().link("a", None, dx.Revolute(), inertia=BODY).build()
    assert model.damping is None
    damped = dx.Builder().link("a", None, dx.Revolute(), inertia=BODY, damping=0.0).link("b", "a", dx.Spherical(), inertia=BODY).build()
    assert damped.damping.tolist() == [0, 0, 0, 0]


def test_passive_elements_as_written(getkey):
    numbers = dict(damping=0.3, friction=0.7, stiffness=2.0, rest=0.4)
    model = dx.Builder().link("a", None, dx.Revolute(), inertia=BODY, **numbers).build()
    for v in (-3.0, 0.0, 1e-3, 2.0):
        expected = 0.3 * v + 0.7 * v / np.sqrt(v * v + 1e-4) + 2.0 * (1.1 - 0.4)
        assert close(dx.passive_forces(model, np.array([1.1]), np.array([v])), [expected], 1e-14)


def test_loops_keep_all_numbers_of_their_joints():
    builder = dx.Builder().link("a", None, dx.Revolute(), inertia=BODY).close("u", "a", None, dx.Universal((1, 0, 0), (0, 1, 0)))
    model = builder.close("h", "a", None, dx.Helical((0, 0, 1), 0.2)).close("weld", "a", None, dx.Fixed()).build()
    assert model.loop_screw.tolist() == [[1, 0, 0, 1, 0], [0, 1, 0, 1, 0], [0, 0, 1, 1, 0.2]]


def test_loops_are_recorded_and_never_ignored(as_users_run):
    builder = dx.Builder().link("a", None, dx.Revolute(), inertia=BODY).link("b", "a", dx.Revolute(), inertia=BODY)
    model = builder.close("pin", "b", None, dx.Revolute((0, 0, 1)), dx.Pose(position=(1, 0, 0))).build()
    assert model.topology.loops[0].name == "pin"
    assert model.loop_screw.tolist() == [[0, 0, 1, 1, 0]]
    for call in (dx.forward_dynamics, dx.inverse_dynamics):
        with pytest.raises(ValueError, match=r"`pin`.*model.tree\(\)"):
            call(model, *np.zeros((3, 2)))
    assert dx.forward_dynamics(model.tree(), *np.zeros((3, 2))).shape == (2,)


GOOD = dict(name="b", parent="a", joint=dx.Revolute(), inertia=BODY)
BAD = {
    "unknown parent": (dict(parent="z"), r"no link is called `z`.*Links so far: a"),
    "its own parent": (dict(name="b", parent="b"), r"its own parent"),
    "two parents": (dict(name="a", parent=None), r"`a` already has parent.*Builder.close"),
    "no name": (dict(name=""), "name is a word"),
    "negative mass": (dict(inertia=dx.Inertia(-1.0)), r"`b`: `Inertia\(mass=-1.0\)` is negative. A massless link has mass 0"),
    "NaN mass": (dict(inertia=dx.Inertia(float("nan"))), r"`b`.*nan.*finite"),
    "NaN center": (dict(inertia=dx.Inertia(1.0, (0, float("nan"), 0))), r"`b`.*nan.*finite"),
    "NaN placement": (dict(placement=dx.Pose(position=(0, 0, float("nan")))), r"`b`.*nan.*finite"),
    "negative moment": (dict(inertia=dx.Inertia(1.0, None, (-0.1, 0.2, 0.2))), r"`b`.*negative principal moment -0.1"),
    "tensor not symmetric": (dict(inertia=dx.Inertia(1.0, None, [[1, 0.2, 0], [0, 1, 0], [0, 0, 1]])), r"`b`.*not symmetric"),
    "zero axis": (dict(joint=dx.Revolute((0, 0, 0))), r"Joint `b`: axis \[0.0, 0.0, 0.0\] is zero. Give a direction"),
    "axis of two": (dict(joint=dx.Prismatic((0, 1))), r"Joint `b`.*\(2,\).*three components"),
    "NaN axis": (dict(joint=dx.Revolute((0, float("nan"), 1))), r"Joint `b`.*finite"),
    "no rotation": (dict(placement=dx.Pose(np.diag([1.0, 1, 2]))), r"`b`.*not a rotation matrix.*from_rpy"),
    "mirror": (dict(placement=dx.Pose(np.diag([1.0, 1, -1]))), r"`b`.*not a rotation matrix"),
    "not a joint": (dict(joint="revolute"), r"`b`: `joint` is 'revolute'. Give a `dx.Joint`"),
    "not a pose": (dict(placement=(0, 0, 1)), r"`b`: `placement` is \(0, 0, 1\). Give a `dx.Pose`"),
    "negative damping": (dict(damping=-0.1), r"Joint `b`: `damping` is \[-0.1\]. It cannot be negative"),
    "limits turned round": (dict(limits=(1, -1)), r"Joint `b`: limits.*lower bound above the upper"),
    "NaN stiffness": (dict(stiffness=float("nan")), r"Joint `b`: `stiffness`.*NaN"),
    "too many dampings": (dict(damping=(1, 2)), r"Joint `b`: `damping` has shape \(2,\).*\(1,\)"),
    "rest that is no attitude": (dict(joint=dx.Spherical(), stiffness=1.0, rest=(2, 0, 0, 0)), r"Joint `b`: Euler parameters.*length 2"),
    "damping of a fixed joint": (dict(joint=dx.Fixed(), damping=0.1), r"`b` is on a fixed joint.*Leave them out"),
    "two axes that are one": (dict(joint=dx.Universal((0, 0, 1), (0, 0, 1))), r"Joint `b` moves nothing"),
    "massless at the tip": (dict(inertia=dx.Inertia(0.0)), r"Joint `b` moves nothing that has mass.*armature"),
    "point mass on its axis": (dict(inertia=dx.Inertia(1.0, (0, 0, 0.5))), r"Joint `b` moves nothing that has mass"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_makes_no_sense_is_refused_by_name_value_and_cure(case, as_users_run):
    change, words = BAD[case]
    with pytest.raises(ValueError, match=words):
        dx.Builder().link("a", None, dx.Revolute(), inertia=BODY).link(**{**GOOD, **change}).build()


def test_a_configuration_without_a_pivot_is_named():
    """Two point masses in a row: at no angle, the first hinge moves nothing that the second does not."""
    point = dx.Inertia(1.0, (1.0, 0, 0))
    model = dx.Builder().link("a", None, dx.Revolute()).link("b", "a", dx.Revolute(), dx.Pose(position=(1, 0, 0)), point).build()
    dx.check_state(model, [0.0, 0.5])
    with pytest.raises(ValueError, match="Joint `a` moves no mass by one of its speeds at q"):
        dx.check_state(model, [0.0, 0.0])


def test_a_massless_link_that_leaves_a_pivot_is_fine():
    on_the_way = dx.Builder().link("a", None, dx.Revolute((1, 0, 0)))
    assert on_the_way.link("b", "a", dx.Revolute((0, 1, 0)), inertia=BODY).build().nv == 2
    assert dx.Builder().link("a", None, dx.Revolute(), armature=0.1).build().nv == 1


def test_two_hinges_on_one_line_are_named_when_nothing_is_between_them():
    with pytest.raises(ValueError, match="Joint `a` moves nothing"):
        dx.Builder().link("a", None, dx.Revolute()).link("b", "a", dx.Revolute(), inertia=BODY).build()


def test_the_triangle_inequality_warns_and_its_boundary_is_legal():
    with pytest.warns(UserWarning, match="`a`: principal moments of inertia 0.1, 0.2, 0.5 violate the triangle inequality"):
        dx.Builder().link("a", None, dx.Revolute(), inertia=dx.Inertia(1, None, (0.1, 0.2, 0.5)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dx.Builder().link("a", None, dx.Revolute(), inertia=dx.Inertia(1, None, (0.1, 0.2, 0.3))).build()
        dx.zoo.stanford_arm()


OTHERS = {
    "nothing": (lambda b: dx.Builder().build(), "nothing to build"),
    "gravity of two": (lambda b: dx.Builder(gravity=(0, 1)), r"`gravity` has shape \(2,\)"),
    "NaN gravity": (lambda b: dx.Builder(gravity=(0, float("nan"), 1)), "`gravity` is.*finite"),
    "frame on nothing": (lambda b: b.frame("f", "z"), r"Frame `f`: no link is called `z`. Links so far: a"),
    "frame named as a link": (lambda b: b.frame("a", "a"), "Frame `a`: the name is taken"),
    "link named as a frame": (lambda b: b.frame("f", "a").link("f", "a"), "Link `f`: a frame has this name"),
    "loop to nothing": (lambda b: b.close("c", "a", "z", dx.Fixed()), "Loop `c`: no link is called `z`"),
    "loop to itself": (lambda b: b.close("c", "a", "a", dx.Fixed()), "Loop `c` joins `a` to itself"),
    "loop by a word": (lambda b: b.close("c", "a", None, "weld"), "Loop `c`: `joint` is 'weld'"),
    "loop placed badly": (lambda b: b.close("c", "a", None, dx.Fixed(), dx.Pose(2 * np.eye(3))), "Loop `c`.*not a rotation"),
    "quaternion far from one": (lambda b: dx.Pose.from_quaternion((1, 1, 0, 0)), r"length 1.414.*unit Euler parameters"),
    "joint name twice": (lambda b: b.link("b", "a", dx.Revolute(), inertia=BODY, joint_name="a"), "another joint is called `a`"),
}


@pytest.mark.parametrize("case", OTHERS)
def test_other_nonsense_is_refused_too(case, as_users_run):
    call, words = OTHERS[case]
    with pytest.raises(ValueError, match=words):
        call(dx.Builder().link("a", None, dx.Revolute(), inertia=BODY))


def test_checks_of_models_and_states():
    model = dx.Builder().link("a", None, dx.Spherical(), inertia=BODY).build()
    assert dx.check(model) is model
    phi = dx.inertial_parameters(model)
    with pytest.raises(ValueError, match="Link `a` has mass -1"):
        dx.check(dx.with_inertial_parameters(model, -phi))
    with pytest.raises(ValueError, match=r"of link `a` holds.*finite"):
        dx.check(dx.with_inertial_parameters(model, phi * jnp.nan))
    with pytest.raises(ValueError, match="joint `a` is no rotation"):
        dx.check(jax.tree.map(lambda x: x * 1.1, model))
    dx.check_state(model, dx.neutral(model), np.zeros(3))
    with pytest.raises(ValueError, match=r"Joint `a`: Euler parameters.*length 2"):
        dx.check_state(model, 2 * dx.neutral(model))
    with pytest.raises(ValueError, match=r"`q` has shape \(3,\)"):
        dx.check_state(model, np.zeros(3))
    with pytest.raises(ValueError, match="cannot be negative"):
        dx.check(dataclasses.replace(model, armature=-jnp.ones(3)))
    with pytest.raises(ValueError, match=r"`model.armature` has shape \(2,\).*\(3,\)"):
        dx.check(dataclasses.replace(model, armature=jnp.ones(2)))
    with pytest.raises(ValueError, match="mount of link `a` is no rotation"):
        dx.check(dataclasses.replace(model, mount=-model.mount))
    with pytest.raises(ValueError, match=r"`v` is.*finite"):
        dx.check_state(model, dx.neutral(model), np.full(3, np.nan))


CALLS = {
    "short q": (lambda m: dx.forward_dynamics(m, jnp.zeros(2), jnp.zeros(3), jnp.zeros(3)), r"`q` has shape \(2,\).*\(3,\)"),
    "long v": (lambda m: dx.inverse_dynamics(m, jnp.zeros(3), jnp.zeros(4), jnp.zeros(3)), r"`v` has shape \(4,\)"),
    "a batch": (lambda m: dx.gravity_forces(m, jnp.zeros((5, 3))), r"`q` has shape \(5, 3\).*jax.vmap"),
    "wrenches": (lambda m: dx.inverse_dynamics(m, *jnp.zeros((3, 3)), jnp.zeros((2, 6))), r"`wrenches` has shape \(2, 6\).*\(3, 6\)"),
    "parameters": (lambda m: dx.with_inertial_parameters(m, jnp.zeros((3, 9))), r"\(3, 9\).*ten numbers per link"),
    "unknown link": (lambda m: dx.jacobian(m, jnp.zeros(3), "hand"), r"No link or frame is called `hand`. Links: link1"),
    "unknown frame": (lambda m: dx.kinematics(m, jnp.zeros(3)).at("hand"), r"No link or frame is called `hand`"),
    "point of two": (lambda m: dx.jacobian(m, jnp.zeros(3), "tip", jnp.zeros(2)), r"`point` has shape \(2,\)"),
    "unknown joint": (lambda m: m.q_index("wrist"), r"No joint is called `wrist`. The joints are: link1"),
    "Stanford": (lambda m: dx.zoo.stanford_arm("002"), r"give \"000\" or \"001\""),
    "an array that does not fit": (
        lambda m: dx.gravity_forces(dataclasses.replace(m, gravity=jnp.ones(2)), jnp.zeros(3)),
        r"`model.gravity` has shape \(2,\).*\(3,\)",
    ),
    "a word too many": (lambda m: dx.jacobian(m, jnp.zeros(3), "tip", None, "what"), "positional"),
    "cycloid": (lambda m: dx.cycloid([0], [1], 0.0), "`duration` is 0.0 s"),
    "cycloid of two shapes": (lambda m: dx.cycloid([0], [1, 2], 1.0), "one shape"),
}


@pytest.mark.parametrize("case", CALLS)
def test_calls_that_make_no_sense_are_refused(case, as_users_run):
    call, words = CALLS[case]
    with pytest.raises((ValueError, TypeError), match=words):
        call(dx.zoo.planar_3r())
