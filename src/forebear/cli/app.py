"""The commands, gathered. Each is loaded when it is called: help and completion are quick."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from forebear import __version__

COMMANDS = {
    "learn": "Learn a network from a table.",
    "score": "Score, prune and rank the candidate parents of every variable.",
    "search": "Search for the network of the highest score.",
    "resume": "Go on with a search that was stopped, or killed.",
    "bound": "Prove a score that no network exceeds.",
    "average": "Tell how sure the arcs of a result are.",
    "bootstrap": "Learn from rows drawn anew, many times, and tell how often each arc is there.",
    "compare": "Tell how near a learnt network is to the true one.",
    "info": "Tell what is in a file of parent sets, a table, a network or a result.",
    "convert": "Write a network, parent sets, or a table in another format.",
    "simulate": "Draw a table from a random network, or from one that you have.",
    "reproduce": "Make a table or figure of the paper anew, and compare.",
}
"""Every command and its first sentence; the module of that name has the function of that name."""

_SETTINGS: dict[str, Any] = {
    "context_settings": {"help_option_names": ["-h", "--help"]},
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,
}


class Commands(TyperGroup):
    """Finds a command when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Name all commands."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Load a command, if there is one of this name."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        function = getattr(import_module(f"forebear.cli.{cmd_name}"), cmd_name)
        alone = typer.Typer(add_completion=False, **_SETTINGS)
        alone.command(cmd_name)(function)
        return typer.main.get_command(alone)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands in the help, without loading any."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


app = typer.Typer(name="forebear", cls=Commands, **_SETTINGS)


def _show_version(wanted: bool) -> None:
    if wanted:
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
    Try it on the example that comes along:
      forebear learn example:orchard --report orchard.html -o orchard.bif
    """
    del version
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
