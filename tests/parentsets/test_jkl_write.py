"""The .jkl format: what is written, and that it reads back, whatever the bytes."""

from __future__ import annotations

import math
import warnings
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jklfiles import SMALL, Sets, as_lists, assert_same, from_lists, rank, read_text

from forebear._util.errors import FileError, ForebearError, ForebearWarning
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.jkl import write_jkl

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all examples of a hypothesis test."""
    return tmp_path_factory.mktemp("jkl")


# Writing


def test_written_text_is_exact(tmp_path: Path) -> None:
    variables: list[Sets] = [[(-1e-7, (1, 2)), (-0.1, ())], [(-123456.75, ())], [(1e22, ())]]
    sets = from_lists(("a", "b", "c"), variables)
    path = tmp_path / "exact.jkl"
    write_jkl(sets, path)
    assert path.read_bytes() == (
        b"3\na 2\n-9.9999999999999995e-08 2 b c\n-0.10000000000000001 0\n"
        b"b 1\n-123456.75 0\nc 1\n1e+22 0\n"
    )
    write_jkl(sets, path, ids=True)
    assert path.read_bytes() == (
        b"3\n0 2\n-9.9999999999999995e-08 2 1 2\n-0.10000000000000001 0\n"
        b"1 1\n-123456.75 0\n2 1\n1e+22 0\n"
    )


def test_pieces_make_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sets = read_text(tmp_path, SMALL)
    write_jkl(sets, tmp_path / "whole.jkl")
    for size in (1, 2, 3):
        monkeypatch.setattr("forebear.parentsets.jkl._SETS_PER_PIECE", size)
        write_jkl(sets, tmp_path / "pieces.jkl")
        assert (tmp_path / "pieces.jkl").read_bytes() == (tmp_path / "whole.jkl").read_bytes()


@pytest.mark.parametrize("name", ["a b", "a\tb", "a\u00a0b", "", "#a", "a\x00", "a\ud800"])
def test_names_that_need_ids(tmp_path: Path, name: str) -> None:
    sets = from_lists((name, "b"), [[(-1.0, (1,)), (-2.0, ())], [(-1.0, ())]])
    with pytest.raises(ForebearError, match="pass ids=True"):
        write_jkl(sets, tmp_path / "x.jkl")
    write_jkl(sets, tmp_path / "x.jkl", ids=True)
    assert as_lists(ParentSets.load(tmp_path / "x.jkl")) == as_lists(sets)


def test_what_cannot_be_written(tmp_path: Path) -> None:
    """A failed write leaves the old file as it was, and nothing beside it."""
    path = tmp_path / "x.jkl"
    path.write_text("old")
    sets = from_lists(("a", "b"), [[(-1.0, ())], [(-math.inf, ())]])
    with pytest.raises(ForebearError, match="variable b has no set with a finite score"):
        write_jkl(sets, path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="there is no directory"):
        write_jkl(from_lists(("a",), [[(-1.0, ())]]), tmp_path / "no" / "x.jkl")


# There and back


@st.composite
def small_parent_sets(draw: st.DrawFn) -> ParentSets:
    """Any parent sets as the container wants them."""
    n = draw(st.integers(1, 5))
    ids = [str(v) for v in range(n)]
    word = st.text(st.characters(exclude_categories=("Z", "C")), min_size=1, max_size=4)
    words = st.lists(word.filter(lambda w: w[0] != "#"), min_size=n, max_size=n, unique=True)
    names = draw(st.just(ids) | words.filter(lambda names: set(names) != set(ids)))
    score = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-3, 0).map(float)
    variables: list[Sets] = []
    for v in range(n):
        others = [p for p in range(n) if p != v]
        members = st.sampled_from([m for size in range(n) for m in combinations(others, size)])
        sets = {(): -math.inf} | draw(st.dictionaries(members, score, min_size=1))
        variables.append(sorted(((s, m) for m, s in sets.items()), key=rank))
    return from_lists(tuple(names), variables)


@given(sets=small_parent_sets())
def test_round_trip_to_the_bit(folder: Path, sets: ParentSets) -> None:
    first, second = folder / "first.jkl", folder / "second.jkl"
    write_jkl(sets, first)
    back = ParentSets.load(first)
    assert_same(back, sets)
    write_jkl(back, second)
    assert first.read_bytes() == second.read_bytes()


@given(sets=small_parent_sets(), random=st.randoms(use_true_random=False))
def test_any_order_of_lines_reads_the_same(folder: Path, sets: ParentSets, random: Random) -> None:
    """Sets, parents within a set, and (with ids) blocks may come in any order."""
    blocks = []
    for v, own in enumerate(as_lists(sets)):
        listed = [pair for pair in own if pair[0] != -math.inf]
        lines = [f"{v} {len(listed)}"]
        for score, members in random.sample(listed, len(listed)):
            shuffled = random.sample(members, len(members))
            lines.append(" ".join(map(str, [score, len(members), *shuffled])))
        blocks.append("\n".join(lines))
    random.shuffle(blocks)
    back = read_text(folder, "\n".join([str(len(blocks)), *blocks]))
    assert_same(back, ParentSets(back.names, sets.offsets, sets.scores, sets.parents))


# Whatever the bytes, either parent sets or a FileError

BYTE = st.sampled_from(b"0123456789 \n\t\r.,-+#eEnifaABC") | st.integers(0, 255)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A valid file with bytes changed, lines dropped, doubled or replaced, and its end cut."""
    text = bytearray(SMALL)
    for _ in range(draw(st.integers(0, 4))):
        text[draw(st.integers(0, len(text) - 1))] = draw(BYTE)
    lines = bytes(text).split(b"\n")
    for _ in range(draw(st.integers(0, 2))):
        at, other = draw(st.tuples(*[st.integers(0, len(lines) - 1)] * 2))
        lines[at : at + 1] = draw(st.sampled_from([[], [lines[at]] * 2, [lines[other]]]))
    whole = b"\n".join(lines)
    return whole[: draw(st.integers(0, len(whole)))] if draw(st.booleans()) else whole


@settings(max_examples=500)
@given(text=damaged() | st.binary(max_size=60))
def test_damaged_files_never_crash(folder: Path, text: bytes) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ForebearWarning)
        try:
            sets = read_text(folder, text)
        except FileError:
            return
    assert sets.offsets[-1] == len(sets)
    assert np.all(sets.counts >= 1)
    assert not np.any(np.isnan(sets.scores))
    assert np.all((sets.parents < sets.n_variables) | (sets.parents == sets.none))
