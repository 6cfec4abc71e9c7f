"""The draws of a posterior as InferenceData of ArviZ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.errors import ForebearError
from forebear.posterior.convergence import indicators

if TYPE_CHECKING:
    from forebear.posterior.posterior import Posterior


def as_inference_data(posterior: Posterior) -> Any:
    """Return the score and the arcs that occur, by chain and draw."""
    try:
        import arviz
    except ImportError:
        raise ForebearError("to_arviz needs the package arviz: pip install arviz") from None
    labels, columns = [], []
    for arcs, there in indicators(posterior):
        labels += [f"{posterior.names[p]} -> {posterior.names[v]}" for p, v in arcs]
        columns.append(there)
    if not columns:
        return arviz.from_dict(posterior={"score": posterior.scores})
    present = np.moveaxis(np.concatenate(columns), 0, -1).astype(np.int8)
    return arviz.from_dict(
        posterior={"score": posterior.scores, "arc": present},
        dims={"arc": ["arcs"]},
        coords={"arcs": labels},
    )
