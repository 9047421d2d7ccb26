import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { StopOutcome } from '../../src/run/running-turn.js';
import type { Verdict } from '../../src/turn/turn-end.js';
import type { TurnOwner } from '../../src/turn/turn-ownership.js';
import type { TestSession } from './test-session.js';

const program = fileURLToPath(new URL('./turn-owner.mjs', import.meta.url));

/** A process that owns the turns of a session (turn-owner.mjs). */
export interface OwnerProcess {
  readonly pid: number;
  begin(turnId: string, prompt: string): Promise<boolean>;
  adopt(turnId: string): Promise<boolean>;
  delivered(turnId: string): Promise<boolean | 'left'>;
  over(turnId: string): Promise<Verdict | null>;
  interrupt(turnId: string): Promise<StopOutcome>;
  leave(): Promise<null>;
  state(): Promise<{ free: boolean; reports: string[]; ended: string[] }>;
  /** Leaves what runs, gives the ownership back and ends; resolves with the exit code. */
  quit(): Promise<number | null>;
  /** Ends it with SIGKILL and waits. */
  kill(): Promise<void>;
}

const running = new Set<() => Promise<void>>();

/** Ends the owners that still run. */
export async function killOwners(): Promise<void> {
  for (const kill of running) await kill();
}

/** @returns who owns them, where another process does. */
export async function startOwner(
  session: Pick<TestSession, 'paths' | 'environment'>,
): Promise<OwnerProcess | { refused: TurnOwner | null }> {
  const child = fork(program, [session.paths.root], { env: session.environment });
  const exited = once(child, 'exit');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  running.add(kill);
  child.once('exit', () => running.delete(kill));
  const answers = new Map<number, { resolve(value: never): void; reject(reason: Error): void }>();
  const [first] = (await once(child, 'message')) as [{ ready?: true; refused?: TurnOwner | null }];
  if (!first.ready) {
    await exited;
    return { refused: first.refused ?? null };
  }
  child.on('message', ({ call, result, fault }: { call: number; result: never; fault?: string }) => {
    if (fault === undefined) answers.get(call)?.resolve(result);
    else answers.get(call)?.reject(new Error(fault));
    answers.delete(call);
  });
  child.once('exit', () => {
    for (const { reject } of answers.values()) reject(new Error('the owner has ended'));
  });
  let calls = 0;
  const ask = <T>(what: string, message: object = {}): Promise<T> =>
    new Promise((resolve, reject) => {
      calls += 1;
      answers.set(calls, { resolve, reject });
      child.send({ call: calls, do: what, ...message });
    });
  return {
    pid: child.pid ?? 0,
    begin: (turnId, prompt) => ask('begin', { turnId, prompt }),
    adopt: (turnId) => ask('adopt', { turnId }),
    delivered: (turnId) => ask('delivered', { turnId }),
    over: (turnId) => ask('over', { turnId }),
    interrupt: (turnId) => ask('interrupt', { turnId }),
    leave: () => ask('leave'),
    state: () => ask('state'),
    quit: async () => {
      await ask('leave');
      await ask('quit');
      const [code] = (await exited) as [number | null];
      return code;
    },
    kill,
  };
}
