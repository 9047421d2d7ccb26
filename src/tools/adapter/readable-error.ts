import { recordOf, visibleTextOf } from './json-value.js';
import { oneLine } from './one-line.js';

/** Error texts may be longer than other summaries: the useful half often stands at the end. */
const errorLimit = 500;

/**
 * An error text a person can read. Tools wrap what the API answered: Gemini CLI prints
 * `[API Error: {"error": …}]`, Codex sometimes the bare JSON body. The sentence inside is what matters.
 */
export function readableError(text: string): string {
  const wrapped = /^\[API Error: ([\s\S]*?)\](?=\s|$)([\s\S]*)$/.exec(text.trim());
  const body = wrapped?.[1] ?? text.trim();
  const rest = wrapped?.[2]?.trim() ?? '';
  const inner = sentenceOfBody(body);
  const sentence = wrapped === null ? (inner ?? body) : `API error: ${inner ?? body}`;
  return oneLine(rest === '' ? sentence : `${sentence} ${rest}`, errorLimit);
}

function sentenceOfBody(body: string): string | null {
  if (!body.startsWith('{')) return null;
  try {
    const outer = recordOf(JSON.parse(body));
    const error = recordOf(outer?.error) ?? outer;
    const message = visibleTextOf(error?.message);
    if (message === null) return null;
    const code = error?.code ?? outer?.status;
    return typeof code === 'number' ? `${code} ${message}` : message;
  } catch {
    return null;
  }
}
