import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  gatewayTrouble,
  mailboxSummary,
  offlineGateway,
  type StoredStatus,
} from '../../../../src/server/inspection/agent-summary.js';

const stored: fc.Arbitrary<StoredStatus> = fc.oneof(
  fc.constantFrom({ kind: 'absent' } as const, { kind: 'unreadable' } as const),
  fc
    .record({
      health: fc.constantFrom('healthy', 'not_attached'),
      connectivity: fc.constantFrom('connected', 'unavailable'),
      recovery: fc.constantFrom('idle', 'awaiting_rebind', 'reconciliation_required'),
      admission: fc.constantFrom('open', 'blocked_unavailable', 'blocked_reconciliation'),
      execution: fc.constantFrom('idle', 'running'),
      eligibility: fc.constantFrom('ready', 'not_ready', 'unknown'),
      queueDepth: fc.nat(),
      host: fc.constantFrom('127.0.0.1', '0.0.0.0', null),
      port: fc.option(fc.integer({ min: 1, max: 65535 })),
    })
    .map((status) => ({ kind: 'read', status }) as const),
);

test('no gateway is shown as healthy that does not answer, and what is not shown has its reason', () => {
  fc.assert(
    fc.property(fc.constantFrom('absent', 'silent', 'refuses'), stored, (reachability, file) => {
      const shown = offlineGateway(reachability, file);
      expect(shown?.health ?? 'not_attached').toBe('not_attached');
      expect(gatewayTrouble(reachability, file).length > 0).toBe(shown === null);
    }),
  );
  fc.assert(
    fc.property(stored, (file) => {
      expect(gatewayTrouble('answers', file)).toEqual([]);
    }),
  );
});

test('a mailbox is that of the registry before that of the launch, and nothing else of it is shown', () => {
  const registered = {
    transport: 'stalwart',
    principal_id: 'p',
    address: 'a@b',
    credential_ref: 'secret',
  };
  const launched = { transport: 'filesystem', principal_id: 'q', address: 'c@d', filesystem_root: '/x' };
  expect(mailboxSummary(registered, launched)).toEqual({
    transport: 'stalwart',
    principalId: 'p',
    address: 'a@b',
  });
  expect(mailboxSummary(null, launched)).toMatchObject({ transport: 'filesystem', address: 'c@d' });
  expect(mailboxSummary(null, { transport: 'filesystem', address: 7 } as never)).toEqual({
    transport: 'filesystem',
    principalId: null,
    address: null,
  });
  for (const none of [null, undefined, { transport: 'pigeon' }])
    expect(mailboxSummary(none, null)).toBeNull();
});
