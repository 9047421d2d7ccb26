import { readFileSync } from 'node:fs';

/** A request to a real Stalwart 0.16.19 and its answer, with secrets taken out (test/fixtures/stalwart). */
export interface RecordedPair {
  shows: string;
  request: { method: string; path: string; body: unknown };
  answer: { status: number; headers: Record<string, string>; body: unknown };
}

/** The recorded pairs of one matter, in the order in which they happened. */
export const recordedPairs = (
  matter: 'session' | 'provisioning' | 'rotation' | 'mail' | 'threads' | 'limits',
): RecordedPair[] => {
  const file = new URL(`../../fixtures/stalwart/${matter}.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { pairs: RecordedPair[] }).pairs;
};

/** The one whose description begins so. */
export function recordedPair(matter: Parameters<typeof recordedPairs>[0], shows: string): RecordedPair {
  const found = recordedPairs(matter).find((pair) => pair.shows.startsWith(shows));
  if (found === undefined) throw new Error(`nothing recorded of ${matter} shows ${shows}`);
  return found;
}
