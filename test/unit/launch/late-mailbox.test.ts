import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { checkLaunch } from '../../../src/launch/check-launch.js';
import { createSession } from '../../../src/launch/create-session.js';
import { bindMailbox, unbindMailbox } from '../../../src/launch/late-mailbox.js';
import { LaunchFault, LaunchRefused } from '../../../src/launch/launch-fault.js';
import { seedStates } from '../../../src/mail/filesystem/mailbox/seed-states.js';
import { openMailRoot } from '../../../src/mail/filesystem/open-mail-root.js';
import { bootstrap } from '../../../src/mail/filesystem/registration/bootstrap.js';
import { settleCommitted } from '../../../src/mail/filesystem/registration/entry-on-disk.js';
import { MailFault } from '../../../src/mail/message/mail-fault.js';
import { readManifest } from '../../../src/session/manifest.js';
import { hostIn, requestFor } from '../../support/launch-host.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

vi.mock('../../../src/mail/filesystem/mailbox/seed-states.js', { spy: true });
vi.mock('../../../src/mail/filesystem/registration/entry-on-disk.js', { spy: true });
afterEach(() => void vi.resetAllMocks());

/** An agent with a mailbox. */
async function withMailbox() {
  const folder = temporaryFolder();
  const host = hostIn(folder);
  const mailbox = { root: join(folder, 'mail'), address: null, principalId: null };
  const paths = await createSession(checkLaunch(requestFor('alice', folder, { mailbox }), host), host);
  const binding = () => readManifest(paths.manifest).launch_plan.mailbox ?? null;
  return { host, mailbox, paths, binding };
}

/** From now on the state of a mailbox cannot be written. */
async function fail(address: string): Promise<void> {
  const path = '../../../src/mail/filesystem/mailbox/seed-states.js';
  const { seedStates: real } = await vi.importActual<{ seedStates: typeof seedStates }>(path);
  vi.mocked(seedStates).mockImplementation(async (root, row) => {
    if (row.address === address) throw new MailFault('mailbox_damaged', 'no database');
    await real(root, row);
  });
}

test('a mailbox that is registered all the same is not reported as refused', async () => {
  const { host, mailbox, paths, binding } = await withMailbox();
  const before = binding();
  await fail('alice@houmao.localhost');
  const failed = await bindMailbox(paths, mailbox, 'safe', host).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(LaunchFault);
  expect(failed).not.toBeInstanceOf(LaunchRefused);
  expect((failed as Error).message).toMatch(
    /^The mailbox could not be given to the agent: alice@houmao\.localhost is registered, but .*It stays registered/,
  );
  // Once it is mended.
  vi.mocked(seedStates).mockReset();
  await bindMailbox(paths, mailbox, 'safe', host);
  expect(binding()).toMatchObject({ address: before?.address });
});

test('a mailbox that is purged is taken away, whatever could not be removed of it', async () => {
  const { host, paths, binding } = await withMailbox();
  vi.mocked(settleCommitted).mockImplementationOnce((_moved, _to, done) => {
    throw new MailFault('state_late', `${done}, but the old folder could not be removed`);
  });
  expect(await unbindMailbox(paths, 'purge', host)).toMatchObject({
    row: null,
    leftUndone: ['alice@houmao.localhost is purged, but the old folder could not be removed.'],
  });
  expect(binding()).toBeNull();
  expect(readFileSync(paths.manifest, 'utf8')).not.toContain('alice@houmao.localhost');
});

test('where only the operator is registered, nothing is reported as done', async () => {
  const { host, mailbox, paths } = await withMailbox();
  await fail('HOUMAO-operator@houmao.localhost');
  const refused = await bindMailbox(paths, mailbox, 'safe', host).catch((error: unknown) => error);
  expect(refused).toMatchObject({ trouble: { code: 'mailbox_refused' } });
  const root = openMailRoot(mailbox.root, host.clock);
  await expect(bootstrap(root)).rejects.toMatchObject({ code: 'mailbox_damaged' });
  root.close();
});
