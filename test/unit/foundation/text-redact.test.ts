import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redact, secretsOf } from '../../../src/foundation/text.js';

describe('redaction', () => {
  it('no secret is left, wherever it stands', () => {
    const secret = fc.stringMatching(/^[A-Z0-9$&*.]{8,20}$/);
    fc.assert(
      fc.property(
        fc.string(),
        secret,
        fc.string(),
        fc.integer({ min: 1, max: 3 }),
        (before, value, after, times) => {
          const text = before + `${value} ${after}`.repeat(times);
          expect(redact(text, [value])).not.toContain(value);
        },
      ),
    );
  });

  it('leaves the rest of a text alone', () => {
    expect(redact('exit 1: HUNTER22 was refused', ['HUNTER22'])).toBe('exit 1: [redacted] was refused');
    expect(redact('nothing to hide, basic idea: skip-this', [])).toBe(
      'nothing to hide, basic idea: skip-this',
    );
  });

  it.each([
    ['Authorization: Bearer abcdefgh1234', 'Authorization: Bearer [redacted]'],
    ['authorization: basic dXNlcjpwYXNz', 'authorization: basic [redacted]'],
    ['key sk-ant-api03-abcdefghijkl end', 'key [redacted] end'],
    ['ghp_abcdefghijkl012345', '[redacted]'],
    ['xoxb-123456789012-abc', '[redacted]'],
  ])('knows the look of %j', (text, expected) => expect(redact(text, [])).toBe(expected));

  it('takes for secret what its name says, unless it is too short to tell', () => {
    expect(
      secretsOf({
        ANTHROPIC_API_KEY: 'value-one',
        github_token: 'value-two',
        MY_PASSWORD: 'short',
        HTTP_COOKIE: 'value-three',
        PATH: '/usr/bin:/bin',
        AUTHORIZATION: 'value-four',
      }),
    ).toEqual(['value-one', 'value-two', 'value-three', 'value-four']);
  });
});
