import { expect, test } from 'vitest';
import { disabled, firstSettings, updated } from '../../../../src/gateway/notifier/notifier-settings.js';

const set = updated(firstSettings, {
  intervalSeconds: 5,
  mode: 'unread_only',
  contextErrorPolicy: 'clear_context',
  appendixText: 'x',
  preNotificationContextAction: 'compact',
  notices: { render: 'disabled', sharedTokens: ['t'], perMessageChars: 7, totalChars: 0 },
});

test('an update sets what it names', () => {
  expect(set).toEqual({
    enabled: true,
    intervalSeconds: 5,
    mode: 'unread_only',
    contextErrorPolicy: 'clear_context',
    preNotificationContextAction: 'compact',
    appendixText: 'x',
    notices: {
      render: 'disabled',
      authMode: 'permissive-log',
      verifier: 'none',
      sharedTokens: ['t'],
      perMessageChars: 7,
      totalChars: 0,
    },
  });
});

test('what is left out goes back to its default, or stays', () => {
  const { notices, appendixText, ...rest } = updated(set, { intervalSeconds: 6, notices: { render: null } });
  expect(rest).toEqual({
    enabled: true,
    intervalSeconds: 6,
    mode: 'any_inbox',
    contextErrorPolicy: 'continue_current',
    preNotificationContextAction: 'none',
  });
  expect([notices, appendixText]).toEqual([set.notices, 'x']);
});

test('an empty text and an empty list clear', () => {
  const cleared = updated(set, { intervalSeconds: 6, appendixText: '', notices: { sharedTokens: [] } });
  expect([cleared.appendixText, cleared.notices.sharedTokens]).toEqual(['', []]);
});

test('switching off keeps everything but the interval', () => {
  expect(disabled(set)).toEqual({ ...set, enabled: false, intervalSeconds: null });
});
