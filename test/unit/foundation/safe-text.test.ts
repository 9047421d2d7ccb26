import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstCodePoints } from '../../../src/foundation/code-points.js';
import { redact, secretsOf } from '../../../src/foundation/redact.js';
import { sanitiseLine, sanitiseText } from '../../../src/foundation/sanitise.js';

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

const isControl = (text: string): boolean =>
  [...text].some((one) => {
    const code = one.charCodeAt(0);
    return (code < 32 && one !== '\t' && one !== '\n') || (code > 126 && code < 160);
  });

describe('text from elsewhere', () => {
  const wild = fc.string({
    unit: fc.oneof(
      fc.integer({ min: 0, max: 0xa5 }).map((code) => String.fromCharCode(code)),
      fc.constantFrom('\r\n', '🙂'),
    ),
  });

  it('holds no control character, and nothing else changes', () => {
    fc.assert(
      fc.property(wild, (text) => {
        const safe = sanitiseText(text);
        expect(isControl(safe)).toBe(false);
        expect(sanitiseText(safe)).toBe(safe);
        if (!isControl(text)) expect(safe).toBe(text);
      }),
    );
  });

  it('on one line is one line, without loose ends', () => {
    fc.assert(
      fc.property(wild, (text) => {
        const line = sanitiseLine(text);
        expect(line).not.toMatch(/[\n\t]| {2}|^ | $/);
        expect(isControl(line)).toBe(false);
      }),
    );
  });

  it('shows where something was removed', () => {
    expect(sanitiseText('\u001b[31mred\u0007\r\nnext\ttab')).toBe('\ufffd[31mred\ufffd\nnext\ttab');
    expect(sanitiseLine('  a\r\n\tb\u0000 ')).toBe('a b\ufffd');
  });
});

describe('the first characters', () => {
  it('are those that a slow count gives, and never half of one', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '🙂', 'é', '日') });
    fc.assert(
      fc.property(text, fc.nat({ max: 12 }), (whole, count) => {
        expect(firstCodePoints(whole, count)).toBe([...whole].slice(0, count).join(''));
      }),
    );
  });
});
