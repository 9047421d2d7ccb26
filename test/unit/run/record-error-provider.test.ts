import { expect, test } from 'vitest';
import { explainProviderError } from '../../../src/run/record-error.js';

test.each([
  // Claude Code
  ['Failed to authenticate. API Error: 401 invalid x-api-key', 401],
  ['API Error: 429 rate_limit_error', 429],
  ['API Error: Repeated 529 Overloaded errors. The API is at capacity', 529],
  ['API Error: 500 api_error. This is a server-side issue', 500],
  // Codex
  ['unexpected status 401 Unauthorized: Incorrect API key provided', 401],
  ['stream disconnected before completion: status code: 503', 503],
  ['exceeded retry limit, last status: 429 Too Many Requests', 429],
  // Gemini CLI
  ['{"error":{"code":429,"message":"Resource has been exhausted","status":"RESOURCE_EXHAUSTED"}}', 429],
  ["got status: 403 Forbidden. {'code': 403}", 403],
])('%s', (text, status) => {
  const explained = explainProviderError(text);
  expect(explained).toMatch(new RegExp(`^API error ${status}: the `));
  // The agent's own words are still to be read.
  expect(explained).toContain(text);
});

test('an error without a number is still one of the provider', () => {
  expect(explainProviderError('The model is overloaded, try later')).toMatch(/^API error\. /);
});

test.each([
  'permission denied',
  'Error: ENOENT: no such file',
  'the hook failed',
  'Reached maximum number of turns (400)',
  'the assertion at line 500 is wrong',
  '',
])('%j is none', (text) => {
  expect(explainProviderError(text)).toBeNull();
});
