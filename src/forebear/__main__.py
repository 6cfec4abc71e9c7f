"""``python -m forebear``: the command line, if the script ``forebear`` is not on the path."""

from __future__ import annotations

import sys

from forebear.cli import main

if __name__ == "__main__":
    sys.exit(main())
