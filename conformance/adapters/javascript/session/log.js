// The records and gaps of a log in the order of the file, and the words of session.md that are about
// single records: type, id, sound.

import { isObject, isString } from '../values.js';

/** session.md#record-types */
export const TREE_TYPES = new Set(['message', 'compaction', 'branch_summary']);
export const KNOWN_TYPES = new Set([
  'session', ...TREE_TYPES, 'leaf', 'label', 'session_info', 'system_prompt', 'memory_state', 'tool_execution_end',
]);

/** An object of the log: a record, or an object without a type that is a string. */
export class LogRecord {
  constructor({ line, record, read }, place, report) {
    this.line = line;
    this.number = record; // which value of its line, where there are several
    this.place = place; // its place among the values and gaps of the file
    this.value = read.value;
    this.integers = read.integers;
    this.long = read.long;
    this.report = report;
    this.type = isString(read.value.type) ? read.value.type : null;
    this.known = KNOWN_TYPES.has(this.type);
    this.isTree = TREE_TYPES.has(this.type);
    this.shape = null; // what the schema layer found: see schema.js
    this.calls = undefined; // see calls.js
    this.result = undefined;
  }

  add(rule, pointer, member) {
    this.report.add(rule, { line: this.line, record: this.number, pointer, member });
  }

  /** No schema finding stands at the pointer. */
  clean(pointer) {
    return !this.shape?.at.has(pointer);
  }

  /** session.md, Words: the member of the record is there and carries no schema finding. */
  sound(key) {
    return this.value[key] !== undefined && this.clean(`/${key}`);
  }

  /** The `message` of a `message` or `compaction` record, or null where it is no object. */
  get message() {
    return isObject(this.value.message) ? this.value.message : null;
  }

  /**
   * session.md#entries: the id a member gives. `''` where it is absent, null or empty, null where it
   * is no id at all. An integer counts as its decimal text.
   */
  id(key) {
    const value = this.value[key];
    if (value === undefined || value === null) return '';
    if (isString(value)) return value;
    const text = this.integers?.get(key);
    if (text === undefined) return null;
    return text === '-0' ? '0' : text;
  }

  /** session.md#entries: the usable id, or null. */
  get usableId() {
    return this.id('id') || null;
  }
}

/** Everything a log holds, in order. */
export class Log {
  constructor(items, name, report) {
    this.name = name;
    this.report = report;
    this.objects = []; // records, and objects without a usable type
    this.gaps = []; // places
    this.skipped = 0; // session.md#tally
    const damaged = new Set(); // lines
    items.forEach((item, place) => {
      if (item.gap) {
        this.gaps.push(place);
        damaged.add(item.line);
      } else if (isObject(item.read.value)) {
        const object = new LogRecord(item, place, report);
        this.objects.push(object);
        if (object.type === null) this.#addGap(object);
      } else {
        this.skipped += 1;
      }
    });
    this.skipped += damaged.size;
    this.records = this.objects.filter((object) => object.type !== null);
    this.treeRecords = this.records.filter((record) => record.isTree);
  }

  /** A gap that is an object. */
  #addGap(object) {
    this.gaps.push(object.place);
    this.skipped += 1;
  }

  ofType(type) {
    return this.records.filter((record) => record.type === type);
  }

  /** session.md#gaps, first row: before the first record of any type, or without one. */
  get gapBeforeRecords() {
    if (this.gaps.length === 0) return false;
    return this.records.length === 0 || this.gaps[0] < this.records[0].place;
  }

  /** session.md#gaps: in version 2 a tree record without a usable id is one more. */
  addUnusableIds() {
    for (const record of this.treeRecords) if (record.usableId === null) this.#addGap(record);
    this.gaps.sort((a, b) => a - b);
  }

  get hasGap() {
    return this.gaps.length > 0;
  }

  get firstGap() {
    return this.gaps.length > 0 ? this.gaps[0] : Infinity;
  }

  get lastGap() {
    return this.gaps.length > 0 ? this.gaps[this.gaps.length - 1] : -1;
  }
}
