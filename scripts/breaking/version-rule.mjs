/**
 * Whether a version may break what an earlier one promised: a higher major does, and below 1.0 a higher minor.
 * @param {string} before such as `1.4.0`
 * @param {string} after
 */
export function mayBreak(before, after) {
  const [was, is] = [numbersOf(before), numbersOf(after)];
  if (was.major === 0 && is.major === 0) return is.minor > was.minor;
  return is.major > was.major;
}

function numbersOf(version) {
  const parts = /^(\d+)\.(\d+)\.(\d+)/.exec(version);
  if (parts === null) throw new Error(`info.version ${version} is not a version such as 1.2.3`);
  return { major: Number(parts[1]), minor: Number(parts[2]) };
}
