// Names, system prompts and tool executions (session.md 2.18, 2.19 and 2.21).

import { createHash } from 'node:crypto';
import { isEmpty, isObject, isString } from '../values.js';
import { resultOf } from './calls.js';

export function judgeMetadata(log) {
  judgeName(log);
  judgePrompts(log);
  judgeExecutions(log);
}

/** session.md#session-info */
function judgeName(log) {
  const infos = log.ofType('session_info');
  const last = infos[infos.length - 1];
  if (last === undefined || last.value.name !== undefined) return;
  const named = infos.findLast((record) => record.value.name !== undefined);
  if (named !== undefined && isString(named.value.name) && named.value.name !== '') last.add('session-name-lost', '');
}

/** session.md#system-prompt */
function judgePrompts(log) {
  let before = null;
  for (const record of log.ofType('system_prompt')) {
    const { hash, content } = record.value;
    const sound = record.sound('hash');
    if (sound && isString(content) && content.isWellFormed()) {
      const digest = createHash('sha256').update(content, 'utf8').digest('hex');
      if (hash !== `sha256:${digest}`) record.add('system-prompt-digest', '/hash');
    }
    if (sound && before !== null && before.sound('hash') && before.value.hash === hash) {
      record.add('system-prompt-repeated', '/hash');
    }
    before = record;
  }
}

/** session.md#tool-execution */
function judgeExecutions(log) {
  const executions = log.ofType('tool_execution_end');
  if (executions.length === 0) return;
  const answered = new Set();
  for (const record of log.ofType('message')) {
    const id = resultOf(record)?.id;
    if (isString(id)) answered.add(id);
  }
  for (const record of executions) {
    const { toolCallId, isError, result } = record.value;
    const flags = [isError, isObject(result) ? result.isError : undefined];
    if (flags.every((flag) => typeof flag === 'boolean') && flags[0] !== flags[1]) {
      record.add('tool-execution-error-flag', '/isError');
    }
    if (!log.hasGap && record.sound('toolCallId') && !isEmpty(toolCallId) && !answered.has(toolCallId)) {
      record.add('tool-execution-unmatched', '/toolCallId');
    }
  }
}
