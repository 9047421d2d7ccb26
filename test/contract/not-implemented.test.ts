import { describe, expect, test } from 'vitest';
import { type Missing, notImplemented } from '../../src/gateway/handlers/not-implemented.js';
import type { TestSession } from '../support/test-session.js';
import { operations } from './support/bundle.js';
import { becomeRest, becomeServerManaged, becomeTerminal, bindMailServer } from './support/edit-manifest.js';
import { serve } from './support/served.js';

type Prepare = (session: TestSession) => void;

/** Every kind of manifest, and which parts of the list speak of it. */
const kinds: [title: string, prepare: Prepare, missing: readonly Missing[]][] = [
  ['headless, without a mailbox', () => undefined, []],
  ['headless, with a mail server', ({ paths }) => bindMailServer(paths), ['agents_with_mail_server']],
  ['in a terminal', ({ paths }) => becomeTerminal(paths), []],
  [
    'in a terminal, with a mail server',
    ({ paths }) => {
      becomeTerminal(paths);
      bindMailServer(paths);
    },
    ['agents_with_mail_server'],
  ],
  ['behind a REST server', ({ paths }) => becomeRest(paths), []],
  ['run by another server', ({ paths }) => becomeServerManaged(paths), []],
];

describe.each(kinds)('an agent %s', (_title, prepare, missing) => {
  const served = serve(prepare);

  test('answers 501 to what the list of missing operations names, and to nothing else', async () => {
    const answers: Record<string, boolean> = {};
    const listed: Record<string, boolean> = {};
    for (const { operationId, method, path, body } of operations) {
      const answer = await served.ask(method, path.replace(/\{[^}]+\}/g, 'x'), body ?? undefined);
      answers[operationId] = answer.status === 501;
      listed[operationId] =
        notImplemented[operationId as keyof typeof notImplemented]?.on.some((one) => missing.includes(one)) ??
        false;
      if (answer.status !== 501) continue;
      const { detail } = answer.body;
      expect(typeof detail === 'string' ? detail : detail.detail).toMatch(/cannot be served by this release/);
    }
    expect(answers).toEqual(listed);
  });
});

test('the list names operations of the contract only, each where it says 501', () => {
  const declared = new Set(
    operations.filter(({ statuses }) => statuses.includes('501')).map((one) => one.operationId),
  );
  for (const operationId of Object.keys(notImplemented)) expect(declared).toContain(operationId);
});
