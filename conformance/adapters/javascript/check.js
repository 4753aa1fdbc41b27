// Judges one path: which format it is in, what that format's rules find, and what is read of it.

import { hasByteOrderMark, holdsNothing } from './bytes.js';
import { NOTHING_READ, checkHistory } from './history/check.js';
import { readInput } from './input.js';
import { recognise, recogniseName } from './recognise.js';
import { Report } from './report.js';
import { checkSession, readNothing } from './session/check.js';

/** The verdict and the findings of a file or folder. */
export function check(path) {
  const { report } = judge(path);
  return { verdict: report.verdict, findings: report.findings };
}

/** The same, with the reading: null where there is none. */
export function checkAndRead(path) {
  const { report, read } = judge(path);
  return { verdict: report.verdict, findings: report.findings, reading: read.reading };
}

/** An input that was asked for as a value, and is none. */
export class Refused extends Error {}

/** The value of a valid history (history.md section 8). */
export function loadHistory(path) {
  const { report, read } = judge(path);
  const value = read.value ?? null;
  if (value === null) throw new Refused(`the input is no valid history: ${report.format}, ${report.verdict}`);
  return value;
}

/** What an input is of which nothing is read, not even a tally. */
const NO_READING = { reading: null };

function judge(path) {
  const input = readInput(path);
  if (input === null) return failing('file-unreadable');
  const marked = hasByteOrderMark(input.bytes);
  const text = marked ? input.bytes.subarray(3) : input.bytes;

  // history.md#empty: before it is asked what the file is.
  const empty = holdsNothing(text);
  const format = empty ? recogniseName(input.name) : recognise(text, input.name);
  if (format === null && !empty) return failing('format-unrecognised');
  const report = new Report(format ?? 'history');
  if (marked) report.add('encoding-bom', { line: 1 });
  if (empty) report.add('file-empty');
  return { report, read: read(format, text, input, empty, report) };
}

function read(format, text, { name, folder }, empty, report) {
  if (format === 'history') return empty ? NOTHING_READ : checkHistory(text, folder, report);
  if (format === 'session') return empty ? readNothing(name, report) : checkSession(text, name, report);
  return NO_READING; // an empty file of no known format
}

/** The severities of these rules are the same in both formats. */
function failing(rule) {
  const report = new Report('history');
  report.add(rule);
  return { report, read: NO_READING };
}
