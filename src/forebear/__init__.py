"""forebear: learn the structure of Bayesian networks from high-dimensional discrete data."""

import lazy_loader as _lazy_loader

# The names are listed in __init__.pyi. Loading them on first use keeps the import quick.
_load, __dir__, __all__ = _lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    if name != "__version__":
        return _load(name)
    from importlib.metadata import version  # takes longer to load than all the rest

    return version("forebear")
