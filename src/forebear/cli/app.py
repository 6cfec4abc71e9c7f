"""The list of commands. Each is loaded when it is called, so that help and completion are fast."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from forebear._util.errors import ForebearError
from forebear.cli._support.process import interrupts_deferred

COMMANDS = {
    "learn": "Learn a network from a table.",
    "score": "Score, prune and rank the parent sets of every variable.",
    "search": "Search parent sets for the network with the highest score.",
    "resume": "Continue a search that was stopped or killed.",
    "bound": "Prove an upper bound on the score of any network.",
    "certify": "Prove how much the score falls without each edge.",
    "check": "Verify the certificate of a proof.",
    "validate": "Find out which score predicts held-out rows best.",
    "posterior": "Estimate the probability of each arc by sampling networks.",
    "bootstrap": "Count how often each arc is learned from bootstrap samples.",
    "query": "Compute probabilities in a network, given evidence.",
    "predict": "Predict a variable for every row of a table.",
    "evaluate": "Score a network on a table.",
    "compare": "Compare a learned network with the true one.",
    "info": "Describe a table, network, result, parent sets or draws.",
    "convert": "Convert a network, parent sets or a table to another format.",
    "simulate": "Draw a table from a random network, or from your own.",
    "cache": "Show or clear the cache of parent sets.",
}
"""Every command with the first sentence of its help. Its module and function have the same name."""

_SETTINGS: dict[str, Any] = {
    "context_settings": {"help_option_names": ["-h", "--help"]},
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,
}


class Commands(TyperGroup):
    """The group of commands, which loads a command when it is used."""

    def list_commands(self, ctx: Any) -> list[str]:
        """List the names of all commands."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Load a command; return None if the name is unknown."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        with interrupts_deferred():
            from forebear.cli._support.options import Command, with_options

            function = getattr(import_module(f"forebear.cli.{cmd_name}"), cmd_name)
        alone = typer.Typer(add_completion=False, **_SETTINGS)
        alone.command(cmd_name, cls=Command)(with_options(function))
        return typer.main.get_command(alone)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that was typed; for an unknown name, suggest the nearest."""
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in COMMANDS:
            near = get_close_matches(name.lower(), COMMANDS, n=1)
            hint = f"did you mean {near[0]}?" if near else "forebear --help lists all commands"
            raise ForebearError(f"there is no command {name!r}: {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands in the help, without loading any."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


app = typer.Typer(name="forebear", cls=Commands, **_SETTINGS)


def _show_version(requested: bool) -> None:
    if requested:
        from forebear import __version__  # not needed for anything else

        typer.echo(f"forebear {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def forebear(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Learn the structure of Bayesian networks from discrete data.

    \b
    Example: forebear learn example:orchard --report orchard.html -o orchard.bif
    """
    del version
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
