// Timestamps (session.md#timestamps).

const PARTS = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

const isLeap = (year) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

function daysOfMonth(year, month) {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Days from 1 March of the year 0 of the Gregorian calendar, carried back; only differences count. */
function dayNumber(year, month, day) {
  const y = month > 2 ? year : year - 1;
  const m = month > 2 ? month - 3 : month + 9;
  return 365 * y + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + Math.floor((153 * m + 2) / 5) + day;
}

/**
 * The instant of a timestamp that has the shape, or null where it does not exist: whole seconds, and
 * all digits of the fraction, without zeros at the end.
 */
export function parseInstant(text) {
  const parts = PARTS.exec(text);
  if (parts === null) return null;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number);
  const [offsetHour, offsetMinute] = [Number(parts[9] ?? 0), Number(parts[10] ?? 0)];
  if (month < 1 || month > 12 || day < 1 || day > daysOfMonth(year, month)) return null;
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return null;
  const offset = (offsetHour * 60 + offsetMinute) * 60 * (parts[8] === '-' ? -1 : 1);
  const seconds = ((dayNumber(year, month, day) * 24 + hour) * 60 + minute) * 60 + second - offset;
  return { seconds, fraction: withoutLastZeros(parts[7] ?? '') };
}

function withoutLastZeros(digits) {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

export const sameInstant = (a, b) => a.seconds === b.seconds && a.fraction === b.fraction;

/** Whether `a` is earlier than `b`. Digits of fractions compare as strings do. */
const isEarlier = (a, b) => (a.seconds === b.seconds ? a.fraction < b.fraction : a.seconds < b.seconds);

/** timestamp-invalid of every record, timestamp-order of every entry with a parent. */
export function judgeTimestamps(log, tree) {
  const instants = new Map();
  for (const record of log.records) {
    if (!record.known || !record.sound('timestamp') || tree.isLater(record)) continue;
    const instant = parseInstant(record.value.timestamp);
    if (instant === null) record.add('timestamp-invalid', '/timestamp');
    else instants.set(record, instant);
  }
  for (const entry of tree.entries) {
    const { record, parent } = entry;
    if (parent === null || entry.inCycle || !record.clean('/parentId')) continue;
    const own = instants.get(record);
    const before = instants.get(parent.record);
    if (own === undefined || before === undefined) continue;
    if (isEarlier(own, before)) record.add('timestamp-order', '/timestamp');
  }
}
