// The value of a history: what is equal, the canonical form, repairs.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Refused, loadHistory } from '../check.js';
import { repair } from '../history/repair.js';
import { writeJson } from '../write.js';
import { read, withFile } from './tools.js';

const load = (text) => withFile('a.json', text, loadHistory);

/** A history of one call with these arguments, given as JSON text. */
const calling = (text) => `{"version": 1, "messages": [{"id": "m1", "role": "assistant", "content": "",
  "tool_calls": [{"id": "c1", "name": "read", "arguments": ${text}}]}]}`;
const sameArguments = (one, other) => load(calling(one)).text === load(calling(other)).text;

test('numbers are doubles, and an integer beyond them is equal to itself alone', () => {
  assert.ok(sameArguments('{"n": [1, -0, 9007199254740993]}', '{"n": [1e0, 0.0, 9007199254740992]}'));
  assert.ok(!sameArguments('{"n": 1}', '{"n": true}'));
  const long = '9'.repeat(400);
  assert.ok(sameArguments(`{"n": ${long}}`, `{"n":${long}}`));
  assert.ok(!sameArguments(`{"n": ${long}}`, `{"n": ${long.slice(1)}8}`));
  assert.ok(!sameArguments(`{"n": ${long}}`, `{"n": "${long}"}`));
  assert.ok(!sameArguments(`{"n": ${long}}`, `{"n": ${Number.MAX_VALUE}}`));
});

test('the border of the doubles is where a number rounds to infinity', () => {
  const border = 2n ** 1024n - 2n ** 970n;
  assert.equal(load(calling(`{"n": ${border}}`)).canonical, null);
  assert.match(load(calling(`{"n": ${border - 1n}}`)).canonical, /"n":1\.7976931348623157e\+308\}/);
});

test('an integer that a later member of its name hides does not come back', () => {
  // Equal keys are a fault, so no valid history gets here; a reading of a log does.
  const record = `{"type":"memory_state","timestamp":"2026-02-11T08:00:00Z","lastRetrieval":null,
    "sessionMemories":[{"a":${'9'.repeat(20)},"a":"b"},${'9'.repeat(20)}]}`.replaceAll('\n', '');
  const { memory } = read('l.jsonl', `${record}\n`);
  assert.equal(writeJson(memory.sessionMemories), `[{"a":"b"},${'9'.repeat(20)}]`);
});

test('the canonical form is that of RFC 8785', () => {
  assert.equal(
    writeJson([100.0, 1e20, 1e21, 0.000001, 1e-7, -0, 5e-324, 2 ** 53 + 2, 0.1 + 0.2]),
    '[100,100000000000000000000,1e+21,0.000001,1e-7,0,5e-324,9007199254740994,0.30000000000000004]',
  );
  // Keys go by UTF-16 code units: what is written in two of them comes before U+E000.
  const keys = { '\ue000': 1, '\u{1f40b}': 2, '\u00e9': 3, b: 4, '\t': 5, B: 6, 10: 7, 9: 8, '': 9 };
  assert.equal(
    writeJson(keys),
    '{"":9,"\\t":5,"10":7,"9":8,"B":6,"b":4,"\u00e9":3,"\u{1f40b}":2,"\ue000":1}',
  );
  assert.equal(writeJson('\b\f\n\r\t\u001b"\\/\u007f\u2028'), '"\\b\\f\\n\\r\\t\\u001b\\"\\\\/\u007f\u2028"');
  assert.equal(writeJson({ a: undefined, b: [], c: {} }), '{"b":[],"c":{}}');
});

test('defaults, nulls and unknown keys leave no trace in it', () => {
  const { canonical } = load(`{"messages": [{"role": "user", "id": "m1", "kind": "user", "tool_calls": [], "x": 1,
    "attachments": null, "model_id": "", "tokens": {"input": null, "y": 2}, "content": "look",
    "thinking": {"text": null}}], "version": 1.0}`);
  const message = '{"content":"look","id":"m1","model_id":"","role":"user","thinking":{}}';
  assert.equal(canonical, `{"messages":[${message}],"version":1}`);
});

test('a key that JavaScript knows is kept in arguments', () => {
  const { canonical } = load(calling('{"toJSON": 1, "__proto__": {"a": null}}'));
  assert.match(canonical, /\{"__proto__":\{"a":null\},"toJSON":1\}/);
  assert.ok(!sameArguments('{"__proto__": {}}', '{}'));
});

test('one attachment, inline and stored, is one value', () => {
  const sha256 = '5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03';
  const history = (where) => `{"version": 1, "messages": [{"id": "m1", "role": "user", "content": "look",
    "attachments": [{"mime": "text/plain", "filename": "a.txt", ${where}}]}]}`;
  const inline = load(history('"data": "aGVsbG8K"'));
  assert.deepEqual(inline.attachments.map((one) => [one.sha256, one.size]), [[sha256, 6]]);
  const folder = mkdtempSync(join(tmpdir(), 'convspec-javascript-'));
  try {
    mkdirSync(join(folder, 'attachments'));
    writeFileSync(join(folder, 'attachments', 'b'), 'hello\n');
    writeFileSync(join(folder, 'history.json'), history(`"file": "attachments/b", "sha256": "${sha256}"`));
    assert.equal(loadHistory(folder).canonical, inline.canonical);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('what is no valid history has no value', () => {
  assert.throws(() => load('{"version": 1}'), Refused);
  assert.throws(() => load('{"version": 2, "messages": []}'), Refused);
  assert.throws(() => load(''), Refused);
  assert.throws(() => loadHistory('/nowhere/at/all'), Refused);
  assert.throws(() => withFile('l.jsonl', '{"type":"session"}\n', loadHistory), Refused);
});

test('a repair answers behind the run, and leaves the rest alone', () => {
  const call = (...ids) => ({ id: ids[0], role: 'assistant', content: '', tool_calls: ids.map((id) => ({ id })) });
  const result = (id, answers) => ({ id, role: 'tool', content: '', tool_call_id: answers });
  const user = { id: 'u', role: 'user', content: '' };
  const shown = ({ messages }) => messages.map(({ id, tool_call_id: answers }) => (answers ? `${id}>${answers}` : id));
  const whole = [user, call('a', 'b'), result('r', 'b'), result('s', 'a'), result('t', 'x')];
  assert.deepEqual(repair(whole), { unchanged: true, messages: whole });
  const cut = repair([call('a', 'b'), result('r', 'b'), user, result('s', 'a'), call('c')]);
  assert.equal(cut.unchanged, false);
  assert.deepEqual(shown(cut), ['a', 'r>b', '*>a', 'u', 's>a', 'c', '*>c']);
  assert.deepEqual(repair([]), { unchanged: true, messages: [] });
});

test('many long integers, and many levels, take no more than linear time', { timeout: 60_000 }, () => {
  const long = '9'.repeat(400);
  const deep = `${'['.repeat(90)}${`${long},`.repeat(20_000)}0${']'.repeat(90)}`;
  assert.ok(sameArguments(`{"a": ${deep}}`, `{"a": ${deep} }`));
});
