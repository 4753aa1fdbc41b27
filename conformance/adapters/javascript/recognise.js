// Which format a file is in (history.md#recognition).

import { LF, OPEN_BRACE, QUOTE, isAllUtf8, skipWhite } from './bytes.js';
import { readText, readValue } from './json.js';
import { isObject, isString } from './values.js';

/** One JSON object without a fatal fault, and nothing but white space behind it; else null. */
function soleObject(bytes, from, end) {
  const read = readText(bytes, from, end);
  return read !== null && read.ok && !read.trailing && isObject(read.value) ? read.value : null;
}

/** The first key: `{`, white space or nothing, and a complete JSON string. Null where there is none. */
function firstKey(bytes, from) {
  if (bytes[from] !== OPEN_BRACE) return null;
  const at = skipWhite(bytes, from + 1, bytes.length);
  if (at >= bytes.length || bytes[at] !== QUOTE) return null;
  const read = readValue(bytes, at, bytes.length);
  return read.ok ? read.value : null;
}

/** `history`, `session` or null. `bytes` is the text behind a byte order mark, `name` the file's name. */
export function recognise(bytes, name) {
  const from = skipWhite(bytes, 0, bytes.length);
  const feed = bytes.indexOf(LF, from);
  const first = soleObject(bytes, from, feed < 0 ? bytes.length : feed);
  if (first !== null && isString(first.type)) return 'session';
  const key = firstKey(bytes, from);
  if (key === 'type') return 'session';
  if (key === 'version' || key === 'messages') return 'history';
  if (isAllUtf8(bytes, from, bytes.length)) {
    const whole = soleObject(bytes, from, bytes.length);
    if (whole !== null && 'messages' in whole) return 'history';
  }
  return recogniseName(name);
}

/** Lines 5 and 6 of the table: what the name alone says. */
export function recogniseName(name) {
  if (name.endsWith('.jsonl')) return 'session';
  if (name.endsWith('.json')) return 'history';
  return null;
}
