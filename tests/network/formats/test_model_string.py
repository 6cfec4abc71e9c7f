"""Model strings of bnlearn."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fitted import arcs_by_name

from forebear import FileError, Network, read_network
from forebear.network.formats.model_string import from_model_string, to_model_string

NONE = "this is not a model string: expected [variable] or [variable|parent:parent], got "


def test_model_strings_are_those_of_bnlearn() -> None:
    learning_test = Network(tuple("ABCDEF"), ((), (0,), (), (0, 2), (1, 5), ()))
    assert to_model_string(learning_test) == "[A][C][F][B|A][D|A:C][E|B:F]"
    asia = "[A][S][T|A][L|S][B|S][E|T:L][X|E][D|B:E]"
    assert to_model_string(from_model_string(asia)) == asia
    # bnlearn takes the variables in any order, and people break lines.
    network = from_model_string("[D|B:E][A] [S]\n[T|A][L|S][B|S]\n[E|T:L][X|E]\n")
    assert network.names == tuple("DASTLBEX")
    assert arcs_by_name(network) == arcs_by_name(from_model_string(asia))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("A][B|A]", f"{NONE}'A][B|A]'"),
        ("[A][B|A", f"{NONE}'[B|A'"),
        ("[A][B|]", f"{NONE}'[B|]'"),
        ("[A][B|A:]", f"{NONE}'[B|A:]'"),
        ("[A][A]", "variable A is listed twice"),
        ("[A][B|C]", "C is a parent of B, but there is no [C] for it"),
        ("[A|B][B|A]", "the arcs form a cycle: "),
        ("[A][B|A:A]", "B lists the same parent twice"),
        ("\n", "the file is empty"),
    ],
)
def test_invalid_model_strings_are_rejected(text: str, what: str, tmp_path: Path) -> None:
    path = tmp_path / "net.modelstring"
    path.write_text(text)
    with pytest.raises(FileError, match=re.escape(f"{path}: {what}")):
        read_network(path)
