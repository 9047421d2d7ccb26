import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Clock } from '../../../foundation/clock.js';
import { exchange, type ServerAnswer, type ServerRequest } from '../client/exchange.js';
import { denialOf, jsonOf, saidIn } from '../client/failed-request.js';
import { deniedWords } from '../client/refusal.js';
import { serverAddress, shownAddress } from '../client/server-address.js';
import { denied, ServerFault, serverWords } from '../client/server-fault.js';
import type { SignInGuard } from '../client/sign-in-guard.js';

/** The credential of a user who may make accounts on a mail server. */
export interface ManagementCredential {
  /** The value of the `Authorization` header. */
  authorization: string;
  /** Texts that must not appear in any message about a fault. */
  secrets: readonly string[];
}

export interface ManagementParts {
  managementUrl: string;
  credential: ManagementCredential;
  clock: Clock;
  /** Remembers whether the credential was refused. */
  guard: SignInGuard;
  /** Milliseconds for one call. */
  limit: number;
  /** Further texts that must not appear in any message about a fault. */
  secrets: readonly string[];
}

const RefusedSchema = Type.Object({ error: Type.String() });

/** The management API of Stalwart up to 0.15, over HTTP. */
export class ManagementApi {
  readonly #base: URL;
  readonly #parts: ManagementParts;

  /** @throws {MailFault} for an address to which the credential must not be sent. */
  constructor(parts: ManagementParts) {
    this.#base = serverAddress(parts.managementUrl, false, 'management_url');
    this.#parts = parts;
  }

  /**
   * @param path below the base, in parts, which are escaped here.
   * @throws {ServerFault} that names the call.
   */
  async ask<S extends TSchema>(
    call: { method: ServerRequest['method']; path: readonly string[]; query?: string; body?: object },
    schema: S,
  ): Promise<Static<S>> {
    const { credential, clock, guard, limit } = this.#parts;
    guard.check(credential.authorization);
    const { method, path, query = '', body } = call;
    const url = new URL(this.#base);
    url.pathname = [this.#base.pathname.replace(/\/+$/, ''), ...path.map(encodeURIComponent)].join('/');
    url.search = query;
    const changes = method !== 'GET';
    const answer = await exchange(
      {
        method,
        url,
        changes,
        limit,
        headers: {
          authorization: credential.authorization,
          accept: 'application/json',
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      },
      clock,
    );
    const named = `${method} ${shownAddress(url)}${query}`;
    const value = jsonOf(answer.bytes);
    const refusal = this.#refusal(answer, value, named, changes);
    if (refusal !== null) throw guard.noted(credential.authorization, refusal);
    guard.letIn();
    if (Value.Check(schema, value)) return value as Static<S>;
    const field =
      value === undefined ? 'no JSON' : `field ${Value.Errors(schema, value).First()?.path || '(root)'}`;
    throw new ServerFault('server_refused', `${named}: the answer is not the one of Stalwart (${field})`, {
      outcomeUnknown: changes,
    });
  }

  /** Returns the fault for a refusal. This API also refuses with status 200. */
  #refusal(answered: ServerAnswer, value: unknown, named: string, changes: boolean): ServerFault | null {
    const { status } = answered;
    const type = Value.Check(RefusedSchema, value) ? value.error : null;
    if (status >= 200 && status < 300 && type === null) return null;
    const secrets = [...this.#parts.credential.secrets, ...this.#parts.secrets];
    const words = type === null ? `${status}` : `${status}, ${serverWords(type, secrets)}`;
    const denial = denialOf(answered);
    if (denial === 'credential')
      return denied(denial, `${named}: the management credential is not accepted (${words})`);
    if (denial !== null) return denied(denial, deniedWords(named, denial, status, saidIn(answered, secrets)));
    if (status >= 300 && status < 400)
      return new ServerFault(
        'server_refused',
        `${named}: callers are sent elsewhere (${words}), which is not followed`,
      );
    if (status >= 500)
      return new ServerFault('unreachable', `${named}: the server failed (${words})`, {
        outcomeUnknown: changes,
      });
    return new ServerFault('server_refused', `${named}: refused (${words})`, {
      type: status === 404 ? 'notFound' : type,
    });
  }
}
