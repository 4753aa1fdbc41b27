// What the bytes of a file say before any JSON is read: white space, byte order marks, UTF-8.

import { isUtf8 } from 'node:buffer';

export const LF = 0x0a;
export const CR = 0x0d;
export const NUL = 0x00;
export const QUOTE = 0x22;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

/** White space is what RFC 8259 allows between tokens (history.md, Words). */
export function isWhite(byte) {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** The first place at or behind `from` that is no white space, at most `end`. */
export function skipWhite(bytes, from, end) {
  let at = from;
  while (at < end && isWhite(bytes[at])) at += 1;
  return at;
}

/** history.md#words: the three bytes EF BB BF at the very start of the file. */
export function hasByteOrderMark(bytes) {
  return bytes.length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** history.md#empty: no bytes, or only white space and NUL bytes. */
export function holdsNothing(bytes) {
  for (const byte of bytes) if (byte !== NUL && !isWhite(byte)) return false;
  return true;
}

/** Whether all of this is UTF-8 by RFC 3629. */
export function isAllUtf8(bytes, from, end) {
  return isUtf8(bytes.subarray(from, end));
}

/**
 * The length of the UTF-8 sequence that begins at `at` with a byte of 0x80 or above.
 * 0: it is not UTF-8. -1: it is cut off by `end`, and all that is there is right.
 */
export function sequenceLength(bytes, at, end) {
  const lead = bytes[at];
  let length;
  let low = 0x80;
  let high = 0xbf;
  if (lead >= 0xc2 && lead <= 0xdf) length = 2;
  else if (lead >= 0xe0 && lead <= 0xef) length = 3;
  else if (lead >= 0xf0 && lead <= 0xf4) length = 4;
  else return 0;
  if (lead === 0xe0) low = 0xa0; // else overlong
  else if (lead === 0xed) high = 0x9f; // else an encoded surrogate
  else if (lead === 0xf0) low = 0x90; // else overlong
  else if (lead === 0xf4) high = 0x8f; // else above U+10FFFF
  for (let k = 1; k < length; k += 1) {
    if (at + k >= end) return -1;
    const byte = bytes[at + k];
    if (byte < low || byte > high) return 0;
    low = 0x80;
    high = 0xbf;
  }
  return length;
}
