"""Mistakes on the command line as one sentence, with what was probably meant."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Any

from forebear._util.checks import RENAMED

_KINDS = {
    "Input should be a valid integer": "must be a whole number",
    "Input should be a valid number": "must be a number",
}


def usage_sentence(error: Any) -> str:
    """Say what is wrong with what was typed, and what was probably meant."""
    context = error.ctx
    command = "forebear" if context is None else context.command_path
    typed = getattr(error, "option_name", None)
    if typed is not None and hasattr(error, "possibilities"):
        options = [] if context is None else _options_of(context.command)
        message = f"no option is called {typed}{_hint(nearest_option(typed, options))}"
    else:
        message = _plain(str(error.format_message()).rstrip("."))
        message = f"{message[:1].lower()}{message[1:]}{_hint(_nearest_choice(message))}"
    return f"{message} (see {command} --help)"


def _plain(message: str) -> str:
    """Say what Typer says about values in the words of this program."""
    message = message.replace("Value error, ", "")
    for typers, ours in _KINDS.items():
        message = re.sub(rf"^Invalid value for '([^']+)'.*: {typers}.*", rf"\1 {ours}", message)
    return message


def nearest_option(typed: str, options: list[str]) -> str | None:
    """Return the option that was probably meant; what other programs call ours is known, too."""
    name = typed.lstrip("-").lower()
    ours = RENAMED.get(name.replace("-", "_"), name).replace("_", "-")
    near = get_close_matches(ours, [option.removeprefix("--") for option in options], n=1)
    return f"--{near[0]}" if near else None


def _options_of(command: Any) -> list[str]:
    """Return the long names of all options of a command."""
    given = [name for parameter in command.params for name in (*parameter.opts, *_off(parameter))]
    return [*(name for name in given if name.startswith("--")), "--help"]


def _off(parameter: Any) -> list[str]:
    return list(getattr(parameter, "secondary_opts", ()))


def _nearest_choice(message: str) -> str | None:
    """Return the nearest of the values that a message lists: 'x' is not one of 'a', 'b'."""
    if " is not one of " not in message:
        return None
    typed, *choices = re.findall(r"'([^']*)'", message.partition(": ")[2])
    return next(iter(get_close_matches(typed, choices, n=1)), None)


def _hint(near: str | None) -> str:
    return "" if near is None else f": did you mean {near}?"
