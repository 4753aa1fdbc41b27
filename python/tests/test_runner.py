"""The runner in memory: who is asked what, what is made of the answers, and what counts as a failure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from convspec.conformance.plain_tier import PlainTier
from convspec.conformance.process import Gone, Silent, Unstartable
from convspec.conformance.protocol import LONGEST_ANSWER
from convspec.conformance.protocol_tier import ProtocolTier
from convspec.conformance.results import Outcome, Results, Status, Trouble
from convspec.conformance.runner import LevelNotGiven, NoAdapter, Tier, run
from fakes import (
    FakeCommand,
    FakeLauncher,
    FakeProcess,
    MemoryCorpus,
    Request,
    Says,
    case_document,
    line,
    script,
)

VALID = {"verdict": "valid", "findings": [], "reading": {"tally": {"messages": 1}}}
ONE = "history/json/one"


def right(request: Request) -> list[Says]:
    """Say what `case_document` expects."""
    return [line({"seq": request["seq"], **VALID})]


def saying(**members: Any) -> Callable[[Request], list[Says]]:
    """Say this of every case."""
    return lambda request: [line({"seq": request["seq"], **members})]


def launcher(judge: Callable[[Request], Iterable[Says]] = right, **introduction: Any) -> FakeLauncher:
    return FakeLauncher(lambda: FakeProcess(script(judge, **introduction)))


def ran(
    *cases: dict[str, Any],
    judge: Callable[[Request], Iterable[Says]] = right,
    levels: Iterable[str] = (),
    known: dict[str, str] | None = None,
    by: Tier | None = None,
    **introduction: Any,
) -> Results:
    """Run over these cases, by the protocol tier where no other is given."""
    tier = by or ProtocolTier(launcher(judge, **introduction), 1.0)
    ids = [case["id"] for case in cases]
    return run(MemoryCorpus(cases), tier, ids, levels=levels, known=known)


def one(results: Results) -> Outcome:
    (outcome,) = results.outcomes
    return outcome


def texts(outcome: Outcome) -> list[str]:
    return [difference.text for difference in outcome.differences]


INVALID = case_document(
    ONE,
    expect={
        "verdict": "invalid",
        "findings": [{"rule": "json-syntax", "severity": "error", "pointer": None}],
    },
)


class TestLevels:
    def test_all_that_the_adapter_gives_are_judged(self) -> None:
        assert ran(case_document(ONE)).levels == ("verdict", "findings", "reading")

    def test_no_more_than_it_gives(self) -> None:
        by = ProtocolTier(launcher(saying(verdict="valid"), levels=["verdict"]), 1.0)
        results = ran(case_document(ONE), by=by)
        assert (results.levels, one(results).status) == (("verdict",), Status.PASSED)

    def test_the_verdict_is_judged_whatever_is_given(self) -> None:
        by = ProtocolTier(launcher(levels=["reading"]), 1.0)
        assert ran(case_document(ONE), by=by).levels == ("verdict", "reading")
        assert ran(case_document(ONE), levels=["findings"]).levels == ("verdict", "findings")

    def test_a_level_that_is_not_given_cannot_be_asked_for_and_the_process_is_ended(self) -> None:
        started = launcher(levels=["verdict"])
        with pytest.raises(LevelNotGiven, match="does not give the level reading"):
            ran(case_document(ONE), by=ProtocolTier(started, 1.0), levels=["reading"])
        assert [process.killed for process in started.started] == [True]

    def test_a_difference_belongs_to_its_level(self) -> None:
        case = {**INVALID, "expect": {**INVALID["expect"], "reading": {"tally": {"messages": 2}}}}
        outcome = one(ran(case))
        assert outcome.failed_levels == ("verdict", "findings", "reading")
        assert texts(outcome) == [
            "verdict valid, expected invalid",
            "missing error json-syntax",
            'reading: tally is {"messages": 1}, expected {"messages": 2}',
        ]
        assert one(ran(case, levels=["reading"])).failed_levels == ("verdict", "reading")

    def test_a_level_that_is_claimed_and_not_given_fails(self) -> None:
        case = case_document(ONE, expect={"verdict": "valid", "findings": [], "reading": {"name": None}})
        outcome = one(ran(case, judge=saying(verdict="valid")))
        assert texts(outcome) == ["the findings are not given", "reading: name is not given, expected null"]


class TestLeftOut:
    @pytest.mark.parametrize(
        ("introduction", "members", "reason"),
        [
            ({"formats": ["session"]}, {}, "the adapter does not read the format history"),
            ({"kinds": []}, {}, "the adapter does not know the kind check"),
            ({"abilities": []}, {"requires": ["folder", "symlinks"]}, "the adapter lacks folder, symlinks"),
            ({"abilities": ["folder"]}, {"requires": ["folder", "symlinks"]}, "the adapter lacks symlinks"),
            ({}, {"since": "1.1"}, "the case is of specification 1.1"),
            ({"spec": "1.9"}, {"since": "1.10"}, "the case is of specification 1.10"),
        ],
    )
    def test_what_the_introduction_does_not_cover(
        self, introduction: dict[str, Any], members: dict[str, Any], reason: str
    ) -> None:
        started = launcher(**introduction)
        results = ran(case_document(ONE, **members), by=ProtocolTier(started, 1.0))
        assert (one(results).status, one(results).reason) == (Status.LEFT_OUT, reason)
        assert (results.judged, results.sound) == (0, True)
        assert [request["cmd"] for request in started.started[0].heard] == ["start", "stop"]

    @pytest.mark.parametrize(("spec", "since"), [("1.10", "1.9"), ("2.0", "1.11"), ("1.0", "1.0")])
    def test_versions_are_compared_as_numbers(self, spec: str, since: str) -> None:
        assert one(ran(case_document(ONE, since=since), spec=spec)).status is Status.PASSED

    def test_a_version_of_five_thousand_digits_is_a_version(self) -> None:
        assert one(ran(case_document(ONE), spec="9" * 5000 + ".0")).status is Status.PASSED
        assert one(ran(case_document(ONE, since="0.9"), spec="00.10")).status is Status.PASSED

    def test_the_plain_tier_knows_one_kind(self) -> None:
        by = PlainTier(FakeCommand(lambda path: 0), "x", 1.0)
        assert (
            one(ran(case_document(ONE, kind="repair"), by=by)).reason == "the plain tier has no kind repair"
        )

    def test_a_skipped_should_is_left_out(self) -> None:
        outcome = one(ran(case_document(ONE, level="should"), judge=saying(skipped="too dear")))
        assert (outcome.status, outcome.reason) == (Status.LEFT_OUT, "skipped: too dear")

    def test_a_skipped_must_fails_at_every_level(self) -> None:
        outcome = one(ran(case_document(ONE), judge=saying(skipped="too dear")))
        assert (outcome.status, outcome.failed_levels) == (
            Status.FAILED,
            ("verdict", "findings", "reading"),
        )
        assert set(texts(outcome)) == {"skipped (too dear), though the introduction covers it"}

    def test_a_should_that_is_answered_wrongly_fails(self) -> None:
        assert one(ran({**INVALID, "level": "should"})).status is Status.FAILED


class TestValues:
    """Cases that ask what two inputs load to, or what a repair makes of one."""

    EQUAL = case_document(ONE, kind="equal", other="other.json", expect={"equal": True})
    REPAIR = case_document(ONE, kind="repair", expect={"unchanged": False, "messages": [{"id": "*"}]})

    def test_the_second_input_is_beside_the_first(self) -> None:
        started = launcher(saying(equal=True))
        assert one(ran(self.EQUAL, by=ProtocolTier(started, 1.0))).status is Status.PASSED
        assert started.started[0].heard[1] == {
            "cmd": "case",
            "seq": 1,
            "kind": "equal",
            "format": "history",
            "path": ONE,
            "other": "history/json/other.json",
        }

    @pytest.mark.parametrize(
        ("said", "text"),
        [
            ({"equal": False}, "equal is false, expected true"),
            ({"unchanged": False, "messages": []}, 'messages is [], expected [{"id": "*"}]'),
            ({"unchanged": True, "messages": [{"id": "*"}]}, "unchanged is true, expected false"),
        ],
    )
    def test_a_wrong_value_belongs_to_the_reading(self, said: dict[str, Any], text: str) -> None:
        outcome = one(ran(self.EQUAL if "equal" in said else self.REPAIR, judge=saying(**said)))
        assert (outcome.failed_levels, texts(outcome)) == (("reading",), [text])

    @pytest.mark.parametrize("said", [{"verdict": "valid"}, {"unchanged": False}, {"equal": 1}, {}])
    def test_an_answer_to_another_question_is_a_bad_one(self, said: dict[str, Any]) -> None:
        for document in (self.EQUAL, self.REPAIR):
            fault = one(ran(document, judge=saying(**said))).fault
            assert fault is not None
            assert fault.trouble is Trouble.BAD_ANSWER

    def test_it_is_not_asked_for_where_the_reading_is_not_judged(self) -> None:
        started = launcher(saying(equal=True))
        outcome = one(ran(self.EQUAL, by=ProtocolTier(started, 1.0), levels=["findings"]))
        assert (outcome.status, outcome.reason) == (Status.LEFT_OUT, "the level reading is not judged")
        assert [request["cmd"] for request in started.started[0].heard] == ["start", "stop"]

    def test_it_may_be_known_to_fail_or_be_skipped(self) -> None:
        assert one(ran(self.EQUAL, judge=saying(equal=False), known={ONE: "x"})).status is Status.KNOWN
        should = {**self.EQUAL, "level": "should"}
        assert one(ran(should, judge=saying(skipped="x"))).status is Status.LEFT_OUT


class TestKnownFailures:
    def test_a_known_failure_is_no_failure(self) -> None:
        results = ran(INVALID, known={ONE: "not yet"})
        assert (one(results).status, one(results).reason) == (Status.KNOWN, "not yet")
        assert one(results).differences
        assert results.sound

    def test_a_crash_may_be_known(self) -> None:
        results = ran(INVALID, judge=saying(failed="bug 7"), known={ONE: "bug 7"})
        assert one(results).status is Status.KNOWN

    def test_an_unexpected_pass_fails(self) -> None:
        results = ran(case_document(ONE), known={ONE: "not yet"})
        assert (one(results).status, one(results).failed_levels) == (Status.FAILED, ())
        assert one(results).reason == "passes, though it is listed as a known failure: not yet"
        assert not results.sound

    def test_one_that_is_left_out_says_so(self) -> None:
        results = ran(case_document(ONE), known={ONE: "not yet"}, formats=["session"])
        assert one(results).reason == "the adapter does not read the format history"

    def test_others_still_fail(self) -> None:
        other = {**INVALID, "id": "history/json/two"}
        results = ran(INVALID, other, known={ONE: "not yet"})
        assert [outcome.status for outcome in results.outcomes] == [Status.KNOWN, Status.FAILED]
        assert not results.sound


class TestBadAnswers:
    @pytest.mark.parametrize(
        ("said", "text"),
        [
            (b"hello\n", "the line is not one JSON value"),
            (b"\n", "the line is not one JSON value"),
            (b'{"seq":1,"verdict":"valid"} {}\n', "the line is not one JSON value"),
            (b'{"seq":1,"verdict":"valid","x":NaN}\n', "the line is not one JSON value"),
            (b'{"seq":1,"verdict":"valid","verdict":"valid"}\n', "the line is not one JSON value"),
            (b'{"seq":1,"verdict":"valid","x":"\xff"}\n', "the line is not one JSON value"),
            (b'{"seq":1,"verdict":"val', "the output ended inside a line"),
            (b'{"seq":1,"verdict":"valid"}', "the output ended inside a line"),
            (b"[]\n", "the answer does not fit conformance/1.0/answer.schema.json: type"),
            (b"{}\n", "the answer does not fit conformance/1.0/answer.schema.json: required seq"),
            (b'{"seq":true,"verdict":"valid"}\n', "/seq does not fit"),
            (b'{"seq":1,"verdict":"VALID"}\n', "/verdict does not fit"),
            (b'{"seq":1,"verdict":"valid","findings":[{"rule":"x"}]}\n', "/findings/0 does not fit"),
            (
                b'{"seq":1,"verdict":"valid","findings":[{"rule":"x","severity":"error","pointer":3}]}\n',
                "/findings/0/pointer does not fit",
            ),
            (b'{"seq":2,"verdict":"valid"}\n', "the answer is to case 2, asked was case 1"),
            (b'{"seq":1}\n', "exactly one of verdict, skipped and failed"),
            (b'{"seq":1,"verdict":"valid","skipped":"x"}\n', "exactly one of verdict, skipped and failed"),
            (b'{"seq":1,"failed":"x","skipped":"x"}\n', "exactly one of verdict, skipped and failed"),
            (b"x" * (LONGEST_ANSWER + 1), f"the line is longer than {LONGEST_ANSWER} bytes"),
        ],
        ids=lambda value: str(value)[:40],
    )
    def test_what_is_no_answer_fails_and_the_process_is_ended(self, said: bytes, text: str) -> None:
        started = launcher(lambda request: [said] if request["seq"] == 1 else right(request))
        results = ran(case_document(ONE), case_document("history/json/two"), by=ProtocolTier(started, 1.0))
        first, second = results.outcomes
        assert first.fault is not None
        assert (first.fault.trouble, second.status) == (Trouble.BAD_ANSWER, Status.PASSED)
        assert text in first.fault.text
        assert first.failed_levels == ("verdict", "findings", "reading")
        assert [process.killed for process in started.started] == [True, True]

    def test_members_that_nobody_knows_do_no_harm(self) -> None:
        assert one(ran(case_document(ONE), judge=saying(**VALID, took=0.3))).status is Status.PASSED

    def test_what_failed_inside_is_a_crash_and_the_process_goes_on(self) -> None:
        started = launcher(saying(failed="division by zero"))
        results = ran(case_document(ONE), case_document("history/json/two"), by=ProtocolTier(started, 1.0))
        for outcome in results.outcomes:
            assert outcome.fault is not None
            assert (outcome.fault.trouble, outcome.fault.text) == (Trouble.CRASH, "failed: division by zero")
        assert len(started.started) == 1

    def test_much_is_cut(self) -> None:
        flood = [{"rule": "x" * 9000, "severity": "error", "pointer": ""}] * 1000
        for said in (
            {"verdict": "valid", "findings": flood},
            {"verdict": "valid", "reading": {"tally": "x" * 9000}},
            {"skipped": "x" * 9000},
            {"failed": "x" * 9000},
        ):
            case = case_document(ONE, expect={"verdict": "valid", "findings": [], "reading": {"tally": {}}})
            outcome = one(ran(case, judge=saying(**said)))
            told = [*texts(outcome), outcome.fault.text if outcome.fault else ""]
            assert outcome.status is Status.FAILED
            assert max(map(len, told)) < 2100
            assert len(told) < 110
        assert texts(one(ran(INVALID, judge=saying(verdict="valid", findings=flood))))[-1] == (
            "and 902 more differences"
        )


class TestSilence:
    def test_a_silent_process_is_ended_and_a_late_answer_meets_nobody(self) -> None:
        """The fake fails the test if anybody speaks or listens to it after its end."""

        def judge(request: Request) -> list[Says]:
            if request["path"] == ONE:
                return [Silent(), line({"seq": 2, "verdict": "invalid", "findings": []})]
            return right(request)

        started = launcher(judge)
        results = ran(case_document(ONE), case_document("history/json/two"), by=ProtocolTier(started, 1.0))
        first, second = results.outcomes
        assert first.fault is not None
        assert first.fault.trouble is Trouble.TIMEOUT
        assert first.fault.text == "gave no answer within 1 seconds"
        assert second.status is Status.PASSED
        assert [process.killed for process in started.started] == [True, True]
        assert [request["cmd"] for request in started.started[1].heard] == ["start", "case", "stop"]

    def test_numbers_go_on_over_a_restart(self) -> None:
        started = launcher(lambda request: [Silent()] if request["seq"] == 1 else right(request))
        ran(case_document(ONE), case_document("history/json/two"), by=ProtocolTier(started, 1.0))
        assert [process.heard[1]["seq"] for process in started.started] == [1, 2]

    def test_it_is_given_up_after_ten_in_a_row(self) -> None:
        cases = [case_document(f"history/json/c{number}") for number in range(30)]
        started = launcher(lambda request: [])
        results = ran(*cases, by=ProtocolTier(started, 1.0))
        troubles = [outcome.fault.trouble for outcome in results.outcomes if outcome.fault]
        assert troubles == [Trouble.TIMEOUT] * 10 + [Trouble.NOT_ASKED] * 20
        assert results.outcomes[-1].fault is not None
        assert results.outcomes[-1].fault.text == "not asked, after 10 cases in a row without an answer"
        assert len(started.started) == 10

    def test_one_answer_in_between_renews_the_patience(self) -> None:
        cases = [case_document(f"history/json/c{number}") for number in range(30)]
        results = ran(*cases, judge=lambda request: [] if request["seq"] % 10 else right(request))
        troubles = [outcome.fault.trouble for outcome in results.outcomes if outcome.fault]
        assert troubles == [Trouble.TIMEOUT] * 27

    def test_death_is_not_silence(self) -> None:
        cases = [case_document(f"history/json/c{number}") for number in range(30)]
        started = launcher(lambda request: [Gone("exited with 1")])
        results = ran(*cases, by=ProtocolTier(started, 1.0))
        assert {outcome.fault.trouble for outcome in results.outcomes if outcome.fault} == {Trouble.CRASH}
        assert len(started.started) == 30

    def test_what_is_left_out_does_not_try_the_patience(self) -> None:
        cases = [case_document(f"session/tree/c{number}") for number in range(30)]
        results = ran(*cases, case_document(ONE), formats=["history"])
        assert results.outcomes[-1].status is Status.PASSED

    def test_in_the_plain_tier_too(self) -> None:
        cases = [case_document(f"history/json/c{number}") for number in range(12)]
        results = ran(*cases, by=PlainTier(FakeCommand(lambda path: Silent()), "x", 0.5))
        troubles = [outcome.fault for outcome in results.outcomes if outcome.fault]
        assert [fault.trouble for fault in troubles] == [Trouble.TIMEOUT] * 10 + [Trouble.NOT_ASKED] * 2
        assert troubles[0].text == "no end within 0.5 seconds"


class TestDeath:
    def test_the_process_is_started_anew_and_its_last_words_are_kept(self) -> None:
        started: list[FakeProcess] = []

        def start() -> FakeProcess:
            says = [Gone("was ended by SIGSEGV")] if not started else None
            judge = (lambda request: says) if says else right
            started.append(FakeProcess(script(judge), complaints="oh no"))
            return started[-1]

        by = ProtocolTier(FakeLauncher(start), 1.0)
        first, second = ran(case_document(ONE), case_document("history/json/two"), by=by).outcomes
        assert first.fault is not None
        assert (first.fault.trouble, first.fault.text, first.fault.stderr) == (
            Trouble.CRASH,
            "was ended by SIGSEGV",
            "oh no",
        )
        assert second.status is Status.PASSED

    def test_one_that_cannot_be_started_again_fails_each_case(self) -> None:
        made: list[FakeProcess | Unstartable] = [
            FakeProcess(script(lambda request: [Gone("exited with 1")])),
            Unstartable("x: gone"),
            FakeProcess(script(right)),
        ]
        by = ProtocolTier(FakeLauncher(lambda: made.pop(0)), 1.0)
        cases = [case_document(f"history/json/c{number}") for number in range(3)]
        results = ran(*cases, by=by)
        faults = [outcome.fault and outcome.fault.text for outcome in results.outcomes]
        assert faults == ["exited with 1", "cannot be started: x: gone", None]

    def test_one_that_does_not_introduce_itself_again_fails_the_case(self) -> None:
        made = [
            FakeProcess(script(lambda request: [Gone("exited with 1")])),
            FakeProcess(lambda request: [b"again?\n"]),
        ]
        by = ProtocolTier(FakeLauncher(lambda: made.pop(0)), 1.0)
        results = ran(case_document(ONE), case_document("history/json/two"), by=by)
        fault = results.outcomes[1].fault
        assert fault is not None
        assert fault.trouble is Trouble.BAD_ANSWER
        assert fault.text.startswith("did not introduce itself: ")

    def test_an_exception_in_the_corpus_ends_the_process(self) -> None:
        started = launcher()
        with pytest.raises(KeyError):
            run(MemoryCorpus([case_document(ONE)]), ProtocolTier(started, 1.0), [ONE, "history/json/none"])
        assert [process.killed for process in started.started] == [True]


class TestNoAdapter:
    @pytest.mark.parametrize(
        ("made", "text"),
        [
            (Unstartable("x: No such file or directory"), "cannot be started: x: No such file"),
            (FakeProcess(lambda request: []), "gave no answer within 30 seconds"),
            (FakeProcess(lambda request: [Gone("exited with 1")]), "the adapter exited with 1"),
            (FakeProcess(lambda request: [b"hello\n"]), "did not introduce itself: the line is not one JSON"),
            (FakeProcess(script(right, protocol=2)), "did not introduce itself: /protocol does not fit"),
            (FakeProcess(script(right, spec="next")), "did not introduce itself: /spec does not fit"),
            (FakeProcess(script(right, levels=["all"])), "did not introduce itself: /levels/0 does not fit"),
            (
                FakeProcess(lambda request: [Gone("exited with 1")], complaints="no module\n"),
                "the adapter exited with 1; it said last: no module",
            ),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_one_that_cannot_begin_ends_the_run(self, made: FakeProcess | Unstartable, text: str) -> None:
        with pytest.raises(NoAdapter) as raised:
            ran(case_document(ONE), by=ProtocolTier(FakeLauncher(lambda: made), 1.0))
        assert text in str(raised.value)
        assert made.killed if isinstance(made, FakeProcess) else True

    def test_a_command_that_never_ran_ends_the_run(self) -> None:
        with pytest.raises(NoAdapter, match="the adapter cannot be started: x: No such file"):
            ran(
                case_document(ONE),
                by=PlainTier(FakeCommand(lambda path: Unstartable("x: No such file")), "x", 1),
            )

    def test_one_that_ran_before_fails_the_case(self) -> None:
        came: list[int | Exception] = [0, Unstartable("x: out of memory"), 0]
        by = PlainTier(FakeCommand(lambda path: came.pop(0)), "x", 1.0)
        results = ran(*(case_document(f"history/json/c{number}") for number in range(3)), by=by)
        assert [outcome.status for outcome in results.outcomes] == [
            Status.PASSED,
            Status.FAILED,
            Status.PASSED,
        ]


class TestIntroduction:
    def test_it_cannot_change_the_tier_or_add_to_the_results(self) -> None:
        results = ran(case_document(ONE), tier="plain", extra={"a": 1})
        assert results.adapter["tier"] == "protocol"
        assert "extra" not in results.adapter


class TestPlainTier:
    @pytest.mark.parametrize(
        ("code", "right_for"),
        [
            (0, {"valid"}),
            (1, {"invalid", "unsupported"}),
            (2, {"unreadable"}),
            (3, {"unsupported"}),
            (4, set()),
            (127, set()),
            (-11, set()),
        ],
    )
    def test_what_an_exit_code_is_right_for(self, code: int, right_for: set[str]) -> None:
        for verdict in ("valid", "invalid", "unsupported", "unreadable"):
            case = case_document(ONE, expect={"verdict": verdict, "findings": []})
            outcome = one(ran(case, by=PlainTier(FakeCommand(lambda path: code, "why"), "x", 1.0)))
            assert (outcome.status is Status.PASSED) == (verdict in right_for), verdict
            assert (outcome.fault is not None) == (not right_for)

    def test_what_is_said_of_a_wrong_one(self) -> None:
        by = PlainTier(FakeCommand(lambda path: 0), "x", 1.0)
        assert texts(one(ran(INVALID, by=by))) == ["exit code 0 (accepts), expected invalid"]
        by = PlainTier(FakeCommand(lambda path: -6, "abort"), "x", 1.0)
        fault = one(ran(INVALID, by=by)).fault
        assert fault is not None
        assert (fault.text, fault.stderr) == ("was ended by SIGABRT", "abort")

    def test_it_has_one_level(self) -> None:
        by = PlainTier(FakeCommand(lambda path: 1), "x", 1.0)
        assert ran(INVALID, by=by).levels == ("verdict",)
        with pytest.raises(LevelNotGiven):
            ran(INVALID, by=by, levels=["findings"])


class TestEnd:
    @pytest.mark.parametrize(
        ("ends", "complaint"),
        [
            ("", ()),
            ("exited with 3", ("the adapter exited with 3",)),
            (Silent(), ("the adapter did not end within 1 seconds after stop",)),
            (
                "wrote more than it was asked for",
                ("the adapter wrote more than it was asked for",),
            ),
        ],
        ids=["well", "with a code", "never", "talking"],
    )
    def test_how_it_ends_is_told(self, ends: str | Exception, complaint: tuple[str, ...]) -> None:
        process = FakeProcess(script(right), ends)
        results = ran(case_document(ONE), by=ProtocolTier(FakeLauncher(lambda: process), 1.0))
        assert (results.complaints, results.sound) == (complaint, not complaint)
        assert process.killed
        assert process.heard[-1] == {"cmd": "stop"}

    def test_one_that_ended_by_itself(self) -> None:
        by = ProtocolTier(launcher(lambda request: [*right(request), Gone("exited with 0")]), 1.0)
        results = ran(case_document(ONE), by=by)
        assert results.complaints == ("the adapter exited with 0 before it was stopped",)

    def test_one_that_answers_the_last_case_twice(self) -> None:
        results = ran(case_document(ONE), judge=lambda request: [*right(request), *right(request)])
        assert results.complaints == ("the adapter wrote more than it was asked for",)

    def test_one_that_was_ended_before_is_not_complained_of(self) -> None:
        assert ran(case_document(ONE), judge=lambda request: [Silent()]).complaints == ()


class TestOrder:
    def test_cases_are_asked_in_their_order_with_their_input_laid_out(self) -> None:
        corpus = MemoryCorpus([case_document("history/json/b"), case_document("session/tree/a")])
        open_while_asked: list[int] = []

        def judge(request: Request) -> list[Says]:
            open_while_asked.append(corpus.open)
            return right(request)

        started = launcher(judge)
        seen: list[str] = []

        def watch(ids: Iterable[str]) -> Iterable[str]:
            for id in ids:
                seen.append(id)
                yield id

        ids = ["session/tree/a", "history/json/b"]
        results = run(corpus, ProtocolTier(started, 1.0), ids, watch=watch)
        asked = started.started[0].heard[1:-1]
        assert [request["path"] for request in asked] == ids == seen == corpus.laid
        assert [(request["seq"], request["kind"], request["format"]) for request in asked] == [
            (1, "check", "session"),
            (2, "check", "history"),
        ]
        assert (open_while_asked, corpus.open) == ([1, 1], 0)
        assert results.judged == 2

    def test_what_is_expected_is_never_sent(self) -> None:
        started = launcher()
        ran(INVALID, by=ProtocolTier(started, 1.0))
        assert started.started[0].heard == [
            {"cmd": "start", "protocol": 1},
            {"cmd": "case", "seq": 1, "kind": "check", "format": "history", "path": ONE},
            {"cmd": "stop"},
        ]
