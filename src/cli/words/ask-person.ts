import { createInterface } from 'node:readline/promises';

/** Asks the person at the terminal. @returns their line without blanks around it; empty after Ctrl-C and Ctrl-D. */
export async function askPerson(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const given = new AbortController();
  lines.once('SIGINT', () => given.abort()).once('close', () => given.abort());
  const answer = await lines.question(question, { signal: given.signal }).catch(() => '');
  lines.close();
  return answer.trim();
}
