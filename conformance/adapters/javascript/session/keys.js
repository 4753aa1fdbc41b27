// Control characters and unknown keys of the records of a log.

import { canBeNamed, pointer } from '../pointer.js';
import { knownKeys } from '../schema.js';
import { holdsControl, isObject } from '../values.js';
import { callsOf } from './calls.js';
import { schemaOf } from './shapes.js';

/** session.md#controls: the members of the record itself. */
const SHOWN = {
  session: ['id'],
  message: ['id'],
  compaction: ['id'],
  branch_summary: ['id'],
  label: ['id', 'label'],
  session_info: ['name'],
  tool_execution_end: ['toolCallId', 'toolName'],
};
const SHOWN_IN_MESSAGE = ['id', 'tool_call_id', 'toolCallId', 'name', 'toolName'];

/** session.md#controls, whatever the schema layer says of the member. */
export function judgeControls(record) {
  const look = (value, place) => {
    if (holdsControl(value)) record.add('text-control', place);
  };
  for (const key of SHOWN[record.type] ?? []) look(record.value[key], `/${key}`);
  if (record.type !== 'message' && record.type !== 'compaction') return;
  const { message } = record;
  if (message === null) return;
  for (const key of SHOWN_IN_MESSAGE) look(message[key], `/message/${key}`);
  for (const call of callsOf(record).all) {
    if (!isObject(call.value)) continue;
    look(call.value.id, `${call.pointer}/id`);
    if (call.isPart) look(call.value.name, `${call.pointer}/name`);
    else if (isObject(call.value.function)) look(call.value.function.name, `${call.pointer}/function/name`);
  }
}

/** session.md#unknown-keys: once per record type and path, list indexes taken out. */
export function judgeUnknownKeys(log, version) {
  const told = new Set();
  const payload = knownKeys('session/2.0/payload');
  const call = knownKeys('session/2.0/tool-call');
  const inner = knownKeys('session/2.0/tool-call', ['function']);
  const tables = new Map();
  for (const record of log.records) {
    if (!record.known) continue;
    const look = (object, known, path) => {
      if (!isObject(object)) return;
      for (const key of Object.keys(object)) {
        if (known.has(key)) continue;
        const name = [record.type, ...path.filter((token) => typeof token === 'string'), key].join('/');
        if (told.has(name)) continue;
        told.add(name);
        record.add('unknown-key', pointer([...path, key]), canBeNamed(key) ? key : undefined);
      }
    };
    if (!tables.has(record.type)) tables.set(record.type, knownKeys(schemaOf(record.type, version)));
    look(record.value, tables.get(record.type), []);
    if (record.type !== 'message' && record.type !== 'compaction') continue;
    const { message } = record;
    if (message === null) continue;
    look(message, payload, ['message']);
    for (const list of ['tool_calls', 'toolCalls']) {
      if (!Array.isArray(message[list])) continue;
      message[list].forEach((value, j) => {
        look(value, call, ['message', list, j]);
        if (isObject(value)) look(value.function, inner, ['message', list, j, 'function']);
      });
    }
  }
}
