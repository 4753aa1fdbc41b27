// The rules about single entries (session.md 4.6, 4.8, 5.1, 5.2 and 6.4).

import { readText } from '../json.js';
import { isAbsent, isBlankText, isObject, isString, saysNothingElse } from '../values.js';
import { callsOf } from './calls.js';

export function judgeEntries(tree) {
  for (const { record } of tree.entries) {
    if (record.message === null) continue;
    if (record.type === 'compaction') judgeSummary(record);
    if (record.type !== 'message') continue;
    judgeCalls(record);
    judgeBlank(record);
    if (record.message.role === 'system') record.add('message-system-role', '/message/role');
  }
}

function judgeCalls(record) {
  const seen = new Set();
  for (const call of callsOf(record).all) {
    // session.md#call-ids
    if (call.id !== null) {
      if (seen.has(call.id)) record.add('tool-call-id-duplicate', call.idPointer);
      seen.add(call.id);
    }
    // session.md#arguments
    const { given } = call;
    if (given !== null && isString(given.value) && given.value !== '' && !holdsJsonObject(given.value)) {
      record.add('tool-arguments-invalid', given.pointer);
    }
  }
}

/** Whether the text is, taken alone, one JSON object. Half a surrogate pair is not UTF-8. */
function holdsJsonObject(text) {
  if (!text.isWellFormed()) return false;
  const bytes = Buffer.from(text, 'utf8');
  const read = readText(bytes, 0, bytes.length);
  return read !== null && read.ok && !read.trailing && isObject(read.value);
}

/** session.md#blank, point 2: the content says nothing. */
function saysNothing(content) {
  if (isAbsent(content) || isBlankText(content)) return true;
  return Array.isArray(content) && content.every((part) => {
    if (!isObject(part)) return isBlankText(part);
    return part.type === 'text' && (isAbsent(part.text) || isBlankText(part.text));
  });
}

/** session.md#blank */
function judgeBlank(record) {
  const { message } = record;
  if (message.role !== 'user' && message.role !== 'assistant') return;
  if (!record.clean('/message/content') || !saysNothing(message.content)) return;
  if (!saysNothingElse(message)) return;
  record.add('message-blank', message.content === undefined ? '/message' : '/message/content');
}

/** session.md#summary */
function judgeSummary(record) {
  const { message } = record;
  if (!record.clean('/message/summary') || !record.clean('/message/content')) return;
  const giver = ['summary', 'content'].find((key) => !isAbsent(message[key]));
  if (!saysNothing(giver === undefined ? null : message[giver])) return;
  const member = giver ?? ['summary', 'content'].find((key) => message[key] !== undefined);
  record.add('compaction-summary-empty', member === undefined ? '/message' : `/message/${member}`);
}
