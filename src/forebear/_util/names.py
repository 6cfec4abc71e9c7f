"""Names: that each is there once, and what to say of one that is not there."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from forebear._util.errors import ForebearError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def no_variable(name: str, names: Iterable[str]) -> str:
    """Say that no variable has this name, and which one has nearly the same."""
    from difflib import get_close_matches

    close = get_close_matches(name, list(names), n=1)
    return f'no variable is called "{name}"' + (f': is it "{close[0]}"?' if close else "")


def check_unique(names: Sequence[str], kind: str) -> None:
    """Refuse names of which two are the same."""
    if len(set(names)) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise ForebearError(f"{kind} {twice} is named twice")
