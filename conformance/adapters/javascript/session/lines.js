// From bytes to values: how a log is framed (session.md 1.2 to 1.9). Gives the values and the gaps in
// the order of the file, and reports what the framing finds.

import { CR, LF, NUL, isAllUtf8, skipWhite } from '../bytes.js';
import { readValue } from '../json.js';
import { isObject } from '../values.js';
import { findSplice } from './splice.js';

/**
 * Frames the whole text. An item is `{line, read, record}`, a value that is kept, or `{line, gap:
 * true}`. `record` counts the values of the line from 1 and is there where they are more than one.
 */
export function frame(bytes, report) {
  const items = [];
  let line = 0;
  let sawLineEnding = false;
  for (let from = 0; from < bytes.length; ) {
    line += 1;
    const feed = bytes.indexOf(LF, from);
    const end = feed < 0 ? bytes.length : feed;
    const nul = bytes.subarray(from, end).includes(NUL);
    const framed = nul ? frameDamaged(bytes, from, end) : frameLine(bytes, from, end, feed >= 0);
    for (const rule of framed.rules) report.add(rule, { line });
    // session.md#line-ends: once, at the first.
    if (!sawLineEnding && !nul && feed > from && bytes[feed - 1] === CR) {
      sawLineEnding = true;
      report.add('line-ending', { line });
    }
    place(framed.parts, line, items, report);
    from = end + 1;
  }
  return items;
}

/** Numbers the values of a line and reports those that are no object (session.md#not-object). */
function place(parts, line, items, report) {
  const several = parts.filter((part) => part.ok).length > 1;
  let count = 0;
  for (const part of parts) {
    if (!part.ok) {
      items.push({ line, gap: true });
      continue;
    }
    count += 1;
    const item = { line, read: part, record: several ? count : undefined };
    items.push(item);
    if (!isObject(part.value)) report.add('line-not-object', { line, record: item.record, pointer: '' });
  }
}

const GAP = { ok: false };

/** session.md#nul: the runs of NUL bytes cut the line into pieces, and one finding speaks of it. */
function frameDamaged(bytes, from, end) {
  const parts = [];
  let at = from;
  while (at < end) {
    if (bytes[at] === NUL) {
      parts.push(GAP);
      while (at < end && bytes[at] === NUL) at += 1;
      continue;
    }
    const length = bytes.subarray(at, end).indexOf(NUL);
    const next = length < 0 ? end : at + length;
    // What is no object belongs to the damage too.
    const piece = frameLine(bytes, at, next, true).parts;
    parts.push(...piece.filter((part) => !part.ok || isObject(part.value)));
    at = next;
  }
  return { parts, rules: ['line-nul'] };
}

/** Steps 2 to 7 of session.md#lines. `ended` says whether the line has its line feed. */
function frameLine(bytes, from, end, ended) {
  if (skipWhite(bytes, from, end) >= end) return { parts: [], rules: ['line-blank'] };
  const { values, failure } = readOn(bytes, from, end);
  const rules = [];
  let parts = values;
  if (failure === null) {
    if (values.length > 1) rules.push('line-glued');
  } else {
    const kept = findSplice(bytes, failure, end);
    if (kept === null) return { parts: [...values, GAP], rules: [restFault(bytes, failure, end, ended)] };
    rules.push('line-spliced');
    parts = [...values, GAP, ...kept];
  }
  if (!ended && parts.every((part) => !part.ok || isObject(part.value))) rules.push('line-unterminated');
  return { parts, rules };
}

/** session.md#lines: values, until the end is reached or one fails. */
export function readOn(bytes, from, end) {
  const values = [];
  let at = skipWhite(bytes, from, end);
  while (at < end) {
    const read = readValue(bytes, at, end);
    if (!read.ok) return { values, failure: read };
    values.push(read);
    at = skipWhite(bytes, read.next, end);
  }
  return { values, failure: null };
}

/** Step 6 of session.md#lines: the one finding about the rest of a line. */
function restFault(bytes, failure, end, ended) {
  // session.md#torn: the value failed because the line is over, and for nothing else.
  if (!ended && (failure.kind === 'end' || failure.kind === 'character')) return 'line-torn';
  if (!isAllUtf8(bytes, failure.from, end)) return 'encoding-utf8';
  if (failure.kind === 'depth') return 'json-depth';
  if (failure.kind === 'number') return 'json-non-finite';
  return 'json-syntax';
}
