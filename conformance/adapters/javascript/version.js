// How a version is read (versioning.md#version). Numbers are compared as doubles.

/**
 * The rule a value of `version` breaks, or null. `newest` is the newest version that is known.
 */
export function versionFault(value, newest) {
  if (value === undefined || value === null) return 'version-missing';
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) return 'version-invalid';
  return value > newest ? 'version-newer' : null;
}

/** Where the fault stands: an absent member at the object that lacks it, all else at the member. */
export function versionPlace(value) {
  return value === undefined ? { pointer: '', member: 'version' } : { pointer: '/version' };
}
