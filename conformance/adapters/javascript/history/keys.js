// Control characters and unknown keys of a history.

import { canBeNamed, pointer } from '../pointer.js';
import { knownKeys } from '../schema.js';
import { holdsControl, isObject } from '../values.js';

const list = (value) => (Array.isArray(value) ? value : []);

/** history.md#controls, whatever the schema layer says of the member. */
export function judgeControls(root, report) {
  const look = (object, key, path) => {
    if (holdsControl(object[key])) report.add('text-control', { pointer: pointer([...path, key]) });
  };
  list(root.messages).forEach((message, i) => {
    if (!isObject(message)) return;
    for (const key of ['id', 'tool_call_id', 'model_id']) look(message, key, ['messages', i]);
    list(message.tool_calls).forEach((call, j) => {
      if (!isObject(call)) return;
      for (const key of ['id', 'name']) look(call, key, ['messages', i, 'tool_calls', j]);
    });
  });
}

/** history.md#unknown-keys: once per path, list indexes taken out, at the first in the file. */
export function judgeUnknownKeys(root, report) {
  const known = (name) => knownKeys(`history/1.0/${name}`);
  const keys = {
    root: known('history'),
    message: known('message'),
    call: known('tool-call'),
    thinking: known('thinking'),
    tokens: known('tokens'),
    attachment: known('attachment'),
  };
  const told = new Set();
  const look = (object, kind, path) => {
    if (!isObject(object)) return;
    for (const key of Object.keys(object)) {
      if (keys[kind].has(key) || told.has(`${kind}/${key}`)) continue;
      told.add(`${kind}/${key}`); // each kind of object stands at one path
      const member = canBeNamed(key) ? { member: key } : {};
      report.add('unknown-key', { pointer: pointer([...path, key]), ...member });
    }
  };
  look(root, 'root', []);
  list(root.messages).forEach((message, i) => {
    const path = ['messages', i];
    look(message, 'message', path);
    if (!isObject(message)) return;
    list(message.tool_calls).forEach((call, j) => look(call, 'call', [...path, 'tool_calls', j]));
    look(message.thinking, 'thinking', [...path, 'thinking']);
    look(message.tokens, 'tokens', [...path, 'tokens']);
    list(message.attachments).forEach((one, j) => look(one, 'attachment', [...path, 'attachments', j]));
  });
}
