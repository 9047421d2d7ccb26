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

/** A request that a fake got. */
export interface FakeCall<Id extends string = string, Body = unknown> {
  /** Null where the contract has no such operation. */
  readonly operationId: Id | null;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly parameters: {
    readonly path: Readonly<Record<string, unknown>>;
    readonly query: Readonly<Record<string, unknown>>;
  };
  readonly headers: Headers;
  readonly body: Body;
  /** Of the answer; null before it, and of a request whose caller went away meanwhile. */
  readonly status: number | null;
}

/** A fake of any surface, as far as tests set and see it. */
export interface FakeSurface<Operations extends OperationsShape<Operations>> {
  /** For the client's options, with `fetch`; nobody listens there. */
  readonly baseUrl: string;
  /** Answers every request by itself. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Every request, in order, those that break the contract too. */
  readonly calls: readonly FakeCall<IdOf<Operations>>[];
  /**
   * Sets what an operation answers from now on, instead of the contract's example.
   *
   * @param answer an answer, or a function of the call that gives one. What the function throws breaks the connection.
   * @throws TypeError when the contract does not have the answer. One that a function gives is answered with status 500 then.
   */
  answer<Id extends IdOf<Operations>>(operationId: Id, answer: FakeAnswers<Operations>[Id]): void;
}

/** What may be set for each operation. The type is looked up as a whole, so that editors know the statuses within a function, too. */
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

/** What answers an operation where a test has set nothing. @param signal fires when the caller goes away. */
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
    // On loopback a client looks for no token.
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

/** A request as the contract sees it, and what of it breaks the contract. */
async function read(contract: FakeContract, request: Request) {
  const { pathname, search, searchParams } = new URL(request.url);
  const found = findOperation(contract, request.method, pathname);
  const text = await request.text();
  const body = parse(text);
  const query: Record<string, unknown> = Object.fromEntries(searchParams);
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

/** What is no JSON breaks every contract as the text that it is. */
function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}
