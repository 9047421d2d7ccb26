import { type Remedy, remedyLines, remedySentence } from './remedies.js';

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
  /** What to do, in a sentence; left out, the remedies say it. */
  hint?: string | null | undefined;
  /** Commands that lead on. */
  remedies?: readonly Remedy[] | undefined;
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
  readonly remedies: readonly Remedy[];
  readonly requestId: string | null;
  readonly turnId: string | null;
  readonly idempotencyKey: string | null;

  constructor(detail: string, exitCode: ExitCode = exitCodes.failed, fields: FailureFields = {}) {
    const { hint = null, remedies = [], requestId = null, turnId = null, idempotencyKey = null } = fields;
    super(`${detail}${hint === null ? remediesBehind(remedies) : ` ${hint}`}`);
    this.exitCode = exitCode;
    this.errorCode = fields.errorCode ?? usualErrorCodes[exitCode];
    this.detail = detail;
    this.hint = hint;
    this.remedies = remedies;
    this.requestId = requestId;
    this.turnId = turnId;
    this.idempotencyKey = idempotencyKey;
  }
}

/** One goes on in the line of the sentence, several have a line each. */
function remediesBehind(remedies: readonly Remedy[]): string {
  if (remedies.length === 0) return '';
  return remedies.length === 1 ? ` ${remedySentence(remedies)}` : `\n${remedyLines(remedies)}`;
}

/** @throws {CommandFailure} when something was done and part of what belongs to it was not: a sentence each. */
export function refuseLeftUndone(sentences: readonly string[]): void {
  if (sentences.length > 0) throw new CommandFailure(sentences.join('\n'), exitCodes.doneAllTheSame);
}

const everyExitCode = `
Exit codes:
  0    done; of a prompt: answered
  1    refused or failed; of a prompt: ended without an answer
  2    bad usage
  3    not known: it may have been done; check before you repeat it
  4    done, but not noted or shown everywhere: do not do it again
  5    there is no such agent, request, turn or reminder; in a mailbox root: no such address or message
  6    no gateway or server answers: nothing was done
  130  stopped by Ctrl-C

With --json a failure is one JSON object on standard error (error_code, detail, hint, remedies, request_id, turn_id, idempotency_key):
hint is a sentence that says what to do; each of remedies has a command to paste, and a label that says what it does.`;

/** The same for people, below the help of the program; below that of a command, where it is. */
export const exitCodesHelp = (ofProgram: boolean): string =>
  ofProgram ? everyExitCode : '\nExit codes and --json failures: houmao-mgr --help';
