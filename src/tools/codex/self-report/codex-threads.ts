/** A conversation that a Codex process has open. */
export interface CodexThread {
  id: string;
  /** Null until its first prompt. */
  rollout: string | null;
}

const lock = /\/thread-writer-locks\/([0-9a-f-]{36})\.lock$/;
const rollout = /\/rollout-[^/]*?-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/;

/**
 * The threads among the files that a process has open. `/new` and `/resume` open another one and close none.
 *
 * @param links where the descriptors of the process lead to.
 */
export function threadsOf(links: readonly string[]): CodexThread[] {
  const threads = new Map<string, string | null>();
  for (const link of links) {
    const locked = lock.exec(link)?.[1];
    if (locked !== undefined && !threads.has(locked)) threads.set(locked, null);
    const written = rollout.exec(link)?.[1];
    if (written !== undefined) threads.set(written, link);
  }
  return [...threads].map(([id, path]) => ({ id, rollout: path }));
}
