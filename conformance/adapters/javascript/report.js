// The findings of one check, and the verdict they give.

import { severities } from './schema.js';

export class Report {
  constructor(format) {
    this.format = format;
    this.severities = severities(format);
    this.findings = [];
  }

  /** One finding. `place` may hold line, record, pointer, member and target. */
  add(rule, place = {}) {
    const severity = this.severities.get(rule);
    if (severity === undefined) throw new Error(`no rule ${rule} for a ${this.format}`);
    const finding = { rule, severity, line: place.line ?? null, pointer: place.pointer ?? null };
    if (place.record !== undefined) finding.record = place.record;
    if (place.member !== undefined) finding.member = place.member;
    if (place.target !== undefined) finding.target = place.target;
    this.findings.push(finding);
  }

  has(rule) {
    return this.findings.some((finding) => finding.rule === rule);
  }

  /** history.md#verdict, session.md#verdict: the first that holds. */
  get verdict() {
    if (this.has('file-unreadable') || this.has('format-unrecognised')) return 'unreadable';
    if (this.has('version-newer')) return 'unsupported';
    return this.findings.some((finding) => finding.severity === 'error') ? 'invalid' : 'valid';
  }
}
