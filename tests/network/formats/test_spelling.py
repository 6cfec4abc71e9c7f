"""Names as identifiers, in quotes, and escaped for XML."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from forebear.network.formats.spelling import identifiers_of, quoted, stands_for, unquoted


@given(st.lists(st.text(), unique=True), st.sets(st.text()))
def test_identifiers_are_words_of_their_own(names: list[str], reserved: set[str]) -> None:
    made = identifiers_of(names, reserved)
    assert len(set(made)) == len(names)
    for identifier, name in zip(made, names, strict=True):
        assert re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", identifier)
        assert identifier not in reserved
        assert stands_for(identifier, name, reserved)


@given(st.text())
def test_quotes_are_taken_off_again(name: str) -> None:
    assert unquoted(quoted(name)) == name
