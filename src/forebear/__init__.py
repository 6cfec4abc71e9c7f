"""forebear: learn the structure of Bayesian networks from high-dimensional discrete data."""

from importlib.metadata import version as _version

import lazy_loader as _lazy_loader

# The names are listed in __init__.pyi. Loading them on first use keeps the import quick.
__getattr__, __dir__, __all__ = _lazy_loader.attach_stub(__name__, __file__)

__version__ = _version("forebear")
