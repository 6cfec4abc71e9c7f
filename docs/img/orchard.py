"""Draw the network of the example, as the README shows it: python docs/img/orchard.py."""

from pathlib import Path

from forebear import learn
from forebear.examples import example_path
from forebear.report.drawing import network_svg

result = learn(example_path("orchard"), generations=50, seed=1, cache=False)
Path(__file__).with_suffix(".svg").write_text(network_svg(result.network), encoding="utf-8")
