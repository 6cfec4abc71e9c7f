"""Pictures in files: SVG, and with another package PNG and PDF."""

from __future__ import annotations

import math
import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forebear._util.atomic import atomic_path
from forebear._util.errors import FileError
from forebear._util.text_files import write_text
from forebear.network.drawing.svg import for_other_programs, network_svg

if TYPE_CHECKING:
    from forebear.network.network import Network

EXTENSIONS = (".svg", ".png", ".pdf")

_MOST_PIXELS = 5e7
"""Largest number of pixels of a PNG file, which take 200 MB while it is drawn. Others have two
pixels per unit, which are sharp in print and on most screens."""


def write_network_picture(network: Network, path: Path | str) -> None:
    """Draw a network in a file."""
    write_picture(network_svg(network), path)


def check_picture(path: Path | str) -> None:
    """Reject a file of another type, or one that requires a package that is not installed."""
    if str(path).lower().removesuffix(".gz").endswith(EXTENSIONS[0]):
        return
    if Path(path).suffix.lower() not in EXTENSIONS:
        raise FileError(f"{path}: a picture must be one of {', '.join(EXTENSIONS)}")
    _converter(path)


def write_picture(picture: str, path: Path | str) -> None:
    """Write an SVG picture to a file; its extension determines the format."""
    check_picture(path)
    kind = Path(path).suffix.lower()
    plain = for_other_programs(picture)
    if kind not in EXTENSIONS[1:]:
        write_text(plain, path)
        return
    converter = _converter(path)
    if kind == ".pdf":
        content = converter.svg_to_pdf(plain)
    else:
        sizes = re.findall(r'(?:width|height)="([\d.]+)"', plain[: plain.index("<style>")])
        area = math.prod(map(float, sizes))
        content = converter.svg_to_png(plain, scale=min(2.0, math.sqrt(_MOST_PIXELS / area)))
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)


def _converter(path: Path | str) -> Any:
    try:
        return import_module("vl_convert")
    except ModuleNotFoundError:
        raise FileError(
            f"{path}: .png and .pdf pictures require vl-convert-python: install it with "
            "pip install 'forebear[pictures]', or write .svg"
        ) from None
