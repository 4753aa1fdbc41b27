// Small questions about values that rules of both formats ask.

import { JsonObject } from './json.js';

export const isObject = (value) => value instanceof JsonObject;
export const isString = (value) => typeof value === 'string';
export const isAbsent = (value) => value === undefined || value === null;

/** session.md, Words: absent, null, `""`, `[]` or `{}` (history.md#blank says the same). */
export function isEmpty(value) {
  if (isAbsent(value) || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  if (!isObject(value)) return false;
  for (const key in value) return key === undefined;
  return true;
}

/** history.md#blank, point 2 (D_blank_white_space). */
const SAYS_SOMETHING = /[^\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** A string that is empty or holds only white space of history.md#blank. */
export const isBlankText = (value) => isString(value) && !SAYS_SOMETHING.test(value);

/** Members that do not make a message say something (history.md#blank and session.md#blank, point 3). */
const NOT_COUNTED = new Set([
  'id', 'role', 'kind', 'name', 'provider', 'model', 'model_id', 'usage', 'tokens', 'timestamp',
]);

/**
 * Point 3 of history.md#blank and session.md#blank: every member but the content, and those that do
 * not count, is empty, whatever the schema layer says of it.
 */
export function saysNothingElse(message) {
  return Object.keys(message).every((key) => key === 'content' || NOT_COUNTED.has(key) || isEmpty(message[key]));
}

const CONTROL = /[\u001b\u0080-\u009f]/;

/** history.md#controls: a string that holds ESC or a C1 control. */
export const holdsControl = (value) => isString(value) && CONTROL.test(value);
