"""The documentation stays true: equations, names and links lead somewhere, and every example runs."""

import ast
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE, DOCS = ROOT / "src" / "denox", ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
READABLE = [page for page in [*PAGES, ROOT / "README.md"] if page.exists()]
PAPERS = sorted(page.stem for page in (DOCS / "equations").glob("*.md"))
TAG = re.compile(r"Eq\. \[(\d+), (\w+)\]")
SHARED = re.compile(r"as \[(\d+), (\w+)\]")
NAME = re.compile(r"`([\w.]+)`")


def relative(page: Path) -> str:
    return str(page.relative_to(ROOT))


# Equations: what the code says


def owners(tree: ast.Module, module: str) -> list[tuple[int, int, str]]:
    """First line, last line and dotted name of every class, function and method; functions inside functions belong to these."""
    found = []

    def visit(node, name):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef | ast.FunctionDef):
                inner = f"{name}.{child.name}"
                found.append((child.lineno, child.end_lineno, inner))
                if isinstance(child, ast.ClassDef):
                    visit(child, inner)

    visit(tree, module)
    return found


def tags() -> set[tuple[str, str, str]]:
    """(paper, equation, dotted name) for every tag in the source."""
    found = set()
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text()
        module = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        spans = owners(ast.parse(text), module)
        for number, line in enumerate(text.splitlines(), 1):
            around = [(first, name) for first, last, name in spans if first <= number <= last]
            name = max(around)[1] if around else module  # the innermost begins last
            found |= {(paper, equation, name) for paper, equation in TAG.findall(line)}
    return found


# Equations: what the pages say


def rows(page: Path) -> list[list[str]]:
    """The cells of all tables of a page, without their heads."""
    lines = [line.strip() for line in page.read_text().splitlines()]
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    rules = [i for i, cells in enumerate(table) if set("".join(cells)) <= {"-", ":"}]
    heads = {i for rule in rules for i in (rule - 1, rule)}
    return [cells for i, cells in enumerate(table) if i not in heads]


def equations(paper: str) -> list[tuple[str, str]]:
    """(equation, third cell) for every equation of a page."""
    return [(equation.strip(), cells[2]) for cells in rows(DOCS / "equations" / f"{paper}.md") for equation in cells[0].split(",")]


def listed(paper: str) -> set[tuple[str, str, str]]:
    return {(paper, equation, name) for equation, cell in equations(paper) for name in NAME.findall(cell)}


def resolve(name: str):
    """The object of a dotted name within denox."""
    parts = name.split(".")
    for k in range(len(parts), 0, -1):
        try:
            thing = importlib.import_module(".".join(["denox", *parts[:k]]))
        except ModuleNotFoundError:
            continue
        for part in parts[k:]:
            thing = getattr(thing, part)
        return thing
    raise LookupError(f"`{name}` is no module of denox.")


@pytest.mark.parametrize("paper", PAPERS)
def test_every_tag_is_listed_with_its_function(paper):
    missing = {tag for tag in tags() if tag[0] == paper} - listed(paper)
    assert not missing, f"In the code, but not in docs/equations/{paper}.md: {sorted(missing)}"


@pytest.mark.parametrize("paper", PAPERS)
def test_every_listed_function_exists_and_has_the_tag(paper):
    for _, _, name in listed(paper):
        assert callable(resolve(name)) or isinstance(resolve(name), property)
    missing = listed(paper) - tags()
    assert not missing, f"In docs/equations/{paper}.md, but no such tag in the code: {sorted(missing)}"


@pytest.mark.parametrize("paper", PAPERS)
def test_every_equation_is_listed_once_and_leads_somewhere(paper):
    numbers = [equation for equation, _ in equations(paper)]
    assert numbers
    assert len(numbers) == len(set(numbers))
    for equation, cell in equations(paper):
        shared = SHARED.fullmatch(cell)
        if shared:
            assert shared[1] in PAPERS, f"{equation}: {cell}"
            assert any(other == shared[2] and NAME.findall(there) for other, there in equations(shared[1])), f"{equation}: {cell}"
        else:
            assert cell in ("step", "later") or NAME.findall(cell), f"{equation}: {cell}"


def test_every_name_of_the_notation_exists():
    names = {name for cells in rows(DOCS / "notation.md") if len(cells) == 4 for name in NAME.findall(cells[3])}
    assert len(names) > 20
    for name in names:
        resolve(name)


# Pages


@pytest.mark.parametrize("page", READABLE, ids=relative)
def test_every_link_between_pages_leads_to_one(page):
    for target in re.findall(r"\]\(([^)\s#]+)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_the_navigation_has_every_page():
    listed = re.findall(r"(\S+\.md)\s*$", (ROOT / "mkdocs.yml").read_text(), re.M)
    assert sorted(listed) == sorted(str(page.relative_to(DOCS)) for page in PAGES)


def examples(page: Path) -> list[tuple[int, str]]:
    """First line and text of the Python blocks of a page."""
    text = page.read_text()
    blocks = re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S)
    return [(text[: block.start(1)].count("\n"), block[1]) for block in blocks]


@pytest.mark.parametrize("page", [page for page in READABLE if examples(page)], ids=relative)
def test_every_example_runs(page, tmp_path):
    """The blocks of a page one after the other, in a process of their own: a page may choose the number type, as a program does at its start."""
    lines: list[str] = []
    for line, block in examples(page):
        lines += [""] * (line - len(lines)) + block.splitlines()  # each at its own line, for the traceback
    script = tmp_path / f"{page.stem}.py"
    script.write_text("\n".join(lines) + "\n")
    paths = [str(SOURCE.parent), os.environ.get("PYTHONPATH", "")]
    run = subprocess.run(
        [sys.executable, script], cwd=tmp_path, env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
