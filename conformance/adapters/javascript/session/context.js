// What compactions leave of a path (session.md 6.1 and 6.2), kept while a walk goes down and up a
// tree: `enter` an entry, and `leave` it again in the reverse order.

import { isAbsent, isString } from '../values.js';
import { lookUp, withKey } from './trie.js';

const MESSAGE_PLACE = /^message:(0|[1-9][0-9]*)$/;
const SUMMARY_ROLE = 'compactionSummary';

/** session.md#compaction: a `message` that is an object with a string as `role`. */
const hasRole = (record) => record.message !== null && isString(record.message.role);

/** session.md#kept: the id of a message, or null where there is none. */
function messageId(entry) {
  const id = entry.record.message?.id;
  return isString(id) && id !== '' ? id : entry.id;
}

/** session.md#compaction, step 3: the kept value and the member that gave it, or null. */
export function keptValue(record) {
  const keys = ['first_kept_entry_id', 'firstKeptEntryId'];
  const { message } = record;
  if (!keys.every((key) => isAbsent(message[key]) || isString(message[key]))) return null;
  const key = keys.find((name) => isString(message[name]) && message[name] !== '');
  return key === undefined ? null : { value: message[key], pointer: `/message/${key}` };
}

/** The first index of a sorted list at which a number of at least `least` stands. */
function lowerBound(list, least) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class Context {
  constructor() {
    this.messages = []; // of the path, {role, id}; each has its place as its number
    this.start = 0; // the first that is not dropped
    this.numbers = new Map(); // id of a message -> its numbers, in order
    this.lastSummaryRole = []; // the numbers of messages with the role compactionSummary
    // The summaries, the oldest in slot 0; only the first `height` slots count. Each knows, for every
    // id, the newest summary with this id among itself and those behind it.
    this.slots = [];
    this.height = 0;
    this.labels = new Map(); // id of a summary -> a number for the trie
    this.undo = [];
  }

  /** Takes the steps of session.md#compaction. Says of a compaction whether its kept value is missing. */
  enter(entry) {
    const { record } = entry;
    if (record.type === 'branch_summary') this.#add(entry.id, 'branchSummary');
    else if (!hasRole(record)) this.undo.push(null);
    else if (record.type === 'compaction') return this.#compact(entry);
    else if (record.message.role === 'system') this.undo.push(null);
    else this.#add(messageId(entry), record.message.role);
    return false;
  }

  leave() {
    this.undo.pop()?.();
  }

  get count() {
    return this.messages.length;
  }

  /** What is restored at the last entry: the summaries, the newest first, and the messages, {role, id}. */
  restored() {
    const summaries = this.slots.slice(0, this.height).reverse().map(({ role, id }) => ({ role, id }));
    return [...summaries, ...this.messages.slice(this.start)];
  }

  /** The number of the message that `enter` would add for this record, or null where it adds none. */
  numberOf(record) {
    const adds = record.type === 'branch_summary'
      || (record.type === 'message' && hasRole(record) && record.message.role !== 'system');
    return adds ? this.count : null;
  }

  #add(id, role) {
    const list = this.numbers.get(id) ?? [];
    this.numbers.set(id, list);
    list.push(this.count);
    if (role === SUMMARY_ROLE) this.lastSummaryRole.push(this.count);
    this.messages.push({ role, id });
    this.undo.push(() => {
      this.messages.pop();
      list.pop();
      if (role === SUMMARY_ROLE) this.lastSummaryRole.pop();
    });
  }

  #compact(entry) {
    const kept = keptValue(entry.record);
    const found = kept === null ? null : this.#find(kept.value);
    const { height, start } = this;
    let slot = 0; // of the new summary
    if (found === null) this.start = this.count;
    else if (found < height) slot = height - found; // in front of the summary at place `found`
    else this.start = start + found - height;
    const overwritten = this.slots[slot];
    this.slots[slot] = this.#summary(entry, slot);
    this.height = slot + 1;
    this.undo.push(() => {
      this.slots[slot] = overwritten;
      this.height = height;
      this.start = start;
    });
    return kept !== null && found === null;
  }

  #summary(entry, slot) {
    const behind = slot > 0 ? this.slots[slot - 1] : null;
    const { role } = entry.record.message;
    const id = messageId(entry);
    const summary = { slot, role, id, newest: behind?.newest ?? null, oldest: behind?.oldest ?? null };
    if (summary.oldest === null && role === SUMMARY_ROLE) summary.oldest = summary;
    if (id !== null) {
      if (!this.labels.has(id)) this.labels.set(id, this.labels.size);
      summary.newest = withKey(summary.newest, this.labels.get(id), summary);
    }
    return summary;
  }

  /** session.md#kept: the place of the kept value in the list of the context, or null. */
  #find(value) {
    const base = this.#lastSummaryPlace();
    return (base === null ? null : this.#search(value, base)) ?? this.#search(value, 0);
  }

  /** The place of the last message of the list with the role compactionSummary. */
  #lastSummaryPlace() {
    const number = this.lastSummaryRole[this.lastSummaryRole.length - 1];
    if (number !== undefined && number >= this.start) return this.height + number - this.start;
    const oldest = this.height > 0 ? this.slots[this.height - 1].oldest : null;
    return oldest === null ? null : this.height - 1 - oldest.slot;
  }

  /** The smallest place from `base` on whose id is `value`, or that `value` counts out. */
  #search(value, base) {
    const { height, start, count } = this;
    let best = Infinity;
    const counted = MESSAGE_PLACE.exec(value);
    if (counted !== null && base + Number(counted[1]) < height + count - start) best = base + Number(counted[1]);
    if (base < height && this.labels.has(value)) {
      const summary = lookUp(this.slots[height - 1 - base].newest, this.labels.get(value));
      if (summary !== undefined) best = Math.min(best, height - 1 - summary.slot);
    }
    const list = this.numbers.get(value) ?? [];
    const number = list[lowerBound(list, start + Math.max(0, base - height))];
    if (number !== undefined) best = Math.min(best, height + number - start);
    return best === Infinity ? null : best;
  }
}
