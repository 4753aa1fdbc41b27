// What is read of a history: the tally of every one (history.md#tally), and of a valid one its messages,
// attachments and canonical form (history.md#canonical).

import { isObject } from '../values.js';
import { HistoryValue } from './value.js';

export const EMPTY_TALLY = { messages: 0, attachments: 0, attachment_bytes: 0 };

const OF_ATTACHMENT = /^\/messages\/\d+\/attachments\/\d+(?=\/|$)/;

/** The pointers of attachments at which, or below which, an error stands. */
function faulty(findings) {
  const paths = new Set();
  for (const { severity, pointer } of findings) {
    const path = severity === 'error' && pointer !== null ? OF_ATTACHMENT.exec(pointer) : null;
    if (path !== null) paths.add(path[0]);
  }
  return paths;
}

/** history.md#tally. `bytes` are those of the attachments, by their pointers. */
function tallyOf(messages, bytes, findings) {
  const tally = { ...EMPTY_TALLY };
  const wrong = faulty(findings);
  for (const message of messages) {
    if (!message.isObject) continue;
    tally.messages += 1;
    if (!Array.isArray(message.value.attachments)) continue;
    message.value.attachments.forEach((value, j) => {
      if (!isObject(value)) return;
      tally.attachments += 1;
      const path = `${message.path}/attachments/${j}`;
      if (!wrong.has(path)) tally.attachment_bytes += bytes.get(path).size;
    });
  }
  return tally;
}

/** A history that was judged: what it says, and what is read of it. */
export class JudgedHistory {
  constructor(root, messages, bytes, long, report) {
    Object.assign(this, { root, messages, bytes, long, report });
  }

  /** The value of a valid history, or null. */
  get value() {
    return this.report.verdict === 'valid' ? new HistoryValue(this.root, this.bytes, this.long) : null;
  }

  get reading() {
    const tally = tallyOf(this.messages, this.bytes, this.report.findings);
    const { value } = this;
    if (value === null) return { tally };
    return {
      tally,
      messages: value.messages.map(({ role, id }) => ({ role, id })),
      attachments: value.attachments.map(({ sha256, size }) => ({ sha256, size })),
      canonical: value.canonical ?? undefined,
    };
  }
}
