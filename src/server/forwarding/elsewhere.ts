// The path of an operation for an agent, which may be one of another host.

const agentPath = /^\/houmao\/agents\/([^/?]+)(.*)$/s;
/** The operations that have an agent do something, below its path. Ending what it does is not among them. */
const driving: ReadonlySet<string> = new Set([
  '/requests',
  '/turns',
  '/gateway/attach',
  '/gateway/requests',
  '/gateway/control/prompt',
  '/gateway/control/send-keys',
  '/gateway/internal/headless-prompt',
  '/gateway/tui/dialog',
]);

/** Pure: whether a call has an agent do something. @param rest of its path, behind the agent */
export const drives = (method: string, rest: string): boolean =>
  method === 'POST' && driving.has(rest.split('?', 1)[0] ?? '');

/** A path below the agents that names none. */
const launches = '/houmao/agents/headless/launches';

/** Pure: the reference in a path with its query, and what follows it; null for a path without one. */
export function referenceIn(url: string): { reference: string; rest: string } | null {
  const found = agentPath.exec(url);
  if (!found || url.split('?', 1)[0] === launches) return null;
  try {
    return { reference: decodeURIComponent(found[1] ?? ''), rest: found[2] ?? '' };
  } catch {
    return null;
  }
}

/** Pure: the path of a reference and what follows it. */
export const pathOf = (reference: string, rest: string): string =>
  `/houmao/agents/${encodeURIComponent(reference)}${rest}`;
