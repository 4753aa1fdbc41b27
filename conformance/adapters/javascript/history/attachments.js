// The attachments of a history (history.md section 6).

import { InlineBytes, base64Length, plainType, typeOfBytes } from '../media.js';
import { isObject, isString } from '../values.js';
import { AttachmentFolder, isStoredPath } from './folder.js';

/** history.md#filename: separators and control characters. */
const UNFIT_FOR_NAME = /[/\\\u0000-\u001f\u007f-\u009f]/;

/** Gives the bytes of those attachments that have any that are sound, by their pointers: see media.js. */
export function judgeAttachments(root, messages, shape, folderPath, report) {
  const bytes = new Map();
  const folder = folderPath === null ? null : new AttachmentFolder(folderPath);
  for (const message of messages) {
    if (!message.isObject || !Array.isArray(message.value.attachments)) continue;
    message.value.attachments.forEach((value, j) => {
      if (!isObject(value)) return;
      const attachment = new Attachment(value, `${message.path}/attachments/${j}`, shape, folder, report);
      attachment.judge();
      if (attachment.bytes !== null) bytes.set(attachment.path, attachment.bytes);
    });
  }
  if (folder !== null) judgeUnreferenced(root, messages, shape, folder, report);
  return bytes;
}

class Attachment {
  constructor(value, path, shape, folder, report) {
    Object.assign(this, { value, path, shape, folder, report });
    this.bytes = null; // once they are known to be sound
    this.stored = this.clean('file') && isString(value.file) && value.file !== '';
    this.inline = this.clean('data') && isString(value.data);
  }

  clean(key) {
    return !this.shape.at.has(`${this.path}/${key}`);
  }

  add(rule, key) {
    this.report.add(rule, { pointer: key === undefined ? this.path : `${this.path}/${key}` });
  }

  judge() {
    this.judgeFilename();
    if (this.hasWrongForm()) this.add('attachment-form');
    else if (this.stored) this.judgeStored();
    else if (this.inline) this.judgeInline();
  }

  /** history.md#attachment-form: neither, both, and a `file` without `sha256`. */
  hasWrongForm() {
    const hasSha = isString(this.value.sha256) && this.value.sha256 !== '';
    if (this.clean('data') && this.clean('file') && this.stored === this.inline) return true;
    return this.stored && this.clean('sha256') && !hasSha;
  }

  /** history.md#attachment, checks 2 to 7, 9 and 10: the first that reports ends them. */
  judgeStored() {
    const { file, sha256 } = this.value;
    if (!isStoredPath(file)) return this.add('attachment-path', 'file');
    if (this.folder === null) return this.add('attachment-needs-folder', 'file');
    const found = this.folder.look(file);
    if (found.rule) return this.add(found.rule, 'file');
    if (this.clean('sha256') && found.digest !== sha256) return this.add('attachment-digest', 'sha256');
    return this.judgeBytes(found, 'file');
  }

  /** Checks 8 to 10. */
  judgeInline() {
    const size = base64Length(this.value.data);
    if (size < 0) return this.add('attachment-base64', 'data');
    return this.judgeBytes(new InlineBytes(this.value.data, size), 'data');
  }

  /** history.md#attachment-bytes and history.md#media-type */
  judgeBytes(bytes, key) {
    this.bytes = bytes;
    if (bytes.size === 0) return this.add('attachment-empty', key);
    if (!this.clean('mime') || this.value.mime === undefined) return undefined;
    const type = typeOfBytes(bytes.start);
    const declared = plainType(this.value.mime);
    const claimsNothing = declared === '' || declared === 'application/octet-stream';
    if (type === null || claimsNothing || declared === type) return undefined;
    return this.add('attachment-media-mismatch', 'mime');
  }

  /** history.md#filename */
  judgeFilename() {
    const { filename } = this.value;
    if (filename === undefined || !this.clean('filename')) return;
    if (filename === '' || UNFIT_FOR_NAME.test(filename)) this.add('attachment-filename', 'filename');
  }
}

/** history.md#unreferenced */
function judgeUnreferenced(root, messages, shape, folder, report) {
  const named = new Set();
  if (!Array.isArray(root.messages)) return; // what it named is not known
  for (const message of messages) {
    if (!message.isObject || !message.clean('attachments')) return;
    for (const [j, value] of (message.value.attachments ?? []).entries()) {
      if (!isObject(value) || shape.at.has(`${message.path}/attachments/${j}/file`)) return;
      named.add(value.file);
    }
  }
  for (const name of folder.files()) {
    const target = `attachments/${name}`;
    if (!named.has(target)) report.add('attachment-unreferenced', { target });
  }
}
