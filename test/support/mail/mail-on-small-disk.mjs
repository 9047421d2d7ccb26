// The fate of mail on a disk that is full, or read-only: `node mail-on-small-disk.mjs FOLDER full|read-only`, where
// FOLDER is a small disk that only this process sees. Tells what was refused and what the mailboxes hold at the end, as JSON.
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../dist/src/foundation/clock.js';
import { moveMail, updateStates } from '../../../dist/src/mail/filesystem/mailbox/change-mail.js';
import { deliver } from '../../../dist/src/mail/filesystem/mailbox/deliver.js';
import { mailPages } from '../../../dist/src/mail/filesystem/mailbox/read-mailbox.js';
import { openMailRoot } from '../../../dist/src/mail/filesystem/open-mail-root.js';
import { bootstrap } from '../../../dist/src/mail/filesystem/registration/bootstrap.js';
import { register } from '../../../dist/src/mail/filesystem/registration/register.js';
import { repairRoot } from '../../../dist/src/mail/filesystem/repair/repair.js';
import { composeRoot } from '../../../dist/src/mail/message/compose.js';
import { plainPrincipal } from '../../../dist/src/mail/message/mail-message.js';

const [folder, kind] = process.argv.slice(2);
const bob = { address: 'bob@houmao.localhost', principalId: 'HOUMAO-bob' };
const principal = (name) => plainPrincipal(`HOUMAO-${name}`, `${name}@houmao.localhost`);
const root = openMailRoot(join(folder, 'root'), systemClock);

async function send(subject, body) {
  const draft = {
    from: principal('alice'),
    to: [principal('bob')],
    cc: [],
    replyTo: [],
    subject,
    headers: {},
  };
  const rest = { body, attachments: [], notifyBlock: null, notifyAuth: null };
  const message = composeRoot({ ...draft, ...rest }, new Date());
  await deliver(root, message);
  return message.messageId;
}
const subjects = async () => {
  const filter = { box: 'inbox', read: null, answered: null, archived: null, since: null };
  const found = [];
  for await (const { items } of mailPages(root, bob, filter, { limit: null, oldestFirst: false }))
    found.push(...items.map(({ message }) => message.subject));
  return found.sort();
};
const refusal = (work) =>
  work.then(
    () => null,
    (error) => ({ name: error.name, code: error.code, message: error.message }),
  );

await bootstrap(root);
for (const name of ['alice', 'bob'])
  await register(root, {
    mode: 'safe',
    kind: 'in_root',
    mailboxPath: null,
    address: principal(name).address,
    ownerPrincipalId: `HOUMAO-${name}`,
    displayName: null,
    manifestPathHint: null,
    role: null,
  });
const id = await send('Before', 'Hello.');
const ballast = join(folder, 'ballast');
if (kind === 'full') {
  try {
    for (;;) writeFileSync(ballast, Buffer.alloc(4096), { flag: 'a' });
  } catch (error) {
    if (error.code !== 'ENOSPC') throw error;
  }
} else {
  root.close();
  execFileSync('mount', ['-o', 'remount,ro', folder]);
}
const refused = [
  await refusal(send('During', 'x'.repeat(20_000))),
  await refusal(updateStates(root, bob, [id], { read: true })),
  await refusal(moveMail(root, bob, [id], { box: 'later' })),
];
const during = await subjects();
const staged = readdirSync(root.paths.staging);
if (kind === 'full') rmSync(ballast);
else {
  root.close();
  execFileSync('mount', ['-o', 'remount,rw', folder]);
}
await send('After', 'Hello.');
const { defaultedStateCount, damaged } = await repairRoot(root, { staging: 'leave' });
console.log(
  JSON.stringify({ refused, during, staged, after: await subjects(), defaultedStateCount, damaged }),
);
root.close();
