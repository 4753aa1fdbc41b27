// What a valid history says: its value (history.md section 8).

import { LongInteger, isBeyondDoubles, withLongIntegers, writeJson } from '../write.js';
import { isAbsent } from '../values.js';

const COUNTS = ['input', 'output', 'cached', 'cache_creation', 'thinking'];

/** The members that are not null, of those named. */
function present(object, keys) {
  const found = {};
  for (const key of keys) if (!isAbsent(object[key])) found[key] = object[key];
  return found;
}

export class HistoryValue {
  /**
   * `root` is that of a valid document, `bytes` the bytes of its attachments by their pointers, `long`
   * what the reader noted of long integers.
   */
  constructor(root, bytes, long) {
    this.long = long;
    this.bytes = bytes;
    this.messages = root.messages.map((message, i) => this.#message(message, `/messages/${i}`));
  }

  /** history.md#canonical: one message, with the members that have not their default. */
  #message(message, path) {
    const value = present(message, ['id', 'role', 'content', 'tool_call_id', 'model_id']);
    if (message.kind === 'reference') value.kind = message.kind; // the other one is the default
    if (message.attachments?.length > 0) {
      value.attachments = message.attachments.map((one, j) => this.#attachment(one, `${path}/attachments/${j}`));
    }
    if (message.tool_calls?.length > 0) value.tool_calls = message.tool_calls.map((call) => this.#call(call));
    if (!isAbsent(message.thinking)) value.thinking = present(message.thinking, ['text', 'signature']);
    if (!isAbsent(message.tokens)) {
      const tokens = present(this.#numbers(message.tokens), COUNTS);
      if (Object.keys(tokens).length > 0) value.tokens = tokens;
    }
    return value;
  }

  #attachment({ mime, filename }, path) {
    const { digest, size } = this.bytes.get(path);
    return { mime, filename, sha256: digest, size };
  }

  #call({ id, name, arguments: given }) {
    return { id, name, arguments: this.#numbers(given) };
  }

  /** history.md#equality: numbers are doubles, but an integer that would round to infinity is itself. */
  #numbers(value) {
    return withLongIntegers(value, this.long, isBeyondDoubles);
  }

  get attachments() {
    return this.messages.flatMap((message) => message.attachments ?? []);
  }

  /**
   * The text that is the same for equal histories. It is the canonical form, unless a number in it is
   * beyond the doubles.
   */
  get text() {
    return writeJson({ version: 1, messages: this.messages });
  }

  /** history.md#canonical; null where there is none. */
  get canonical() {
    return this.messages.some(holdsLongInteger) ? null : this.text;
  }
}

function holdsLongInteger(value) {
  if (value instanceof LongInteger) return true;
  if (value === null || typeof value !== 'object') return false;
  return Object.values(value).some(holdsLongInteger);
}
