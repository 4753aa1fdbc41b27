#!/usr/bin/env node
// Without arguments: the protocol tier. With a path: the plain tier, which prints the findings and
// exits with 0 (accepted), 1 (refused), 3 (a newer version) or 2 (it cannot judge).

import { check } from './check.js';
import { serve } from './protocol.js';

const EXIT_CODES = { valid: 0, invalid: 1, unsupported: 3, unreadable: 2 };

/** Names of members may hold what a terminal obeys (history.md#controls); JSON escapes the rest. */
const escape = (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** One finding as a line. It names places only, never what is said there. */
function show({ rule, severity, line, record, pointer, member, target }) {
  const place = [];
  if (line !== null) place.push(`line ${line}`);
  if (record !== undefined) place.push(`record ${record}`);
  if (pointer !== null) place.push(JSON.stringify(pointer));
  if (member !== undefined) place.push(`member ${JSON.stringify(member)}`);
  if (target !== undefined) place.push(`target ${JSON.stringify(target)}`);
  return [severity, rule, ...place].join(' ').replace(/[\u007f-\u009f]/g, escape);
}

/** The plain tier. */
function runPlain(path) {
  const { verdict, findings } = check(path);
  process.stdout.write([...findings.map(show), verdict].join('\n') + '\n');
  return EXIT_CODES[verdict];
}

const paths = process.argv.slice(2);
if (paths.length > 1) {
  process.stderr.write('usage: node adapter.js [PATH]\n');
  process.exitCode = 2;
} else {
  process.exitCode = paths.length === 1 ? runPlain(paths[0]) : await serve(process.stdin, process.stdout);
}
