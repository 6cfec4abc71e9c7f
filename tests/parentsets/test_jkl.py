"""The .jkl format: reading, errors with their lines, and writing."""

from __future__ import annotations

import gzip
import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import ScoredSets, as_lists, best_first
from scoredsets import assert_identical
from strategies import pack

from forebear._util.errors import FileError, ForebearError, ForebearWarning
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.jkl import write_jkl

SMALL = b"3\nA 2\n-1.5 1 C\n-2 0\nB 3\n-1 2 A C\n-3 1 A\n-4 0\nC 1\n-7 0\n"


def read_text(folder: Path, text: str | bytes) -> ParentSets:
    path = folder / "some.jkl"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return ParentSets.load(path)


# Reading: what is accepted


def test_small_file(tmp_path: Path) -> None:
    sets = read_text(tmp_path, SMALL)
    assert sets.names == ("A", "B", "C")
    assert sets.parents.dtype == np.uint16
    assert sets.offsets.dtype == np.int64
    assert as_lists(sets) == [
        [(-1.5, (2,)), (-2.0, ())],
        [(-1.0, (0, 2)), (-3.0, (0,)), (-4.0, ())],
        [(-7.0, ())],
    ]


@pytest.mark.parametrize(
    "text",
    [
        SMALL.replace(b"\n", b"\r\n"),
        SMALL.replace(b"\n", b"\n# by another program \n\n \t\n"),
        b"#\xff\n \t# BIC \n" + SMALL,
        SMALL.replace(b" ", b" \t "),
        SMALL.replace(b"\n", b" \t\n"),
        b"\n  " + SMALL.replace(b"\n", b"\n  "),
        SMALL.rstrip(b"\n"),
        SMALL + b"\n\n# the end",
        b"\xef\xbb\xbf" + SMALL,
        SMALL.replace(b"-1.5", b"-1,5"),
        SMALL.replace(b"-1.5", b"-0.15E+1").replace(b"-2 0", b"-0,2e+1 0"),
        SMALL.replace(b"-2 0", b"-2.000 00"),
        SMALL.replace(b"2 A C", b"2 C A"),
        SMALL.replace(b"-1 2 A C\n-3 1 A\n-4 0\n", b"-4 0\n-3 1 A\n-1 2 A C\n"),
        SMALL.replace(b"2 A C", b"2 0 C"),
        SMALL.replace(b"2 A C", b"2 02 A"),
    ],
)
def test_variants_of_other_programs_are_read(tmp_path: Path, text: bytes) -> None:
    """Other programs' ways of writing the same file read the same."""
    assert_identical(read_text(tmp_path, text), read_text(tmp_path, SMALL))


@pytest.mark.parametrize("names", [("1", "2"), ("1", "x"), ("00", "1"), ("7", "0")])
def test_other_numbers_are_names(tmp_path: Path, names: tuple[str, str]) -> None:
    """Only exactly 0..n-1 are ids; any other names number the variables as they come."""
    a, b = names
    sets = read_text(tmp_path, f"2\n{a} 2\n-1 1 {b}\n-2 0\n{b} 2\n-1 1 {a}\n-2 0\n")
    assert sets.names == names
    assert as_lists(sets) == [[(-1.0, (1,)), (-2.0, ())], [(-1.0, (0,)), (-2.0, ())]]


def test_a_name_wins_over_an_index(tmp_path: Path) -> None:
    sets = read_text(tmp_path, "3\nx 1\n-1 0\ny 2\n-1 1 0\n-3 0\n0 1\n-5 0\n")
    assert sets.names == ("x", "y", "0")
    assert as_lists(sets)[1] == [(-1.0, (2,)), (-3.0, ())]


def test_names_may_be_anything(tmp_path: Path) -> None:
    text = "4\nfärg=!\"' 2\n-1 1 #\n-2 0\n-1.5 1\n-3 0\n日本 1\n-4 1 -1.5\nx# 1\n-5 0\n"
    sets = read_text(tmp_path, text.replace("1 #", "1 x#"))
    assert sets.names == ("färg=!\"'", "-1.5", "日本", "x#")
    assert as_lists(sets)[0] == [(-1.0, (3,)), (-2.0, ())]
    assert as_lists(sets)[2] == [(-4.0, (1,)), (-math.inf, ())]


def test_ties_smaller_first_then_lexicographic(tmp_path: Path) -> None:
    others = "1 1\n0 0\n2 1\n0 0\n3 1\n0 0\n"
    text = "4\n0 5\n-1 2 2 1\n-1 1 3\n-1 0\n-1 1 1\n-1 2 1 3\n" + others
    ranked = [(), (1,), (3,), (1, 2), (1, 3)]
    assert [members for _, members in as_lists(read_text(tmp_path, text))[0]] == ranked


def test_missing_empty_set_is_not_allowed(tmp_path: Path) -> None:
    sets = read_text(tmp_path, "2\n0 1\n-1 1 1\n1 1\n-2 0\n")
    assert as_lists(sets) == [[(-1.0, (1,)), (-math.inf, ())], [(-2.0, ())]]
    write_jkl(sets, tmp_path / "back.jkl")
    assert (tmp_path / "back.jkl").read_bytes() == b"2\n0 1\n-1 1 1\n1 1\n-2 0\n"


def test_no_sets_at_all_warns(tmp_path: Path) -> None:
    path = tmp_path / "some.jkl"
    path.write_text("3\na 0\nb 1\n-1 0\nc 0\n")
    with pytest.warns(
        ForebearWarning, match=r"some\.jkl: 2 variables have no parent sets"
    ) as caught:
        sets = ParentSets.load(path)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert as_lists(sets) == [[(0.0, ())], [(-1.0, ())], [(0.0, ())]]
    assert sets.parents.shape == (0, 3)


def test_many_variables_need_wider_parents(tmp_path: Path) -> None:
    n = 65535
    text = f"{n}\n0 1\n-1 1 {n - 1}\n" + "".join(f"{v} 1\n-1 0\n" for v in range(1, n))
    sets = read_text(tmp_path, text)
    assert sets.parents.dtype == np.uint32
    assert as_lists(sets)[0] == [(-1.0, (n - 1,)), (-math.inf, ())]
    write_jkl(sets, tmp_path / "wide.jkl")
    assert (tmp_path / "wide.jkl").read_text() == text


# Reading: what is refused, and where


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("", 1, "the file is empty"),
        (" \n# nothing\n", 2, "the file is empty"),
        ("three\n", 1, "expected the number of variables alone on the line, got 'three'"),
        ("# c\n\n-3\n", 3, "expected the number of variables alone on the line, got '-3'"),
        ("0\n", 1, "must be at least 1, got 0"),
        ("1000000000000\n", 1, "the file ends after 0 of 1000000000000 variables"),
        ("1" * 99, 1, "expected the number of variables alone on the line, got '1111"),
        (b"\x7fELF\x02\x01\x00\x00", 1, "this is not a text file"),
        (b"\xff\xfe3\x00\n\x00", 1, "this is not a text file"),
        (b"\x80\x81\xfe\n", 1, r"got '\x80\x81\xfe'"),
        (b"1\n\xffa 1\n-1 0\n", 2, r"name '\xffa' is not printable UTF-8 text"),
        (b"1\na\x00 1\n-1 0\n", 2, r"name 'a\x00' is not printable UTF-8 text"),
        (b"1\n\xed\xa0\x80 1\n-1 0\n", 2, r"name '\xed\xa0\x80' is not"),
        ("3\n", 1, "the file ends after 0 of 3 variables"),
        ("1000000\na 1\n-1 0\n", 3, "the file ends after 1 of 1000000 variables"),
        ("1\na\n", 2, "expected the name of a variable and its number of sets"),
        ("1\na x\n", 2, "variable a: number of sets 'x' is not a whole number"),
        ("1\na 3\n-1 0\n\n", 4, "the file ends after 1 of 3 sets of variable a"),
        ("1\na 1000000000000000000\n-1 0", 3, "after 1 of 1000000000000000000 sets of variable a"),
        ("1\na 99999999999999999999\n", 2, "is not a whole number"),
        ("2\na 2\n-1 0\nb 1\n-1 0\n", 4, "variable a, set 2 of 2: score 'b' is not a finite"),
        ("2\n0 2\n-1 0\n1 1\n-1 0\n", 4, "variable 0, set 2 of 2: declares 1 parents, but lists 0"),
        ("1\na 1\n-1 0\n-2 0\n", 4, "extra line after the last of the 1 variables"),
        ("1\na 1\nnan 0\n", 3, "score 'nan' is not a finite number"),
        ("1\na 1\n1e999 0\n", 3, "score '1e999' is not a finite number"),
        ("1\na 1\n1,234,567 0\n", 3, "is not a finite number"),
        ("1\na 1\n1" + ",5" * 500_000 + " 0\n", 3, "is not a finite number"),
        ("1\na 1\n0x1p3 0\n", 3, "is not a finite number"),
        ("1\na 1\n-1\n", 3, "number of parents '' is not a whole number"),
        ("1\na 1\n-1 0.0\n", 3, "number of parents '0.0' is not a whole number"),
        (
            "2\na 1\n-1 2 b\nb 1\n-1 0\n",
            3,
            "variable a, set 1 of 1: declares 2 parents, but lists 1",
        ),
        (
            "2\na 1\n-1 0 b\nb 1\n-1 0\n",
            3,
            "variable a, set 1 of 1: declares 0 parents, but lists 1",
        ),
        ("2\n0 1\n-1 1 9\n1 1\n-1 0\n", 3, "variable 0 lists parent 9, but there are only 2 vari"),
        ("2\na 1\n-1 1 x\nb 1\n-1 0\n", 3, "variable a lists parent x, which is not a variable"),
        ("2\na 2\n-1 0\n# c\n-1 1 a\nb 1\n-1 0\n", 5, "variable a lists itself as a parent"),
        ("2\na 2\n-1 0\r\n\r\n-1 1 0\nb 1\n-1 0\n", 5, "variable a lists itself as a parent"),
        ("2\na 1 \n\n-1 2 b 1\nb 1\n-1 0\n", 4, "variable a lists parent b twice"),
        ("2\na 1\n-1 0\na 1\n-1 0\n", 4, "variable a comes twice, first on line 2"),
        (
            "3\na 3\n-1 2 b c\n-2 0\n# c\n-3 2 c 1\nb 1\n-1 0\nc 1\n-1 0\n",
            6,
            "variable a lists the same set twice, first on line 3",
        ),
        ("1\na 2\n-1 0\n-1 0\n", 4, "variable a lists the same set twice, first on line 3"),
        ("1\n" + "ä" * 99 + " x\n", 2, "variable " + "ä" * 20 + "...: number of sets"),
    ],
)
def test_defects(tmp_path: Path, text: str | bytes, line: int, what: str) -> None:
    """Every defect is told with its file, its line and what it is."""
    with pytest.raises(FileError) as caught:
        read_text(tmp_path, text)
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'some.jkl'}:{line}: ")
    assert what in message


def test_sets_that_exceed_the_memory_are_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forebear.parentsets.jkl.memory_bytes", lambda: 64)
    with pytest.raises(FileError, match="6 sets of up to 2 parents need about"):
        read_text(tmp_path, SMALL)


# Compressed files


def test_gzip_both_ways(tmp_path: Path) -> None:
    sets = read_text(tmp_path, SMALL)
    for name in ("a.jkl.gz", "b.jkl.gz", "a.jkl"):
        write_jkl(sets, tmp_path / name)
    packed = (tmp_path / "a.jkl.gz").read_bytes()
    assert gzip.decompress(packed) == (tmp_path / "a.jkl").read_bytes()
    assert packed == (tmp_path / "b.jkl.gz").read_bytes()
    assert_identical(ParentSets.load(tmp_path / "a.jkl.gz"), sets)


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-9], lambda b: b[10:], lambda b: b[:12] + b"\xff" * 9]
)
def test_broken_gzip(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "broken.jkl.gz"
    path.write_bytes(damage(gzip.compress(SMALL)))
    with pytest.raises(FileError, match="the gzip data is damaged or incomplete"):
        ParentSets.load(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all examples of a hypothesis test."""
    return tmp_path_factory.mktemp("jkl")


# Writing


def test_written_text_is_exact(tmp_path: Path) -> None:
    variables: ScoredSets = [[(-1e-7, (1, 2)), (-0.1, ())], [(-123456.75, ())], [(1e22, ())]]
    sets = replace(pack(variables), names=("a", "b", "c"))
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


@pytest.mark.parametrize("name", ["a b", "a\tb", "a\u00a0b", "", "#a", "a\x00", "a\ud800"])
def test_names_that_need_ids(tmp_path: Path, name: str) -> None:
    sets = replace(pack([[(-1.0, (1,)), (-2.0, ())], [(-1.0, ())]]), names=(name, "b"))
    with pytest.raises(ForebearError, match="pass ids=True"):
        write_jkl(sets, tmp_path / "x.jkl")
    write_jkl(sets, tmp_path / "x.jkl", ids=True)
    assert as_lists(ParentSets.load(tmp_path / "x.jkl")) == as_lists(sets)


def test_failed_writes(tmp_path: Path) -> None:
    """A failed write leaves the old file as it was, and nothing beside it."""
    path = tmp_path / "x.jkl"
    path.write_text("old")
    sets = replace(pack([[(-1.0, ())], [(-math.inf, ())]]), names=("a", "b"))
    with pytest.raises(ForebearError, match="variable b has no set with a finite score"):
        write_jkl(sets, path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


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
    variables: ScoredSets = []
    for v in range(n):
        others = [p for p in range(n) if p != v]
        members = st.sampled_from([m for size in range(n) for m in combinations(others, size)])
        sets = {(): -math.inf} | draw(st.dictionaries(members, score, min_size=1))
        variables.append(best_first((s, m) for m, s in sets.items()))
    return replace(pack(variables), names=tuple(names))


@given(sets=small_parent_sets())
def test_round_trip_to_the_bit(folder: Path, sets: ParentSets) -> None:
    first, second = folder / "first.jkl", folder / "second.jkl"
    write_jkl(sets, first)
    back = ParentSets.load(first)
    assert_identical(back, sets)
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
    assert_identical(back, ParentSets(back.names, sets.offsets, sets.scores, sets.parents))


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
