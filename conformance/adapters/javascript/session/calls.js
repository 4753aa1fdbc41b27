// What calls a message makes and what call it answers (session.md 4.1 and 4.2).
//
// "Carries a schema finding" is asked here of members that have no rule but their type, so the type
// alone answers it; this also serves text-control, which does not go by the schema layer.

import { isAbsent, isEmpty, isObject, isString } from '../values.js';

const isText = (value) => isAbsent(value) || isString(value);
const isList = (value) => isAbsent(value) || Array.isArray(value);

class Call {
  constructor(value, pointer, isPart) {
    this.value = value;
    this.pointer = pointer;
    this.isPart = isPart;
    // Null: it cannot be read. Absent, null and "" are the empty id, an id like any other.
    this.id = isObject(value) && isText(value.id) ? value.id ?? '' : null;
  }

  /** Where a rule about the id stands. */
  get idPointer() {
    return this.value.id === undefined ? this.pointer : `${this.pointer}/id`;
  }

  /** Its arguments and their place (session.md#arguments); null where there is no place for them. */
  get given() {
    if (!isObject(this.value)) return null;
    if (this.isPart) return { value: this.value.arguments, pointer: `${this.pointer}/arguments` };
    const inner = this.value.function;
    return isObject(inner) ? { value: inner.arguments, pointer: `${this.pointer}/function/arguments` } : null;
  }
}

/** session.md#calls: the first of the three that is there. */
function findCalls(message) {
  for (const key of ['tool_calls', 'toolCalls']) {
    const list = message[key];
    if (!isList(list)) return [];
    if (!isEmpty(list)) return list.map((call, j) => new Call(call, `/message/${key}/${j}`, false));
  }
  const calls = [];
  if (Array.isArray(message.content)) {
    message.content.forEach((part, k) => {
      if (isObject(part) && part.type === 'toolCall') calls.push(new Call(part, `/message/content/${k}`, true));
    });
  }
  return calls;
}

/** session.md#calls: the ids that items of a provider add to the calls. */
function findExtraIds(message, calls) {
  const items = isEmpty(message.response_items) ? message.responseItems : message.response_items;
  const ids = new Set();
  if (!Array.isArray(items)) return ids;
  for (const item of items) if (isObject(item) && isString(item.call_id) && item.call_id !== '') ids.add(item.call_id);
  for (const call of calls) ids.delete(call.id);
  return ids;
}

/**
 * The calls of a message record: `all` of them as spelled; `byId`, those that can be read, with the
 * first of each id and their number; `extra`, ids of response items; `lost`, whether some cannot be
 * read.
 */
export function callsOf(record) {
  return (record.calls ??= lookAtCalls(record.message));
}

function lookAtCalls(message) {
  if (message === null) return { all: [], byId: new Map(), extra: new Set(), lost: true };
  const all = findCalls(message);
  const byId = new Map();
  for (const call of all) {
    if (call.id === null) continue;
    if (byId.has(call.id)) byId.get(call.id).count += 1;
    else byId.set(call.id, { call, count: 1 });
  }
  const lost = all.some((call) => call.id === null) || !isList(message.tool_calls) || !isList(message.toolCalls);
  return { all, byId, extra: findExtraIds(message, all), lost };
}

/**
 * session.md#results: null where the message is no result; else the `id` of the call it answers, null
 * where that cannot be read, and the `pointer` of the rules about it.
 */
export function resultOf(record) {
  if (record.result === undefined) record.result = lookForResult(record);
  return record.result;
}

function lookForResult(record) {
  const { message } = record;
  if (record.type !== 'message' || message === null) return null;
  if (message.role !== 'tool' && message.role !== 'toolResult') return null;
  const { byId, extra } = callsOf(record);
  if (byId.size > 0 || extra.size > 0) return null;
  const keys = ['tool_call_id', 'toolCallId'];
  if (!keys.every((key) => isText(message[key]))) return { id: null, pointer: null };
  const key = keys.find((name) => !isEmpty(message[name])) ?? keys.find((name) => message[name] !== undefined);
  if (key === undefined) return { id: '', pointer: '/message' };
  return { id: message[key] ?? '', pointer: `/message/${key}` };
}
