import { describe, expect, it } from 'vitest';
import { explainProviderError } from '../../../src/turn/provider-error.js';

describe('errors of a provider', () => {
  it.each([
    ['API Error: 401 {"type":"error"}', /^API error 401: .*credentials/],
    ['unexpected status 404 Not Found: model', /^API error 404: .*model/],
    ['exceeded retry limit, last status: 429 Too Many Requests', /^API error 429: .*rate/],
    ['{"error":{"code":503,"message":"down"}}', /^API error 503: .*unavailable/],
    ['HTTP 502', /^API error 502:/],
    ['API Error (529 overloaded)', /^API error 529: .*overloaded/],
    ['request failed with status code 400', /^API error 400: .*rejected/],
    ['got 413 from upstream', /^API error 413: .*too large/],
    ['API Error: 418 teapot', /^API error\. The agent said/],
    ['Rate limit reached', /^API error\. The agent said/],
    ['Failed to authenticate', /^API error\. The agent said/],
  ])('%j', (text, meaning) => {
    expect(explainProviderError(text)).toMatch(meaning);
    expect(explainProviderError(text)?.endsWith(`The agent said: ${text}`)).toBe(true);
  });

  it.each(['', 'file not found', 'exit code 1', 'wrote 4000 bytes', 'model gpt-5000 line 1429'])(
    '%j is something else',
    (text) => expect(explainProviderError(text)).toBeNull(),
  );
});
