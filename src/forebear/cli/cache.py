"""``forebear cache``: show or clear the cache of parent sets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from forebear.cli._support.options import DATA, Option
from forebear.cli._support.printing import print_json, show_facts
from forebear.learning.cache import Cache
from forebear.result.report.wording import fact_rows


def cache(
    action: Annotated[
        Literal["show", "clear"], typer.Argument(metavar="ACTION", help="Show or clear the cache.")
    ] = "show",
    folder: Annotated[
        Path | None,
        Option(DATA, "DIR", "The cache folder.  [default: the user's cache folder]"),
    ] = None,
    json_: bool = False,
) -> None:
    """Show or clear the cache of parent sets.

    learn stores the parent sets that it has scored, for the next run on the same
    table.

    \b
    Examples:
      forebear cache
      forebear cache clear
    """
    stored = Cache.of_user() if folder is None else Cache.in_folder(folder)
    size = stored.clear() if action == "clear" else stored.size()
    facts = {"folder": str(stored.folder), "files": size.files, "bytes": size.bytes}
    facts |= {"limit": stored.most_bytes, "cleared": action == "clear"}
    if json_:
        print_json(facts)
    else:
        show_facts(fact_rows(facts))
