import { type ConnectionOptions, credsAuthenticator, nkeyAuthenticator } from '@nats-io/transport-node';
import { seedIn } from './credentials.js';

/** How a host joins its fleet. */
export interface FleetSettings {
  /** The addresses of the NATS servers, such as `nats://127.0.0.1:4222` or `tls://nats.example.com:4222`. */
  readonly urls: readonly string[];
  /** The name of this host in the fleet. */
  readonly host: string;
  /** The content of the credentials file, and its path for sentences; null when the engine asks for none. */
  readonly credentials: { readonly path: string; readonly text: string } | null;
  /** The path of a file with certificates that are trusted besides the system's; null for none. */
  readonly caFile: string | null;
  /** On how many NATS servers each stream is kept; counts when the streams are made. */
  readonly replicas: number;
}

const isJwtFile = (text: string): boolean => text.includes('-----BEGIN NATS USER JWT-----');

/** Checks the text of a credentials file. @returns why it is none; null when it is one. */
export const credentialsRule = (text: string): string | null =>
  isJwtFile(text) || seedIn(text) !== null
    ? null
    : 'it has neither the seed of an nkey (a line that begins with SU) nor a NATS user JWT';

/** Returns the options by which a host shows who it is, and by which it knows the engine. */
export function authenticatorOf({
  credentials,
  caFile,
  urls,
}: FleetSettings): Pick<ConnectionOptions, 'authenticator' | 'tls'> {
  const encrypted = caFile !== null || urls.some((url) => url.startsWith('tls:'));
  const tls = encrypted ? { tls: caFile === null ? {} : { caFile } } : {};
  if (credentials === null) return tls;
  const { text } = credentials;
  const bytes = (part: string): Uint8Array => new TextEncoder().encode(part);
  const authenticator = isJwtFile(text)
    ? credsAuthenticator(bytes(text))
    : nkeyAuthenticator(bytes(seedIn(text) ?? ''));
  return { authenticator, ...tls };
}
