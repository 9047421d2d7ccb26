import { expect } from 'vitest';
import { type Answer, call } from '../../support/http.js';
import { expectClean } from './clean-answer.js';

/** Like {@link call}, and looks at every answer: JSON, an error in its envelope, a request id, nothing from inside. */
export async function ask(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const answer = await call(url, method, path, body, headers);
  expectClean(JSON.stringify(answer.body));
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.headers.get('x-request-id')).toMatch(/^http-[0-9a-f]+$/);
  if (answer.status >= 400) expect(Object.keys(answer.body)).toEqual(['detail']);
  return answer;
}
