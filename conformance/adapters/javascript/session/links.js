// The rules about ids, parents, leaves and labels (session.md section 3, and 2.15).

import { isEmpty, isString } from '../values.js';

const isMessageOrCompaction = (record) => record.type === 'message' || record.type === 'compaction';

export function judgeTree(log, tree) {
  for (const record of log.treeRecords) {
    // session.md#entry-ids, of integers too; a record of a mixed log without a usable id gets no finding.
    if (tree.isLater(record) && record.usableId !== null) record.add('entry-id-duplicate', '/id');
  }
  for (const entry of tree.entries) {
    if (!entry.isNamed) continue;
    judgeMessageId(entry.record);
    judgeOrder(entry);
  }
  for (const members of tree.cycles) judgeCycle(members);
  const told = judgeTargets(log, tree);
  judgeLabels(log, tree, told);
  judgeSources(log, tree);
  judgeLeaves(log, tree);
}

/** session.md#message-id */
function judgeMessageId(record) {
  if (!isMessageOrCompaction(record) || record.message === null || !record.sound('id')) return;
  const { id } = record.message;
  if (isString(id) && id !== '' && id !== record.value.id) record.add('message-id-mismatch', '/message/id');
}

/** session.md#parent-order */
function judgeOrder(entry) {
  if (entry.parent === null || entry.inCycle || !entry.record.sound('parentId')) return;
  if (entry.parent.place > entry.place) entry.record.add('parent-later', '/parentId');
}

/** session.md#cycles: at the member that stands first in the file, of integers too. */
function judgeCycle(members) {
  const first = members.reduce((a, b) => (a.place <= b.place ? a : b));
  if (first.isNamed) first.record.add('parent-cycle', '/parentId');
}

/** session.md#parents: once for each id. Gives back every id that a parent or a leaf names. */
function judgeTargets(log, tree) {
  const judged = new Set();
  const named = new Set();
  const look = (record, key, missing, kind) => {
    const id = record.id(key);
    if (!id) return;
    named.add(id);
    if (!record.sound(key) || judged.has(id)) return;
    judged.add(id);
    const what = tree.named(id);
    if (what === null && !log.hasGap) record.add(missing, `/${key}`);
    else if (what === 'known') record.add(kind, `/${key}`);
  };
  const entries = new Map(tree.entries.map((entry) => [entry.record, entry]));
  for (const record of log.records) {
    if (record.type === 'leaf') look(record, 'targetId', 'leaf-target-missing', 'leaf-target-kind');
    else if (entries.get(record)?.isNamed) look(record, 'parentId', 'parent-missing', 'parent-kind');
  }
  return named;
}

/** session.md#labels */
function judgeLabels(log, tree, named) {
  if (log.hasGap) return;
  for (const record of log.ofType('label')) {
    const id = record.value.targetId;
    if (!record.sound('targetId') || id === '' || named.has(id)) continue;
    if (tree.named(id) === null) record.add('label-target-missing', '/targetId');
  }
}

/** session.md#branch-summary */
function judgeSources(log, tree) {
  if (log.hasGap) return;
  for (const { record } of tree.entries) {
    if (record.type !== 'branch_summary' || !record.sound('fromId') || isEmpty(record.value.fromId)) continue;
    if (tree.named(record.value.fromId) === null) record.add('branch-summary-source-missing', '/fromId');
  }
}

/** session.md#leaf: the leaf in force before each record, and the rules that go by it. */
function judgeLeaves(log, tree) {
  let leaf = null; // an id, null, or undefined where it is unknown
  let lastLeaf = null; // the last `leaf` record, if nothing sets the leaf behind it
  let gap = 0;
  for (const record of log.records) {
    while (gap < log.gaps.length && log.gaps[gap] < record.place) {
      gap += 1;
      leaf = undefined;
      lastLeaf = null;
    }
    if (tree.ids.has(record)) {
      const id = tree.ids.get(record);
      if (!tree.isLater(record)) judgeAppend(tree.byId.get(id), leaf);
      leaf = id;
      lastLeaf = null;
    } else if (record.type === 'leaf') {
      const id = record.id('targetId');
      if (id === '') leaf = null;
      else leaf = id !== null && tree.byId.has(id) ? id : undefined;
      lastLeaf = record;
    }
  }
  if (gap < log.gaps.length) lastLeaf = null;
  // session.md#leaf-empty
  if (lastLeaf !== null && tree.entries.length > 0 && lastLeaf.sound('targetId') && isEmpty(lastLeaf.value.targetId)) {
    lastLeaf.add('leaf-empty', '/targetId');
  }
}

/** session.md#roots and session.md#concurrent, of an entry before which `leaf` is in force. */
function judgeAppend(entry, leaf) {
  const { record } = entry;
  if (leaf === undefined || !entry.isNamed || !isMessageOrCompaction(record)) return;
  if (entry.parentId === '') {
    if (leaf !== null) record.add('tree-extra-root', record.value.parentId === undefined ? '' : '/parentId');
    return;
  }
  if (entry.parent === null || entry.inCycle || !record.sound('parentId')) return;
  if (entry.parent.place < entry.place && leaf !== entry.parent.id) record.add('tree-concurrent-append', '/parentId');
}
