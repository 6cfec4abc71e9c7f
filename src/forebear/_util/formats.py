"""The formats of forebear's own files: each has a name and a number.

A file says which format it has and which version of forebear wrote it. The number is raised when a
version that knows only the old one would read the new file wrongly; reading of the old one stays.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from forebear._util.errors import FileError

if TYPE_CHECKING:
    from pathlib import Path

OWN_VERSION: str = sys.modules["forebear"].__version__
"""The version of forebear. Not imported: the list of public names would make it a circle."""


class Format(NamedTuple):
    """A kind of file, and the newest number of it that this version reads and writes."""

    name: str
    number: int

    def __str__(self) -> str:
        return f"{self.name} {self.number}"

    @property
    def marks(self) -> dict[str, str]:
        """What every file of this format says of itself."""
        return {"format": str(self), "forebear": OWN_VERSION}

    def refuse_newer(self, path: Path | str, said: Any, writer: Any) -> None:
        """Refuse a file whose format this version does not know yet.

        Parameters
        ----------
        path
            The file.
        said
            The format that it says it has. Whatever is no later number of this one is left to the
            caller, who knows what else the file may be.
        writer
            The version of forebear that wrote it, if it says so.
        """
        start, _, number = said.rpartition(" ") if isinstance(said, str) else ("", "", "")
        if start != self.name or not (number.isascii() and number.isdigit()):
            return
        # Only the length of very long numbers matters, and Python refuses to convert those.
        if len(number) < 10 and int(number) <= self.number:
            return
        by = f", written by forebear {writer[:40]}" if isinstance(writer, str) else ""
        raise FileError(
            f"{path}: this file has the format {said[:80]!r}{by}, but this version of forebear "
            f"({OWN_VERSION}) supports it only up to number {self.number}: update forebear"
        )
