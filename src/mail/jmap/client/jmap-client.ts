import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Clock } from '../../../foundation/clock.js';
import type { Credential } from './credential-file.js';
import {
  exchange,
  longestAnswer,
  openEvents,
  RequestTurns,
  type ServerAnswer,
  type ServerRequest,
} from './exchange.js';
import {
  denialOf,
  jsonOf,
  planAfter,
  problemOf,
  retryAfterOf,
  saidIn,
  type TryResult,
} from './failed-request.js';
import { MethodAnswers, type MethodCall } from './method-calls.js';
import { deniedWords } from './refusal.js';
import { pinned, shownAddress } from './server-address.js';
import { denied, type FaultServer, ServerFault, statusWords } from './server-fault.js';
import {
  coreCapability,
  mailCapability,
  type SessionDocument,
  type SignedIn,
  signIn,
  submissionCapability,
} from './session.js';
import { type RefusalMemory, refusalMemory, SignInGuard } from './sign-in-guard.js';

const BlobSchema = Type.Object({ blobId: Type.String({ minLength: 1 }), size: Type.Integer({ minimum: 0 }) });

interface JmapClientParts {
  jmapUrl: string;
  /** Reads the present credential. */
  credential: () => Credential;
  clock: Clock;
  /** Remembers which credential was refused; where it is left out, only this client does. */
  refusals?: RefusalMemory;
  /** Milliseconds for one call; where it is left out, the time that its kind needs. */
  limit?: number;
  /** The capabilities that its calls use, besides the core; where it is left out, those of mail. */
  using?: readonly string[];
  /** Further texts that must not appear in any message about a fault. */
  secrets?: readonly string[];
}

/** Makes a request when its addresses are known. */
type Asking = (at: SignedIn) => Pick<ServerRequest, 'method' | 'url' | 'body'> & {
  contentType?: string;
  /** Where it is left out, JSON. */
  accept?: string;
};

/** The settings of a request. */
interface Manner {
  changes: boolean;
  /** Milliseconds for the request, all its tries together. */
  limit: number;
  signal?: AbortSignal | undefined;
}

/** Milliseconds for a request that only reads. */
const readLimit = 10_000;
/** Milliseconds for a change: a server may deliver a message to others before it answers. */
const changeLimit = 60_000;
/** Bytes for which an upload or a download gets one more second. */
const transferSpeed = 1024 * 1024;

/**
 * A JMAP server (RFC 8620), as one agent uses it. The client signs in with its first call, and again when the server has
 * forgotten it or its credential was replaced. A credential that was refused is held back for a long time, because servers lock
 * out clients that try too often. Every method throws {@link ServerFault}, and the errors of reading the credential.
 */
export class JmapClient {
  readonly #jmapUrl: string;
  readonly #credential: () => Credential;
  readonly #clock: Clock;
  readonly #guard: SignInGuard;
  readonly #limit: number | null;
  readonly #using: readonly string[];
  readonly #secrets: readonly string[];
  readonly #turns: RequestTurns;
  #signedIn: Promise<SignedIn> | null = null;

  constructor(parts: JmapClientParts) {
    this.#jmapUrl = parts.jmapUrl;
    this.#credential = parts.credential;
    this.#clock = parts.clock;
    this.#guard = new SignInGuard(parts.jmapUrl, parts.refusals ?? refusalMemory(null), parts.clock);
    this.#turns = new RequestTurns(parts.clock);
    this.#limit = parts.limit ?? null;
    this.#using = [coreCapability, ...(parts.using ?? [mailCapability, submissionCapability])];
    this.#secrets = parts.secrets ?? [];
  }

  async document(): Promise<SessionDocument> {
    return (await this.#signIn(this.#limit ?? readLimit)).document;
  }

  /** @param kind `change` for a call that must not be done twice. @param signal ends it earlier. */
  async call(
    kind: 'look' | 'change',
    calls: readonly MethodCall[],
    signal?: AbortSignal,
  ): Promise<MethodAnswers> {
    const changes = kind === 'change';
    const server: FaultServer = { shown: '', secrets: this.#secrets, changes };
    const manner = { changes, limit: this.#limit ?? (changes ? changeLimit : readLimit), signal };
    const answer = await this.#ask(manner, (at) => {
      const { document, base } = at;
      const url = pinned(document.apiUrl, {}, base);
      Object.assign(server, { shown: shownAddress(url), secrets: this.#allSecrets(at) });
      const methodCalls = calls.map(([method, args, id]) => [
        method,
        { accountId: document.accountId, ...args },
        id,
      ]);
      const body = JSON.stringify({ using: this.#using, methodCalls });
      const { sizeRequest } = document.limits;
      const size = Buffer.byteLength(body);
      // A request that is too long would be cut off somewhere on its way.
      if (sizeRequest !== null && size > sizeRequest)
        throw new ServerFault(
          'server_refused',
          `${server.shown} takes requests of ${sizeRequest} bytes at most, and this one has ${size}: its text is too long`,
        );
      return { method: 'POST', url, body, contentType: 'application/json' };
    });
    return new MethodAnswers(jsonOf(answer.bytes), server);
  }

  /** Uploads a file. A second upload of it leaves one more blob, which the server forgets. */
  async upload(content: Blob, mediaType: string): Promise<{ blobId: string; size: number }> {
    const limit = this.#limit ?? readLimit + (content.size / transferSpeed) * 1000;
    const answer = await this.#ask({ changes: false, limit }, ({ document, base }) => ({
      method: 'POST',
      url: pinned(document.uploadUrl, { accountId: document.accountId }, base),
      body: content,
      contentType: mediaType,
    }));
    const value = jsonOf(answer.bytes);
    if (!Value.Check(BlobSchema, value) || value.size !== content.size)
      throw new ServerFault('server_refused', 'the mail server did not take the whole attachment');
    return value;
  }

  /** Returns an attachment, complete, 64 MiB at most. `sizeBytes` is the size that the server named; null where it named none. */
  async download(blob: { blobId: string; mediaType: string; sizeBytes: number | null }): Promise<Buffer> {
    const { blobId, mediaType: type, sizeBytes } = blob;
    if (sizeBytes !== null && sizeBytes > longestAnswer)
      throw new ServerFault(
        'server_refused',
        `${blobId} has more than 64 MiB, which is the most that is fetched`,
      );
    const limit = this.#limit ?? readLimit + ((sizeBytes ?? longestAnswer) / transferSpeed) * 1000;
    const { bytes } = await this.#ask({ changes: false, limit }, ({ document, base }) => {
      // The name is for people who save the file from a browser.
      const values = { accountId: document.accountId, blobId, name: 'attachment', type };
      return { method: 'GET', url: pinned(document.downloadUrl, values, base), accept: '*/*' };
    });
    // The end of a connection can look like the end of the answer.
    if (sizeBytes !== null && bytes.length !== sizeBytes)
      throw new ServerFault(
        'unreachable',
        `the mail server sent ${bytes.length} of the ${sizeBytes} bytes of ${blobId}`,
      );
    return bytes;
  }

  /** Opens the stream in which the server reports changes; null where it has none. @param ping seconds between signs of life. */
  async events(ping: number, signal: AbortSignal): Promise<ReadableStream<Uint8Array> | null> {
    const limit = this.#limit ?? readLimit;
    const { document, base, credential } = await this.#signIn(limit);
    if (document.eventSourceUrl === null) return null;
    const wanted = { types: 'Email,Mailbox', closeafter: 'no', ping: String(ping) };
    const url = pinned(document.eventSourceUrl, wanted, base);
    const headers = { authorization: credential.authorization, accept: 'text/event-stream' };
    return openEvents({ method: 'GET', url, headers, changes: false, limit, signal }, this.#clock).catch(
      (error) => {
        // The next stream begins with a new session, which shows whether the credential is still accepted.
        this.#signedIn = null;
        throw error;
      },
    );
  }

  async #ask({ changes, limit, signal }: Manner, asking: Asking): Promise<ServerAnswer> {
    const until = this.#clock.monotonic() + limit;
    const left = (): number => until - this.#clock.monotonic();
    for (let tries = 1; ; tries += 1) {
      const at = await this.#signInOr(left(), signal);
      const { contentType, accept = 'application/json', ...request } = asking(at);
      const headers = {
        authorization: at.credential.authorization,
        accept,
        ...(contentType !== undefined && { 'content-type': contentType }),
      };
      const asked = { ...request, headers, changes, ...(signal && { signal }) };
      const ask = () => exchange({ ...asked, limit: Math.max(left(), 1) }, this.#clock);
      const result = await this.#turns.run(ask, left(), signal).catch(asFault);
      if (!(result instanceof ServerFault) && result.status >= 200 && result.status < 300) return result;
      const plan = planAfter(outcomeOf(result), { changes, tries, left: left() });
      const refused =
        result instanceof ServerFault
          ? result
          : refusalOf(result, request.url, this.#allSecrets(at), changes);
      const fault = this.#guard.noted(at.credential.authorization, refused);
      if (plan === 'no' || signal?.aborted) throw fault;
      if (typeof plan === 'object') await this.#clock.sleep(plan.after, signal);
      else if (!this.#forget(at, plan)) throw fault;
    }
  }

  /** A signal ends the wait, but not the sign-in, which other calls wait for, too. */
  #signInOr(limit: number, signal: AbortSignal | undefined): Promise<SignedIn> {
    const signedIn = this.#signIn(limit);
    if (signal === undefined) return signedIn;
    signedIn.catch(() => undefined);
    return new Promise((resolve, reject) => {
      const stop = (): void =>
        reject(new ServerFault('unreachable', 'the call no longer waits for the mail server'));
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop, { once: true });
      signedIn.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    });
  }

  #allSecrets({ credential }: SignedIn): readonly string[] {
    return [...credential.secrets, ...this.#secrets];
  }

  /** @returns false where the next try would be the same again. */
  #forget({ credential }: SignedIn, plan: 'new_credential' | 'new_session'): boolean {
    this.#signedIn = null;
    return plan === 'new_session' || this.#credential().authorization !== credential.authorization;
  }

  #signIn(limit: number): Promise<SignedIn> {
    this.#signedIn ??= this.#newSession(Math.max(limit, 1)).catch((error) => {
      this.#signedIn = null;
      throw error;
    });
    return this.#signedIn;
  }

  async #newSession(limit: number): Promise<SignedIn> {
    const credential = this.#credential();
    this.#guard.check(credential.authorization);
    try {
      const signedIn = await signIn(this.#jmapUrl, credential, this.#clock, limit);
      this.#turns.atOnce = signedIn.document.limits.concurrentRequests;
      this.#guard.letIn();
      return signedIn;
    } catch (error) {
      throw error instanceof ServerFault ? this.#guard.noted(credential.authorization, error) : error;
    }
  }
}

function asFault(error: unknown): ServerFault {
  if (error instanceof ServerFault) return error;
  throw error;
}

function outcomeOf(result: ServerAnswer | ServerFault): TryResult {
  if (result instanceof ServerFault)
    return {
      status: null,
      problem: null,
      denial: null,
      retryAfter: null,
      outcomeUnknown: result.outcomeUnknown,
    };
  const { status, headers } = result;
  return {
    status,
    problem: problemOf(result)?.type ?? null,
    denial: denialOf(result),
    retryAfter: retryAfterOf(headers.get('retry-after')),
    outcomeUnknown: status >= 500,
  };
}

function refusalOf(
  answered: ServerAnswer,
  url: URL,
  secrets: readonly string[],
  changes: boolean,
): ServerFault {
  const { status } = answered;
  const [shown, said, denial] = [shownAddress(url), saidIn(answered, secrets), denialOf(answered)];
  if (denial !== null) return denied(denial, deniedWords(shown, denial, status, said));
  return new ServerFault('server_refused', `${shown} answered with ${statusWords(status)}${said}`, {
    outcomeUnknown: changes && status >= 500,
    type: problemOf(answered)?.type ?? null,
  });
}
