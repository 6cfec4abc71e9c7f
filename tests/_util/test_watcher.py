"""Watchers: what is forwarded, and what is muted."""

from __future__ import annotations

from watchers import Recorder

from forebear import Watcher
from forebear._util.watcher import EVENTS, Relay


def test_events_are_forwarded_or_muted() -> None:
    heard = Recorder()
    relay = Relay(heard, ["scoring", "started"])
    assert isinstance(relay, Watcher)
    relay.scoring(0.5)
    relay.counted(3, 10, 1)
    assert (heard.fractions, heard.families) == ([0.5], [])
    assert set(EVENTS) >= {"loaded", "reserve", "scoring", "found"}


def test_a_function_is_called_instead() -> None:
    heard = Recorder()
    relay = Relay(heard, scoring=lambda fraction: heard.scoring(fraction / 2))
    relay.scoring(0.5)
    relay.counted(3, 10, 1)
    assert (heard.fractions, heard.families) == ([0.25], [3])
