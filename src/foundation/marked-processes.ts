import { readdirSync, readFileSync } from 'node:fs';

/** Names the turn that a process belongs to. Callers may name turns, so two sessions may have turns of the same name. */
export interface TurnMark {
  /** The session's attach identity. */
  readonly session: string;
  readonly turnId: string;
}

/**
 * The variables that every process of a turn carries in its environment, so that the next start finds it
 * (docs/decisions.md#left-running).
 */
export const markVariables = ({ session, turnId }: TurnMark): Record<string, string> => ({
  HOUMAO_TURN_ID: turnId,
  HOUMAO_SESSION_ID: session,
});

/** Returns an environment for a process that is started within a turn and has to outlive that turn. */
export function withoutMark(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { HOUMAO_TURN_ID: _turn, HOUMAO_SESSION_ID: _session, ...rest } = environment;
  return rest;
}

/**
 * Returns the pids of live processes that carry the mark of a turn, except this one. Linux only; elsewhere it finds none, and pid
 * and start time have to suffice.
 */
export const processesOfTurn = (mark: TurnMark): number[] => othersWith(markVariables(mark));

/** Returns the same for all turns of a session. @param session its attach identity */
export const processesOfSession = (session: string): number[] => othersWith({ HOUMAO_SESSION_ID: session });

function othersWith(variables: Readonly<Record<string, string>>): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && holds(environmentOf(pid), variables));
}

/** Decides whether a live process carries the mark of a turn. Linux only; elsewhere none does. */
export const carriesMark = (pid: number, mark: TurnMark): boolean =>
  holds(environmentOf(pid), markVariables(mark));

/**
 * Decides whether a live process shows no environment: it has none, or is being replaced by another program at this moment, as
 * happens twice at the start of a script.
 */
export const showsNoEnvironment = (pid: number): boolean => environmentOf(pid) === '';

const holds = (environment: string | null, variables: Readonly<Record<string, string>>): boolean =>
  environment !== null &&
  Object.entries(variables).every(([name, value]) =>
    `\0${environment}`.includes(`\0${name}=${bytesOf(value)}\0`),
  );

const bytesOf = (text: string): string => Buffer.from(text).toString('latin1');

/** @returns its variables, one character per byte; null when it has ended, or belongs to another user. */
function environmentOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return null;
  }
}
