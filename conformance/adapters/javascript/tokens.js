// The tokens of JSON: strings, numbers and words (history.md 1.4 and 1.6, session.md 1.11).

import { QUOTE, sequenceLength } from './bytes.js';

const BACKSLASH = 0x5c;
const MINUS = 0x2d;

const ESCAPES = { 0x22: '"', 0x5c: '\\', 0x2f: '/', 0x62: '\b', 0x66: '\f', 0x6e: '\n', 0x72: '\r', 0x74: '\t' };

/**
 * Why and where a value failed. `kind` is `syntax` (the byte at `at` cannot stand there), `end` (the
 * text is over and more is needed), `character` (the same, inside a character of a string), `utf8`,
 * `depth` or `number`.
 */
export class Failure {
  constructor(kind, at) {
    this.kind = kind;
    this.at = at;
  }
}

export const isDigit = (byte) => byte >= 0x30 && byte <= 0x39;

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
export function readString(bytes, from, end) {
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
export function readNumber(bytes, from, end) {
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

/** Whether this word of ASCII stands at a place. */
export function startsWith(bytes, at, end, word) {
  if (end - at < word.length) return false;
  for (let k = 0; k < word.length; k += 1) if (bytes[at + k] !== word.charCodeAt(k)) return false;
  return true;
}

const WORDS = { 0x74: ['true', true], 0x66: ['false', false], 0x6e: ['null', null] };

export const beginsWord = (byte) => WORDS[byte] !== undefined;

/** `true`, `false` or `null`, from its first letter on. */
export function readWord(bytes, from, end) {
  const [word, value] = WORDS[bytes[from]];
  for (let k = 1; k < word.length; k += 1) {
    if (from + k >= end) throw new Failure('end', end);
    if (bytes[from + k] !== word.charCodeAt(k)) throw new Failure('syntax', from + k);
  }
  return { value, next: from + word.length };
}
