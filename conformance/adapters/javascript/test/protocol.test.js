// The two tiers, from outside.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BadRequest, answer } from '../protocol.js';
import { run, withFile } from './tools.js';

const START = '{"cmd":"start","protocol":1}\n';
const EMPTY = '{"version": 1, "messages": []}';
const CASE = { cmd: 'case', kind: 'check', format: 'history' };
const request = (path, seq = 1) => `${JSON.stringify({ ...CASE, seq, path })}\n`;

test('the adapter introduces itself, answers each case, and stops when told', () => {
  withFile('a.json', EMPTY, (path) => {
    const requests = [request(path, 7), request(`${path}.none`, 8), '{"cmd":"stop"}\n', request(path, 9)];
    const { status, lines } = run([], START + requests.join(''));
    assert.equal(status, 0);
    const [introduction, ...answers] = lines.map((line) => JSON.parse(line));
    assert.equal(introduction.protocol, 1);
    assert.deepEqual(introduction.levels, ['verdict', 'findings', 'reading']);
    assert.deepEqual(introduction.kinds, ['check', 'equal', 'repair']);
    assert.deepEqual(answers.map(({ seq, verdict }) => [seq, verdict]), [[7, 'valid'], [8, 'unreadable']]);
  });
});

test('the end of the input is a stop, with or without a line feed before it', () => {
  assert.equal(run([], START).status, 0);
  const { status, lines } = run([], START.trimEnd());
  assert.equal(status, 0);
  assert.equal(lines.length, 1);
});

test('a line that is no request ends the adapter with code 2', () => {
  for (const line of ['{"cmd":', '[]', 'null', '{"cmd":"dance"}', '{"cmd":"start","protocol":2}', '{"cmd":"case"}']) {
    const { status, lines, stderr } = run([], `${line}\n`);
    assert.equal(status, 2, line);
    assert.deepEqual(lines, []);
    assert.notEqual(stderr, '');
  }
});

test('a path may hold what other readers of lines take for an end of line', () => {
  withFile('a\u2028b.json', EMPTY, (path) => {
    const { lines } = run([], START + request(path).replace('\\u2028', '\u2028'));
    assert.equal(JSON.parse(lines[1]).verdict, 'valid');
  });
});

test('a fault of the adapter is told as one, never as a verdict', () => {
  const check = () => {
    throw new RangeError('a fault');
  };
  const reply = answer(request('/nowhere', 3), { check });
  assert.deepEqual(reply, { seq: 3, failed: 'RangeError: a fault' });
});

test('a case of a kind that is not known is skipped', () => {
  const { seq, skipped, verdict } = answer(JSON.stringify({ ...CASE, seq: 4, kind: 'write', path: '/nowhere' }));
  assert.equal(seq, 4);
  assert.ok(skipped);
  assert.equal(verdict, undefined);
});

test('two inputs are compared, and one is repaired', () => {
  const equal = (path, other) => JSON.stringify({ ...CASE, kind: 'equal', seq: 5, path, other });
  withFile('a.json', EMPTY, (path) => {
    assert.deepEqual(answer(equal(path, path)), { seq: 5, equal: true });
    assert.deepEqual(answer(request(path).replace('check', 'repair')), { seq: 1, unchanged: true, messages: [] });
    // An input that should load and does not is a failure, not an answer.
    const refused = answer(equal(path, `${path}.none`));
    assert.deepEqual(Object.keys(refused), ['seq', 'failed']);
    assert.throws(() => answer(equal(path)), BadRequest);
  });
});

test('no kind comes from a prototype', () => {
  assert.ok(answer(JSON.stringify({ ...CASE, kind: 'constructor', seq: 4, path: '/nowhere' })).skipped);
});

test('a case without a path has nobody to answer', () => {
  assert.throws(() => answer('{"cmd":"case","seq":1,"kind":"check","format":"history"}'), BadRequest);
});

test('the plain tier gives its verdict as exit code, and findings as lines', () => {
  const plain = (name, content) => withFile(name, content, (path) => run([path]));
  assert.equal(plain('a.json', EMPTY).status, 0);
  assert.equal(plain('a.json', '{"version": 2, "messages": []}').status, 3);
  assert.equal(plain('a.txt', 'hello').status, 2);
  const { status, lines } = plain('a.json', '{"version": 1, "messages": [7]}');
  assert.equal(status, 1);
  assert.deepEqual(lines, ['error schema-type "/messages/0"', 'invalid']);
  assert.equal(run(['/nowhere/at/all']).status, 2);
  assert.equal(run(['a', 'b']).status, 2);
});

test('no finding brings a control character to the terminal', () => {
  const key = 'x\u001b[31m\u009b1m';
  withFile('a.json', `{"version": 1, "messages": [], ${JSON.stringify(key)}: 1}`, (path) => {
    const { lines } = run([path]);
    assert.equal(lines.length, 2);
    assert.doesNotMatch(lines[0], /[\u0000-\u001f\u007f-\u009f]/);
  });
});
