"""Relay: what is forwarded, replaced and muted."""

from __future__ import annotations

from watchers import Recorder

from forebear import Watcher
from forebear._util.watcher import Relay


def test_events_are_forwarded_replaced_or_muted() -> None:
    heard = Recorder()
    relay = Relay(heard, ["scoring", "started"], searching=lambda seconds: heard.scoring(seconds))
    assert isinstance(relay, Watcher)
    relay.scoring(0.5)
    relay.scoring_started(3, 10, 1)
    relay.searching(0.25)
    assert (heard.fractions, heard.families) == ([0.5, 0.25], [])
