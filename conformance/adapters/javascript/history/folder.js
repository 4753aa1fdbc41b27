// The folder of a document and what is stored in it (history.md 6.4 to 6.8, 6.12). Links are never
// followed, and nothing is opened that is no regular file.

import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SIGNATURE_LENGTH } from '../media.js';

const CHUNK = 1 << 16;

/** What the operating system says where nothing is there, or nothing of this name can be. */
const NOT_THERE = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'EINVAL', 'EILSEQ', 'ERR_INVALID_ARG_VALUE']);

/** history.md#stored: `attachments/` and one name. */
export function isStoredPath(file) {
  if (!file.startsWith('attachments/')) return false;
  const name = storedName(file);
  return name !== '' && name !== '.' && name !== '..' && !/[/\\\0]/.test(name) && !/^[A-Za-z]:/.test(name);
}

const storedName = (file) => file.slice('attachments/'.length);

export class AttachmentFolder {
  constructor(folder) {
    this.path = join(folder, 'attachments');
    this.seen = new Map(); // a name is looked up once, however often it is referred to
  }

  /** The rule a sound stored path breaks, or the `{digest, size, start}` of its bytes. */
  look(file) {
    const name = storedName(file);
    if (!this.seen.has(name)) this.seen.set(name, this.#lookUp(name));
    return this.seen.get(name);
  }

  #lookUp(name) {
    const folder = kindOf(this.path);
    if (folder.rule) return folder;
    if (!folder.stat.isDirectory()) return { rule: 'attachment-symlink' };
    // Half a surrogate pair has no bytes: no file can have this name.
    if (!name.isWellFormed()) return { rule: 'attachment-missing' };
    const path = join(this.path, name);
    const file = kindOf(path);
    if (file.rule) return file;
    if (!file.stat.isFile()) return { rule: 'attachment-symlink' };
    return readStored(path);
  }

  /** history.md#unreferenced: the regular files that stand directly in the folder. */
  files() {
    const folder = kindOf(this.path);
    if (folder.rule || !folder.stat.isDirectory()) return [];
    let names;
    try {
      names = readdirSync(this.path);
    } catch {
      return []; // it cannot be listed, and so nothing in it be named
    }
    return names.filter((name) => kindOf(join(this.path, name)).stat?.isFile()).sort();
  }
}

function kindOf(path) {
  try {
    return { stat: lstatSync(path) };
  } catch (error) {
    return { rule: ruleOf(error) };
  }
}

/** history.md#attachment-present */
function ruleOf(error) {
  if (error.code === undefined) throw error;
  return NOT_THERE.has(error.code) ? 'attachment-missing' : 'attachment-unreadable';
}

/** The digest is taken piece by piece: no attachment is held in memory. */
function readStored(path) {
  let handle = null;
  try {
    handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (!fstatSync(handle).isFile()) return { rule: 'attachment-symlink' };
    const hash = createHash('sha256');
    const chunk = Buffer.alloc(CHUNK);
    let start = Buffer.alloc(0);
    let size = 0;
    for (;;) {
      const length = readSync(handle, chunk, 0, CHUNK, null);
      if (length === 0) break;
      const piece = chunk.subarray(0, length);
      hash.update(piece);
      if (start.length < SIGNATURE_LENGTH) start = Buffer.concat([start, piece.subarray(0, SIGNATURE_LENGTH)]);
      size += length;
    }
    return { digest: hash.digest('hex'), size, start };
  } catch (error) {
    return { rule: error.code === 'ELOOP' ? 'attachment-symlink' : ruleOf(error) };
  } finally {
    if (handle !== null) closeSync(handle);
  }
}
