"""URDF files against Pinocchio's reader, and what is refused."""

import time

import jax
import numpy as np
import pytest
from oracles.robots import gaps, reader, robots

import denox as dx

QUICK = [
    "panda_description/urdf/panda.urdf",
    "romeo_description/urdf/romeo_small.urdf",
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
]
REFUSED = {
    "romeo_description/urdf/romeo.urdf": "moves nothing that has mass",
    "romeo_description/urdf/romeo_laas_small.urdf": "negative principal moment",
    "ur_description/urdf/ur3.urdf": "has no `<link>`",
}

BODY = '<inertial><origin xyz="0.1 0.02 -0.1" rpy="0.3 0.1 -0.4"/><mass value="1.5"/><inertia ixx="0.02" iyy="0.03" izz="0.025" ixy="0.001" ixz="-0.002" iyz="0.003"/></inertial>'  # noqa: E501


def link(name, inside=BODY):
    return f'<link name="{name}">{inside}</link>'


def joint(name, kind, parent, child, inside='<axis xyz="0 0 1"/>', origin='<origin xyz="0.1 0.2 0.3" rpy="0.4 -0.5 0.6"/>'):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{origin}{inside}</joint>'


def robot(*parts):
    return f'<robot name="test">{"".join(parts)}</robot>'


EVERY = robot(
    link("base"),
    link("tool"),
    link("arm"),
    link("drive"),
    link("cart"),
    link("flyer"),
    link("wheel"),
    link("bracket"),
    joint("mount", "fixed", "drive", "bracket", ""),
    joint("spin", "continuous", "bracket", "wheel", '<axis xyz="1 2 3"/>'),
    joint(
        "shoulder", "revolute", "base", "arm", '<axis xyz="0 2 1"/><limit lower="-1" upper="2" effort="30"  velocity="3"/><dynamics damping="0.5"/>'
    ),
    joint("slide", "prismatic", "arm", "drive", '<axis xyz="1 0 1"/><limit lower="-inf" upper="0.4" effort="20" velocity="1"/>'),
    joint("plane", "planar", "base", "cart", '<axis xyz="0 0 1"/>'),
    joint("loose", "floating", "cart", "flyer", ""),
    joint("weld", "fixed", "flyer", "tool", ""),
)


@pytest.mark.parametrize("floating", [False, True])
def test_every_joint_type_agrees_with_pinocchio(floating):
    model = dx.from_urdf(EVERY, floating=floating)
    theirs = reader(EVERY.replace("-inf", "-9"), floating)  # its reader knows no infinity
    assert max(gaps(model, theirs, jax.random.key(1))) < 1e-12


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", QUICK)
def test_robots_agree_with_pinocchio(name):
    model = dx.from_urdf(robots()[name], floating=True, mimic=False)
    assert max(gaps(model, reader(robots()[name], True), jax.random.key(1))) < 1e-10


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("name", robots())
def test_every_robot_agrees_with_pinocchio_or_is_refused_with_the_cause(name, floating):
    path = robots()[name]
    if name in REFUSED:
        with pytest.raises(ValueError, match=REFUSED[name]) as refusal:
            dx.from_urdf(path, floating=floating, mimic=False)
        assert str(refusal.value).startswith(str(path))
        return
    model = dx.from_urdf(path, floating=floating, mimic=False)
    if model.nv:
        assert max(gaps(model, reader(path, floating), jax.random.key(2))) < 1e-10


def test_links_come_depth_first_in_the_order_of_the_file():
    model = dx.from_urdf(EVERY)
    assert model.links == ("base", "arm", "drive", "wheel", "cart", "flyer")
    assert model.joints == ("shoulder", "slide", "spin", "plane", "loose")
    assert model.topology.frames == ("bracket", "tool")
    assert dx.from_urdf(EVERY, merge=False).links == ("base", "arm", "drive", "bracket", "wheel", "cart", "flyer", "tool")


def test_merging_changes_no_dynamics_and_no_place():
    one, two = dx.from_urdf(EVERY), dx.from_urdf(EVERY, merge=False)
    q, v = dx.random_state(one, jax.random.key(0))
    np.testing.assert_allclose(dx.bias_forces(one, q, v), dx.bias_forces(two, q, v), rtol=0, atol=1e-12)
    for name in ("bracket", "tool", "wheel"):
        np.testing.assert_allclose(dx.kinematics(one, q).at(name).position, dx.kinematics(two, q).at(name).position, rtol=0, atol=1e-13)


def test_limits_effort_damping_and_rotors_are_read():
    rotor = '<transmission name="t"><joint name="slide"/><actuator name="m"><mechanicalReduction>50</mechanicalReduction>'
    rotor += "<rotorInertia>2e-4</rotorInertia></actuator></transmission>"
    model = dx.from_urdf(EVERY.replace("</robot>", rotor + "</robot>"))
    assert model.limits[:3].tolist() == [[-1, 2], [-np.inf, 0.4], [-np.inf, np.inf]]
    assert model.effort[:3].tolist() == [30, 20, np.inf]
    assert model.damping[:2].tolist() == [0.5, 0]
    assert model.armature[:3].tolist() == [0, 0.5, 0]


def test_locked_joints_stand_where_they_were_locked():
    whole, q = dx.from_urdf(EVERY), {"shoulder": 0.7, "plane": [0.1, 0.2, 0.3]}
    part = dx.from_urdf(EVERY, lock=q)
    assert part.joints == ("slide", "spin", "loose")
    full = dx.neutral(whole).at[whole.q_index("shoulder")].set(0.7).at[whole.q_index("plane")].set(np.array([0.1, 0.2, 0.3]))
    there = dx.kinematics(part, dx.neutral(part)).at("tool").position
    np.testing.assert_allclose(there, dx.kinematics(whole, full).at("tool").position, rtol=0, atol=1e-13)
    assert dx.from_urdf(EVERY, lock=["slide"]).joints == ("shoulder", "spin", "plane", "loose")


def test_a_root_chooses_a_part():
    assert dx.from_urdf(EVERY, root="drive").joints == ("spin",)
    assert dx.from_urdf(EVERY, root="drive", floating=True).joints == ("root_joint", "spin")


def test_five_hundred_links_load_in_two_seconds():
    parts = [link("link0")] + [link(f"link{i}") + joint(f"joint{i}", "revolute", f"link{i - 1}", f"link{i}") for i in range(1, 501)]
    text = robot(*parts)
    began = time.perf_counter()
    model = dx.from_urdf(text)
    assert time.perf_counter() - began < 2
    assert model.nv == 500


MIMIC = robot(
    link("base"),
    link("a"),
    link("b"),
    link("c"),
    joint("ja", "revolute", "base", "a"),
    joint("jb", "revolute", "a", "b", '<axis xyz="0 1 0"/><mimic joint="ja" multiplier="-2" offset="0.1"/>'),
    joint("jc", "prismatic", "b", "c", '<axis xyz="1 0 0"/><mimic joint="jb" multiplier="0.5" offset="0.3"/>'),
)


def test_what_mimics_a_locked_joint_is_locked_with_it():
    model, free = dx.from_urdf(MIMIC, lock={"ja": 0.4}, floating=True), dx.from_urdf(MIMIC, mimic=False, floating=True)
    assert model.joints == ("root_joint",)
    q = np.concatenate([dx.neutral(model), [0.4, -0.7, -0.05]])
    position = dx.kinematics(free, q).at("c").position
    np.testing.assert_allclose(dx.kinematics(model, dx.neutral(model)).at("c").position, position, rtol=0, atol=1e-14)


def test_mimics_are_coupled():
    model, free = dx.from_urdf(MIMIC), dx.from_urdf(MIMIC, mimic=False)
    assert model.nv == model.nq == 1
    G, offset = np.array([[1.0], [-2.0], [-1.0]]), np.array([0.0, 0.1, 0.35])
    q, v, a = np.array([0.3]), np.array([0.8]), np.array([-0.6])
    Q, V, A = G @ q + offset, G @ v, G @ a
    np.testing.assert_allclose(dx.inverse_dynamics(model, q, v, a), G.T @ dx.inverse_dynamics(free, Q, V, A), rtol=1e-12)
    np.testing.assert_allclose(dx.inertia_matrix(model, q), G.T @ dx.inertia_matrix(free, Q) @ G, rtol=1e-12)


SIMPLE = robot(link("base"), link("arm"), joint("hinge", "revolute", "base", "arm"))
BOMB = '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">' + "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(12)) + "]>"
WRONG = {
    "an entity bomb": (BOMB + SIMPLE.replace('"test"', '"&m;"'), "entities"),
    "an external entity": ('<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/hosts">]>' + SIMPLE.replace('name="arm"', 'name="&x;"'), "entities"),
    "a bomb in UTF-16": ((BOMB + SIMPLE).encode("utf-16"), "entities"),
    "not XML": ("<robot><link name=", "not well-formed"),
    "two roots of XML": (SIMPLE + SIMPLE, "not well-formed"),
    "MJCF": ("<mujoco/>", "from_mjcf"),
    "xacro": ('<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="a"/></robot>', "xacro:include"),
    "a xacro expression": (SIMPLE.replace("1.5", "${m}"), "xacro expression"),
    "no links": ("<robot/>", "no `<link>`"),
    "a nameless link": (SIMPLE.replace('<link name="arm">', "<link>"), "no `name`"),
    "two links of one name": (robot(link("a"), link("a")), "two links are called `a`"),
    "two joints of one name": (
        robot(link("a"), link("b"), link("c"), joint("j", "revolute", "a", "b"), joint("j", "revolute", "b", "c")),
        "two joints are called `j`",
    ),
    "two roots": (robot(link("a"), link("b")), "several roots: links `a`, `b`"),
    "a cycle": (robot(link("a"), link("b"), joint("i", "revolute", "a", "b"), joint("j", "revolute", "b", "a")), "no root"),
    "a cycle beside a tree": (
        robot(link("o"), link("a"), link("b"), joint("i", "revolute", "a", "b"), joint("j", "revolute", "b", "a")),
        "`a`, `b` do not hang on the root `o`",
    ),
    "a link with two parents": (
        robot(link("a"), link("b"), link("c"), *(joint(f"j{k}", "revolute", *pair) for k, pair in enumerate(("ab", "ac", "bc")))),
        "child of joints `j1` and `j2`",
    ),
    "a joint with itself": (robot(link("a"), joint("j", "revolute", "a", "a")), "to itself"),
    "a missing parent": (SIMPLE.replace('parent link="base"', 'parent link="bass"'), "parent `bass`"),
    "no parent at all": (SIMPLE.replace('<parent link="base"/>', ""), "no `<parent"),
    "an unknown type": (SIMPLE.replace('"revolute"', '"ball"'), 'type="ball"'),
    "a zero axis": (SIMPLE.replace('<axis xyz="0 0 1"/>', '<axis xyz="0 0 0"/>'), "axis .* is zero"),
    "NaN": (SIMPLE.replace('mass value="1.5"', 'mass value="nan"'), "mass value=.nan.* not finite"),
    "an infinite mass": (SIMPLE.replace('mass value="1.5"', 'mass value="1e999"'), "not finite"),
    "a word": (SIMPLE.replace('xyz="0.1 0.2 0.3"', 'xyz="0,1 0.2 0.3"'), "is no number"),
    "two numbers": (SIMPLE.replace('xyz="0.1 0.2 0.3"', 'xyz="0.1 0.2"'), "has 2 numbers"),
    "a negative mass": (SIMPLE.replace('mass value="1.5"', 'mass value="-1.5"'), "Link `base`.*negative"),
    "a negative moment": (SIMPLE.replace('ixx="0.02"', 'ixx="-0.02"'), "Link `base`.*negative principal moment"),
    "no mass": (SIMPLE.replace('<mass value="1.5"/>', ""), "no `<mass>`"),
    "limits turned round": (SIMPLE.replace("</joint>", '<limit lower="1" upper="-1"/></joint>'), "lower bound above"),
    "NaN limits": (SIMPLE.replace("</joint>", '<limit lower="nan" upper="1"/></joint>'), "lower=.nan"),
    "a negative effort": (SIMPLE.replace("</joint>", '<limit effort="-1"/></joint>'), "effort -1.0 is negative"),
    "nothing that moves": (robot(link("a"), link("b", ""), joint("j", "revolute", "a", "b")), "Joint `j` moves nothing that has mass"),
    "a mimic of nothing": (SIMPLE.replace("</joint>", '<mimic joint="x"/></joint>'), "`hinge` mimics `x`"),
    "a mimic of itself": (SIMPLE.replace("</joint>", '<mimic joint="hinge"/></joint>'), "mimics it in turn"),
    "wrong bytes": (b'<?xml version="1.0" encoding="utf-8"?><robot name="\xff\xfe"/>', "not utf-8 text"),
    "an unknown encoding": (b'<?xml version="1.0" encoding="klingon"?><robot/>', "not klingon text"),
    "depth": ("<robot>" * 100_000, "deep"),
    "a hundred megabytes": ("<robot>" + " " * 100_000_000 + "</robot>", "more than"),
    "no file": ("nowhere/robot.urdf", "no such file"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_refused_with_the_cause(case):
    text, cause = WRONG[case]
    with pytest.raises(ValueError, match=cause) as refusal:
        dx.from_urdf(text)
    assert "the given text" in str(refusal.value) or case == "no file"


def test_odd_but_legal_files_are_read():
    plain = dx.from_urdf(SIMPLE)
    for text in (
        SIMPLE.encode("utf-16"),
        ('<?xml version="1.0" encoding="latin-1"?><!-- \xe4 -->' + SIMPLE).encode("latin-1"),
        b"\xef\xbb\xbf" + SIMPLE.encode(),
        "<!-- a <!DOCTYPE in a comment -->" + SIMPLE,
        SIMPLE.replace("</joint>", '<limit lower="-inf" upper="inf" effort="inf"/></joint>'),
    ):
        model = dx.from_urdf(text)
        assert model.links == plain.links
        np.testing.assert_array_equal(model.inertia, plain.inertia)


def test_a_file_is_named_in_messages(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(SIMPLE.replace("1.5", "x"))
    with pytest.raises(ValueError, match=r"arm\.urdf: link `base`: `<mass value=\"x\">` is no number"):
        dx.from_urdf(path)
