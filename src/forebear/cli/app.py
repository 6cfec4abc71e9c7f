"""The commands, gathered."""

from __future__ import annotations

from typing import Annotated

import typer

from forebear import __version__
from forebear.cli.bound import bound
from forebear.cli.compare import compare
from forebear.cli.convert import convert
from forebear.cli.info import info
from forebear.cli.learn import learn
from forebear.cli.reproduce import reproduce
from forebear.cli.resume import resume
from forebear.cli.score import score
from forebear.cli.search import search
from forebear.cli.simulate import simulate

app = typer.Typer(
    name="forebear",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for command in (learn, score, search, resume, bound, compare, info, convert, simulate, reproduce):
    app.command()(command)


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
