import type { Schemas } from '@houmao/sdk/managed-agent';
import { sanitiseText } from '../../foundation/text.js';
import { table } from './terminal-output.js';

/**
 * The exit codes of a command that did not do its work: `usage`, its words do not go together; `notKnown`, the outcome is
 * unknown; `doneAllTheSame`, the work was done, and something is wrong; `notFound`, the name or id does not exist;
 * `unreachable`, no gateway, server or host of a fleet answers, so nothing was done; `stopped`, by Ctrl-C; `failed`, anything else.
 */
export const exitCodes = {
  failed: 1,
  usage: 2,
  outcomeUnknown: 3,
  doneDespiteError: 4,
  notFound: 5,
  unreachable: 6,
  stopped: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The error codes for programs when there is no more precise one. */
const usualErrorCodes: Readonly<Record<ExitCode, string>> = {
  1: 'failed',
  2: 'usage',
  3: 'not_known',
  4: 'done_all_the_same',
  5: 'not_found',
  6: 'unreachable',
  130: 'stopped',
};

/** The details of a failure besides its sentence. */
export interface FailureFields {
  /** The code to branch on; when left out, the default one of the exit code. */
  errorCode?: string | undefined;
  /** A sentence that says what to do; when left out, the remedies say it. */
  hint?: string | null | undefined;
  /** Commands that help. */
  remedies?: readonly Remedy[] | undefined;
  requestId?: string | null | undefined;
  turnId?: string | null | undefined;
  idempotencyKey?: string | null | undefined;
}

/** The failure of a command, with what to do; printed without a stack. */
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

/** Appends the remedies: a single one to the line of the sentence, several in a line each. */
function remediesBehind(remedies: readonly Remedy[]): string {
  if (remedies.length === 0) return '';
  return remedies.length === 1 ? ` ${remedySentence(remedies)}` : `\n${remedyLines(remedies)}`;
}

/**
 * Reports incomplete work, one sentence for each part. @throws {CommandFailure} when the main work was done but a part of it
 * was not.
 */
export function refuseLeftUndone(sentences: readonly string[]): void {
  if (sentences.length > 0) throw new CommandFailure(sentences.join('\n'), exitCodes.doneDespiteError);
}

const everyExitCode = `
Exit codes:
  0    done; of a prompt: answered
  1    refused or failed; of a prompt: ended without an answer
  2    bad usage
  3    not known: it may have been done; check before you repeat it
  4    done, but not noted or shown everywhere: do not do it again
  5    there is no such agent, request, turn or reminder; in a mailbox root: no such address or message
  6    no gateway, server or host of a fleet answers: nothing was done
  130  stopped by Ctrl-C

With --json a failure is one JSON object on standard error (error_code, detail, hint, remedies, request_id, turn_id, idempotency_key):
hint is a sentence that says what to do; each of remedies has a command to paste, and a label that says what it does.`;

/** Returns the help about exit codes: in full for the program, and for a command a line that says where it is. */
export const exitCodesHelp = (ofProgram: boolean): string =>
  ofProgram ? everyExitCode : '\nExit codes and --json failures: houmao-mgr --help';

/** A remedy: a few words that say what a command does, which may stand before it, and the whole command line. */
export type Remedy = readonly [what: string, command: string];

/** Prints remedies, one per line, each with its label. */
export const remedyLines = (remedies: readonly Remedy[]): string =>
  table(remedies)
    .map((line) => `  ${line}`)
    .join('\n');

/** Prints remedies in one sentence. */
function remedySentence(remedies: readonly Remedy[]): string {
  const text = remedies.map(([what, command]) => `${what}: ${command}`).join('; ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Returns the failure with the agent named as the operator named it: a server names it by an id of its own. */
export function namedAs(
  failure: CommandFailure,
  { tracked_agent_id }: Pick<Schemas['AgentIdentity'], 'tracked_agent_id'>,
  name: string,
): CommandFailure {
  return reworded(failure, (text) =>
    text.replaceAll(`\`${tracked_agent_id}\``, name).replaceAll(tracked_agent_id, name),
  );
}

/** Returns the failure with another sentence. */
export function reworded(failure: CommandFailure, words: (detail: string) => string): CommandFailure {
  const { detail, exitCode, ...fields } = failure;
  return new CommandFailure(words(detail), exitCode, fields);
}

/** Returns a failure in the form for programs: one object that always has every key. */
export function failureObject(failure: CommandFailure, named: (text: string) => string): object {
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

/**
 * Returns a failure as text for standard error. @param named puts the name of this program into commands that users may paste.
 */
export function failureLine(failure: CommandFailure, json: boolean, named: (text: string) => string): string {
  return json
    ? `${JSON.stringify(failureObject(failure, named))}\n`
    : `houmao-mgr: ${named(sanitiseText(failure.message))}\n`;
}
