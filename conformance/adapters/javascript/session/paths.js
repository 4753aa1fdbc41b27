// The rules about paths and about the active branch (session.md 4.2 to 4.5, 4.7, 6.2, 6.3).

import { isString } from '../values.js';
import { callsOf, resultOf } from './calls.js';
import { Context, keptValue } from './context.js';
import { Pairing } from './pairing.js';

export function judgePaths(log, tree) {
  const lostKept = walkPaths(log, tree);
  const branch = tree.activeBranch();
  if (branch.isSound) judgeAnswers(log, branch.entries);
  if (branch.entries.length > 0 && branch.entries.at(-1).whole) judgeSplits(log, tree, branch.entries, lostKept);
}

/** session.md#version-1: behind a gap, anywhere earlier in the file, little is judged. */
const isBehindGap = (log, tree, entry) => !tree.hasTree && log.firstGap < entry.place;
const QUIET_BEHIND_GAP = new Set(['tool-result-unmatched', 'tool-result-duplicate', 'tool-result-misplaced']);

/** Walks all whole paths, each entry once. Gives the compactions whose kept value is missing. */
function walkPaths(log, tree) {
  const pairing = new Pairing();
  const context = new Context();
  const lostKept = new Set();
  const enter = (entry) => {
    const quiet = isBehindGap(log, tree, entry);
    pairing.enter(entry, (rule, pointer) => {
      if (!quiet || !QUIET_BEHIND_GAP.has(rule)) entry.record.add(rule, pointer);
    });
    if (context.enter(entry) && !quiet) {
      lostKept.add(entry);
      entry.record.add('compaction-kept-missing', keptValue(entry.record).pointer);
    }
  };
  if (!tree.hasTree) {
    tree.entries.forEach(enter);
    return lostKept;
  }
  for (const root of tree.roots) {
    if (!root.whole) continue;
    enter(root);
    const stack = [{ entry: root, next: 0 }];
    while (stack.length > 0) {
      const frame = stack[stack.length - 1];
      const child = frame.entry.children[frame.next];
      if (child === undefined) {
        stack.pop();
        pairing.leave();
        context.leave();
      } else {
        frame.next += 1;
        if (!child.whole) continue;
        enter(child);
        stack.push({ entry: child, next: 0 });
      }
    }
  }
  return lostKept;
}

/** Something that may be the result of any call (session.md#unanswered). */
function mayBeAnyResult(record) {
  if (record.type !== 'message') return false;
  if (record.message === null || !isString(record.message.role)) return true;
  const result = resultOf(record);
  return result !== null && result.id === null;
}

/** session.md#unanswered: a pass of its own along the active branch. */
function judgeAnswers(log, entries) {
  const waiting = new Map(); // call id -> {record, call, index, answered}; call null: of response items
  let lastGap = -1; // the last place on the branch that may be a result
  const close = ({ record, call, index, answered }) => {
    if (call === null || answered || lastGap > index || log.lastGap > record.place) return;
    record.add('tool-call-unanswered', call.pointer);
  };
  entries.forEach(({ record }, index) => {
    if (record.type !== 'message') return;
    if (mayBeAnyResult(record)) lastGap = index;
    const result = resultOf(record);
    if (result !== null && waiting.has(result.id)) waiting.get(result.id).answered = true;
    const { byId, extra } = callsOf(record);
    const begin = (id, call) => {
      if (waiting.has(id)) close(waiting.get(id));
      waiting.set(id, { record, call, index, answered: false });
    };
    for (const [id, { call }] of byId) begin(id, call);
    for (const id of extra) begin(id, null);
  });
  for (const call of waiting.values()) close(call);
}

/** session.md#kept-pair, on an active branch whose last entry is whole. */
function judgeSplits(log, tree, entries, lostKept) {
  const pairing = new Pairing();
  const context = new Context();
  const numbers = new Map(); // entry -> the number of its message
  const answers = []; // results that `open` holds a call for, with the entry that made it
  const moves = []; // compactions, with `start` behind them; it never falls
  for (const entry of entries) {
    const made = pairing.enter(entry, () => {});
    const number = context.numberOf(entry.record);
    if (number !== null) numbers.set(entry, number);
    if (made !== null && !isBehindGap(log, tree, entry)) answers.push({ entry, maker: made.entry });
    const before = context.start;
    context.enter(entry);
    if (context.start > before) moves.push({ entry, start: context.start });
  }
  const blamed = new Set();
  for (const { entry, maker } of answers) {
    const call = numbers.get(maker);
    if (call === undefined || numbers.get(entry) < context.start || call >= context.start) continue;
    blamed.add(firstBeyond(moves, call));
  }
  for (const entry of blamed) {
    if (lostKept.has(entry) || isBehindGap(log, tree, entry)) continue;
    entry.record.add('compaction-splits-pair', keptValue(entry.record)?.pointer ?? '/message');
  }
}

/** The first move to a start greater than `number`; there is one. */
function firstBeyond(moves, number) {
  let low = 0;
  let high = moves.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (moves[middle].start > number) high = middle;
    else low = middle + 1;
  }
  return moves[low].entry;
}
