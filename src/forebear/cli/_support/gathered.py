"""Options that several commands share, gathered into one argument of the command."""

from __future__ import annotations

from functools import wraps
from inspect import Parameter as Argument
from inspect import signature
from typing import TYPE_CHECKING, Any, get_type_hints

if TYPE_CHECKING:
    from collections.abc import Callable

    Command = Callable[..., None]


def gathers(
    argument: str, options: dict[str, Any], make: Callable[..., Any]
) -> Callable[[Command], Command]:
    """Give a command some options; it gets what ``make`` makes of them, as one argument.

    Options that the command has itself are not added.
    """

    def decorate(command: Command) -> Command:
        hints = get_type_hints(command, include_extras=True)
        own = signature(command)
        added = {name: hint for name, hint in options.items() if name not in own.parameters}
        parameters: list[Argument] = []
        for name, parameter in own.parameters.items():
            if name == argument:
                parameters += [
                    Argument(option, Argument.POSITIONAL_OR_KEYWORD, default=None, annotation=hint)
                    for option, hint in added.items()
                ]
            else:
                parameters.append(parameter.replace(annotation=hints[name]))

        @wraps(command)
        def run(*args: Any, **kwargs: Any) -> None:
            given = {name: kwargs.pop(name, None) for name in added}
            command(*args, **{argument: make(**given)}, **kwargs)

        # Typer asks for both.
        run.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return decorate
