"""Tokens of a file and how names are spelled, and networks built from the families in it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebear import ForebearError
from forebear.network.formats.parsing import NetworkBuilder, Tokens, token_pattern
from forebear.network.formats.spelling import identifiers_of, quoted, stands_for, unquoted


@given(st.lists(st.text(), min_size=1))
def test_quoted_names_are_single_tokens(names: list[str]) -> None:
    pattern = token_pattern(r"%[^\n]*", "{};", r'[^\s{};"%]+')
    tokens = Tokens("x", " % a comment\n".join(map(quoted, names)), pattern)
    assert [unquoted(token) for token in tokens.all] == names


@given(st.lists(st.text(), unique=True), st.sets(st.text()))
def test_identifiers_are_distinct_words(names: list[str], reserved: set[str]) -> None:
    made = identifiers_of(names, reserved)
    assert len(set(made)) == len(names)
    for identifier, name in zip(made, names, strict=True):
        assert re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", identifier)
        assert identifier not in reserved
        assert stands_for(identifier, name, reserved)


def builder_of(*names: str) -> NetworkBuilder:
    builder = NetworkBuilder()
    for name in names:
        builder.declare(name, ("no", "yes"))
    return builder


def test_parents_in_any_order() -> None:
    builder = builder_of("a", "b", "c")
    builder.add_cells("a", ["c", "b"], [1, 0, 0.5, 0.5, 0.25, 0.75, 0, 1])
    builder.add_cells("b", [], [0.5, 0.5])
    with pytest.raises(ForebearError, match="variable c has no probabilities"):
        builder.build()
    builder.add_table("c", [], [0.1, 0.9])
    fitted = builder.build()
    assert fitted.network.parents == ((1, 2), (), ())
    np.testing.assert_array_equal(fitted.tables[0][..., 1], [[0, 0.75], [0.5, 1]])


def test_too_many_parents() -> None:
    parents = [f"p{k}" for k in range(32)]
    with pytest.raises(ForebearError, match="b has 32 parents, more than the limit of 31"):
        builder_of(*parents, "b").shape_of("b", parents)


@pytest.mark.parametrize(
    ("child", "parents", "cells", "message"),
    [
        ("a", ["d"], [1.0], "variable d is not declared"),
        ("b", [], [0.5, 0.5], "the probabilities of b are given twice"),
        ("a", ["c", "c"], [1.0], "a variable is named twice in the family of a"),
        ("a", ["a"], [1.0], "a variable is named twice in the family of a"),
        ("a", ["c"], [1.0, 0.0], "a requires 4 probabilities, got 2"),
    ],
)
def test_invalid_families_are_rejected(
    child: str, parents: list[str], cells: list[float], message: str
) -> None:
    builder = builder_of("a", "b", "c")
    builder.add_cells("b", [], [0.5, 0.5])
    with pytest.raises(ForebearError, match=message):
        builder.add_cells(child, parents, cells)
