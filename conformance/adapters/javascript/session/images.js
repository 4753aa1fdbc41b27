// Image parts (session.md#images).

import { base64Length, base64Start, typeOfBytes } from '../media.js';
import { isAbsent, isObject, isString } from '../values.js';

const DECLARED = ['mimeType', 'mime_type', 'media_type'];
const USABLE = new Set(['image/png', 'image/jpeg', 'image/jpg', 'image/gif', 'image/webp']);

/** A member of an array `content`: an object with the `type` `image`. */
export const isImagePart = (part) => isObject(part) && part.type === 'image';

export function judgeImages(log) {
  for (const record of log.records) {
    if (record.type !== 'message' && record.type !== 'compaction') continue;
    const content = record.message?.content;
    if (!Array.isArray(content)) continue;
    content.forEach((part, k) => {
      if (isImagePart(part)) judgeImage(part, `/message/content/${k}`, record);
    });
  }
}

/** At most one warning, the first that holds. */
function judgeImage(part, pointer, record) {
  const member = DECLARED.find((key) => !isAbsent(part[key]));
  const declared = member === undefined ? undefined : part[member];
  if (!isString(part.data) || !USABLE.has(declared)) {
    record.add('image-unusable', pointer);
    return;
  }
  const length = base64Length(part.data);
  if (length < 0) record.add('attachment-base64', `${pointer}/data`);
  else if (length === 0) record.add('attachment-empty', `${pointer}/data`);
  else {
    const type = typeOfBytes(base64Start(part.data));
    const plain = declared === 'image/jpg' ? 'image/jpeg' : declared;
    if (type !== null && type !== plain) record.add('attachment-media-mismatch', `${pointer}/${member}`);
  }
}
