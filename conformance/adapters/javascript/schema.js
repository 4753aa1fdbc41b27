// The schema layer: Ajv over the schema files, its errors turned into findings (history.md#layers,
// session.md#layers). Nothing is fetched; the files lie beside the adapter.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Ajv2020 from 'ajv/dist/2020.js';
import { isObject } from './values.js';

const BASE = 'https://w3id.org/convspec/schema/';
const FOLDERS = ['history/1.0', 'session/1.0', 'session/2.0'];

/** `CONVSPEC_SCHEMA` may name the folder; else it is that of the repository or the archive. */
export const SCHEMA_FOLDER = process.env.CONVSPEC_SCHEMA
  || fileURLToPath(new URL('../../../schema', import.meta.url));

/** The rule of each keyword, in the order in which the first that failed is told. */
const RULES = new Map([
  ['type', 'schema-type'],
  ['enum', 'schema-enum'],
  ['minLength', 'schema-min-length'],
  ['pattern', 'schema-pattern'],
  ['minimum', 'schema-minimum'],
  ['maxItems', 'schema-max-items'],
]);
const ORDER = [...RULES.values()];

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

let loaded = null;

function load() {
  if (loaded !== null) return loaded;
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, messages: false, logger: false });
  const schemas = new Map(); // name, such as `history/1.0/message` -> {schema, parts, validate}
  for (const folder of FOLDERS) {
    for (const file of readdirSync(join(SCHEMA_FOLDER, folder))) {
      if (!file.endsWith('.schema.json')) continue;
      const schema = readJson(join(SCHEMA_FOLDER, folder, file));
      schemas.set(nameOf(schema.$id), takeApart(schema));
    }
  }
  loaded = { ajv, schemas, rules: readJson(join(SCHEMA_FOLDER, 'rules.json')).rules };
  return loaded;
}

const nameOf = (id) => id.slice(BASE.length, -'.schema.json'.length);

/**
 * Takes the references to other files out of a schema, and notes where they stood: `parts` holds
 * member, name of the schema, and whether it is that of the items of a list. They are followed by
 * hand, because Ajv copies the errors so far at every reference that fails: a list of a million bad
 * items would take quadratic time.
 */
function takeApart(schema) {
  const parts = [];
  for (const [member, inner] of Object.entries(schema.properties ?? {})) {
    const holder = inner.items ?? inner;
    if (holder.$ref === undefined) continue;
    parts.push({ member, name: nameOf(new URL(holder.$ref, schema.$id).href), isList: holder !== inner });
    delete holder.$ref;
  }
  return { schema, parts, validate: null };
}

/** The severity of each rule in a format. */
export function severities(format) {
  const { rules } = load();
  return new Map(rules.filter((rule) => rule.severity[format]).map((rule) => [rule.id, rule.severity[format]]));
}

/** The known keys of an object: those its schema has. `inner` leads to an object inside. */
export function knownKeys(name, inner = []) {
  let { schema } = load().schemas.get(name);
  for (const key of inner) schema = schema.properties[key];
  return new Set(Object.keys(schema.properties));
}

/**
 * What the schema finds in a value: `at`, a map from pointer to the one rule that speaks there, and
 * `missing`, a list of pointer and member.
 */
export function judgeShape(name, value) {
  const shape = { at: new Map(), missing: [] };
  judge(name, value, '', shape);
  return shape;
}

/** As deep as the schemas refer to each other, whatever the value. */
function judge(name, value, path, shape) {
  const { ajv, schemas } = load();
  const entry = schemas.get(name);
  entry.validate ??= ajv.compile(entry.schema); // `record` is never asked for: the type tells its schema
  if (!entry.validate(value)) collect(entry.validate.errors, name, path, shape);
  if (!isObject(value)) return;
  for (const { member, name: inner, isList } of entry.parts) {
    const part = value[member];
    if (part === undefined) continue;
    if (!isList) judge(inner, part, `${path}/${member}`, shape);
    else if (Array.isArray(part)) part.forEach((item, i) => judge(inner, item, `${path}/${member}/${i}`, shape));
  }
}

/**
 * Errors of Ajv as findings. The version has rules of its own, and `const` stands only at versions
 * and at types that were looked at already. `if` tells nothing that `then` does not.
 */
function collect(errors, name, path, { at, missing }) {
  for (const { keyword, instancePath, params } of errors) {
    const place = path + instancePath;
    if (keyword === 'required') {
      const member = params.missingProperty;
      if (place !== '' || member !== 'version') missing.push({ pointer: place, member });
    } else if (RULES.has(keyword)) {
      const rule = RULES.get(keyword);
      const before = at.get(place);
      if (before === undefined || ORDER.indexOf(rule) < ORDER.indexOf(before)) at.set(place, rule);
    } else if (keyword !== 'const' && keyword !== 'if') {
      throw new Error(`the schema ${name} uses the keyword ${keyword}, which no rule is named after`);
    }
  }
}
