import type { IdOf, OperationShape, OperationsShape } from '../core/operation.js';
import { brokenRules } from './broken-rules.js';
import {
  type AnyAnswer,
  type CheckedAnswer,
  checkedAnswer,
  exampleOf,
  type FakeAnswer,
} from './fake-answer.js';
import type { FakeContract } from './fake-contract.js';
import { type FoundOperation, findOperation } from './find-operation.js';

/** A request that a fake received. */
export interface FakeCall<Id extends string = string, Body = unknown> {
  /** Null when the contract has no such operation. */
  readonly operationId: Id | null;
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly parameters: {
    readonly path: Readonly<Record<string, unknown>>;
    readonly query: Readonly<Record<string, unknown>>;
  };
  readonly headers: Headers;
  readonly body: Body;
  /** The status of the answer; null before it, and for a request whose caller went away meanwhile. */
  readonly status: number | null;
}

/** A fake of any surface, as far as tests set and read it. */
export interface FakeSurface<Operations extends OperationsShape<Operations>> {
  /** The address for the client's options, together with `fetch`; no server listens there. */
  readonly baseUrl: string;
  /** Answers every request by itself. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Every request, in order, including those that break the contract. */
  readonly calls: readonly FakeCall<IdOf<Operations>>[];
  /**
   * Sets the answer of an operation from now on, instead of the contract's example.
   *
   * @param answer an answer, or a function that returns one for a call. An error that the function throws breaks the
   * connection.
   * @throws TypeError when the contract does not have the answer. If a function returns such an answer, the call gets status
   * 500.
   */
  answer<Id extends IdOf<Operations>>(operationId: Id, answer: FakeAnswers<Operations>[Id]): void;
}

/**
 * The answers that can be set for each operation. The type is looked up as a whole, so that editors know the statuses within a
 * function, too.
 */
export type FakeAnswers<Operations extends OperationsShape<Operations>> = {
  readonly [Id in IdOf<Operations>]:
    | FakeAnswer<Operations[Id]>
    | ((
        call: FakeCall<Id, AskedBody<Operations[Id]>>,
      ) => FakeAnswer<Operations[Id]> | Promise<FakeAnswer<Operations[Id]>>);
};

type AskedBody<Operation extends OperationShape> =
  NonNullable<Operation['requestBody']> extends { content: { 'application/json': infer Body } }
    ? Body
    : undefined;

/** Answers an operation for which a test has set nothing. @param signal fires when the caller goes away. */
export type Simulation = (call: FakeCall, signal: AbortSignal) => AnyAnswer | Promise<AnyAnswer>;

type Given = AnyAnswer | ((call: FakeCall) => AnyAnswer | Promise<AnyAnswer>);

export function createFakeSurface<Operations extends OperationsShape<Operations>>(
  contract: FakeContract,
  simulations: Readonly<Record<string, Simulation>>,
): FakeSurface<Operations> {
  const calls: (FakeCall & { status: number | null })[] = [];
  const answers = new Map<string, Given>();

  async function answerTo(
    found: FoundOperation,
    call: FakeCall,
    signal: AbortSignal,
  ): Promise<CheckedAnswer> {
    const { operationId, operation } = found;
    const given = answers.get(operationId);
    const answer =
      (await (typeof given === 'function' ? given(call) : given)) ??
      (await simulations[operationId]?.(call, signal)) ??
      exampleOf(operation);
    try {
      return checkedAnswer(operationId, operation, answer);
    } catch (error) {
      return { status: 500, body: { detail: (error as Error).message }, headers: json };
    }
  }

  return {
    // On loopback a client needs no token.
    baseUrl: 'http://127.0.0.1:43123',
    calls: calls as FakeCall<IdOf<Operations>>[],
    answer(operationId, answer) {
      const operation = contract[operationId];
      if (operation === undefined) throw new TypeError(`The contract has no operation ${operationId}.`);
      const given = answer as Given;
      if (typeof given !== 'function') checkedAnswer(operationId, operation, given);
      answers.set(operationId, given);
    },
    async fetch(request) {
      const { call, found, wrong } = await read(contract, request);
      calls.push(call);
      const { status, body, headers } =
        found === null
          ? { status: 404, body: { detail: 'Not Found' }, headers: json }
          : wrong.length > 0
            ? {
                status: 422,
                body: { detail: wrong },
                headers: { ...json, 'X-Houmao-Error-Code': 'validation_failed' },
              }
            : await answerTo(found, call, request.signal);
      request.signal.throwIfAborted();
      call.status = status;
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return new Response(text, { status, headers: { 'X-Request-Id': `http-${calls.length}`, ...headers } });
    },
  };
}

const json = { 'Content-Type': 'application/json' };

/** Reads a request in terms of the contract, with its violations of the contract. */
async function read(contract: FakeContract, request: Request) {
  const { pathname, search, searchParams } = new URL(request.url);
  const found = findOperation(contract, request.method, pathname);
  const text = await request.text();
  const body = parse(text);
  const query: Record<string, unknown> = {};
  for (const name of searchParams.keys()) {
    const values = searchParams.getAll(name);
    query[name] = values.length === 1 ? values[0] : values;
  }
  const path: Record<string, unknown> = { ...found?.parameters };
  const call: FakeCall & { status: number | null } = {
    operationId: found?.operationId ?? null,
    method: request.method,
    path: `${pathname}${search}`,
    parameters: { path, query },
    headers: request.headers,
    body,
    status: null,
  };
  if (found === null) return { call, found, wrong: [] };
  const { pathCheck, queryCheck, headerCheck, bodyCheck, needsBody } = found.operation;
  const wrong = [
    ...brokenRules(pathCheck, path, 'path'),
    ...brokenRules(queryCheck, query, 'query'),
    ...brokenRules(headerCheck, Object.fromEntries(request.headers), 'header'),
    ...(bodyCheck && (needsBody || text !== '') ? brokenRules(bodyCheck, body, 'body') : []),
  ];
  return { call, found, wrong };
}

/** Parses a body. A text that is no JSON is returned as it is, and breaks every contract. */
function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}
