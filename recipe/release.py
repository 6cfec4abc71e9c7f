"""Write the conda recipe for a release: its version, and the sdist that PyPI has with its checksum.

python recipe/release.py dist/forebear-0.1.0.tar.gz > recipe.yaml
"""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path

RECIPE = Path(__file__).with_name("recipe.yaml")
_HERE = "source:\n  path: ..\n"
_PYPI = """source:
  url: https://pypi.org/packages/source/f/forebear/forebear-${{{{ version }}}}.tar.gz
  sha256: {sha256}
"""


def released(recipe: str, sdist: Path) -> str:
    """Return the recipe with the version and the checksum of an sdist."""
    found = re.fullmatch(r"forebear-([0-9.]+)\.tar\.gz", sdist.name)
    if found is None:
        raise SystemExit(f"{sdist}: not the sdist of a release: forebear-VERSION.tar.gz is one")
    comments = re.compile(r"\A(?:#.*\n)+")
    text, versions = re.subn(
        r"^  version: \$\{\{ env.*$", f'  version: "{found[1]}"', recipe, flags=re.MULTILINE
    )
    sha256 = hashlib.sha256(sdist.read_bytes()).hexdigest()
    if versions != 1 or text.count(_HERE) != 1:
        raise SystemExit(f"{RECIPE}: its version or its source is not where it was expected")
    return comments.sub("", text).replace(_HERE, _PYPI.format(sha256=sha256))


def main() -> None:
    """Print the recipe for the sdist that the command line names."""
    if len(sys.argv) != 2:
        raise SystemExit("usage: python recipe/release.py dist/forebear-VERSION.tar.gz")
    print(released(RECIPE.read_text(encoding="utf-8"), Path(sys.argv[1])), end="")


if __name__ == "__main__":
    main()
