import { addressRule } from '../mail/jmap/client/server-address.js';

/** What one source says of where a mail server is. */
export interface NamedServer {
  baseUrl?: string | null | undefined;
  jmapUrl?: string | null | undefined;
  managementUrl?: string | null | undefined;
}

type Part = 'base_url' | 'jmap_url' | 'management_url';

export type MailServerUrls =
  | { ok: true; jmapUrl: string; managementUrl: string }
  /** Of the part that breaks it. */
  | { ok: false; part: Part; rule: string };

/**
 * Pure: where a mail server is asked, each part by the first source that names it; what nobody names follows from the base.
 * @param sources the most telling one first.
 */
export function mailServerUrls(sources: readonly NamedServer[]): MailServerUrls {
  const named = (part: keyof NamedServer): string | null =>
    sources.map((source) => source[part] ?? null).find((url) => url !== null) ?? null;
  const base = named('baseUrl');
  const [jmap, management] = [named('jmapUrl'), named('managementUrl')];
  const given = { base_url: base, jmap_url: jmap, management_url: management };
  for (const part of Object.keys(given) as Part[]) {
    const rule = given[part] === null ? null : (addressRule(given[part]) ?? baseRule(part, given[part]));
    if (rule !== null) return { ok: false, part, rule };
  }
  const below = (path: string): string | null => base && `${base.replace(/\/+$/, '')}/${path}`;
  const jmapUrl = jmap ?? below('jmap');
  if (jmapUrl === null)
    return {
      ok: false,
      part: 'base_url',
      rule: 'is needed, or jmap_url: neither is set',
    };
  return { ok: true, jmapUrl, managementUrl: management ?? below('api') ?? new URL('/api', jmapUrl).href };
}

/** What is put behind it would get into the query. */
const baseRule = (part: Part, text: string): string | null =>
  part === 'base_url' && /[?#]/.test(text) ? 'must have neither a query nor a fragment' : null;
