"""XML as the readers of models take it: from a file or text, with nothing expanded, nothing fetched, and every number checked where it stands."""

import codecs
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

LARGEST = 64 * 2**20  # bytes of text; the largest robots in use have a few million
DEEPEST = 200  # elements within elements
MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}

Element = ElementTree.Element


def source_text(source: str | bytes | os.PathLike) -> tuple[str, str, Path | None]:
    """What to call a source in messages, its text, and its path if it is a file. A string that has a `<` is text, any other a path."""
    if isinstance(source, bytes) or (isinstance(source, str) and "<" in source):
        name, path, data = "the given text", None, source
    else:
        name, path = str(source), Path(source)
        if not path.is_file():
            raise ValueError(f"{name}: there is no such file. Give the path of a file, or its text.")
        size = path.stat().st_size
        if size > LARGEST:
            raise ValueError(f"{name} has {size} bytes, more than the {LARGEST} that are read. Is it a model? Meshes belong in files of their own.")
        data = path.read_bytes()
    if len(data) > LARGEST:
        raise ValueError(f"{name} has {len(data)} bytes, more than the {LARGEST} that are read. Is it a model? Meshes belong in files of their own.")
    return name, data if isinstance(data, str) else decoded(name, data), path


def decoded(name: str, data: bytes) -> str:
    """Text by its byte order mark, else by what its first line declares, else UTF-8."""
    encoding = next((word for mark, word in MARKS.items() if data.startswith(mark)), None)
    if encoding is None:
        declared = re.match(rb"""\s*<\?xml[^>]*encoding\s*=\s*["']([\w.-]+)["']""", data[:200])
        encoding = declared[1].decode() if declared else "utf-8"
    try:
        return data.decode(encoding)
    except (LookupError, UnicodeError) as error:
        raise ValueError(f"{name} is not {encoding} text ({error}). Save it as UTF-8, and declare no other encoding in its first line.") from error


def parsed(name: str, text: str) -> Element:
    """The root element. Document types, and with them entities, are refused: no model needs them, and they can expand without end or read files."""
    body = re.sub(r"^\s*<\?xml.*?\?>", "", text.lstrip("\ufeff"), count=1, flags=re.S)
    hidden = re.search(r"<!(DOCTYPE|ENTITY)", re.sub(r"<!--.*?-->", "", body, flags=re.S), re.I)
    if hidden:
        raise ValueError(f"{name} declares a document type or entities (`<!{hidden[1]}`), which are not read. Write out what they stand for.")
    keeper = ElementTree.TreeBuilder(insert_comments=True, insert_pis=True)
    parser: Any = ElementTree.XMLPullParser(("start", "end"), _parser=ElementTree.XMLParser(target=keeper))
    root: Any = None
    depth = 0
    try:
        for at in range(0, len(body), 1 << 20):
            parser.feed(body[at : at + (1 << 20)].encode("utf-8", "surrogatepass"))
            for event, element in parser.read_events():
                root = element if root is None else root
                depth += 1 if event == "start" else -1
                if depth > DEEPEST:
                    raise ValueError(f"{name} has elements more than {DEEPEST} deep. No model has; is it what was meant?")
        parser.close()
    except (ElementTree.ParseError, UnicodeError) as error:
        raise ValueError(f"{name} is not well-formed XML: {error}. Mend the text there; an editor that knows XML marks the place.") from error
    if root is None:
        raise ValueError(f"{name} is empty. Give the path or the text of a model.")
    return root


def children(element: Element, tag: str) -> Iterator[Element]:
    """Those directly inside that have this tag."""
    return (child for child in element if child.tag == tag)


def only(where: str, element: Element, tag: str) -> Element | None:
    """The child of this tag, None if there is none; several are refused."""
    found = list(children(element, tag))
    if len(found) > 1:
        raise ValueError(f"{where} has {len(found)} elements `<{tag}>`. Keep one.")
    return found[0] if found else None


def attribute(where: str, element: Element, name: str) -> str:
    """A word that must be there."""
    value = (element.get(name) or "").strip()
    if not value:
        raise ValueError(f"{where}: `<{element.tag}>` has no `{name}`. Give it one.")
    return value


def number(where: str, element: Element, name: str, default: float | None = None, infinite: bool = False) -> float:
    """A number; the default if the attribute is not there, an error if it has none."""
    text = element.get(name)
    if text is None:
        if default is None:
            raise ValueError(f"{where}: `<{element.tag}>` has no `{name}`. Give it a number.")
        return default
    return read_number(f'{where}: `<{element.tag} {name}="{shown(text)}">`', text, infinite)


def read_number(what: str, text: str, infinite: bool = False) -> float:
    if "${" in text:
        raise ValueError(f"{what} is a xacro expression. Expand the file first: `xacro file.urdf.xacro > file.urdf`.")
    try:
        value = float("no" if "_" in text else text)
    except ValueError:
        raise ValueError(f"{what} is no number. Write it with a point, as 0.5 or 5e-1.") from None
    if np.isnan(value) or (np.isinf(value) and not infinite):
        raise ValueError(f"{what} is not finite. Give a number{', or leave it out if it is unknown' if np.isnan(value) else ''}.")
    return value


def vector(where: str, element: Element | None, name: str, default=(0.0, 0.0, 0.0)) -> np.ndarray:
    """Three numbers."""
    text = None if element is None else element.get(name)
    if text is None or element is None:
        return np.array(default, float)
    what = f'{where}: `<{element.tag} {name}="{shown(text)}">`'
    words = text.split()
    if len(words) != 3:
        raise ValueError(f"{what} has {len(words)} numbers. Give three, with spaces between.")
    return np.array([read_number(what, word) for word in words])


def shown(text: str) -> str:
    """A value as messages show it."""
    return text if len(text) <= 60 else text[:57] + "..."
