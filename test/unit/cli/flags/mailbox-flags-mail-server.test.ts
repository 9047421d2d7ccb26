// Which mail server `agents mailbox register` and `agents launch` mean.
import { expect, test } from 'vitest';
import { requestedServerMailbox } from '../../../../src/cli/flags/mailbox-flags.js';

const environment = { HOUMAO_STALWART_BASE_URL: 'https://mail.example.test/base' };

test('HOUMAO_STALWART_BASE_URL is the address where a manifest declares a mail server and names none', () => {
  expect(requestedServerMailbox({}, { transport: 'stalwart' }, environment)).toMatchObject({
    jmapUrl: 'https://mail.example.test/base/jmap',
    managementUrl: 'https://mail.example.test/base/api',
  });
  const named = { transport: 'stalwart', base_url: 'https://other.example.test' } as const;
  expect(requestedServerMailbox({}, named, environment)?.jmapUrl).toBe('https://other.example.test/jmap');
});

test('HOUMAO_STALWART_BASE_URL alone makes no mailbox, and is no address for flags', () => {
  expect(requestedServerMailbox({}, null, environment)).toBeNull();
  expect(() => requestedServerMailbox({ credentialFile: 'x.json' }, null, environment)).toThrow(
    /need --jmap-url/,
  );
});
