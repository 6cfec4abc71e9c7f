"""Expected errors, by their exact messages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from forebear._util.errors import DataError, ForebearError
from forebear.cli import main


def error(match: str, kind: type[ForebearError] = DataError) -> Any:
    """Expect an error of this kind that contains these words."""
    return pytest.raises(kind, match=re.escape(match))


def refuse(capsys: pytest.CaptureFixture[str], command: str, sentence: str) -> None:
    """Run a command that ends with exit code 2 and this one sentence, and leaves no file."""
    before = sorted(Path().iterdir())
    assert main(command.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("forebear: ")
    assert err.count("\n") == 1
    assert sentence in err
    assert sorted(Path().iterdir()) == before
