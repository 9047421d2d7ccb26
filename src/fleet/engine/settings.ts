import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import { type ConnectionOptions, credsAuthenticator, nkeyAuthenticator } from '@nats-io/transport-node';
import { seedIn } from './credentials.js';

/** A file that a user gave: its content, and its path for sentences. */
export interface GivenFile {
  readonly path: string;
  readonly text: string;
}

/** How a host joins its fleet. */
export interface FleetSettings {
  /** The addresses of the NATS servers, such as `nats://127.0.0.1:4222` or `tls://nats.example.com:4222`. */
  readonly urls: readonly string[];
  /** The name of this host in the fleet. */
  readonly host: string;
  /** The file with the key of this host; null when the engine asks for none. */
  readonly credentials: GivenFile | null;
  /** The file with the certificates that are trusted in place of those that Node trusts; null for those. */
  readonly ca: GivenFile | null;
  /** On how many NATS servers each stream is kept; counts when the streams are made. */
  readonly replicas: number;
}

const isJwtFile = (text: string): boolean => text.includes('-----BEGIN NATS USER JWT-----');

/** Checks the text of a credentials file. @returns why it is none; null when it is one. */
export const credentialsRule = (text: string): string | null =>
  isJwtFile(text) || seedIn(text) !== null
    ? null
    : 'it has neither the seed of an nkey (a line that begins with SU) nor a NATS user JWT';

/** Checks the text of a file with certificates. @returns why it is none; null when it is one. */
export function certificatesRule(text: string): string | null {
  try {
    new X509Certificate(text);
    return null;
  } catch {
    return 'it has no certificate that can be read (PEM)';
  }
}

/**
 * Workaround for https://github.com/nats-io/nats.js/issues/303: the library has a server that is given by its address checked as
 * `localhost`. Its certificate must be for one of the addresses that are given instead. The test of encrypted connections tells when
 * this can go.
 */
export function identityCheck(urls: readonly string[]): typeof checkServerIdentity {
  const given = urls.map((url) => new URL(url.replace(/^\w+:/, 'http:')).hostname.replace(/^\[|\]$/g, ''));
  const addresses = given.filter((name) => name === 'localhost' || isIP(name) !== 0);
  return (name, certificate) => {
    const names = name === 'localhost' && addresses.length > 0 ? addresses : [name];
    const faults = names.map((one) => checkServerIdentity(one, certificate));
    return faults.includes(undefined) ? undefined : faults[0];
  };
}

/** Returns the options by which a host shows who it is, and by which it knows the engine. */
export function authenticatorOf({
  credentials,
  ca,
  urls,
}: FleetSettings): Pick<ConnectionOptions, 'authenticator' | 'tls'> {
  const encrypted = ca !== null || urls.some((url) => url.startsWith('tls:'));
  // The library hands to Node what it does not know itself.
  const checked = { checkServerIdentity: identityCheck(urls), ...(ca !== null && { ca: ca.text }) };
  const tls = encrypted ? { tls: checked } : {};
  if (credentials === null) return tls;
  const { text } = credentials;
  const bytes = (part: string): Uint8Array => new TextEncoder().encode(part);
  const authenticator = isJwtFile(text)
    ? credsAuthenticator(bytes(text))
    : nkeyAuthenticator(bytes(seedIn(text) ?? ''));
  return { authenticator, ...tls };
}
