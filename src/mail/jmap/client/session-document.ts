import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { denied, ServerFault } from './server-fault.js';

export const coreCapability = 'urn:ietf:params:jmap:core';
export const mailCapability = 'urn:ietf:params:jmap:mail';
export const submissionCapability = 'urn:ietf:params:jmap:submission';
/**
 * Of a Stalwart server from 0.16 on, which manages domains and accounts by JMAP. It tells of it at the accounts alone, not among the
 * capabilities of the server.
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

/** What a server says of itself and of the account (RFC 8620, section 2). Addresses are templates, and may be relative. */
export interface SessionDocument {
  accountId: string;
  /** What can be asked of the server, or of an account of it. */
  capabilities: readonly string[];
  apiUrl: string;
  uploadUrl: string;
  downloadUrl: string;
  /** Null where the server has none. */
  eventSourceUrl: string | null;
  limits: {
    /** Bytes. */
    sizeUpload: number;
    /** The same for one request; null where the server does not say. */
    sizeRequest: number | null;
    concurrentRequests: number;
    objectsInGet: number;
    objectsInSet: number;
  };
}

/** More at a time makes nothing faster, and servers are known that refuse a fifth. */
const mostConcurrent = 4;
const most = 500;
/** Bytes, where the server does not say; a file is in memory while it goes out. */
const mostUpload = 50 * 1024 * 1024;

/** Pure. @param shown how the server is named in a fault. @throws {ServerFault} */
export function readSession(value: unknown, shown: string): SessionDocument {
  if (!Value.Check(DocumentSchema, value))
    throw new ServerFault('server_refused', `${shown} did not answer with a JMAP session`);
  const accountId = accountOf(value);
  // A server may answer so whom it does not know.
  if (accountId === null) throw denied('credential', `${shown} has no mail account for this credential`);
  const core = value.capabilities[coreCapability];
  const limits: Static<typeof CoreSchema> = Value.Check(CoreSchema, core) ? core : {};
  return {
    capabilities: [...new Set([value.capabilities, value.primaryAccounts].flatMap((of) => Object.keys(of)))],
    ...{ accountId, apiUrl: value.apiUrl, uploadUrl: value.uploadUrl, downloadUrl: value.downloadUrl },
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
