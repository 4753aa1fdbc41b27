// What is read of a log or a history, where the corpus does not ask.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeJson } from '../write.js';
import { read } from './tools.js';

const TIME = '2026-02-11T08:00:00Z';
const record = (type, members) => ({ type, timestamp: TIME, ...members });
const HEADER = record('session', { version: 2, id: 's1', cwd: '/srv/demo' });
const message = (id, parentId, role = 'user') =>
  record('message', { id, parentId, message: { role, content: 'look' } });
const log = (...records) => records.map((one) => `${JSON.stringify(one)}\n`).join('');
const readLog = (...records) => read('l.jsonl', log(...records));

test('there is no reading of what is newer or cannot be read, and a tally of what is empty', () => {
  assert.equal(read('a.json', '{"version": 2, "messages": []}'), null);
  assert.equal(read('l.jsonl', log({ ...HEADER, version: 3 })), null);
  assert.equal(read('a.txt', 'hello'), null);
  assert.equal(read('a.txt', ' '), null);
  assert.deepEqual(read('a.json', ' '), { tally: { messages: 0, attachments: 0, attachment_bytes: 0 } });
  const { tally, header, messages, labels } = read('l.jsonl', '\0');
  assert.deepEqual(tally, { records: 0, entries: 0, branch: 0, messages: 0, skipped: 0 });
  assert.deepEqual([header, messages, labels], [null, [], {}]);
});

test('version 1 has neither leaf nor branch, and a mixed log has both', () => {
  const old = { ...HEADER, version: 1 };
  const plain = readLog(old, message(undefined), message(undefined));
  assert.ok(!('leaf' in plain) && !('branch' in plain));
  assert.deepEqual(plain.messages, [{ role: 'user', id: null }, { role: 'user', id: null }]);
  assert.deepEqual([plain.tally.entries, plain.tally.branch, plain.tally.skipped], [2, 2, 0]);
  const mixed = readLog(old, message(undefined), message('c2', 'message:0'), message(undefined));
  assert.deepEqual(mixed.branch, ['message:0', 'c2', 'message:2']);
  assert.equal(mixed.leaf, 'message:2');
});

test('the last record of an id is read, integers are ids, and a cycle ends', () => {
  const reading = readLog(HEADER, message('7', null), message('c1', 7), { ...message('c1', 7, 'assistant') });
  assert.deepEqual(reading.messages.map(({ role, id }) => [role, id]), [['user', '7'], ['assistant', 'c1']]);
  assert.deepEqual(readLog(HEADER, message('a', 'b'), message('b', 'a')).branch, ['a', 'b']);
  assert.equal(readLog(HEADER, message('a'), record('leaf', { targetId: 'zz' })).leaf, 'zz');
  assert.equal(readLog(HEADER, message('a'), record('leaf', { targetId: [] })).leaf, null);
});

test('a header is read as it stands, or from the name of the file', () => {
  const { header } = readLog({ ...HEADER, provider: '', model: 7, parentId: 'p' });
  assert.deepEqual(header, {
    id: 's1', timestamp: TIME, cwd: '/srv/demo', provider: null, model: null, reasoningEffort: null,
    parentId: 'p', parentPath: null, recovered: false,
  });
  const id = '3f1c9a52-7d0e-4b61-9a0e-6c2f4d8b17aa';
  const recovered = read(`2026-02-11T08-15-30.120Z_${id}.jsonl`, log(message('a'))).header;
  assert.deepEqual([recovered.id, recovered.timestamp, recovered.recovered], [id, '2026-02-11T08:15:30.120Z', true]);
  assert.equal(readLog(message('a')).header, null);
});

test('labels may be called by names of JavaScript', () => {
  const label = (targetId, text) => record('label', { id: 'l', targetId, label: text });
  const taken = [label('constructor', 'b'), label('constructor', ' \u3000')];
  const { labels } = readLog(HEADER, label('__proto__', 'a'), ...taken);
  assert.equal(writeJson(labels), '{"__proto__":"a"}');
});

test('what was given up is counted by line, what is no object one by one', () => {
  const lines = [JSON.stringify(HEADER), '{"a":\0\0{"b":', '[] 1 {"type":"x"', '{}{"type":7}', 'null'];
  assert.equal(read('l.jsonl', `${lines.join('\n')}\n`).tally.skipped, 1 + (1 + 2) + 2 + 1);
});

test('summaries and messages are restored in order, and in linear time', { timeout: 60_000 }, () => {
  const compaction = (id, parentId, kept) => record('compaction', {
    id, parentId, message: { role: 'compactionSummary', summary: 'looked', first_kept_entry_id: kept },
  });
  const { messages } = readLog(
    HEADER, message('a'), message('b', 'a'), compaction('c', 'b', 'b'), message('d', 'c'), compaction('e', 'd', 'c'),
  );
  assert.deepEqual(messages.map(({ id }) => id), ['e', 'c', 'b', 'd']);
  const count = 20_000;
  const parent = (i) => (i === 0 ? 'a' : `c${i - 1}`);
  const chain = Array.from({ length: count }, (_, i) => compaction(`c${i}`, parent(i), 'a'));
  assert.equal(readLog(HEADER, message('a'), ...chain).messages.length, 2);
  const pile = Array.from({ length: count }, (_, i) => compaction(`c${i}`, parent(i), parent(i)));
  assert.equal(readLog(HEADER, message('a'), ...pile).messages.length, count + 1);
});

test('bytes count where nothing at the attachment is an error', () => {
  const one = (members) => JSON.stringify({ mime: 'text/plain', filename: 'a.txt', data: 'aGVsbG8K', ...members });
  const history = (...list) => `{"version": 1, "messages": [7, {"id": 1, "role": "user", "content": "",
    "attachments": [${list}, 7]}]}`;
  const doubled = one({}).replace('}', ',"x":1,"x":2}');
  const list = [one({}), one({ filename: '' }), one({ data: 'a' }), one({ mime: 7 }), doubled];
  const { tally } = read('a.json', history(...list));
  assert.deepEqual(tally, { messages: 1, attachments: 5, attachment_bytes: 12 });
});
