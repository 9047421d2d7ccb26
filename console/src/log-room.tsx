// The log of the agent's gateway: its end, and every line from now on.
import { useEffect, useState } from 'preact/hooks';
import type { RoomProps } from './agent-view.js';
import { pauseAfterFailure, problemOf, waiting, waitSeconds } from './watching.js';
import { refOf } from './words.js';

/** The number of lines that stay on the page. */
const mostLines = 1000;
const firstLines = 200;

export function LogRoom({ client, agent }: RoomProps) {
  const { path, lines, problem } = useLog(client, refOf(agent));
  return (
    <section class="log" aria-label="Log">
      <h3>
        gateway.log <small>{path}</small>
      </h3>
      {problem !== null && <p class="problem">{problem}</p>}
      {lines === null ? null : lines.length === 0 ? (
        <p class="empty">Nothing was written yet.</p>
      ) : (
        <pre>{lines.join('\n')}</pre>
      )}
    </section>
  );
}

interface ShownLog {
  readonly path: string | null;
  /** Null until the first answer. */
  readonly lines: readonly string[] | null;
  readonly problem: string | null;
}

/** Reads the end of the log, and follows it; after a failure it goes on behind the last line that came. */
function useLog(client: RoomProps['client'], id: string): ShownLog {
  const [shown, setShown] = useState<ShownLog>({ path: null, lines: null, problem: null });
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    setShown({ path: null, lines: null, problem: null });
    const follow = async (): Promise<void> => {
      for (let after: string | undefined; !signal.aborted; ) {
        const query = after === undefined ? { lines: firstLines } : { after, wait_seconds: waitSeconds };
        try {
          const { path, lines, next_after } = await client
            .agent(id)
            .getAgentLog({ query, signal, ...waiting });
          after = next_after;
          setShown((before) => ({
            path,
            lines: [...(before.lines ?? []), ...lines].slice(-mostLines),
            problem: null,
          }));
        } catch (error) {
          if (signal.aborted) return;
          setShown((before) => ({ ...before, problem: problemOf(error) }));
          await pauseAfterFailure(signal);
        }
      }
    };
    void follow();
    return () => leaving.abort();
  }, [client, id]);
  return shown;
}
