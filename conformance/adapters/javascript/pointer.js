// Places in a value (history.md#pointers).

/** history.md#pointers: a key longer than this many code points ends the pointer above it. */
const LONGEST_KEY = 256;

/** Whether a key can stand in a pointer: no half of a surrogate pair, not too long. */
export function canBeNamed(key) {
  if (!key.isWellFormed()) return false;
  if (key.length <= LONGEST_KEY) return true;
  if (key.length > 2 * LONGEST_KEY) return false;
  return [...key].length <= LONGEST_KEY;
}

/** One more step, a key or a list index, as a piece of a pointer. */
export function step(token) {
  return typeof token === 'number' ? `/${token}` : `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The pointer of a path of keys and list indexes; it stops above the first key that cannot be named. */
export function pointer(path) {
  let text = '';
  for (const token of path) {
    if (typeof token === 'string' && !canBeNamed(token)) break;
    text += step(token);
  }
  return text;
}
