"""Pictures in files: the style of SVG, the size of PNG, and the missing package."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from expected import refuse
from hypothesis import given
from results import random_dag
from strategies import networks

from forebear import FileError, Network, read_fitted, write_network
from forebear.cli import main
from forebear.network.drawing.svg import ARC_CLASSES, for_other_programs, network_svg

CHAIN = Network.from_arcs(["a", "b", "c"], [("a", "b"), ("b", "c")])


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@given(networks())
def test_the_style_is_plain_css(network: Network) -> None:
    kinds = list(ARC_CLASSES)
    arcs = {arc: kinds[k % len(kinds)] for k, arc in enumerate(network.arcs)}
    picture = network_svg(network, arc_classes=arcs)
    plain = for_other_programs(picture)
    style = plain.partition("<style>")[2].partition("</style>")[0]
    assert "var(" not in plain
    assert "--" not in style
    assert "@media" not in style
    for kind in set(arcs.values()) - {"compelled"}:
        line = re.search(rf"\.fb-{kind}\{{stroke:(#\w+)", style)
        head = re.search(rf"\.fb-{kind} \.fb-head\{{fill:(#\w+)", style)
        assert line is not None
        assert head is not None
        assert line[1] == head[1]
    assert ElementTree.fromstring(plain).tag.endswith("svg")


def test_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("vl_convert")
    starts = {"x.svg": b"<svg", "x.png": b"\x89PNG\r\n", "x.pdf": b"%PDF-"}
    for name, start in starts.items():
        read_fitted("example:orchard.bif").draw(name)
        first = Path(name).read_bytes()
        assert first.startswith(start)
        assert main(["convert", "example:orchard.bif", f"o{name}", "-q"]) == 0
        assert Path(f"o{name}").read_bytes()[:200] == first[:200]
    assert capsys.readouterr().err == ""
    size = [float(text) for text in re.findall(r'(?:width|height)="([\d.]+)"', first_tag("x.svg"))]
    png = Path("x.png").read_bytes()
    pixels = [int.from_bytes(png[at : at + 4], "big") for at in (16, 20)]
    assert pixels == pytest.approx([2 * side for side in size], abs=2)


def first_tag(name: str) -> str:
    return Path(name).read_text(encoding="utf-8").partition(">")[0]


def test_large_pictures_have_fewer_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("vl_convert")
    monkeypatch.setattr("forebear.network.drawing.picture_files._MOST_PIXELS", 10_000)
    random_dag(30, 2).draw("x.png")
    png = Path("x.png").read_bytes()
    width, height = (int.from_bytes(png[at : at + 4], "big") for at in (16, 20))
    assert 8_000 < width * height < 10_500


def test_a_missing_package_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    for name in ("x.png", "x.pdf"):
        with pytest.raises(FileError, match=rf"^{name}: .* pip install 'forebear\[pictures\]', or"):
            write_network(CHAIN, name)
        refuse(capsys, f"learn example:orchard -o {name}", f"forebear: {name}: .png and")
    refuse(capsys, "learn example:orchard -o x.png.gz", "x.png.gz: a picture must be one of")
    CHAIN.draw("x.svg")
    with pytest.raises(FileError, match=r"^x\.jpg: a picture must be one of \.svg, \.png, \.pdf$"):
        CHAIN.draw("x.jpg")
    assert [path.name for path in Path().iterdir()] == ["x.svg"]
