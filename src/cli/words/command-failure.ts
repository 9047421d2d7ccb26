import type { Schemas } from '@houmao/sdk/managed-agent';
import { sanitiseText } from '../../foundation/text.js';
import { table } from './terminal-output.js';

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

/** What a command does, in a few words that a command may follow, and the command: a whole line. */
export type Remedy = readonly [what: string, command: string];

/** Commands that lead on, each with what it is for, in a line each. */
export const remedyLines = (remedies: readonly Remedy[]): string =>
  table(remedies)
    .map((line) => `  ${line}`)
    .join('\n');

/** The same in one sentence. */
function remedySentence(remedies: readonly Remedy[]): string {
  const text = remedies.map(([what, command]) => `${what}: ${command}`).join('; ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** The same failure with the agent named as the operator named it: a server names it by an id of its own. */
export function namedAs(
  failure: CommandFailure,
  { tracked_agent_id }: Pick<Schemas['AgentIdentity'], 'tracked_agent_id'>,
  name: string,
): CommandFailure {
  return reworded(failure, (text) =>
    text.replaceAll(`\`${tracked_agent_id}\``, name).replaceAll(tracked_agent_id, name),
  );
}

/** The same failure in other words. */
export function reworded(failure: CommandFailure, words: (detail: string) => string): CommandFailure {
  const { detail, exitCode, ...fields } = failure;
  return new CommandFailure(words(detail), exitCode, fields);
}

/** A failure as programs get it: one object, every key in each. */
function failureObject(failure: CommandFailure, named: (text: string) => string): object {
  const { remedies } = failure;
  const hint = failure.hint ?? (remedies.length === 0 ? null : remedySentence(remedies));
  return {
    error_code: failure.errorCode,
    detail: named(failure.detail),
    hint: hint === null ? null : named(hint),
    remedies: remedies.map(([label, command]) => ({ label, command: named(command) })),
    request_id: failure.requestId,
    turn_id: failure.turnId,
    idempotency_key: failure.idempotencyKey,
  };
}

/** The same in a line of standard error. @param named puts the name of this program into commands that are to be pasted. */
export function failureLine(failure: CommandFailure, json: boolean, named: (text: string) => string): string {
  return json
    ? `${JSON.stringify(failureObject(failure, named))}\n`
    : `houmao-mgr: ${named(sanitiseText(failure.message))}\n`;
}
