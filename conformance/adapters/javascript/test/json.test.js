// What the corpus does not reach: hostile shapes, names of JavaScript's own, sizes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readText } from '../json.js';
import { pointer } from '../pointer.js';
import { judge } from './tools.js';

const read = (text) => readText(Buffer.from(text), 0, Buffer.byteLength(text));
const HEADER = '{"type":"session","version":2,"id":"s1","timestamp":"2026-02-11T08:00:00Z","cwd":"/srv/demo"}\n';

test('keys that JavaScript knows are keys as any other', () => {
  const { value } = read('{"__proto__": {"role": "user"}, "constructor": 1, "toString": null}');
  assert.deepEqual(Object.keys(value), ['__proto__', 'constructor', 'toString']);
  assert.equal(value.role, undefined);
  assert.equal(value.hasOwnProperty, undefined);
  assert.equal({}.role, undefined);
});

test('a required member does not come from a prototype', () => {
  const message = '{"__proto__": {"id": "m1", "role": "user", "content": "look"}}';
  const { rules } = judge('a.json', `{"version": 1, "messages": [${message}]}`);
  assert.deepEqual(rules, ['schema-required', 'schema-required', 'schema-required']);
  assert.deepEqual(judge('a.json', '{"messages": [], "__proto__": {"version": 1}}').rules, ['version-missing']);
});

test('a call id may be a name of JavaScript', () => {
  const lines = ['__proto__', 'constructor'].map((id, k) => JSON.stringify({
    type: 'message',
    id,
    parentId: k === 0 ? null : '__proto__',
    timestamp: '2026-02-11T08:00:01Z',
    message: k === 0
      ? { role: 'assistant', content: '', tool_calls: [{ id: 'valueOf' }] }
      : { role: 'tool', content: 'done', tool_call_id: 'valueOf' },
  }));
  assert.deepEqual(judge('l.jsonl', `${HEADER}${lines.join('\n')}\n`), { verdict: 'valid', rules: [] });
});

test('nesting costs no call stack', () => {
  const deep = '['.repeat(1_000_000);
  assert.deepEqual(judge('a.json', deep).rules, ['json-depth']);
  assert.deepEqual(judge('l.jsonl', `${HEADER}${'{"a":'.repeat(500_000)}\n`).rules, ['json-depth']);
});

test('100 levels are read and 101 are not', () => {
  const nested = (levels) => `{"version": 1, "messages": [], "x": ${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  assert.equal(judge('a.json', nested(100)).verdict, 'valid');
  assert.deepEqual(judge('a.json', nested(101)).rules, ['json-depth']);
});

test('integers of any length are read, and keep their text as ids', () => {
  const nines = '9'.repeat(400);
  const { value, notes, integers } = read(`{"id": ${nines}, "x": -${nines}, "y": 3.0, "id2": 1, "id2": "a"}`);
  assert.equal(value.id, Number.MAX_VALUE);
  assert.equal(value.x, -Number.MAX_VALUE);
  assert.equal(integers.get('id'), nines);
  assert.ok(!integers.has('y') && !integers.has('id2'));
  assert.deepEqual(
    notes.map(({ rule }) => rule),
    ['json-number-precision', 'json-number-precision', 'json-duplicate-key'],
  );
  assert.equal(read('1e400').kind, 'number');
});

test('half a surrogate pair and a long key end a pointer', () => {
  assert.equal(pointer(['a/b', '~', 3, '']), '/a~1b/~0/3/');
  assert.equal(pointer(['a', '\ud800', 'b']), '/a');
  assert.equal(pointer(['a', '\u{1f600}'.repeat(256), 'b']).length, '/a/'.length + 512 + '/b'.length);
  assert.equal(pointer(['a', 'x'.repeat(257)]), '/a');
});

test('many faults take no more than linear time', { timeout: 60_000 }, () => {
  const bad = `{"version": 1, "messages": [${'7,'.repeat(300_000)}7]}`;
  assert.equal(judge('a.json', bad).rules.length, 300_001);
  assert.deepEqual(judge('l.jsonl', `${HEADER}${'{"'.repeat(200_000)}\n`).rules, ['json-syntax']);
});

test('a log is as deep as it is long, and summaries do not pile up', { timeout: 60_000 }, () => {
  const count = 30_000;
  const record = (id, parentId, kept) => JSON.stringify({
    type: 'compaction',
    id,
    parentId,
    timestamp: '2026-02-11T08:00:01Z',
    message: { role: 'compactionSummary', summary: 'looked', id: 'v', first_kept_entry_id: kept },
  });
  const chain = Array.from({ length: count }, (_, i) => record(`c${i}`, i === 0 ? null : `c${i - 1}`, 'message:0'));
  const leaves = Array.from({ length: count }, (_, i) => record(`d${i}`, `c${count - 1}`, 'zz'));
  const { rules } = judge('l.jsonl', `${HEADER}${[...chain, ...leaves].join('\n')}\n`);
  // The first of the chain finds no message to keep, nor does any of the leaves.
  assert.equal(rules.filter((rule) => rule === 'compaction-kept-missing').length, count + 1);
});
