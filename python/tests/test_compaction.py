"""What compactions leave, against lists that are built anew at every step (session.md, section 6)."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convspec.findings import Spot
from convspec.session.compaction import Context, take
from convspec.session.records import Entry, Kept

SUMMARY = "compactionSummary"
IDS = ("a", "b", "c")
KEPT = (None, *IDS, "gone", *(f"message:{n}" for n in (0, 1, 2, 3, 5, 8)))
ODD_KEPT = ("message:", "message:01", "message:-1", "message:+1", "message:1 ", "message:" + "9" * 40)
SPOT = Spot(1, 0, 0)


def said(role: str | None, id: str | None) -> Entry:
    return Entry("message", id or "", None, SPOT, 0, 0, role=role, message_id=id)


def compaction(kept: str | None, id: str | None, role: str | None = SUMMARY) -> Entry:
    return Entry(
        "compaction", id or "", None, SPOT, 0, 0, role=role, message_id=id, kept=Kept(kept, ("message",))
    )


# The reference: lists, copied and searched from one end to the other.


@dataclass
class Lists:
    """Summaries, newest first, and all messages so far; the context begins at `start` of them."""

    summaries: list[Entry] = field(default_factory=list)
    messages: list[Entry] = field(default_factory=list)
    start: int = 0

    def context(self) -> list[Entry]:
        return self.summaries + self.messages[self.start :]

    def take(self, entry: Entry) -> bool:
        if entry.type != "compaction":
            if entry.role not in (None, "system"):
                self.messages = [*self.messages, entry]
            return True
        if entry.kept is None or entry.role is None:
            return True
        found = self.find(entry.kept.value)
        if found is None:
            self.summaries, self.start = [entry], len(self.messages)
            return entry.kept.value is None
        if found < len(self.summaries):
            self.summaries = [entry, *self.summaries[found:]]
        else:
            self.start += found - len(self.summaries)
            self.summaries = [entry]
        return True

    def find(self, kept: str | None) -> int | None:
        context = self.context()
        last = [at for at, entry in enumerate(context) if entry.role == SUMMARY][-1:]
        for begin in (*last, 0):
            for place, entry in enumerate(context[begin:]):
                if kept is not None and (entry.message_id == kept or kept == f"message:{place}"):
                    return begin + place
        return None


def along(path: list[Entry]) -> tuple[Lists, list[bool]]:
    lists = Lists()
    return lists, [lists.take(entry) for entry in path]


entries = st.one_of(
    st.builds(
        said,
        st.sampled_from(("user", "user", "tool", "system", SUMMARY, None)),
        st.sampled_from((*IDS, None)),
    ),
    st.builds(
        compaction,
        st.sampled_from((*KEPT, *ODD_KEPT)),
        st.sampled_from((*IDS, None)),
        st.sampled_from((SUMMARY, SUMMARY, "user", None)),
    ),
)


class TestPath:
    @settings(max_examples=1_500, deadline=None, database=None)
    @given(st.lists(entries, max_size=16))
    def test_every_step_gives_the_same_as_lists(self, path: list[Entry]) -> None:
        context, lists = Context(), Lists()
        for entry in path:
            assert take(context, entry) == lists.take(entry)
            assert context.restored() == lists.context()
            assert context.offset == lists.start
            assert context.messages == lists.messages

    @pytest.mark.parametrize("seed", range(4))
    def test_long_paths_with_much_nesting(self, seed: int) -> None:
        rng = random.Random(seed)
        context, lists = Context(remembers=bool(seed % 2)), Lists()
        height = 0
        for number in range(1_500):
            if rng.random() < 0.5:
                entry = said(rng.choice(("user", "user", "user", SUMMARY)), f"m{number}")
            else:
                restored = lists.context()
                place = min(rng.choice((*[0] * 12, 1, 2, 40)), len(restored))
                kept = restored[place].message_id if place < len(restored) else None
                entry = compaction(kept, f"c{number}", rng.choice((SUMMARY, SUMMARY, "user")))
            assert take(context, entry) == lists.take(entry)
            assert context.restored() == lists.context()
            height = max(height, len(lists.summaries))
        assert height > 20


class TestTree:
    @pytest.mark.parametrize("seed", range(300))
    def test_leaving_a_branch_is_as_if_it_had_not_been_entered(self, seed: int) -> None:
        rng = random.Random(seed)
        path: list[Entry] = []
        context = Context(remembers=True)
        lengths: list[tuple[int, int]] = []
        for _ in range(150):
            if lengths and rng.random() < 0.35:
                for _ in range(rng.randint(1, min(6, len(lengths)))):
                    state, length = lengths.pop()
                    context.restore(state)
                    del path[length:]
            else:
                lengths.append((context.state(), len(path)))
                id = rng.choice((*IDS, None))
                if rng.random() < 0.5:
                    path.append(compaction(rng.choice(KEPT), id, rng.choice((SUMMARY, SUMMARY, "user"))))
                else:
                    path.append(said(rng.choice(("user", "user", "system", SUMMARY)), id))
                took = take(context, path[-1])
                assert took == along(path)[1][-1]
            lists, _ = along(path)
            assert context.restored() == lists.context()
            assert (context.offset, context.messages) == (lists.start, lists.messages)

    def test_going_back_to_the_beginning_leaves_nothing(self) -> None:
        context = Context(remembers=True)
        state = context.state()
        for number in range(50):
            take(context, said("user", "a"))
            take(context, compaction("a" if number % 3 else None, f"c{number}"))
        context.restore(state)
        assert (context.restored(), context.messages, context.offset) == ([], [], 0)
        assert take(context, compaction("a", "c")) is False


class TestSteps:
    """The steps of the search, one by one."""

    @pytest.mark.parametrize(
        ("path", "kept", "expected"),
        [
            ("a b c", "b", "C b c"),
            ("a b c", "gone", "C"),
            ("a b c", None, "C"),
            ("a b c", "message:2", "C c"),
            ("a b c", "message:3", "C"),
            ("a s b", "message:0", "C s b"),
            ("a s b", "message:1", "C b"),
            ("a s b", "message:2", "C b"),
            ("a s b", "message:3", "C"),
            ("a s b", "a", "C a s b"),
            ("a b a", "a", "C a b a"),
            ("", "message:0", "C"),
        ],
    )
    def test_what_is_kept(self, path: str, kept: str | None, expected: str) -> None:
        context = Context()
        for id in path.split():
            take(context, said(SUMMARY if id == "s" else "user", id))
        found = take(context, compaction(kept, "C"))
        assert [entry.message_id for entry in context.restored()] == expected.split()
        assert found is (kept is None or len(expected) > 1)

    def test_a_summary_that_keeps_the_one_before_stands_before_it(self) -> None:
        context = Context()
        for entry in (said("user", "a"), compaction("a", "b"), said("user", "c"), compaction("b", "d")):
            assert take(context, entry)
        assert [entry.message_id for entry in context.restored()] == ["d", "b", "a", "c"]
