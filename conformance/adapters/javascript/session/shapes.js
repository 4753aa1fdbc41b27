// The schema layer of a log (session.md 2.1, 2.2 and 8.1).

import { judgeShape } from '../schema.js';

export function judgeShapes(log, version) {
  const unknown = new Set();
  for (const object of log.objects) {
    if (object.type === null) {
      judgeType(object);
    } else if (object.known) {
      object.shape = judgeShape(schemaOf(object.type, version), object.value);
      for (const [pointer, rule] of object.shape.at) object.add(rule, pointer);
      for (const { pointer, member } of object.shape.missing) object.add('schema-required', pointer, member);
    } else if (!unknown.has(object.type)) {
      unknown.add(object.type);
      object.add('record-unknown-type', '/type'); // session.md#record-types: once per type
    }
  }
}

/** session.md#record: an object whose `type` is missing or no string. */
function judgeType(object) {
  if (object.value.type === undefined) object.add('schema-required', '', 'type');
  else object.add('schema-type', '/type');
}

/** The schema of a record, such as `session/2.0/branch-summary`. */
export function schemaOf(type, version) {
  return `session/${version}.0/${type.replaceAll('_', '-')}`;
}
