"""Messages: parameters are spelled in the way of the reader."""

from __future__ import annotations

import pytest

from forebear import ForebearError
from forebear._util.errors import Message, Parameter


@pytest.mark.parametrize(
    ("parts", "in_python", "as_typed"),
    [
        (
            ["Lower ", Parameter("max_parents"), " to 2"],
            "Lower max_parents to 2",
            "Lower --max-parents to 2",
        ),
        (
            ["pass ", Parameter("missing", "drop"), " or"],
            'pass missing="drop" or',
            "pass --missing drop or",
        ),
        (["pass ", Parameter("ids", True)], "pass ids=True", "pass --ids"),
        (
            ["t.csv: ", Message("lower ", Parameter("max_parents"))],
            "t.csv: lower max_parents",
            "t.csv: lower --max-parents",
        ),
    ],
)
def test_parameters_are_formatted_for_the_reader(
    parts: list[object], in_python: str, as_typed: str
) -> None:
    error = ForebearError(*parts)
    assert str(error) == in_python
    assert error.message.format(lambda parameter: parameter.option) == as_typed
