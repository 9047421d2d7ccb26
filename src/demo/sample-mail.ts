import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../foundation/atomic-file.js';
import type { Clock } from '../foundation/clock.js';
import { fixedStamps } from '../mail/facade/mail-facade.js';
import { FilesystemTransport } from '../mail/filesystem/filesystem-transport.js';
import { openMailRoot } from '../mail/filesystem/open-mail-root.js';
import { toMailRef } from '../mail/message/message-id.js';

/** The message that the contract's samples name, so that whoever tries them out on the page gets it. */
const sample = {
  messageId: 'msg-20260319T080000Z-a1b2c3d4e5f64798aabbccddeeff0011',
  at: Date.parse('2026-03-19T08:00:00Z'),
  again: true,
};

const mailboxOf = (mailbox: string, name: string, clock: Clock): FilesystemTransport =>
  new FilesystemTransport(openMailRoot(mailbox, clock), {
    ...{ address: `${name}@houmao.localhost`, principalId: `HOUMAO-${name}` },
  });

/** The file that comes with it, beside the folder of the mail. */
function noteIn(mailbox: string): string {
  const path = join(dirname(mailbox), 'parser-notes.md');
  writeFileAtomic(path, '# Notes on the parser\n\nWhat is in a mail is for its reader.\n');
  return path;
}

/** Sees to it that the sample is unread in the inbox of one agent, from another one. */
export async function layOutSample(mailbox: string, clock: Clock): Promise<void> {
  const reviewer = mailboxOf(mailbox, 'reviewer', clock);
  const demo = mailboxOf(mailbox, 'demo', clock);
  try {
    const mail = { to: ['demo@houmao.localhost'], cc: [], subject: 'Gateway unread reminder' };
    const attachments = [{ path: noteIn(mailbox), label: null }];
    const text = { body: 'Hello from the shared mailbox surface', attachments };
    await reviewer.send({ ...mail, ...text, notifyBlock: null, notifyAuth: null }, fixedStamps(sample));
    const flags = { archived: false, read: false, answered: false };
    await demo.mark([toMailRef(sample.messageId)], flags);
  } finally {
    reviewer.close();
    demo.close();
  }
}
