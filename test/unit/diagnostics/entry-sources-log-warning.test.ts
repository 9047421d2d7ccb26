import { expect, test } from 'vitest';
import { logWarning } from '../../../src/diagnostics/entry-sources.js';

test('the code of a line is what it says, and only its own facts are named', () => {
  const facts = { reminder_id: 'r1', detail: 'turn_id=t1 kind=none (suppressed 9 repeats)', mode: undefined };
  expect(
    logWarning('warning', { what: 'deferred reminder', facts, rest: ' (suppressed 3 repeats)' }),
  ).toEqual({
    level: 'warning',
    event: 'gateway.running_log_warning',
    dedupKey: 'gateway-log:warning:deferred_reminder',
    fields: {
      message_code: 'deferred_reminder',
      reminder_id: 'r1',
      suppression_notice: '(suppressed 3 repeats)',
    },
  });
});

test('a code is lower case, without blanks at its ends, and at most 120 characters long', () => {
  const code = (what: string) => logWarning('error', { what, facts: {}, rest: '' }).fields.message_code;
  expect(code(' Direct (gateway) prompt-failed! ')).toBe('direct_gateway_prompt_failed');
  expect(code('x'.repeat(200))).toBe('x'.repeat(120));
});
