import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Clock } from '../../../foundation/clock.js';
import type { Credential } from './credential-file.js';
import { exchange } from './exchange.js';
import { denialOf, jsonOf, saidIn } from './failed-request.js';
import { deniedWords } from './refusal.js';
import { serverAddress, shownAddress } from './server-address.js';
import { denied, ServerFault, statusWords } from './server-fault.js';

/** A server that has accepted the agent's credential. */
export interface SignedIn {
  credential: Credential;
  document: SessionDocument;
  /** The address where the document was found: the addresses in it are resolved against this one. */
  base: URL;
}

const mostRedirects = 5;
/** The address where a server says where its session is (RFC 8620, section 2.2). */
const discovery = '/.well-known/jmap';

/**
 * @param limit milliseconds, for all requests together.
 * @throws {ServerFault}
 * @throws {MailFault} for an address that must not be called.
 */
export async function signIn(
  jmapUrl: string,
  credential: Credential,
  clock: Clock,
  limit: number,
): Promise<SignedIn> {
  let url = serverAddress(jmapUrl, credential.allowPlainHttp);
  /** The refusal of the first address: some servers take calls at one address and have the session at another. */
  let missing: ServerFault | null = null;
  const until = clock.monotonic() + limit;
  const headers = { authorization: credential.authorization, accept: 'application/json' };
  for (let redirects = 0; ; redirects += 1) {
    const left = Math.max(until - clock.monotonic(), 1);
    const answer = await exchange({ method: 'GET', url, headers, changes: false, limit: left }, clock);
    const shown = shownAddress(url);
    const location = answer.status >= 300 && answer.status < 400 ? answer.headers.get('location') : null;
    if (location === null) {
      const denial = denialOf(answer);
      if (denial !== null)
        throw denied(denial, deniedWords(shown, denial, answer.status, saidIn(answer, credential.secrets)));
      if (answer.status !== 200) {
        const said = saidIn(answer, credential.secrets);
        const words = `${shown} answered with ${statusWords(answer.status)}, not a JMAP session${said}`;
        const fault: ServerFault = missing ?? new ServerFault('server_refused', words);
        if (missing !== null || url.pathname === discovery || ![404, 405].includes(answer.status))
          throw fault;
        missing = fault;
        url = new URL(discovery, url);
        continue;
      }
      return { credential, document: readSession(jsonOf(answer.bytes), shown), base: url };
    }
    const next = URL.canParse(location, url.href) ? new URL(location, url) : null;
    // The credential would go there, too.
    if (next?.origin !== url.origin)
      throw new ServerFault(
        'server_refused',
        `${shown} sends callers to another server; name that one as jmap_url`,
      );
    if (redirects === mostRedirects)
      throw new ServerFault('server_refused', `${shown} sends callers in a circle`);
    url = next;
  }
}

export const coreCapability = 'urn:ietf:params:jmap:core';
export const mailCapability = 'urn:ietf:params:jmap:mail';
export const submissionCapability = 'urn:ietf:params:jmap:submission';
/**
 * The capability of a Stalwart server from 0.16 on, which manages domains and accounts by JMAP. Only the accounts name it, not
 * the capabilities of the server.
 */
export const stalwartCapability = 'urn:stalwart:jmap';

const Limit = Type.Optional(Type.Integer({ minimum: 1 }));
const CoreSchema = Type.Object({
  maxSizeUpload: Limit,
  maxSizeRequest: Limit,
  maxConcurrentRequests: Limit,
  maxObjectsInGet: Limit,
  maxObjectsInSet: Limit,
});
const DocumentSchema = Type.Object({
  capabilities: Type.Record(Type.String(), Type.Unknown()),
  accounts: Type.Record(Type.String(), Type.Unknown()),
  primaryAccounts: Type.Record(Type.String(), Type.String()),
  apiUrl: Type.String({ minLength: 1 }),
  uploadUrl: Type.String({ minLength: 1 }),
  downloadUrl: Type.String({ minLength: 1 }),
  eventSourceUrl: Type.Optional(Type.String()),
});

/**
 * The facts that a server gives about itself and the account (RFC 8620, section 2). Addresses are templates, and may be relative.
 */
export interface SessionDocument {
  accountId: string;
  /** The capabilities of the server, or of an account of it. */
  capabilities: readonly string[];
  apiUrl: string;
  uploadUrl: string;
  downloadUrl: string;
  /** Null where the server has none. */
  eventSourceUrl: string | null;
  limits: {
    /** Bytes. */
    sizeUpload: number;
    /** Bytes of one request; null where the server does not say. */
    sizeRequest: number | null;
    concurrentRequests: number;
    objectsInGet: number;
    objectsInSet: number;
  };
}

/** More requests at a time make nothing faster, and some servers refuse a fifth. */
const mostConcurrent = 4;
const most = 500;
/** Bytes, where the server does not say; a file is in memory while it is sent. */
const mostUpload = 50 * 1024 * 1024;

/** Pure: reads a session document. @param shown the name of the server in faults. @throws {ServerFault} */
export function readSession(value: unknown, shown: string): SessionDocument {
  if (!Value.Check(DocumentSchema, value))
    throw new ServerFault('server_refused', `${shown} did not answer with a JMAP session`);
  const accountId = accountOf(value);
  // A server may give this answer to a client that it does not know.
  if (accountId === null) throw denied('credential', `${shown} has no mail account for this credential`);
  const core = value.capabilities[coreCapability];
  const limits: Static<typeof CoreSchema> = Value.Check(CoreSchema, core) ? core : {};
  return {
    capabilities: [...new Set([value.capabilities, value.primaryAccounts].flatMap((of) => Object.keys(of)))],
    accountId,
    apiUrl: value.apiUrl,
    uploadUrl: value.uploadUrl,
    downloadUrl: value.downloadUrl,
    eventSourceUrl: value.eventSourceUrl ?? null,
    limits: {
      sizeUpload: limits.maxSizeUpload ?? mostUpload,
      sizeRequest: limits.maxSizeRequest ?? null,
      concurrentRequests: Math.min(limits.maxConcurrentRequests ?? mostConcurrent, mostConcurrent),
      objectsInGet: Math.min(limits.maxObjectsInGet ?? most, most),
      objectsInSet: Math.min(limits.maxObjectsInSet ?? most, most),
    },
  };
}

const accountOf = ({ primaryAccounts, accounts }: Static<typeof DocumentSchema>): string | null =>
  primaryAccounts[mailCapability] ??
  primaryAccounts[submissionCapability] ??
  primaryAccounts[stalwartCapability] ??
  Object.keys(accounts)[0] ??
  null;
