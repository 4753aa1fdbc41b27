// Interrupted calls (history.md#repair).

const CONTENT = '[Tool execution was interrupted]';

/** The protocol writes every id that was made up so; a program that sends them makes new ones. */
const MADE_UP = '*';

/** The messages behind the repair, and whether they are still the same. */
export function repair(messages) {
  const repaired = [];
  let unchanged = true;
  for (let i = 0; i < messages.length; ) {
    const calls = messages[i].tool_calls ?? [];
    const answered = new Set();
    repaired.push(messages[i]);
    i += 1;
    if (calls.length === 0) continue;
    for (; i < messages.length && messages[i].role === 'tool'; i += 1) {
      answered.add(messages[i].tool_call_id);
      repaired.push(messages[i]);
    }
    for (const { id } of calls) {
      if (answered.has(id)) continue;
      unchanged = false;
      repaired.push({ id: MADE_UP, role: 'tool', content: CONTENT, tool_call_id: id });
    }
  }
  return { unchanged, messages: repaired };
}
