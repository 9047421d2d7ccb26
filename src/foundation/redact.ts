const secretName = /(key|token|secret|password|credential|cookie|authorization)/i;

/** Values of an environment that must not appear in a message: those of variables whose names speak of secrets. */
export const secretsOf = (environment: Readonly<Record<string, string>>): string[] =>
  Object.entries(environment)
    .filter(([name, value]) => secretName.test(name) && value.length >= 6)
    .map(([, value]) => value);

/** Replaces every secret value, and what looks like a bearer token or an API key (docs/decisions.md#secrets). */
export function redact(text: string, secrets: readonly string[]): string {
  // The longest first: one may begin with another.
  const longestFirst = [...secrets].sort((a, b) => b.length - a.length);
  const known = longestFirst.reduce((so, secret) => so.replaceAll(secret, '[redacted]'), text);
  return known
    .replace(/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, '$1 [redacted]')
    .replace(/\b(sk|pk|xox[abp]|gh[opsu])[-_][A-Za-z0-9_-]{12,}/g, '[redacted]');
}
