"""The command line: one file a command, and here the one place that ends it."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

import typer

from forebear._util.errors import ForebearError, ForebearWarning, Message
from forebear.cli._support.console import say
from forebear.cli._support.signals import ending_as_ctrl_c_does
from forebear.cli.app import app

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

EXIT_UNEXPECTED = 1
EXIT_MISTAKE = 2
EXIT_STOPPED = 130
_SIGNALLED = 128  # and the number of the signal, as shells have it
_NO_MEMORY = "there is not enough memory: lower --max-parents, or raise the limit of the system"

# The base of all complaints about how a command was typed. Typer has no public
# name for it: it is click's own in some versions and a copy of it in others.
_UsageError: Any = typer.BadParameter.__mro__[2]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; whatever goes wrong is one sentence on stderr."""
    command = typer.main.get_command(app)
    with ending_as_ctrl_c_does() as came:
        code = _run(command, arguments)
    if code == EXIT_STOPPED:
        return _complain("stopped", _SIGNALLED + came[0] if came else EXIT_STOPPED)
    return code


def _run(command: Any, arguments: Sequence[str] | None) -> int:
    try:
        with _warnings_in_one_line():
            code = command.main(arguments, prog_name="forebear", standalone_mode=False)
        sys.stdout.flush()
    except ForebearError as error:
        return _complain(as_options(error.message), EXIT_MISTAKE)
    except _UsageError as error:
        return _complain(_usage(error), EXIT_MISTAKE)
    except (typer.Abort, KeyboardInterrupt):
        return EXIT_STOPPED
    except BrokenPipeError:
        _forget_output()
        sys.exit(EXIT_UNEXPECTED)
    except OSError as error:  # a disk that is full, a directory that was closed to us
        _forget_output()
        where = f"{error.filename}: " if error.filename else ""
        return _complain(f"{where}{error.strerror or error}", EXIT_MISTAKE)
    except Exception as error:
        if _lacks_memory(error):
            return _complain(_NO_MEMORY, EXIT_MISTAKE)
        return _complain(_unexpected(error), EXIT_UNEXPECTED)
    return int(code or 0)  # Typer makes None of success, and a code of its own out of Ctrl-C


def as_options(message: Message) -> str:
    """Spell the parameters of a message as options."""
    return message.spelled(lambda parameter: parameter.option)


def _complain(sentence: str, code: int) -> int:
    say(f"forebear: {' '.join(sentence.split())}")
    return code


def _usage(error: Any) -> str:
    message = str(error.format_message()).rstrip(".").replace("Value error, ", "")
    command = "forebear" if error.ctx is None else error.ctx.command_path
    return f"{message[:1].lower()}{message[1:]} (see {command} --help)"


def _lacks_memory(error: Exception) -> bool:
    """Tell whether memory is what is missing: threads and libraries say so in their own words."""
    signs = ("can't start new thread", "failed to map segment", "Cannot allocate memory")
    return isinstance(error, MemoryError) or any(sign in str(error) for sign in signs)


def _unexpected(error: Exception) -> str:
    if os.environ.get("FOREBEAR_DEBUG"):
        traceback.print_exc()
    return (
        f"this should not have happened ({type(error).__name__}: {error}): please report it, "
        "with what the same command shows under FOREBEAR_DEBUG=1"
    )


def _forget_output() -> None:
    """Drop output that nobody reads, or no disk holds; Python would complain while flushing it."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
                text = message.message if isinstance(message, ForebearWarning) else Message(message)
                say(f"forebear: warning: {as_options(text)}")
            else:
                usual(message, category, filename, lineno, file, line)

        warnings.showwarning = show
        yield
