"""Run one command: turn errors into sentences and exit codes."""

from __future__ import annotations

import os
import signal
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from itertools import pairwise
from typing import Any, TextIO

import typer

from forebear._util.errors import ForebearError, ForebearWarning, InterruptWarning, Message
from forebear._util.machine import thread_count
from forebear.cli import EXIT_INTERRUPTED, EXIT_SIGNALLED
from forebear.cli._support.process import (
    Interrupted,
    discard_unwritten,
    print_error_line,
    print_utf8,
    signals_as_interrupts,
)
from forebear.cli.app import app

EXIT_UNEXPECTED = 1
EXIT_MISTAKE = 2
_NO_MEMORY = "there is not enough memory: lower --max-parents, or raise the system's limit"

# The base class of usage errors. Typer has no public name for it: in some versions it is click's
# class, in others a copy of it.
_UsageError: Any = typer.BadParameter.__base__


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Every error is one sentence on standard error."""
    print_utf8()
    _limit_library_threads(sys.argv[1:] if arguments is None else arguments)
    command = typer.main.get_command(app)
    with signals_as_interrupts() as received:
        try:
            code = _run(command, arguments)
        except (Interrupted, KeyboardInterrupt) as error:
            code = _report_error(
                f"interrupted {error}", EXIT_SIGNALLED + (*received, signal.SIGINT)[0]
            )
    discard_unwritten(sys.stderr)
    return code


def _run(command: Any, arguments: Sequence[str] | None) -> int:
    try:
        with _warnings_in_one_line():
            code = command.main(arguments, prog_name="forebear", standalone_mode=False)
        sys.stdout.flush()
    except ForebearError as error:
        return _report_error(_as_options(error.message), EXIT_MISTAKE)
    except _UsageError as error:
        return _report_error(_usage_sentence(error), EXIT_MISTAKE)
    except Interrupted:
        raise
    except BrokenPipeError:
        discard_unwritten(sys.stdout)
        sys.exit(EXIT_UNEXPECTED)
    except OSError as error:  # for example a full disk
        discard_unwritten(sys.stdout)
        where = f"{error.filename}: " if error.filename else ""
        return _report_error(f"{where}{error.strerror or error}", EXIT_MISTAKE)
    except Exception as error:
        if _is_out_of_memory(error):
            return _report_error(_NO_MEMORY, EXIT_MISTAKE)
        return _report_error(_internal_error(error), EXIT_UNEXPECTED)
    if code == EXIT_INTERRUPTED:  # Typer returns this after an interrupt
        raise KeyboardInterrupt
    return int(code or 0)  # Typer returns None for success


def _usage_sentence(error: Any) -> str:
    """Return the message of a usage error as one sentence."""
    message = str(error.format_message()).rstrip(".").replace("Value error, ", "")
    if options := getattr(error, "possibilities", None):
        nearest = get_close_matches(error.option_name, options, n=1, cutoff=0)[0]
        message = f"no such option: {error.option_name}, did you mean {nearest}?"
    command = "forebear" if error.ctx is None else error.ctx.command_path
    return f"{message[:1].lower()}{message[1:]} (see {command} --help)"


def _as_options(message: Message) -> str:
    if message.parameter is None:
        return str(message)
    # Loaded here, so that help, completion and the check of names stay fast.
    from forebear.cli._support.options import as_option

    return message.format(as_option)


def _report_error(sentence: str, code: int) -> int:
    print_error_line(f"forebear: {' '.join(sentence.split())}")
    return code


def _is_out_of_memory(error: Exception) -> bool:
    """Return whether memory ran out, which threads and libraries report in different words."""
    signs = ("can't start new thread", "failed to map segment", "Cannot allocate memory")
    return isinstance(error, MemoryError) or any(sign in str(error) for sign in signs)


def _internal_error(error: Exception) -> str:
    if os.environ.get("FOREBEAR_DEBUG"):
        traceback.print_exc()
    return (
        f"internal error ({type(error).__name__}: {error}): please report it with the traceback "
        "that FOREBEAR_DEBUG=1 shows"
    )


@contextmanager
def _warnings_in_one_line() -> Iterator[None]:
    """Print forebear's warnings as one line each, without their place in the code."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", ForebearWarning)
        warnings.simplefilter("ignore", InterruptWarning)  # the output states the stop reason
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
                print_error_line(f"forebear: warning: {_as_options(text)}")
            else:
                usual(message, category, filename, lineno, file, line)

        warnings.showwarning = show
        yield


def _limit_library_threads(arguments: Sequence[str]) -> None:
    """Let NumPy and SciPy start no threads, and Polars only as many as the command may use.

    No command needs linear algebra, but its library starts a thread per core, which wait
    actively for a while. Libraries read these environment variables when they are imported, so
    they are set before any command is imported. Values set by the user are kept. Programs that
    import forebear are not affected.
    """
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
        os.environ.setdefault(name, "1")
    threads = _threads_of(arguments)
    if threads.isdecimal() and int(threads) > 0:
        os.environ.setdefault("POLARS_MAX_THREADS", str(thread_count(int(threads))))


def _threads_of(arguments: Sequence[str]) -> str:
    """Find the value of --threads; checking it is left to the command."""
    split = [part for argument in arguments for part in argument.split("=", 1)]
    return next((value for name, value in pairwise(split) if name == "--threads"), "")
