/**
 * Makes text that came from elsewhere safe for a terminal or a log: it keeps no ESC and no other control character except tab and
 * newline. Each removed character becomes U+FFFD, so that the gap can be seen.
 */
export const sanitiseText = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the purpose.
  text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '\ufffd');

/** Does the same and joins everything into one line, for log lines. */
export const sanitiseLine = (text: string): string => sanitiseText(text).replace(/\s+/g, ' ').trim();

/** Returns the first `count` Unicode characters; a surrogate pair is one and is never cut in two. */
export function firstCodePoints(text: string, count: number): string {
  if (text.length <= count) return text;
  const plain = text.slice(0, count);
  if (!/[\ud800-\udfff]/.test(plain)) return plain;
  const rough = text.slice(0, count * 2);
  return Array.from(rough).slice(0, count).join('');
}

/** Returns the beginning of a prompt, by which people know it in lists. */
export const promptBeginning = (prompt: string): string => firstCodePoints(prompt, 200);

const secretName = /(key|token|secret|password|credential|cookie|authorization)/i;

/** Decides whether the name of a variable suggests that its value is a secret. */
export const isSecretName = (name: string): boolean => secretName.test(name);

/** Returns the values of an environment that must not appear in a message: those of variables whose names suggest secrets. */
export const secretsOf = (environment: Readonly<Record<string, string>>): string[] =>
  Object.entries(environment)
    .filter(([name, value]) => isSecretName(name) && value.length >= 6)
    .map(([, value]) => value);

/** Replaces every secret value, and every text that looks like a bearer token or an API key (docs/decisions.md#secrets). */
export function redact(text: string, secrets: readonly string[]): string {
  // The longest first: one secret may begin with another.
  const longestFirst = [...secrets].sort((a, b) => b.length - a.length);
  const known = longestFirst.reduce((so, secret) => so.replaceAll(secret, '[redacted]'), text);
  return known
    .replace(/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, '$1 [redacted]')
    .replace(/\b(sk|pk|xox[abp]|gh[opsu])[-_][A-Za-z0-9_-]{12,}/g, '[redacted]');
}

/** Returns the words of a table for a word of the contract. One of a later release, which the table does not have, is shown as it is. */
export const wordsIn = (table: Readonly<Record<string, string>>, word: string): string =>
  Object.hasOwn(table, word) ? (table[word] ?? word) : word.replaceAll('_', ' ');

/**
 * Writes a count with its noun, for people: `1 row`, `2 rows`.
 * @param count a number, or a text such as `200 or more`
 */
export const counted = (count: unknown, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Writes the same as the subject of a sentence: `1 request waits`, `2 requests wait`. @param verbs for one and for several */
export const countedWith = (
  count: unknown,
  noun: string,
  [ofOne, ofSeveral]: readonly [string, string],
): string => `${counted(count, noun)} ${count === 1 ? ofOne : ofSeveral}`;

/** The most names that a list shows; beyond that, their number says more. */
const mostListed = 20;

/** Writes a list for people: `alpha, beta`; a long list as its first names and the number of the others. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, mostListed).join(', ');
  return names.length <= mostListed ? shown : `${shown} and ${names.length - mostListed} more`;
}

/**
 * Wraps a function of a text that is read again and again: it repeats its last answer as long as the text stays the same. Errors
 * are not remembered.
 */
export function rememberLast<Answer>(answer: (text: string) => Answer): (text: string) => Answer {
  let last: { text: string; answer: Answer } | null = null;
  return (text) => {
    if (last === null || last.text !== text) last = { text, answer: answer(text) };
    return last.answer;
  };
}
