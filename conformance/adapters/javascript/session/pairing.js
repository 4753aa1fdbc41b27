// Calls and results along a path (session.md#results), kept while a walk goes down and up a tree.

import { isString } from '../values.js';
import { callsOf, resultOf } from './calls.js';

export class Pairing {
  constructor() {
    this.open = new Map(); // call id -> {entry, calls, answers}
    this.run = null;
    this.blind = false;
    this.undo = [];
  }

  /**
   * Takes the steps of session.md#results and calls `add(rule, pointer)`. Gives back, for a result,
   * what `open` holds for its id.
   */
  enter(entry, add) {
    const { run, blind } = this;
    const changed = [];
    this.undo.push({ run, blind, changed });
    const { record } = entry;
    if (record.type !== 'message') {
      this.run = null;
      return null;
    }
    if (record.message === null) {
      this.blind = true;
      return null;
    }
    const { byId, extra, lost } = callsOf(record);
    if (lost) this.blind = true;
    if (byId.size > 0 || extra.size > 0) {
      for (const [id, { call, count }] of byId) {
        if (this.open.has(id)) add('tool-call-id-reused', call.idPointer);
        this.#set(id, { entry, calls: count, answers: 0 }, changed);
      }
      for (const id of extra) this.#set(id, { entry, calls: 1, answers: 0 }, changed);
      this.run = entry;
      return null;
    }
    const result = resultOf(record);
    if (result !== null) return result.id === null ? null : this.#answer(result, changed, add);
    if (isString(record.message.role)) this.run = null;
    return null;
  }

  #answer({ id, pointer }, changed, add) {
    const made = this.open.get(id);
    if (made === undefined) {
      if (!this.blind) add('tool-result-unmatched', pointer);
      return null;
    }
    if (made.answers === made.calls) add('tool-result-duplicate', pointer);
    else {
      this.#set(id, { ...made, answers: made.answers + 1 }, changed);
      if (this.run !== made.entry) add('tool-result-misplaced', pointer);
    }
    return made;
  }

  #set(id, made, changed) {
    changed.push([id, this.open.get(id)]);
    this.open.set(id, made);
  }

  leave() {
    const { run, blind, changed } = this.undo.pop();
    this.run = run;
    this.blind = blind;
    for (const [id, made] of changed.reverse()) {
      if (made === undefined) this.open.delete(id);
      else this.open.set(id, made);
    }
  }
}
