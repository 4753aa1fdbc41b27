// Base64 and media types (history.md#inline, history.md#media-type; session.md#images goes by them).

import { createHash } from 'node:crypto';

const OUTSIDE = /[^A-Za-z0-9+/]/;
const LAST_OF_FOUR_BITS = /[AQgw]$/; // the last character before `==`: four unused bits, all zero
const LAST_OF_TWO_BITS = /[AEIMQUYcgkosw048]$/; // before `=`: two unused bits, both zero

/** How many bytes the text holds, or -1 where it is not base64 by history.md#inline. */
export function base64Length(text) {
  if (text.length % 4 !== 0) return -1;
  let padding = 0;
  if (text.endsWith('==')) padding = 2;
  else if (text.endsWith('=')) padding = 1;
  const body = padding === 0 ? text : text.slice(0, -padding);
  if (OUTSIDE.test(body)) return -1;
  if (padding === 2 && !LAST_OF_FOUR_BITS.test(body.slice(-1))) return -1;
  if (padding === 1 && !LAST_OF_TWO_BITS.test(body.slice(-1))) return -1;
  return (text.length / 4) * 3 - padding;
}

/** How many bytes at the start tell a signature. */
export const SIGNATURE_LENGTH = 12;

/** The first bytes of a sound base64 text. */
export function base64Start(text) {
  return Buffer.from(text.slice(0, (SIGNATURE_LENGTH / 3) * 4), 'base64');
}

/** The bytes of a sound base64 text: `size`, `start` and `digest`, as those of a stored file (folder.js). */
export class InlineBytes {
  constructor(text, size) {
    this.text = text;
    this.size = size;
  }

  get start() {
    return base64Start(this.text);
  }

  get digest() {
    return createHash('sha256').update(this.text, 'base64').digest('hex');
  }
}

const SIGNATURES = [
  [/^\x89PNG\r\n\x1a\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF[^]{4}WEBP/, 'image/webp'],
  [/^%PDF-/, 'application/pdf'],
];

/** The type whose signature the bytes begin with, or null. */
export function typeOfBytes(start) {
  const text = start.toString('latin1');
  for (const [signature, type] of SIGNATURES) if (signature.test(text)) return type;
  return null;
}

/** The declared type in the form in which it is compared; empty where nothing is claimed. */
export function plainType(declared) {
  const cut = declared.split(';', 1)[0].replace(/^[ \t]+/, '');
  let end = cut.length;
  while (end > 0 && (cut[end - 1] === ' ' || cut[end - 1] === '\t')) end -= 1;
  const type = cut.slice(0, end).replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  return type === 'image/jpg' ? 'image/jpeg' : type;
}
