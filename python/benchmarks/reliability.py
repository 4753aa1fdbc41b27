"""Put the session store under stress, and say what was lost. Nothing may be.

    python benchmarks/reliability.py                     all of it, as docs/reference/reliability.md gives it
    python benchmarks/reliability.py --records 100 --kills 10 --damages 0 --json

Needs a system with fork and SIGKILL. Exit code 1 means that something was lost.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import convspec
from convspec.session.opening import read_session
from convspec.session.session import Session
from convspec.session.store import SessionStore

SIZES = (200, 200, 200, 20_000, 2_000_000)
"""Characters of a message. A long one is what a kill can cut in two: a short write is done before it."""

KILLS_PER_LOG = 10
LONGEST_LIFE = 0.08  # seconds that a writer lives at most, once it has begun


def writers(folder: str, count: int, records: int) -> dict[str, Any]:
    """Let `count` processes append to one log at once; say what became of their records."""
    session = SessionStore(folder, folder).create()
    gate_read, gate = os.pipe()
    begin = time.perf_counter()
    children = []
    for mark in range(count):
        child = os.fork()
        if child == 0:
            os.close(gate)
            os.read(gate_read, 1)  # returns when the gate is closed: all begin together
            _append_many(folder, session.path, mark, records)
        children.append(child)
    os.close(gate)
    os.close(gate_read)
    failed = sum(os.waitpid(child, 0)[1] != 0 for child in children)
    seconds = time.perf_counter() - begin
    said = [message["content"] for message in _all_messages(session)]
    wanted = {f"{mark}:{number}" for mark in range(count) for number in range(records)}
    counts = convspec.check(session.path).counts
    in_order = all(
        [one for one in said if one.startswith(f"{mark}:")]
        == [f"{mark}:{number}" for number in range(records)]
        for mark in range(count)
    )
    return {
        "writers": count,
        "records": count * records,
        "lost": len(wanted - set(said)),
        "twice": len(said) - len(set(said)),
        "in order": in_order,
        "failed writers": failed,
        "unreadable places": session.reading.tally["skipped"],
        "errors": counts.errors,
        "warnings": counts.warnings,
        "seconds": round(seconds, 1),
        "records per second": round(count * records / seconds),
    }


def _append_many(folder: str, path: str, mark: int, records: int) -> None:
    """Append, in a child, and end it."""
    try:
        own = SessionStore(folder, folder).load(path)
        for number in range(records):
            own.append_message({"role": "user", "content": f"{mark}:{number}"})
    except BaseException as error:
        print(error, file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)


def _all_messages(session: Session) -> list[dict[str, Any]]:
    reading = session.reading
    return [reading.record(entry.id)["message"] for entry in reading.entries]


def kills(folder: str, times: int, seed: int) -> dict[str, Any]:
    """Kill a writer at random moments; say what is missing, and whether the next append is sound."""
    chance = random.Random(seed)
    store = SessionStore(folder, folder)
    told = {"kills": times, "torn": 0, "acknowledged": 0, "lost": 0, "unsound appends": 0, "more than one": 0}
    session = store.create()
    known: set[str] = set()
    for number in range(times):
        if number % KILLS_PER_LOG == 0:
            session, known = store.create(), set()
        acknowledged, begun = _killed(folder, session.path, chance)
        told["acknowledged"] += len(acknowledged)
        known.update(acknowledged)
        torn = not Path(session.path).read_bytes().endswith(b"\n")
        told["torn"] += torn
        found = {entry.id for entry in read_session(session.path).entries}
        told["lost"] += len(known - found)
        told["more than one"] += len(found - known) > 1 or (torn and not begun)
        known = found
        after = store.load(session.path)
        known.add(after.append_message({"role": "user", "content": "after"}))
        reading = read_session(session.path)
        told["unsound appends"] += (
            {entry.id for entry in reading.entries} != known
            or reading.leaf != after.leaf_id
            or not _ends_whole(session.path)
        )
    return told


def _ends_whole(path: str | Path) -> bool:
    """Say whether the last line is one record, and nothing else."""
    last = Path(path).read_bytes().rpartition(b"\n{")[2]
    try:
        return isinstance(json.loads(b"{" + last), dict) and last.endswith(b"}\n")
    except ValueError:
        return False


def _killed(folder: str, path: str, chance: random.Random) -> tuple[list[str], bool]:
    """Let a child append until it is killed; return what it said was written, and whether it had begun."""
    told, tell = os.pipe()
    seed, life = chance.random(), chance.uniform(0, LONGEST_LIFE)
    child = os.fork()
    if child == 0:
        os.close(told)
        _append_until_killed(folder, path, tell, random.Random(seed))
    os.close(tell)
    with os.fdopen(told, "rb") as lines:
        begun = lines.readline() == b"begun\n"
        time.sleep(life)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return [line.decode().strip() for line in lines], begun


def _append_until_killed(folder: str, path: str, tell: int, chance: random.Random) -> None:
    try:
        own = SessionStore(folder, folder).load(path)
        os.write(tell, b"begun\n")
        while True:
            id = own.append_message({"role": "user", "content": "x" * chance.choice(SIZES)})
            os.write(tell, id.encode() + b"\n")
    except BaseException as error:
        print(error, file=sys.stderr, flush=True)
        os._exit(1)


def cuts(folder: str) -> dict[str, Any]:
    """Cut a log at every byte; say whether exactly the records before the cut are read, and appended to."""
    store = SessionStore(folder, folder)
    data = Path(_sample(store).path).read_bytes()
    ends = [index + 1 for index, byte in enumerate(data) if byte == 10]
    told = {"cuts": 0, "misread": 0, "unsound appends": 0}
    for cut in range(ends[0], len(data) + 1):
        whole = sum(end - 1 <= cut for end in ends)  # a record that lacks only its line feed is whole
        path = Path(folder, "cut.jsonl")
        path.write_bytes(data[:cut])
        told["cuts"] += 1
        told["misread"] += read_session(path).tally["records"] != whole
        session = store.load(path)
        session.append_message({"role": "user", "content": "after"})
        after = session.reading
        told["unsound appends"] += (
            after.tally["records"] != whole + 1 or after.leaf != session.leaf_id or not _ends_whole(path)
        )
    return told


def _sample(store: SessionStore) -> Session:
    session = store.create(provider="Codex", model="gpt-5.5")
    session.append_system_prompt_snapshot("You help with the Tidewater repo.", reason="attach")
    session.rename("Café \N{SNOWMAN} 😀")
    session.append_message({"role": "user", "content": 'Say "hi" \\ twice,\nplease: 😀'})
    call = {
        "id": "k1",
        "type": "function",
        "function": {"name": "read_file", "arguments": '{"path":"a.txt"}'},
    }
    session.append_message({"role": "assistant", "content": "", "tool_calls": [call]})
    session.append_message({"role": "tool", "tool_call_id": "k1", "name": "read_file", "content": "{}"})
    session.append_tool_execution(call, "{}")
    session.update_memory_state()
    return session


def repairs(count: int) -> dict[str, Any]:
    """Damage `count` sound logs, and repair them with unsafe steps; as many again with safe ones.

    What is asked of the results stands in the tests, which are run here with more damages.
    """
    tests = Path(__file__).resolve().parents[1] / "tests" / "test_repair_damage.py"
    environment = {**os.environ, "CONVSPEC_REPAIR_DAMAGES": str(count)}
    asked = ("after_unsafe_steps", "after_safe_steps")
    command = [sys.executable, "-m", "pytest", "-n0", "-q", str(tests), "-k", " or ".join(asked)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if run.returncode:
        print(run.stdout[-3000:], file=sys.stderr)
    return {"damages": 2 * count, "unsound repairs": run.returncode}


LOST = ("lost", "twice", "failed writers", "unreadable places", "errors", "warnings")
UNSOUND = ("more than one", "misread", "unsound appends", "unsound repairs")


def main() -> int:
    """Run the experiments and print what they found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=10_000, help="records of each writer")
    parser.add_argument("--writers", type=int, nargs="*", default=[2, 8], help="writers at once")
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument(
        "--damages", type=int, default=30_000, help="logs that are damaged and repaired; 0: none"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print one JSON array")
    given = parser.parse_args()
    runs: list[Callable[[str], dict[str, Any]]] = [
        *(lambda folder, n=count: writers(folder, n, given.records) for count in given.writers),
        lambda folder: kills(folder, given.kills, given.seed),
        cuts,
        *([lambda _: repairs(given.damages)] if given.damages else []),
    ]
    results = []
    for run in runs:
        with tempfile.TemporaryDirectory() as folder:
            result = run(folder)
        results.append(result)
        if not given.json:
            print(", ".join(f"{name}: {value}" for name, value in result.items()), flush=True)
    if given.json:
        print(json.dumps(results))
    bad = any(result.get(name) for result in results for name in (*LOST, *UNSOUND))
    return int(bad or not all(result.get("in order", True) for result in results))


if __name__ == "__main__":
    sys.exit(main())
