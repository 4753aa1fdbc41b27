// A strict reader of one JSON value (history.md 1.4 to 1.8, session.md 1.2 and 1.11).
// It keeps a stack of its own, so that the depth of the input costs no call stack.

import { CLOSE_BRACE, OPEN_BRACE, QUOTE, skipWhite } from './bytes.js';
import { Failure, beginsWord, isDigit, readNumber, readString, readWord, startsWith } from './tokens.js';

/** history.md#depth: 100 levels are read, the bracket that opens level 101 fails. */
const MAX_DEPTH = 100;

const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;

/**
 * The objects of a document. They inherit nothing, so that `__proto__`, `constructor` and the like
 * are keys as any other.
 */
export function JsonObject() {}
JsonObject.prototype = Object.create(null);

/** One value from `from` on, which is a place within `end` that holds no white space. */
class ValueReader {
  constructor(bytes, from, end) {
    this.bytes = bytes;
    this.at = from;
    this.end = end;
    this.stack = [];
    this.notes = []; // findings that leave the value standing: {rule, path, isKey}
    this.integers = null; // of the outermost object: key -> text of a member that is an integer
    this.long = new Map(); // object or array -> Map of key or index -> text of an integer that a double may not hold
    this.lastClosed = null; // the object, inside the value, that closed last
  }

  read() {
    const { bytes, end, stack } = this;
    for (;;) {
      // A value begins here.
      let value = this.scalar();
      if (value === undefined) {
        const frame = this.open();
        if (frame === null) continue; // now inside of it, at its first member
        value = frame;
      }
      // A value is complete; so may be those around it.
      for (;;) {
        const frame = stack[stack.length - 1];
        if (frame === undefined) return value;
        if (frame.list) frame.container.push(value);
        else frame.container[frame.key] = value;
        this.at = skipWhite(bytes, this.at, end);
        if (this.at >= end) throw new Failure('end', end);
        const byte = bytes[this.at];
        if (byte === COMMA) {
          this.at = skipWhite(bytes, this.at + 1, end);
          if (this.at >= end) throw new Failure('end', end);
          if (!frame.list) this.key(frame);
          break;
        }
        if (byte !== (frame.list ? CLOSE_BRACKET : CLOSE_BRACE)) throw new Failure('syntax', this.at);
        value = this.close();
      }
    }
  }

  /** A string, a number or a word; nothing where a bracket opens. */
  scalar() {
    const { bytes, at, end } = this;
    const byte = bytes[at];
    let token;
    if (byte === QUOTE) {
      const { text, next, escaped } = readString(bytes, at, end);
      this.at = next;
      if (escaped) this.judgeString(text, this.path());
      return text;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) return undefined;
    if (byte === MINUS || isDigit(byte)) {
      // The token is no beginning of JSON unless it is whole (history.md#json).
      if (startsWith(bytes, at, end, '-Infinity')) throw new Failure('number', at);
      token = readNumber(bytes, at, end);
      if (token.integer) this.noteInteger(token);
    } else if (beginsWord(byte)) {
      token = readWord(bytes, at, end);
    } else if (startsWith(bytes, at, end, 'NaN') || startsWith(bytes, at, end, 'Infinity')) {
      throw new Failure('number', at);
    } else {
      throw new Failure('syntax', at);
    }
    this.at = token.next;
    return token.value;
  }

  /** history.md#numbers: integers a double need not hold. */
  noteInteger({ text, value }) {
    const { stack } = this;
    if (stack.length === 1 && !stack[0].list) (this.integers ??= new Map()).set(stack[0].key, text);
    if (Number.isSafeInteger(value)) return;
    this.note('json-number-precision', this.path());
    if (stack.length === 0) return;
    const { list, container, key } = stack[stack.length - 1];
    if (!this.long.has(container)) this.long.set(container, new Map());
    this.long.get(container).set(list ? container.length : key, text);
  }

  /** history.md#strings: once per string. Only escapes can write what is looked for. */
  judgeString(text, path, isKey = false) {
    if (!text.isWellFormed()) this.note('text-surrogate', path, isKey);
    if (text.includes('\0')) this.note('text-nul', path, isKey);
  }

  note(rule, path, isKey = false) {
    this.notes.push({ rule, path, isKey });
  }

  /** The keys and list indexes that lead to the value being read. */
  path() {
    return this.stack.map((frame) => (frame.list ? frame.container.length : frame.key));
  }

  /** Opens an object or array; gives it back if it is closed at once, else null. */
  open() {
    const { bytes, end, stack } = this;
    if (stack.length === MAX_DEPTH) throw new Failure('depth', this.at);
    const list = bytes[this.at] === OPEN_BRACKET;
    const frame = { list, container: list ? [] : new JsonObject(), key: '', from: this.at, doubled: null };
    stack.push(frame);
    this.at = skipWhite(bytes, this.at + 1, end);
    if (this.at >= end) throw new Failure('end', end);
    if (bytes[this.at] === (list ? CLOSE_BRACKET : CLOSE_BRACE)) return this.close();
    if (!list) this.key(frame);
    return null;
  }

  close() {
    const frame = this.stack.pop();
    if (!frame.list && this.stack.length > 0) this.lastClosed = { from: frame.from, next: this.at + 1 };
    this.at += 1;
    return frame.container;
  }

  /** A key, its colon, and what is white behind it. */
  key(frame) {
    const { bytes, end } = this;
    if (bytes[this.at] !== QUOTE) throw new Failure('syntax', this.at);
    const { text, next, escaped } = readString(bytes, this.at, end);
    frame.key = text;
    if (escaped) this.judgeString(text, this.path().slice(0, -1), true); // at the object of the key
    if (text in frame.container) this.duplicate(frame, text);
    this.at = skipWhite(bytes, next, end);
    if (this.at >= end) throw new Failure('end', end);
    if (bytes[this.at] !== COLON) throw new Failure('syntax', this.at);
    this.at = skipWhite(bytes, this.at + 1, end);
    if (this.at >= end) throw new Failure('end', end);
  }

  /** history.md#duplicate-keys: once per object and key; the last one counts. */
  duplicate(frame, key) {
    frame.doubled ??= new Set();
    if (!frame.doubled.has(key)) {
      frame.doubled.add(key);
      this.note('json-duplicate-key', this.path());
    }
    if (this.stack.length === 1) this.integers?.delete(key);
    this.long.get(frame.container)?.delete(key);
  }
}

/**
 * Reads the value at `from`. Gives `{ok: true, value, from, next, notes, integers, long}`, or `{ok:
 * false, from, at, kind, lastClosed}`, where `at` is the place of the failure.
 */
export function readValue(bytes, from, end) {
  const reader = new ValueReader(bytes, from, end);
  try {
    const value = reader.read();
    const { notes, integers, long } = reader;
    return { ok: true, value, from, next: reader.at, notes, integers, long };
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    return { ok: false, from, at: failure.at, kind: failure.kind, lastClosed: reader.lastClosed };
  }
}

/**
 * Reads a text that should hold one value: the value, and whether something other than white space
 * stands behind it. Null where there is nothing at all.
 */
export function readText(bytes, from, end) {
  const start = skipWhite(bytes, from, end);
  if (start >= end) return null;
  const read = readValue(bytes, start, end);
  if (read.ok) read.trailing = skipWhite(bytes, read.next, end) < end;
  return read;
}
