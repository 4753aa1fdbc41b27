// A history: its layers in order (history.md#layers).

import { isAllUtf8 } from '../bytes.js';
import { readText } from '../json.js';
import { pointer } from '../pointer.js';
import { judgeShape } from '../schema.js';
import { isObject } from '../values.js';
import { versionFault, versionPlace } from '../version.js';
import { judgeAttachments } from './attachments.js';
import { judgeControls, judgeUnknownKeys } from './keys.js';
import { messageViews } from './messages.js';
import { judgeMessages } from './document.js';
import { judgePairing } from './pairing.js';
import { EMPTY_TALLY, JudgedHistory } from './reading.js';

const NEWEST = 1;

/** history.md#tally: an empty file, a fatal fault, a root that is no object. */
export const NOTHING_READ = { reading: { tally: EMPTY_TALLY }, value: null };

/**
 * The text is not empty and stands behind a byte order mark, if there is one. Gives an object with the
 * `reading`, null where there is none.
 */
export function checkHistory(bytes, folder, report) {
  const read = readText(bytes, 0, bytes.length);
  const fatal = fatalFault(bytes, read);
  if (fatal !== null) {
    report.add(fatal);
    return NOTHING_READ;
  }
  if (read.trailing) report.add('json-trailing-data');
  for (const { rule, path, isKey } of read.notes) {
    if (rule !== 'text-nul' || isKey || !hasOwnRule(path)) report.add(rule, { pointer: pointer(path) });
  }

  const root = read.value;
  if (!isObject(root)) {
    report.add('schema-type', { pointer: '' });
    return NOTHING_READ;
  }
  const fault = versionFault(root.version, NEWEST);
  if (fault !== null) report.add(fault, versionPlace(root.version));
  if (fault === 'version-newer') return { reading: null, value: null };

  judgeControls(root, report);
  const shape = judgeShape('history/1.0/history', root);
  for (const [place, rule] of shape.at) report.add(rule, { pointer: place });
  for (const place of shape.missing) report.add('schema-required', place);
  judgeUnknownKeys(root, report);

  const messages = messageViews(root, shape);
  judgeMessages(messages, report);
  judgePairing(messages, report);
  const stored = judgeAttachments(root, messages, shape, folder, report);
  return new JudgedHistory(root, messages, stored, read.long, report);
}

/** history.md#json: at most one of the five, or null. */
function fatalFault(bytes, read) {
  if (!isAllUtf8(bytes, 0, bytes.length)) {
    // history.md#encoding: cut inside a character, inside a string, and all before it sound.
    return !read.ok && read.kind === 'character' ? 'json-truncated' : 'encoding-utf8';
  }
  if (read.ok) return null;
  return { syntax: 'json-syntax', end: 'json-truncated', depth: 'json-depth', number: 'json-non-finite' }[read.kind];
}

/** history.md#strings: the strings of which text-nul does not speak. */
function hasOwnRule(path) {
  if (path[0] !== 'messages' || typeof path[1] !== 'number') return false;
  if (path.length === 5 && path[2] === 'attachments' && typeof path[3] === 'number') {
    return ['data', 'file', 'sha256', 'filename'].includes(path[4]);
  }
  return path.length === 4 && path[2] === 'thinking' && path[3] === 'signature';
}
