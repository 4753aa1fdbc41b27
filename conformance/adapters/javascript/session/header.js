// Headers, names of files, and the version of a log (session.md 2.4 to 2.10).

import { isString } from '../values.js';
import { versionFault, versionPlace } from '../version.js';
import { parseInstant, sameInstant } from './instants.js';

const NEWEST = 2;

const hasId = (record) => isString(record.value.id) && record.value.id !== '';

/** session.md#header: the first `session` record with an id; else the first; null without one. */
export function headerInForce(log) {
  const headers = log.ofType('session');
  return headers.find(hasId) ?? headers[0] ?? null;
}

/** session.md#version: 1 or 2, or null for a newer one. */
export function judgeVersion(log, header) {
  // session.md#header-recovery: without a `session` record the ids tell.
  if (header === null) return log.treeRecords.some((record) => record.usableId !== null) ? 2 : 1;
  const { version } = header.value;
  const fault = versionFault(version, NEWEST);
  if (fault !== null && hasId(header)) {
    const { pointer, member } = versionPlace(version);
    header.add(fault, pointer, member);
    if (fault === 'version-newer') return null;
  }
  return fault === null ? version : NEWEST;
}

const STORE_NAME = /^(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2}\.\d{3}Z)_([0-9A-Fa-f-]{36})\.jsonl$/;

/** session.md#header-recovery: the id and the timestamp in a store name, or null. */
function readStoreName(name) {
  const parts = STORE_NAME.exec(name);
  return parts === null ? null : { timestamp: `${parts[1]}T${parts[2]}:${parts[3]}:${parts[4]}`, id: parts[5] };
}

const TELL_OF_A_LOG = new Set(['message', 'session_info', 'system_prompt', 'memory_state']);

/** session.md#header-recovery: the id and the timestamp of a log without a `session` record, or null. */
export function recoveredHeader(log) {
  return log.records.some((record) => TELL_OF_A_LOG.has(record.type)) ? readStoreName(log.name) : null;
}

export function judgeHeaders(log, inForce) {
  const headers = log.ofType('session');
  if (headers.length === 0) {
    if (log.gapBeforeRecords) return;
    log.report.add(recoveredHeader(log) === null ? 'header-missing' : 'header-recovered');
    return;
  }
  // session.md#header-first and session.md#header-once
  if (log.records[0] !== headers[0] && !log.gapBeforeRecords) headers[0].add('header-not-first', '');
  for (const header of headers.slice(1)) header.add('header-duplicate', '');
  for (const header of headers) judgeParent(header);
  const stored = readStoreName(log.name);
  if (stored !== null) judgeName(inForce, stored);
}

/** session.md#header-parent */
function judgeParent(header) {
  const { id, parentId } = header.value;
  if (hasId(header) && id === parentId) header.add('header-parent-self', '/parentId');
}

/** session.md#header-name */
function judgeName(header, stored) {
  if (!hasId(header)) return;
  if (header.value.id !== stored.id) {
    header.add('header-file-name', '/id');
    return;
  }
  if (!header.sound('timestamp')) return;
  const named = parseInstant(stored.timestamp);
  const told = parseInstant(header.value.timestamp);
  if (named !== null && told !== null && !sameInstant(named, told)) header.add('header-file-name', '/timestamp');
}
