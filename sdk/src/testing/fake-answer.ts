import type { OperationShape } from '../core/operation.js';
import type { ContractAnswer, ContractOperation } from './fake-contract.js';

/**
 * The answer of a fake to an operation: a status of its contract, with the body that the contract declares for it. Without a
 * status it is the success.
 */
export type FakeAnswer<Operation extends OperationShape> = {
  [Status in keyof Operation['responses'] & number]: AtStatus<Status> & {
    body: BodyOf<Operation['responses'][Status]>;
    /** The code of a refusal; only needed when the contract has several for the status. */
    errorCode?: CodeOf<Operation['responses'][Status]>;
    headers?: Readonly<Record<string, string>>;
  };
}[keyof Operation['responses'] & number];

type AtStatus<Status> = Status extends 200 | 201 | 202 ? { status?: Status } : { status: Status };
type CodeOf<Response> = Response extends { headers: { 'X-Houmao-Error-Code': infer Code } } ? Code : never;
type BodyOf<Response> = Response extends { content: { 'application/json': infer Body } }
  ? Body
  : Response extends { content: { 'text/plain': string } }
    ? string
    : undefined;

/** An answer without the types of one operation. */
export interface AnyAnswer {
  readonly status?: number;
  readonly body: unknown;
  readonly errorCode?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that follows the contract. */
export interface CheckedAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

const successes = ['200', '201', '202'];

/** Returns the success of an operation, with the contract's example. */
export function exampleOf({ answers }: ContractOperation): AnyAnswer {
  const status = successes.find((each) => each in answers) ?? '';
  return { status: Number(status), body: structuredClone(answers[status]?.examples[0]) };
}

/** @throws TypeError that names the violation, when the contract does not have the answer. */
export function checkedAnswer(
  operationId: string,
  operation: ContractOperation,
  given: AnyAnswer,
): CheckedAnswer {
  const { status = exampleOf(operation).status ?? 200, body } = given;
  const answer = operation.answers[status];
  const wrong = (why: string) =>
    new TypeError(`The fake's answer ${status} to ${operationId} breaks the contract: ${why}.`);
  if (answer === undefined) {
    throw wrong(`it has ${Object.keys(operation.answers).join(', ')}`);
  }
  if (answer.check !== null && !answer.check(body)) throw wrong(wordsOf(answer.check.errors ?? []));
  const code = codeOf(answer, given, wrong);
  return {
    status,
    body,
    headers: {
      ...answer.headers,
      ...(answer.type === null ? {} : { 'Content-Type': answer.type }),
      ...(code === null ? {} : { 'X-Houmao-Error-Code': code }),
      ...given.headers,
    },
  };
}

const wordsOf = (errors: NonNullable<NonNullable<ContractAnswer['check']>['errors']>): string =>
  errors
    .map(({ instancePath, message, params }) => {
      const { additionalProperty: extra } = params;
      return `body${instancePath.replaceAll('/', '.')} ${message}${extra === undefined ? '' : ` (${extra})`}`;
    })
    .join('; ');

function codeOf(
  { codes }: ContractAnswer,
  { errorCode, body }: AnyAnswer,
  wrong: (why: string) => TypeError,
): string | null {
  if (codes.length === 0) return null;
  const code = errorCode ?? codeImpliedBy(codes, (body as { detail?: unknown } | undefined)?.detail);
  if (code !== null && codes.includes(code)) return code;
  throw wrong(`its errorCode must be one of ${codes.join(', ')}${code === null ? '' : `, not ${code}`}`);
}

/**
 * Returns the code that a body implies: that of a list of broken rules, or of a refusal with its own code, or the only other
 * code there is.
 */
function codeImpliedBy(codes: readonly string[], detail: unknown): string | null {
  if (Array.isArray(detail)) return 'validation_failed';
  const { error_code: own } = (detail ?? {}) as { error_code?: unknown };
  if (typeof own === 'string') return own;
  const others = codes.filter((code) => code !== 'validation_failed');
  return others.length === 1 ? others[0]! : null;
}
