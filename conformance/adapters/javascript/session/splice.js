// The record behind a fragment (session.md#spliced).

import { OPEN_BRACE, QUOTE, isWhite, skipWhite } from '../bytes.js';
import { isObject, isString } from '../values.js';
import { readOn } from './lines.js';

/**
 * The values from the splice to the end of the line, or null where there is no splice. `first` is
 * the first value of the line that failed.
 */
export function findSplice(bytes, first, end) {
  let failed = first;
  for (;;) {
    let place = nearPlace(bytes, first, failed) ?? nextBrace(bytes, failed.at, end);
    if (place === null) return null;
    let attempt = readOn(bytes, place, end);
    if (attempt.failure !== null && attempt.failure.at <= failed.at) {
      place = nextBrace(bytes, failed.at, end); // step 3: place 3 of the same list
      if (place === null) return null;
      attempt = readOn(bytes, place, end);
    }
    if (attempt.failure === null) return fromRecordOn(attempt.values);
    failed = attempt.failure;
  }
}

/** Places 1 and 2 of step 1, or null. */
function nearPlace(bytes, first, failed) {
  const closed = failed.lastClosed;
  if (closed !== null && skipWhite(bytes, closed.next, failed.at) === failed.at) return closed.from;
  return braceBefore(bytes, failed.at, first.from) ?? braceBefore(bytes, failed.from, first.from);
}

/**
 * A `{` behind `start` with nothing but white space and at most one quotation mark between it and
 * `place`.
 */
function braceBefore(bytes, place, start) {
  let quotes = 0;
  for (let at = place - 1; at > start; at -= 1) {
    const byte = bytes[at];
    if (byte === OPEN_BRACE) return at;
    if (byte === QUOTE) quotes += 1;
    else if (!isWhite(byte)) return null;
    if (quotes > 1) return null;
  }
  return null;
}

/** The first `{` at `from` or behind it, within the line. */
function nextBrace(bytes, from, end) {
  const at = bytes.subarray(from, end).indexOf(OPEN_BRACE);
  return at < 0 ? null : from + at;
}

/** Step 4: from the first value that is an object whose `type` and `timestamp` are strings. */
function fromRecordOn(values) {
  const index = values.findIndex(({ value }) => isObject(value) && isString(value.type) && isString(value.timestamp));
  return index < 0 ? null : values.slice(index);
}
