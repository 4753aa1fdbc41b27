// From a path to bytes (history.md#unreadable, session.md#unreadable). Pipes and devices are never
// opened: the kind is looked at first, and once more behind an open that cannot block.

import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * What a path stands for: `{bytes, name, folder}`, or null where it cannot be read. `folder` is that
 * of the attachments, null where a history from here has none (history.md#attachment-folder).
 */
export function readInput(path) {
  try {
    // A directory that holds `history.json` stands for that file.
    const file = statSync(path).isDirectory() ? join(path, 'history.json') : path;
    const bytes = readRegular(file);
    if (bytes === null) return null;
    const name = basename(file);
    return { bytes, name, folder: name === 'history.json' ? dirname(file) : null };
  } catch (error) {
    // What the operating system refuses, or no path at all; anything else is a fault of the adapter.
    if (error.syscall !== undefined || error.code === 'ERR_INVALID_ARG_VALUE') return null;
    throw error;
  }
}

function readRegular(path) {
  if (!statSync(path).isFile()) return null;
  const handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return fstatSync(handle).isFile() ? readFileSync(handle) : null;
  } finally {
    closeSync(handle);
  }
}
