"""Tokens of a file: names in quotes, and the line of an error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebear import FileError, ForebearError
from forebear.network.formats.spelling import quoted, unquoted
from forebear.network.formats.tokens import Tokens, token_pattern

PATTERN = token_pattern(r"%[^\n]*", "{};", r'[^\s{};"%]+')


@given(st.lists(st.text(), min_size=1))
def test_quoted_names_are_single_tokens(names: list[str]) -> None:
    tokens = Tokens("x", " % a comment\n".join(map(quoted, names)), PATTERN)
    assert [unquoted(token) for token in tokens.all] == names


def test_errors_have_the_line_of_their_token() -> None:
    tokens = Tokens("x.net", "a % b\n{ c;\n}", PATTERN)
    assert tokens.take("a name") == "a"
    with pytest.raises(FileError, match=r'^x.net:2: expected ";", got "{"'):
        tokens.expect(";")
    assert tokens.until("}") == ["c", ";"]
    with pytest.raises(FileError, match=r"^x.net:3: expected more, but the file ends"):
        tokens.take("more")
    with pytest.raises(FileError, match=r"^x.net:2: wrong"), tokens.errors_at(2):
        raise ForebearError("wrong")
    with pytest.raises(FileError, match=r"^y:1: a quote is not closed"):
        Tokens("y", 'a "b', PATTERN)
