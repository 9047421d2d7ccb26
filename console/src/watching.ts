// How the console follows the server: calls that wait for a change, again and again.
import type { HoumaoClient } from '@houmao/sdk/managed-agent';
import { useEffect, useState } from 'preact/hooks';
import { agentElsewhere, type SeenFleet } from './hosts.js';

/** How long a call waits for a change, and how long its answer may take then. */
export const waitSeconds = 25;
export const waiting = { timeoutMs: 40_000, maxRetries: 0 } as const;
/** The pause after a call that failed. */
const pauseMilliseconds = 2000;
/** The pause between two looks at the fleet, which no call waits for; longer where they take long. */
const fleetPauseMilliseconds = 3000;
const fleetPauses = 10;
const agentsPerCall = 200;

/** A value that is followed: the last one that came, and why there is no newer one. */
export interface Followed<Value> {
  readonly value: Value | null;
  /** Why the last call failed; null while calls succeed. */
  readonly problem: string | null;
}

/** Returns what went wrong, in the words of the server. */
export const problemOf = (error: unknown): string => {
  const { detail, message } = error as { detail?: unknown; message?: unknown };
  return typeof detail === 'string' ? detail : String(message ?? error);
};

/**
 * Follows a value whose answers have a version, as long as the component is shown.
 * @param read waits until the version is another one than `after`.
 * @param dependencies when one of them changes, another thing is followed.
 */
export function useFollowed<Value extends { readonly version: string }>(
  read: (after: string | undefined, signal: AbortSignal) => Promise<Value>,
  dependencies: readonly unknown[],
): Followed<Value> {
  const [watched, setWatched] = useState<Followed<Value>>({ value: null, problem: null });
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    setWatched({ value: null, problem: null });
    const follow = async (): Promise<void> => {
      let after: string | undefined;
      while (!signal.aborted) {
        try {
          const value = await read(after, signal);
          after = value.version;
          if (!signal.aborted) setWatched({ value, problem: null });
        } catch (error) {
          if (signal.aborted) return;
          setWatched(({ value }) => ({ value, problem: problemOf(error) }));
          after = undefined;
          await pauseAfterFailure(signal);
        }
      }
    };
    void follow();
    return () => leaving.abort();
  }, dependencies);
  return watched;
}

/** Reads something now, and again whenever one of the dependencies changes; the value before stays until then. */
export function useRead<Value>(
  read: (signal: AbortSignal) => Promise<Value>,
  dependencies: readonly unknown[],
): Followed<Value> {
  const [watched, setWatched] = useState<Followed<Value>>({ value: null, problem: null });
  useEffect(() => {
    const leaving = new AbortController();
    read(leaving.signal).then(
      (value) => leaving.signal.aborted || setWatched({ value, problem: null }),
      (error) => leaving.signal.aborted || setWatched(({ value }) => ({ value, problem: problemOf(error) })),
    );
    return () => leaving.abort();
  }, dependencies);
  return watched;
}

/** An action that a person starts with a button: it runs once at a time, and its result is said in a sentence. */
export interface Action {
  readonly running: boolean;
  /** The result of the last run in words; null before the first one. */
  readonly said: { readonly text: string; readonly bad: boolean } | null;
  readonly run: (work: () => Promise<string | null>) => void;
}

export function useAction(): Action {
  const [running, setRunning] = useState(false);
  const [said, setSaid] = useState<Action['said']>(null);
  const run = (work: () => Promise<string | null>): void => {
    if (running) return;
    setRunning(true);
    work().then(
      (text) => {
        setSaid(text === null ? null : { text, bad: false });
        setRunning(false);
      },
      (error) => {
        setSaid({ text: problemOf(error), bad: true });
        setRunning(false);
      },
    );
  };
  return { running, said, run };
}

/** The time of the browser, renewed each second, for ages. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

export const useOverview = (client: HoumaoClient) =>
  useFollowed(
    (after, signal) =>
      client.getHostOverview({
        query: after === undefined ? {} : { after, wait_seconds: waitSeconds },
        signal,
        ...waiting,
      }),
    [client],
  );

/** Follows the fleet of this host. `none` for a server without one, which is asked no more. */
export function useFleet(client: HoumaoClient): Followed<SeenFleet | 'none'> {
  const [watched, setWatched] = useState<Followed<SeenFleet | 'none'>>({ value: null, problem: null });
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const follow = async (): Promise<void> => {
      while (!signal.aborted) {
        const began = Date.now();
        try {
          const value = await readFleet(client, signal);
          if (signal.aborted) return;
          setWatched({ value, problem: null });
          if (value === 'none') return;
        } catch (error) {
          if (signal.aborted) return;
          setWatched(({ value }) => ({ value, problem: problemOf(error) }));
        }
        await pause(Math.max(fleetPauseMilliseconds, (Date.now() - began) * fleetPauses), signal);
      }
    };
    void follow();
    return () => leaving.abort();
  }, [client]);
  return watched;
}

async function readFleet(client: HoumaoClient, signal: AbortSignal): Promise<SeenFleet | 'none'> {
  const status = await client.getFleet({ signal });
  if (status.state === 'none') return 'none';
  const { hosts } = await client.listFleetHosts({ signal });
  const readAt = Date.now();
  const agents = [];
  for await (const agent of client.everyAgent({ scope: 'fleet', pageSize: agentsPerCall, signal })) {
    const elsewhere = agentElsewhere(agent, status.host, Date.now());
    if (elsewhere !== null) agents.push(elsewhere);
  }
  return { status, hosts, agents, readAt };
}

/** Waits before the next try of a call that failed. */
export const pauseAfterFailure = (signal: AbortSignal): Promise<void> => pause(pauseMilliseconds, signal);

export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
