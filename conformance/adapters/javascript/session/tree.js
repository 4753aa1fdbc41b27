// The tree of a log (session.md 3.1, 2.11 and 2.12). No step recurses: paths are as long as logs.

import { TREE_TYPES } from './log.js';

/** One entry: the first tree record with an id; in version 1 every tree record. */
class Entry {
  constructor(record, id, isNamed) {
    this.record = record;
    this.id = id;
    this.isNamed = isNamed; // false: the id is `message:n`, of a mixed log
    this.last = record; // the last record with this id
    this.usedTwice = false;
    this.parentId = ''; // '' for a root, null where it is no id
    this.parent = null;
    this.children = [];
    this.whole = false;
    this.inCycle = false;
  }

  get place() {
    return this.record.place;
  }
}

export class Tree {
  constructor(log, { hasTree, mixed }) {
    this.log = log;
    this.hasTree = hasTree;
    this.entries = [];
    this.byId = new Map();
    this.later = new Set(); // later records of an id that is used twice
    this.ids = new Map(); // tree record -> its id, given ones included
    this.parentIds = new Map(); // the same of its parent's id
    if (!hasTree) {
      // session.md#version-1: one straight path of whole records.
      for (const record of log.treeRecords) this.entries.push(new Entry(record, record.usableId, true));
      for (const entry of this.entries) entry.whole = true;
      return;
    }
    this.#findEntries(mixed);
    this.#findParents();
    this.#findCycles();
    this.#findWhole();
    this.others = otherIds(log);
  }

  isLater(record) {
    return this.later.has(record);
  }

  /** session.md#entries: what an id names: `entry`, `unknown` or `known` for a type, or null. */
  named(id) {
    return this.byId.has(id) ? 'entry' : this.others.get(id) ?? null;
  }

  #findEntries(mixed) {
    let before = '';
    this.log.treeRecords.forEach((record, n) => {
      const usable = record.usableId;
      const id = usable ?? (mixed ? `message:${n}` : null);
      if (id === null) return; // a gap
      this.ids.set(record, id);
      this.parentIds.set(record, usable === null ? before : record.id('parentId'));
      before = id;
      const known = this.byId.get(id);
      if (known === undefined) {
        const entry = new Entry(record, id, usable !== null);
        this.entries.push(entry);
        this.byId.set(id, entry);
      } else {
        known.usedTwice = true;
        known.last = record;
        this.later.add(record);
      }
    });
  }

  #findParents() {
    for (const entry of this.entries) {
      entry.parentId = this.parentIds.get(entry.record);
      entry.parent = this.byId.get(entry.parentId) ?? null;
      entry.parent?.children.push(entry);
    }
  }

  get roots() {
    return this.entries.filter((entry) => entry.parentId === '');
  }

  /** session.md#cycles: each entry is walked once. `cycles` holds the members of each. */
  #findCycles() {
    this.cycles = [];
    const walk = new Map(); // entry -> the walk that came by
    this.entries.forEach((start, number) => {
      let entry = start;
      const row = [];
      while (entry !== null && !walk.has(entry)) {
        walk.set(entry, number);
        row.push(entry);
        entry = entry.parent;
      }
      if (entry === null || walk.get(entry) !== number) return;
      const members = row.slice(row.indexOf(entry));
      for (const member of members) member.inCycle = true;
      this.cycles.push(members);
    });
  }

  /** session.md#entries: from a root down, no id on the path used twice. */
  #findWhole() {
    const waiting = this.roots;
    while (waiting.length > 0) {
      const entry = waiting.pop();
      if (entry.usedTwice) continue;
      entry.whole = true;
      for (const child of entry.children) waiting.push(child);
    }
  }

  /**
   * session.md#reading-branch: the leaf, the entries from the top down to it, and whether the branch
   * neither comes round nor holds an id that is used twice. Of each the last record is meant.
   */
  activeBranch() {
    if (!this.hasTree) return { leaf: null, entries: this.entries, isSound: true };
    const entries = [];
    const seen = new Set();
    const leaf = this.#readLeaf();
    let id = leaf;
    let isSound = true;
    while (id && this.byId.has(id)) {
      const entry = this.byId.get(id);
      if (seen.has(entry)) {
        isSound = false;
        break;
      }
      seen.add(entry);
      entries.push(entry);
      if (entry.usedTwice) isSound = false;
      id = this.parentIds.get(entry.last);
    }
    return { leaf, entries: entries.reverse(), isSound };
  }

  /** session.md#reading-leaf; null for none. */
  #readLeaf() {
    const { records } = this.log;
    for (let k = records.length - 1; k >= 0; k -= 1) {
      if (this.ids.has(records[k])) return this.ids.get(records[k]);
      if (records[k].type === 'leaf') return records[k].id('targetId') || null;
    }
    return null;
  }
}

/** The ids of records that are no tree records: an unknown type before a known one. */
function otherIds(log) {
  const ids = new Map();
  for (const record of log.records) {
    if (TREE_TYPES.has(record.type)) continue;
    const id = record.usableId;
    if (id !== null && (!ids.has(id) || !record.known)) ids.set(id, record.known ? 'known' : 'unknown');
  }
  return ids;
}
