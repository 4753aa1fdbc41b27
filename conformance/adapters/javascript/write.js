// JSON text by RFC 8785, the JSON Canonicalization Scheme (history.md#canonical). All answers are
// written so, too: the order of their keys means nothing, and integers keep their digits.

/**
 * An integer that a double cannot hold, by its text. JSON knows one spelling of it, so equal texts
 * are equal integers, and no double is written with as many digits.
 */
export class LongInteger {
  constructor(text) {
    this.text = text;
  }
}

/**
 * The value with its long integers as such. `long` is what the reader noted of them (see json.js), and
 * `isMeant` chooses by the text; the rest stay doubles. No deeper than the reader reads.
 */
export function withLongIntegers(value, long, isMeant = () => true) {
  if (long.size === 0 || value === null || typeof value !== 'object') return value;
  const texts = long.get(value);
  const part = (inner, key) => {
    const text = texts?.get(key);
    return text !== undefined && isMeant(text) ? new LongInteger(text) : withLongIntegers(inner, long, isMeant);
  };
  if (Array.isArray(value)) return value.map(part);
  const copy = Object.create(null);
  for (const key of Object.keys(value)) copy[key] = part(value[key], key);
  return copy;
}

/** Whether the text of an integer rounds to infinity as a double. */
export const isBeyondDoubles = (text) => !Number.isFinite(Number(text));

/**
 * The text of a value. JavaScript writes numbers and strings as RFC 8785 asks, `-0` as `0`, and sorts
 * keys by UTF-16 code units. Members that are undefined are left out.
 */
export function writeJson(value) {
  const pieces = [];
  write(value, pieces);
  return pieces.join('');
}

function write(value, pieces) {
  if (value === null || typeof value !== 'object') {
    pieces.push(JSON.stringify(value));
  } else if (value instanceof LongInteger) {
    pieces.push(value.text);
  } else if (Array.isArray(value)) {
    value.forEach((item, i) => {
      pieces.push(i === 0 ? '[' : ',');
      write(item, pieces);
    });
    pieces.push(value.length === 0 ? '[]' : ']');
  } else {
    let sign = '{';
    for (const key of Object.keys(value).sort()) {
      if (value[key] === undefined) continue;
      pieces.push(sign, JSON.stringify(key), ':');
      write(value[key], pieces);
      sign = ',';
    }
    pieces.push(sign === '{' ? '{}' : '}');
  }
}
