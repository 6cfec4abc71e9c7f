"""The report: a single HTML page about a result that works offline."""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from forebear._util.atomic import atomic_path
from forebear._util.text import counted
from forebear.network.drawing.svg import network_svg
from forebear.result.report import wording
from forebear.result.report.arc_probabilities import ArcProbabilities
from forebear.result.report.content import script_data, template_values
from forebear.result.report.margins import arc_widths
from forebear.result.report.score_chart import score_chart
from forebear.result.report.what_if import NO_ANSWERS, WhatIf

if TYPE_CHECKING:
    from forebear.result import Result

_SCRIPTS = ("page", "sampling", "inference", "picture", "selection", "tables", "whatif")
"""The scripts, each after those whose names it uses while loading."""


def write_report(
    result: Result,
    path: Path | str,
    probabilities: ArcProbabilities | None = None,
    what_if: WhatIf = NO_ANSWERS,
) -> None:
    """Write the report about a result to a file."""
    with atomic_path(path) as temporary:
        content = report_html(result, probabilities, what_if)
        # Names may contain lone surrogates, which UTF-8 cannot encode.
        temporary.write_bytes(content.encode("utf-8", "replace"))


def report_html(
    result: Result,
    probabilities: ArcProbabilities | None = None,
    what_if: WhatIf = NO_ANSWERS,
) -> str:
    """Return the report about a result as HTML.

    Parameters
    ----------
    result
        The result.
    probabilities
        The probabilities of the arcs. Default None: they are not shown.
    what_if
        The data for what-if questions. Default: none; the page explains why.

    Returns
    -------
    str
        The page.
    """
    # Reports are rare, and importing jinja2 takes tenths of a second.
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("forebear.result.report", "page_files"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": wording.format_number, "counted": counted}
    script = "\n".join(_read(f"scripts/{name}.js") for name in _SCRIPTS)
    about = (result, what_if, probabilities)
    drawn = network_svg(
        result.network, title="The network", tooltips=False, widths=arc_widths(result.margins)
    )
    return environment.get_template("page.html").render(
        **template_values(*about),
        picture=Markup(drawn),
        score_chart=Markup(score_chart(result) or ""),
        style=Markup(_read("style.css")),
        script=Markup(script),
        script_hash=_hash(script),
        data=Markup(_inert_json(script_data(*about))),
    )


def _read(name: str) -> str:
    return (files("forebear.result.report") / "page_files" / name).read_text("utf-8")


def _hash(script: str) -> str:
    """Return the hash that permits browsers to run this script, and none hidden in a name."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _inert_json(content: object) -> str:
    """Return JSON that cannot close the HTML element around it."""
    written = json.dumps(content, separators=(",", ":"), allow_nan=False)
    return written.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
