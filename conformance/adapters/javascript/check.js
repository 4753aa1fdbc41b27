// Judges one path: which format it is in, and what that format's rules find.

import { hasByteOrderMark, holdsNothing } from './bytes.js';
import { checkHistory } from './history/check.js';
import { readInput } from './input.js';
import { recognise, recogniseName } from './recognise.js';
import { Report } from './report.js';
import { checkSession } from './session/check.js';

/** The verdict and the findings of a file or folder. */
export function check(path) {
  const report = judge(path);
  return { verdict: report.verdict, findings: report.findings };
}

function judge(path) {
  const input = readInput(path);
  if (input === null) return failing('history', 'file-unreadable');
  const marked = hasByteOrderMark(input.bytes);
  const text = marked ? input.bytes.subarray(3) : input.bytes;

  // history.md#empty: before it is asked what the file is.
  const empty = holdsNothing(text);
  const format = empty ? recogniseName(input.name) : recognise(text, input.name);
  // The severities of the rules that may stand here are the same in both formats.
  if (format === null && !empty) return failing('history', 'format-unrecognised');
  const report = new Report(format ?? 'history');
  if (marked) report.add('encoding-bom', { line: 1 });
  if (empty) report.add('file-empty');
  else if (format === 'history') checkHistory(text, input.folder, report);
  else checkSession(text, input.name, report);
  return report;
}

function failing(format, rule) {
  const report = new Report(format);
  report.add(rule);
  return report;
}
