// The protocol tier: one long-lived process that takes requests and gives answers, each one line of
// JSON (schema/conformance/1.0/request.schema.json and its neighbours).

import { readFileSync } from 'node:fs';
import { Refused, checkAndRead, loadHistory } from './check.js';
import { repair } from './history/repair.js';
import { writeJson } from './write.js';

const PROTOCOL = 1;
const LF = 0x0a;

/** What is done for each kind of case, with its path and that of the other input. */
const KINDS = {
  check: checkAndRead,
  equal: (path, other) => ({ equal: loadHistory(path).text === loadHistory(other).text }),
  repair: (path) => repair(loadHistory(path).messages),
};

function introduction() {
  const { name, version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'));
  return {
    name,
    language: 'JavaScript',
    version,
    protocol: PROTOCOL,
    spec: '1.0',
    formats: ['history', 'session'],
    kinds: Object.keys(KINDS),
    levels: ['verdict', 'findings', 'reading'],
    abilities: ['folder', 'symlinks'],
  };
}

/** A fault of whoever wrote the request. There is no one to answer, so the process ends. */
export class BadRequest extends Error {}

/** The answer to one line, or null where it asks to stop. `kinds` is what is done for each kind. */
export function answer(line, kinds = KINDS) {
  let request;
  try {
    request = JSON.parse(line);
  } catch {
    throw new BadRequest('a request is no JSON');
  }
  switch (request?.cmd) {
    case 'start':
      if (request.protocol !== PROTOCOL) throw new BadRequest(`protocol ${request.protocol} is not spoken here`);
      return introduction();
    case 'case':
      return answerCase(request, kinds);
    case 'stop':
      return null;
    default:
      throw new BadRequest('a request has no command that is known');
  }
}

function answerCase({ seq, kind, path, other }, kinds) {
  if (!Number.isInteger(seq) || typeof path !== 'string') throw new BadRequest('a case lacks its number or its path');
  if (kind === 'equal' && typeof other !== 'string') throw new BadRequest('a case of kind equal lacks its other path');
  if (!Object.hasOwn(kinds, kind)) return { seq, skipped: `cases of kind ${kind} are not known here` };
  try {
    return { seq, ...kinds[kind](path, other) };
  } catch (error) {
    if (error instanceof Refused) return { seq, failed: error.message };
    // A fault of the adapter is told as one, and never hidden behind a verdict.
    process.stderr.write(`case ${seq}: ${error.stack ?? error}\n`);
    return { seq, failed: String(error) || 'an error without words' };
  }
}

/** Lines of the input, cut at line feeds alone. */
async function* lines(input) {
  let pieces = [];
  for await (const chunk of input) {
    let from = 0;
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, from)) {
      yield Buffer.concat([...pieces, chunk.subarray(from, at)]).toString('utf8');
      pieces = [];
      from = at + 1;
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
  }
  if (pieces.length > 0) yield Buffer.concat(pieces).toString('utf8');
}

/** Serves until `stop` or the end of the input. Gives the exit code. */
export async function serve(input, output) {
  try {
    for await (const line of lines(input)) {
      const reply = answer(line);
      if (reply === null) return 0;
      output.write(`${writeJson(reply)}\n`);
    }
    return 0;
  } catch (error) {
    if (!(error instanceof BadRequest)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
}
