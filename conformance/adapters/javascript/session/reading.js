// What a reader makes of a log, valid or not (session.md section 7), and its tally (session.md#tally).

import { createHash } from 'node:crypto';
import { isBlankText, isObject, isString } from '../values.js';
import { withLongIntegers } from '../write.js';
import { Context } from './context.js';
import { recoveredHeader } from './header.js';

/** Members of the wrong type count as null, and so do empty ones. */
const text = (value) => (isString(value) && value !== '' ? value : null);

const HEADER_KEYS = ['id', 'timestamp', 'cwd', 'provider', 'model', 'reasoningEffort', 'parentId', 'parentPath'];
const RUNTIME_KEYS = ['provider', 'model', 'reasoningEffort'];

/** session.md#reading-header */
function readHeader(log, inForce) {
  const source = inForce === null ? recoveredHeader(log) : inForce.value;
  if (source === null) return null;
  const header = { recovered: inForce === null };
  for (const key of HEADER_KEYS) header[key] = text(source[key]);
  return header;
}

/** session.md#reading-messages: along the active branch, the last record of each id taken. */
function readMessages(branch) {
  const context = new Context();
  for (const { last, id } of branch) context.enter({ record: last, id });
  return context.restored();
}

/** session.md#reading-name */
function readName(log) {
  return text(log.ofType('session_info').at(-1)?.value.name);
}

/** session.md#reading-runtime: null and the empty string take a value away. */
function readRuntime(log, inForce) {
  const runtime = {};
  for (const key of RUNTIME_KEYS) runtime[key] = text(inForce?.value[key]);
  for (const { value } of log.ofType('session_info')) {
    for (const key of RUNTIME_KEYS) if (value[key] !== undefined) runtime[key] = text(value[key]);
  }
  return runtime;
}

/** session.md#reading-labels */
function readLabels(log) {
  const labels = new Map();
  for (const record of log.ofType('label')) {
    const target = record.id('targetId');
    const { label } = record.value;
    if (!target) continue;
    if (isString(label) && !isBlankText(label)) labels.set(target, label);
    else labels.delete(target);
  }
  return Object.fromEntries(labels);
}

/** session.md#reading-memory */
function readMemory(log) {
  const last = log.ofType('memory_state').at(-1);
  const { sessionMemories, lastRetrieval } = last?.value ?? {};
  return {
    sessionMemories: Array.isArray(sessionMemories) ? withLongIntegers(sessionMemories, last.long) : [],
    lastRetrieval: isObject(lastRetrieval) ? withLongIntegers(lastRetrieval, last.long) : null,
  };
}

/** session.md#reading-prompt: the digest of the content, whatever the `hash` says. */
function readPrompt(log) {
  const content = log.ofType('system_prompt').at(-1)?.value.content;
  if (!isString(content) || !content.isWellFormed()) return null;
  return `sha256:${createHash('sha256').update(content, 'utf8').digest('hex')}`;
}

/** A log that was judged, and what is read of it. A newer one has no reading. */
export class JudgedLog {
  constructor(log, tree, header) {
    Object.assign(this, { log, tree, header });
  }

  get reading() {
    const { log, tree, header } = this;
    const { leaf, entries } = tree.activeBranch();
    const messages = readMessages(entries);
    const reading = {
      header: readHeader(log, header),
      messages,
      name: readName(log),
      runtime: readRuntime(log, header),
      labels: readLabels(log),
      memory: readMemory(log),
      system_prompt: readPrompt(log),
      tally: {
        records: log.records.length,
        entries: tree.hasTree ? tree.byId.size : log.treeRecords.length,
        branch: entries.length,
        messages: messages.length,
        skipped: log.skipped,
      },
    };
    // session.md#reading-branch: version 1 has neither.
    if (tree.hasTree) Object.assign(reading, { leaf, branch: entries.map(({ id }) => id) });
    return reading;
  }
}
