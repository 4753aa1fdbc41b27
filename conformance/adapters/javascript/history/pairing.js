// Calls and results of a history (history.md 4.3 to 4.8).

export function judgePairing(messages, report) {
  judgeResults(messages, report);
  judgeAnswers(messages, report);
}

/** history.md#pairing: one walk over the messages, in order. */
function judgeResults(messages, report) {
  const open = new Map(); // call id -> {message, calls, answers}
  let run = null;
  let gap = false; // a call may have been lost
  for (const message of messages) {
    if (!message.isObject) {
      gap = true;
      continue;
    }
    if (message.calls.length > 0) {
      for (const [id, { index, count }] of message.callsById()) {
        if (open.has(id)) report.add('tool-call-id-reused', { pointer: `${message.path}/tool_calls/${index}/id` });
        open.set(id, { message, calls: count, answers: 0 });
      }
      run = message;
    } else if (message.role === 'tool') {
      const rule = message.resultId === null ? null : resultFault(open.get(message.resultId), run, gap);
      if (rule !== null) report.add(rule, { pointer: `${message.path}/tool_call_id` });
    } else if (message.role !== null) {
      run = null;
    }
    if (message.callsLost) gap = true; // for later results, not for this one (history.md#gaps)
  }
}

/** Step 3 of the walk. Counts the answer. */
function resultFault(made, run, gap) {
  if (made === undefined) return gap ? null : 'tool-result-unmatched';
  if (made.answers === made.calls) return 'tool-result-duplicate';
  made.answers += 1;
  return run === made.message ? null : 'tool-result-misplaced';
}

/**
 * history.md#unanswered: the reach of a call ends at the next message that has a readable call with
 * its id, this one included.
 */
function judgeAnswers(messages, report) {
  const waiting = new Map(); // call id -> {message, index, answered}
  let lastGap = -1; // the last message that may be the answer to any call
  const close = ({ message, index, answered }) => {
    if (answered || lastGap > message.index) return;
    report.add('tool-call-unanswered', { pointer: `${message.path}/tool_calls/${index}` });
  };
  for (const message of messages) {
    if (!message.isObject || message.role === null || (message.role === 'tool' && message.resultId === null)) {
      lastGap = message.index;
    }
    if (!message.isObject) continue;
    if (message.resultId !== null && waiting.has(message.resultId)) waiting.get(message.resultId).answered = true;
    for (const [id, { index }] of message.callsById()) {
      if (waiting.has(id)) close(waiting.get(id));
      waiting.set(id, { message, index, answered: false });
    }
  }
  for (const call of waiting.values()) close(call);
}
