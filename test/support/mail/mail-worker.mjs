// A process that does whatever may be done to a mailbox root, one thing after the other, until it is killed:
// `node mail-worker.mjs ROOT NAMES OWN`. It tells what it is about to do and what is done. It moves mail of OWN alone, so that its
// word is the last one on where that is.
import { systemClock } from '../../../dist/src/foundation/clock.js';
import { moveMail, updateStates } from '../../../dist/src/mail/filesystem/mailbox/change-mail.js';
import { deliver } from '../../../dist/src/mail/filesystem/mailbox/deliver.js';
import { mailPages } from '../../../dist/src/mail/filesystem/mailbox/read-mailbox.js';
import { openMailRoot } from '../../../dist/src/mail/filesystem/open-mail-root.js';
import { deregister } from '../../../dist/src/mail/filesystem/registration/deregister.js';
import { register } from '../../../dist/src/mail/filesystem/registration/register.js';
import { repairRoot } from '../../../dist/src/mail/filesystem/repair/repair.js';
import { composeRoot } from '../../../dist/src/mail/message/compose.js';
import { plainPrincipal } from '../../../dist/src/mail/message/mail-message.js';

const [path, names, own] = process.argv.slice(2);
const all = names.split(',');
const addressOf = (name) => `${name}@houmao.localhost`;
const principal = (name) => plainPrincipal(`HOUMAO-${name}`, addressOf(name));
const any = (list) => list[Math.floor(Math.random() * list.length)];
const root = openMailRoot(path, systemClock);
const changes = { displayName: null, manifestPathHint: null, role: null, kind: 'in_root', mailboxPath: null };

const can = {
  async send() {
    const subject = `from ${process.pid} at ${performance.now()}`;
    const to = all.filter(() => Math.random() < 0.6);
    const message = composeRoot(
      {
        from: principal(any(all)),
        to: (to.length > 0 ? to : all).map(principal),
        cc: [],
        replyTo: [],
        subject,
        headers: {},
        body: 'Hello.',
        attachments: [],
        notifyBlock: null,
        notifyAuth: null,
      },
      new Date(),
    );
    process.send({ begun: 'send', subject });
    await deliver(root, message);
    process.send({ delivered: subject });
  },
  async move() {
    const { name, ids, from } = await some(4, own);
    const box = any(['inbox', 'archive', 'later']);
    if (ids.length === 0) return;
    process.send({ moving: { ids, boxes: [from, box] } });
    await moveMail(root, name, ids, { box });
    process.send({ moving: { ids, boxes: [box] } });
  },
  async mark() {
    const { name, ids } = await some(4, any(all));
    if (ids.length > 0) await updateStates(root, name, ids, { read: Math.random() < 0.5, answered: true });
  },
  async register() {
    const extra = addressOf('extra');
    const mode = any(['safe', 'force', 'stash']);
    const owner = any(['HOUMAO-x', 'HOUMAO-y']);
    await register(root, { ...changes, mode, address: extra, ownerPrincipalId: owner }).catch(unlessFault);
    // It has mail when it is replaced the next time, if another process did not replace it meanwhile.
    const message = composeRoot(
      {
        from: principal(any(all)),
        to: [plainPrincipal(owner, extra)],
        cc: [],
        replyTo: [],
        subject: `to ${owner} from ${process.pid} at ${performance.now()}`,
        headers: {},
        body: 'Hello.',
        attachments: [],
        notifyBlock: null,
        notifyAuth: null,
      },
      new Date(),
    );
    process.send({ begun: 'send', subject: message.subject });
    await deliver(root, message).then(() => process.send({ delivered: message.subject }), unlessFault);
    if (Math.random() < 0.3) await deregister(root, extra, any(['deactivate', 'purge'])).catch(unlessFault);
  },
  async repair() {
    await repairRoot(root, { staging: 'leave' });
  },
};

async function some(count, of) {
  const name = { address: addressOf(of), principalId: null };
  const filter = { read: null, answered: null, archived: null, since: null };
  const from = any(['inbox', 'archive', 'later', 'sent']);
  const ids = [];
  const newest = { limit: count, oldestFirst: false };
  for await (const { items } of mailPages(root, name, { ...filter, box: from }, newest))
    ids.push(...items.map(({ message }) => message.messageId));
  return { name, ids, from };
}

function unlessFault(error) {
  if (error.name !== 'MailFault') throw error;
}

process.once('message', async ({ ops }) => {
  for (;;) {
    const op = any(ops);
    process.send({ begun: op });
    await can[op]();
  }
});
process.send('ready');
