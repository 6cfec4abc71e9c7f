"""The examples in docstrings do what they show."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import forebear

PACKAGE = Path(forebear.__file__).parent


def modules() -> list[str]:
    """Name every module with an example."""
    files = sorted(path for path in PACKAGE.rglob("*.py") if ">>> " in path.read_text("utf-8"))
    return [
        ".".join(("forebear", *path.relative_to(PACKAGE).with_suffix("").parts)) for path in files
    ]


@pytest.mark.parametrize("name", modules())
def test_examples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    module = import_module(name.removesuffix(".__init__"))
    outcome = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert outcome.attempted > 0
    assert outcome.failed == 0
