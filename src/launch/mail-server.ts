import { BadEnvironment } from '../foundation/environment.js';
import { addressRule } from '../mail/jmap/client/server-address.js';
import type { ManagementCredential } from '../mail/jmap/provision/management-api.js';

const token = 'HOUMAO_STALWART_MANAGEMENT_BEARER_TOKEN';
const key = 'HOUMAO_STALWART_MANAGEMENT_API_KEY';
const secret = 'HOUMAO_STALWART_MANAGEMENT_API_SECRET';

/** The variable with the base address of the mail server, if nothing else names one. */
export const mailServerVariable = 'HOUMAO_STALWART_BASE_URL';

/**
 * Takes the credential that makes accounts out of an environment: no program that is started with the rest of it has the
 * credential, neither agents nor their gateways nor tmux.
 * @throws {BadEnvironment} whose message does not contain the credential.
 */
export function takeManagement(environment: NodeJS.ProcessEnv): {
  management: ManagementCredential | null;
  rest: NodeJS.ProcessEnv;
} {
  const { [token]: bearer, [key]: name, [secret]: password, ...rest } = environment;
  return { management: credentialOf(bearer?.trim(), name?.trim(), password?.trim()), rest };
}

function credentialOf(
  bearer: string | undefined,
  name: string | undefined,
  password: string | undefined,
): ManagementCredential | null {
  if (bearer) {
    // The error for an invalid header would show the credential.
    if (!/^[\x21-\x7e]+$/.test(bearer))
      throw new BadEnvironment(`${token} has a character that no HTTP header can carry`);
    return { authorization: `Bearer ${bearer}`, secrets: [bearer] };
  }
  if (!name || !password) return null;
  const pair = Buffer.from(`${name}:${password}`).toString('base64');
  return { authorization: `Basic ${pair}`, secrets: [password, pair] };
}

/** Returns the credential as variables, for a program that makes accounts itself. */
export function managementEnvironment(management: ManagementCredential | null): Record<string, string> {
  if (management === null) return {};
  const [scheme, value = ''] = management.authorization.split(' ');
  if (scheme === 'Bearer') return { [token]: value };
  const [name = '', ...password] = Buffer.from(value, 'base64').toString().split(':');
  return { [key]: name, [secret]: password.join(':') };
}

/** The addresses of a mail server that one source names. */
export interface NamedServer {
  baseUrl?: string | null | undefined;
  jmapUrl?: string | null | undefined;
  managementUrl?: string | null | undefined;
}

type Part = 'base_url' | 'jmap_url' | 'management_url';

type MailServerUrls =
  | { ok: true; jmapUrl: string; managementUrl: string }
  /** `part` is the address that breaks the rule. */
  | { ok: false; part: Part; rule: string };

/**
 * Pure: chooses the addresses of a mail server, each from the first source that names it; an address that no source names follows
 * from the base.
 * @param sources the most specific one first.
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

/** Returns the rule that a base address breaks: a path that is appended to it would become part of its query. */
const baseRule = (part: Part, text: string): string | null =>
  part === 'base_url' && /[?#]/.test(text) ? 'must have neither a query nor a fragment' : null;
