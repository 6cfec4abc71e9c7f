"""What to say of a variable that is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def no_variable(name: str, names: Iterable[str]) -> str:
    """Say that no variable has this name, and which one has nearly the same."""
    from difflib import get_close_matches

    close = get_close_matches(name, list(names), n=1)
    return f'no variable is called "{name}"' + (f': is it "{close[0]}"?' if close else "")
