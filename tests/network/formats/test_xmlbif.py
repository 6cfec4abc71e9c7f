"""XMLBIF files: reading, writing and errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fitted import error_of, fitted_of

from forebear.network.network import Network

DOG = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE BIF [
  <!ELEMENT BIF ( NETWORK )*>
  <!ELEMENT PROPERTY (#PCDATA)>
]>
<BIF VERSION="0.3" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<NETWORK>
<NAME>Dog problem</NAME>
<!-- Variables -->
<VARIABLE TYPE="nature">
  <NAME>out</NAME>
  <OUTCOME>true</OUTCOME><OUTCOME>false</OUTCOME>
  <PROPERTY>position = (73, 165)</PROPERTY>
</VARIABLE>
<VARIABLE TYPE="nature">
  <NAME>bowel &amp; problem</NAME>
  <OUTCOME>yes</OUTCOME><OUTCOME>no</OUTCOME>
</VARIABLE>
<VARIABLE>
  <NAME>family</NAME>
  <OUTCOME>home</OUTCOME><OUTCOME>away</OUTCOME><OUTCOME></OUTCOME>
</VARIABLE>
<DEFINITION>
  <FOR>out</FOR>
  <GIVEN>family</GIVEN>
  <GIVEN>bowel &amp; problem</GIVEN>
  <TABLE>
    0.99 0.01 <!-- home, yes -->
    0.97 0.03 0.9 0.1
    0.3 0.7 0.5 0.5 0 1
  </TABLE>
</DEFINITION>
<DEFINITION><FOR>bowel &amp; problem</FOR><TABLE>0.01 0.99</TABLE></DEFINITION>
<DEFINITION><FOR>family</FOR><TABLE>0.15 0.8 5e-2</TABLE></DEFINITION>
</NETWORK>
</BIF>
"""


def test_files_of_other_programs_are_read(tmp_path: Path) -> None:
    """A DTD, comments inside tables, properties, parents in another order, an empty state."""
    fitted = fitted_of(tmp_path / "dog.xml", DOG)
    assert fitted.network == Network(("out", "bowel & problem", "family"), ((1, 2), (), ()))
    assert fitted.states == (("true", "false"), ("yes", "no"), ("home", "away", ""))
    np.testing.assert_array_equal(
        fitted.tables[0][..., 0],  # by bowel and then family, though the file has it otherwise
        [[0.99, 0.9, 0.5], [0.97, 0.3, 0.0]],
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("</NETWORK>", "", ":36: this is not valid XML: mismatched tag"),
        ("NETWORK>", "NET>", ": not an XMLBIF file: it has no element NETWORK"),
        ("  <NAME>out</NAME>", "", ": an element VARIABLE has no NAME"),
        ("<NAME>family", "<NAME>out", ": variable out is declared twice"),
        ('TYPE="nature"', 'TYPE="utility"', ": variable out has the type utility, but only nature"),
        ("<OUTCOME>no</", "<OUTCOME>yes</", ": bowel & problem: state yes is named twice"),
        ("<FOR>family</FOR>", "", ": an element DEFINITION has no FOR"),
        ("<FOR>family</FOR>", "<FOR>family</FOR><FOR>out</FOR>", ": family is defined together"),
        ("<TABLE>0.01 0.99</TABLE>", "", ": an element DEFINITION has no TABLE"),
        ("0.01 0.99<", "0.01 most<", ": the probabilities of bowel & problem must be numbers"),
        ("0.01 0.99<", "-0.01 1.01<", ": the table of bowel & problem has a negative"),
        ("0.15 0.8 5e-2", "0.15 0.8", ": family requires 3 probabilities, got 2"),
    ],
)  # fmt: skip
def test_errors_describe_the_defect(old: str, new: str, message: str, tmp_path: Path) -> None:
    count = -1 if old == "NETWORK>" else 1
    assert error_of(tmp_path / "dog.xml", DOG, old, new, count).startswith(message)
