// A strict reader of one JSON value (history.md 1.4 to 1.8, session.md 1.2 and 1.11).
// It keeps a stack of its own, so that the depth of the input costs no call stack.

import { CLOSE_BRACE, OPEN_BRACE, QUOTE, sequenceLength, skipWhite } from './bytes.js';

/** history.md#depth: 100 levels are read, the bracket that opens level 101 fails. */
const MAX_DEPTH = 100;

const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;

const ESCAPES = { 0x22: '"', 0x5c: '\\', 0x2f: '/', 0x62: '\b', 0x66: '\f', 0x6e: '\n', 0x72: '\r', 0x74: '\t' };

/**
 * The objects of a document. They inherit nothing, so that `__proto__`, `constructor` and the like
 * are keys as any other.
 */
export function JsonObject() {}
JsonObject.prototype = Object.create(null);

/**
 * Why and where a value failed. `kind` is `syntax` (the byte at `at` cannot stand there), `end` (the
 * text is over and more is needed), `character` (the same, inside a character of a string), `utf8`,
 * `depth` or `number`.
 */
class Failure {
  constructor(kind, at) {
    this.kind = kind;
    this.at = at;
  }
}

const isDigit = (byte) => byte >= 0x30 && byte <= 0x39;

function isHex(byte) {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

/**
 * A byte that cannot stand in an escape. The text may also have been cut inside a character there:
 * what is before it ends inside a string (history.md#encoding, session.md#torn).
 */
function escapeFailure(bytes, at, end) {
  return new Failure(bytes[at] >= 0x80 && sequenceLength(bytes, at, end) < 0 ? 'character' : 'syntax', at);
}

/** A string from its opening quotation mark on: its text, the place behind it, and whether it has escapes. */
function readString(bytes, from, end) {
  let text = '';
  let escaped = false;
  let start = from + 1;
  let ascii = true;
  let at = start;
  const flush = () => {
    if (at > start) text += ascii ? bytes.latin1Slice(start, at) : bytes.utf8Slice(start, at);
  };
  for (;;) {
    if (at >= end) throw new Failure('end', end);
    const byte = bytes[at];
    if (byte === QUOTE) {
      flush();
      return { text, next: at + 1, escaped };
    }
    if (byte < 0x20) throw new Failure('syntax', at);
    if (byte === BACKSLASH) {
      flush();
      escaped = true;
      if (at + 1 >= end) throw new Failure('end', end);
      const letter = bytes[at + 1];
      if (letter === 0x75) {
        for (let k = at + 2; k < at + 6; k += 1) {
          if (k >= end) throw new Failure('end', end);
          if (!isHex(bytes[k])) throw escapeFailure(bytes, k, end);
        }
        text += String.fromCharCode(parseInt(bytes.latin1Slice(at + 2, at + 6), 16));
        at += 6;
      } else {
        if (ESCAPES[letter] === undefined) throw escapeFailure(bytes, at + 1, end);
        text += ESCAPES[letter];
        at += 2;
      }
      start = at;
      ascii = true;
    } else if (byte < 0x80) {
      at += 1;
    } else {
      const length = sequenceLength(bytes, at, end);
      if (length <= 0) throw new Failure(length === 0 ? 'utf8' : 'character', at);
      ascii = false;
      at += length;
    }
  }
}

/** A number: its value as a double, its text, and whether it has neither fraction nor exponent. */
function readNumber(bytes, from, end) {
  let at = from;
  const digits = () => {
    if (at >= end) throw new Failure('end', end);
    if (!isDigit(bytes[at])) throw new Failure('syntax', at);
    while (at < end && isDigit(bytes[at])) at += 1;
  };
  if (bytes[at] === MINUS) at += 1;
  if (at < end && bytes[at] === 0x30) at += 1; // a zero leads no other digit
  else digits();
  let integer = true;
  if (at < end && bytes[at] === 0x2e) {
    integer = false;
    at += 1;
    digits();
  }
  if (at < end && (bytes[at] === 0x65 || bytes[at] === 0x45)) {
    integer = false;
    at += 1;
    if (at < end && (bytes[at] === 0x2b || bytes[at] === MINUS)) at += 1;
    digits();
  }
  const text = bytes.latin1Slice(from, at);
  let value = Number(text);
  if (!Number.isFinite(value)) {
    // history.md#numbers: with a fraction or an exponent it is refused; an integer may be as long
    // as it likes, and here counts as the largest double.
    if (!integer) throw new Failure('number', from);
    value = text[0] === '-' ? -Number.MAX_VALUE : Number.MAX_VALUE;
  }
  return { value, next: at, integer, text };
}

function startsWith(bytes, at, end, word) {
  if (end - at < word.length) return false;
  for (let k = 0; k < word.length; k += 1) if (bytes[at + k] !== word.charCodeAt(k)) return false;
  return true;
}

const WORDS = { 0x74: ['true', true], 0x66: ['false', false], 0x6e: ['null', null] };

function readWord(bytes, from, end) {
  const [word, value] = WORDS[bytes[from]];
  for (let k = 1; k < word.length; k += 1) {
    if (from + k >= end) throw new Failure('end', end);
    if (bytes[from + k] !== word.charCodeAt(k)) throw new Failure('syntax', from + k);
  }
  return { value, next: from + word.length };
}

/** One value from `from` on, which is a place within `end` that holds no white space. */
class ValueReader {
  constructor(bytes, from, end) {
    this.bytes = bytes;
    this.at = from;
    this.end = end;
    this.stack = [];
    this.notes = []; // findings that leave the value standing: {rule, path, isKey}
    this.integers = null; // of the outermost object: key -> text of a member that is an integer
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
    } else if (WORDS[byte] !== undefined) {
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
    if (!Number.isSafeInteger(value)) this.note('json-number-precision', this.path());
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
  }
}

/**
 * Reads the value at `from`. Gives `{ok: true, value, from, next, notes, integers}`, or `{ok: false,
 * from, at, kind, lastClosed}`, where `at` is the place of the failure.
 */
export function readValue(bytes, from, end) {
  const reader = new ValueReader(bytes, from, end);
  try {
    const value = reader.read();
    const { notes, integers } = reader;
    return { ok: true, value, from, next: reader.at, notes, integers };
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
