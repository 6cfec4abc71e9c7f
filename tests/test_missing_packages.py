"""Where .ci/run tests, nothing is skipped for want of a package."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

MODULE = """
import pytest
{whole}
def test_it():
    pytest.importorskip("no_such_package", reason="no_such_package is not installed")

@pytest.mark.skipif(True, reason="its data are not on this machine")
def test_data():
    pass
"""
WHOLE = 'pytest.importorskip("no_such_package")'


@pytest.mark.parametrize(
    ("required", "whole", "outcome"),
    [
        ("0", "", "2 skipped"),
        ("1", "", "1 failed, 1 skipped"),
        ("0", WHOLE, "1 skipped"),
        ("1", WHOLE, "1 error"),
    ],
)
def test_what_can_be_installed_is_required(
    required: str, whole: str, outcome: str, tmp_path: Path
) -> None:
    conftest = Path(__file__).with_name("conftest.py").read_text(encoding="utf-8")
    (tmp_path / "conftest.py").write_text(conftest, encoding="utf-8")
    (tmp_path / "test_it.py").write_text(MODULE.format(whole=whole), encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"],
        cwd=tmp_path,
        env={**os.environ, "FOREBEAR_TESTS_REQUIRE_ALL": required},
        capture_output=True,
        text=True,
        check=False,
    )
    assert re.search(rf"^{outcome} in ", done.stdout, re.MULTILINE), done.stdout
