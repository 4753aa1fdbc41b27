// The rules about single messages (history.md 3.2, 3.4, 3.6, 4.2, 5.1, 5.2).

import { isBlankText, isEmpty, isObject, isString, saysNothingElse } from '../values.js';

export function judgeMessages(messages, report) {
  const ids = new Set();
  for (const message of messages) {
    if (!message.isObject) continue;
    judgeId(message, ids, report);
    judgeKind(message, report);
    if (isBlank(message)) report.add('message-blank', { pointer: `${message.path}/content` });
    judgeCallIds(message, report);
    judgeThinking(message, report);
  }
}

/** history.md#message-ids */
function judgeId(message, ids, report) {
  if (!message.sound('id')) return;
  const { id } = message.value;
  if (ids.has(id)) report.add('message-id-duplicate', { pointer: `${message.path}/id` });
  ids.add(id);
}

/** history.md#kind */
function judgeKind(message, report) {
  if (message.sound('kind') && message.value.kind === 'reference' && ['assistant', 'tool'].includes(message.role)) {
    report.add('kind-misplaced', { pointer: `${message.path}/kind` });
  }
}

/** history.md#blank */
function isBlank(message) {
  if (message.role !== 'user' && message.role !== 'assistant') return false;
  if (!message.sound('content') || !isBlankText(message.value.content)) return false;
  return saysNothingElse(message.value);
}

/** history.md#call-ids, of calls that can be read. */
function judgeCallIds(message, report) {
  const ids = new Set();
  for (const { id, index } of message.calls) {
    if (ids.has(id)) report.add('tool-call-id-duplicate', { pointer: `${message.path}/tool_calls/${index}/id` });
    ids.add(id);
  }
}

const UNSENDABLE = /[^\x21-\x7e]/;

/** history.md#thinking and history.md#thinking-signature */
function judgeThinking(message, report) {
  const { thinking } = message.value;
  if (!isObject(thinking)) return;
  const pointer = `${message.path}/thinking`;
  const cleanSignature = message.clean('thinking/signature');
  if (isEmpty(thinking.text) && isEmpty(thinking.signature) && message.clean('thinking/text') && cleanSignature) {
    report.add('thinking-empty', { pointer });
  }
  if (cleanSignature && isString(thinking.signature) && UNSENDABLE.test(thinking.signature)) {
    report.add('thinking-signature', { pointer: `${pointer}/signature` });
  }
}
