// A session log: its layers in order (session.md#layers).

import { pointer } from '../pointer.js';
import { isObject } from '../values.js';
import { judgeControls, judgeUnknownKeys } from './keys.js';
import { headerInForce, judgeHeaders, judgeVersion } from './header.js';
import { isImagePart, judgeImages } from './images.js';
import { judgeMetadata } from './metadata.js';
import { frame } from './lines.js';
import { Log } from './log.js';
import { judgeEntries } from './document.js';
import { judgeTimestamps } from './instants.js';
import { judgeShapes } from './shapes.js';
import { judgePaths } from './paths.js';
import { Tree } from './tree.js';
import { judgeTree } from './links.js';
import { JudgedLog } from './reading.js';

/**
 * The text is not empty and stands behind a byte order mark, if there is one. Gives an object with the
 * `reading`, null where there is none.
 */
export function checkSession(bytes, name, report) {
  // bytes and json
  const items = frame(bytes, report);
  for (const { read, line, record } of items) {
    if (read === undefined) continue;
    for (const { rule, path, isKey } of read.notes) {
      const quiet = rule === 'text-nul' && !isKey && isImageData(read.value, path);
      if (!quiet) report.add(rule, { line, record, pointer: pointer(path) });
    }
  }
  const log = new Log(items, name, report);
  for (const record of log.records) if (record.known) judgeControls(record);

  // version
  const header = headerInForce(log);
  const version = judgeVersion(log, header);
  if (version === null) return { reading: null }; // a newer one
  const mixed = version === 1 && log.treeRecords.some((record) => record.usableId !== null);
  if (mixed) judgeMixed(log);
  const hasTree = version === 2 || mixed;

  // schema
  judgeShapes(log, mixed ? 1 : version);
  judgeUnknownKeys(log, mixed ? 1 : version);

  judgeHeaders(log, header);
  if (version === 2) log.addUnusableIds();
  const tree = new Tree(log, { hasTree, mixed });
  judgeTimestamps(log, tree);
  judgeEntries(tree);
  if (hasTree) judgeTree(log, tree);
  judgePaths(log, tree);
  judgeMetadata(log, tree);
  judgeImages(log);
  return new JudgedLog(log, tree, header);
}

/** session.md#reading: an empty file is read as a log without records. */
export function readNothing(name, report) {
  const log = new Log([], name, report);
  return new JudgedLog(log, new Tree(log, { hasTree: false, mixed: false }), null);
}

/** session.md#record-json: text-nul does not speak of the `data` of an image part. */
function isImageData(value, path) {
  return path.length === 4 && path[0] === 'message' && path[1] === 'content' && typeof path[2] === 'number'
    && path[3] === 'data' && isObject(value) && (value.type === 'message' || value.type === 'compaction')
    && isImagePart(value.message?.content?.[path[2]]);
}

/** session.md#mixed: at the first record with a usable id whose id is sound. */
function judgeMixed(log) {
  const first = log.treeRecords.find((record) => record.usableId !== null && typeof record.value.id === 'string');
  first?.add('version-mixed', '/id');
}
