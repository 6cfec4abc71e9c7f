"""The command line: one file a command, and here the one place that ends it."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import typer

from forebear.cli.app import app
from forebear.cli.wording import in_options
from forebear.errors import ForebearError, ForebearWarning

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

EXIT_UNEXPECTED = 1
EXIT_MISTAKE = 2
EXIT_STOPPED = 130

# The base of all complaints about how a command was typed. Typer has no public
# name for it: it is click's own in some versions and a copy of it in others.
_UsageError: Any = typer.BadParameter.__mro__[2]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; whatever goes wrong is one sentence on stderr."""
    command = typer.main.get_command(app)
    try:
        with _warnings_in_one_line():
            code = command.main(arguments, prog_name="forebear", standalone_mode=False)
        sys.stdout.flush()
    except ForebearError as error:
        return _complain(in_options(str(error)), EXIT_MISTAKE)
    except _UsageError as error:
        return _complain(_usage(error), EXIT_MISTAKE)
    except (typer.Abort, KeyboardInterrupt):
        return _complain("stopped", EXIT_STOPPED)
    except BrokenPipeError:
        _leave_quietly()
    except Exception as error:
        return _complain(_unexpected(error), EXIT_UNEXPECTED)
    # Typer makes a code of its own out of Ctrl-C, and None of success.
    return _complain("stopped", EXIT_STOPPED) if code == EXIT_STOPPED else int(code or 0)


def _complain(sentence: str, code: int) -> int:
    print(f"forebear: {' '.join(sentence.split())}", file=sys.stderr)
    return code


def _usage(error: Any) -> str:
    message = str(error.format_message()).rstrip(".").replace("Value error, ", "")
    command = "forebear" if error.ctx is None else error.ctx.command_path
    return f"{message[:1].lower()}{message[1:]} (see {command} --help)"


def _unexpected(error: Exception) -> str:
    if os.environ.get("FOREBEAR_DEBUG"):
        traceback.print_exc()
    return (
        f"this should not have happened ({type(error).__name__}: {error}): please report it, "
        "with what the same command shows under FOREBEAR_DEBUG=1"
    )


def _leave_quietly() -> NoReturn:
    """End when nobody reads the output any more; Python would complain while flushing it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(EXIT_UNEXPECTED)


@contextmanager
def _warnings_in_one_line() -> Iterator[None]:
    """Show forebear's own warnings as sentences, without the place in the code."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", ForebearWarning)
        usual = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if issubclass(category, ForebearWarning):
                print(f"forebear: warning: {in_options(str(message))}", file=sys.stderr)
            else:
                usual(message, category, filename, lineno, file, line)

        warnings.showwarning = show
        yield
