/**
 * How a command ended that did not do what it was asked to, as its exit code: `usage`, its words do not go together; `notKnown`, it may
 * have been done all the same; `doneAllTheSame`, it was, and something is wrong; `notFound`, nobody has that name or id; `unreachable`,
 * nobody answers, so nothing was done; `stopped`, by Ctrl-C; `failed`, anything else.
 */
export const exitCodes = {
  failed: 1,
  usage: 2,
  notKnown: 3,
  doneAllTheSame: 4,
  notFound: 5,
  unreachable: 6,
  stopped: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The word for programs where nobody has a closer one. */
const usualErrorCodes: Readonly<Record<ExitCode, string>> = {
  1: 'failed',
  2: 'usage',
  3: 'not_known',
  4: 'done_all_the_same',
  5: 'not_found',
  6: 'unreachable',
  130: 'stopped',
};

/** What is known of a failure beside its sentence. */
export interface FailureFields {
  /** A word to branch on; left out, the usual one of the exit code. */
  errorCode?: string | undefined;
  /** What to do: a sentence, or lines that begin with blanks. */
  hint?: string | null | undefined;
  requestId?: string | null | undefined;
  turnId?: string | null | undefined;
  idempotencyKey?: string | null | undefined;
}

/** What went wrong and what to do; printed without a stack. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: ExitCode;
  readonly errorCode: string;
  readonly detail: string;
  readonly hint: string | null;
  readonly requestId: string | null;
  readonly turnId: string | null;
  readonly idempotencyKey: string | null;

  constructor(detail: string, exitCode: ExitCode = exitCodes.failed, fields: FailureFields = {}) {
    const { hint = null, requestId = null, turnId = null, idempotencyKey = null } = fields;
    super(hint === null ? detail : `${detail}${hint.startsWith(' ') ? '\n' : ' '}${hint}`);
    this.exitCode = exitCode;
    this.errorCode = fields.errorCode ?? usualErrorCodes[exitCode];
    this.detail = detail;
    this.hint = hint;
    this.requestId = requestId;
    this.turnId = turnId;
    this.idempotencyKey = idempotencyKey;
  }
}

/** The same for people, who read it below the help of every command. */
export const exitCodesHelp = `
Exit codes:
  0    done; of a prompt: answered
  1    refused or failed; of a prompt: ended without an answer
  2    bad usage
  3    not known: it may be done all the same, so look before you do it again
  4    done, but not noted or shown everywhere: do not do it again
  5    there is no such agent, request, turn or reminder; in a mailbox root: no such address or message
  6    nobody answers there, no gateway and no server: nothing was done
  130  stopped by Ctrl-C

With --json a failure is one JSON object on standard error (error_code, detail, hint, request_id, turn_id, idempotency_key).`;
