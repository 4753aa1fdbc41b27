// What the tests share: scratch files, and the adapter as a process of its own.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { check, checkAndRead } from '../check.js';

const ADAPTER = fileURLToPath(new URL('../adapter.js', import.meta.url));

/** Runs `use` with the path of a file of this name and content; the file is gone afterwards. */
export function withFile(name, content, use) {
  const folder = mkdtempSync(join(tmpdir(), 'convspec-javascript-'));
  try {
    const path = join(folder, name);
    writeFileSync(path, content);
    return use(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The verdict and the rules of the errors and warnings, sorted. */
export function judge(name, content) {
  const { verdict, findings } = withFile(name, content, check);
  const rules = findings.filter(({ severity }) => severity !== 'info').map(({ rule }) => rule);
  return { verdict, rules: rules.sort() };
}

/** The reading. */
export const read = (name, content) => withFile(name, content, checkAndRead).reading;

/** The adapter as a process: its exit code, and the lines it wrote. */
export function run(args, input = '') {
  const options = { input, encoding: 'utf8', timeout: 60_000 };
  const { status, stdout, stderr } = spawnSync(process.execPath, [ADAPTER, ...args], options);
  return { status, lines: stdout.split('\n').filter((line) => line !== ''), stderr };
}
