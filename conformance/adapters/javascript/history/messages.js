// The messages of a history as the later layers see them: with what the schema found, and with what
// of them can be read (history.md#gaps).

import { isObject } from '../values.js';

/** One message. `value` may be any JSON value. */
class MessageView {
  constructor(value, index, shape) {
    this.value = value;
    this.index = index;
    this.path = `/messages/${index}`;
    this.shape = shape;
    this.isObject = isObject(value);
    if (this.isObject) this.#look();
  }

  #look() {
    const { value } = this;
    this.role = this.sound('role') ? value.role : null; // null: it cannot be read
    this.resultId = this.role === 'tool' && this.sound('tool_call_id') ? value.tool_call_id : null;
    this.#lookAtCalls(Array.isArray(value.tool_calls) ? value.tool_calls : []);
  }

  /** history.md#gaps: a call, unless a schema finding takes its id away. */
  #lookAtCalls(calls) {
    this.calls = []; // those that can be read: {id, index}
    this.callsLost = !this.clean('tool_calls');
    if (this.callsLost) return;
    calls.forEach((call, index) => {
      const path = `tool_calls/${index}`;
      const canBeRead = this.clean(path) && this.clean(`${path}/id`) && call.id !== undefined;
      if (canBeRead) this.calls.push({ id: call.id, index });
      else this.callsLost = true;
    });
  }

  /** No schema finding stands at the place below the message. */
  clean(place) {
    return !this.shape.at.has(`${this.path}/${place}`);
  }

  /** The member is there and carries no schema finding. */
  sound(key) {
    return this.value[key] !== undefined && this.clean(key);
  }

  /** The calls that can be read, by id: the index of the first, and how many there are. */
  callsById() {
    const found = new Map();
    for (const { id, index } of this.calls) {
      if (found.has(id)) found.get(id).count += 1;
      else found.set(id, { index, count: 1 });
    }
    return found;
  }
}

export function messageViews(root, shape) {
  if (!Array.isArray(root.messages)) return [];
  return root.messages.map((value, index) => new MessageView(value, index, shape));
}
