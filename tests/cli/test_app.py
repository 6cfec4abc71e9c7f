"""The program itself: its help, its version, and a pipe that closes."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module

import pytest

from forebear.cli import main
from forebear.cli.app import COMMANDS

FOREBEAR = [sys.executable, "-m", "forebear"]


def test_help_fits_a_screen_and_shows_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert len(shown.splitlines()) <= 32
    assert "forebear learn example:orchard" in shown
    assert main([]) == 0
    assert capsys.readouterr().out == shown
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("forebear ")


def test_the_list_has_the_first_sentence_of_each_help() -> None:
    for name, sentence in COMMANDS.items():
        function = getattr(import_module(f"forebear.cli.{name}"), name)
        assert function.__doc__.splitlines()[0] == sentence


def test_nothing_is_loaded_for_the_help() -> None:
    program = (
        "import sys; from forebear.cli import main; main(['--help']); "
        "sys.exit('numpy' in sys.modules or 'polars' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize("score", ["bdeu", "bic"])
def test_learn_does_not_import_the_solver(score: str) -> None:
    # SciPy and HiGHS would double the time of the import; narwhals is for frames.
    code = (
        "import sys; from forebear.cli import main; "
        f"main(['learn', 'example:orchard', '--score', {score!r}, '--max-parents', '2', "
        "'--generations', '2', '--no-certify', '--no-cache', '--quiet']); "
        "sys.exit(' '.join({'scipy', 'highspy', 'narwhals'} & set(sys.modules)) or None)"
    )
    ran = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")


AT_IMPORT = """
import os, runpy, signal, sys

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
sys.argv = ["forebear", "learn", "example:orchard", "--generations", "1"]
{start}
"""


@pytest.mark.parametrize("module", ["typer", "numpy", "polars", "forebear.learning.learn"])
@pytest.mark.parametrize(
    "start",
    [
        "from forebear.cli import main; sys.exit(main())",
        "runpy.run_module('forebear', run_name='__main__')",
    ],
)
def test_an_interrupt_while_modules_are_imported_is_one_line(module: str, start: str) -> None:
    code = AT_IMPORT.format(module=module, start=start)
    ran = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "forebear: interrupted\n")


def test_little_is_imported_before_interrupts_are_handled() -> None:
    code = "import sys; import forebear.cli; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert not {"typer", "numpy", "polars", "importlib.metadata"} & set(ran.stdout.split())


def test_closed_pipe_is_quiet() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*FOREBEAR, "info", "example:orchard"],
        stdout=writing, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    os.close(writing)
    assert done.returncode == 1
    assert done.stderr == ""
