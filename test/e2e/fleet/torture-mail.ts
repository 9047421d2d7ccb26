// The mail of the torture of a fleet: sent until its folder has it, and looked for in the mailboxes at the end.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { FleetHost } from '../../support/fleet/hosts.js';
import { listOf, openRoot } from '../../support/mail/mail-root.js';
import type { Random } from './torture-load.js';

/** A message to the agent of another host. */
export interface SentMail {
  /** The name of that host. */
  readonly host: string;
  readonly subject: string;
  /** The content of its file; null for a message without one. */
  readonly content: string | null;
}

/** Sends a message from a host to the agent of another one, some with a file: each repeat has the same key. */
export async function sendMail(
  random: Random,
  { name, session, ask }: FleetHost,
  others: readonly FleetHost[],
  round: number,
): Promise<SentMail> {
  const { name: host } = random.pick(others) as FleetHost;
  const subject = `mail-${round}-${name}`;
  const content = random.chance(0.4) ? subject.repeat(random.between(1, 20_000)) : null;
  const path = join(session.folder, `${subject}.txt`);
  if (content !== null) writeFileSync(path, content);
  const mail = {
    to: [`alpha@${host}.houmao.localhost`],
    subject,
    body_content: 'Is it right?',
    attachments: content === null ? [] : [{ path }],
  };
  for (;;) {
    const answer = await Promise.resolve()
      .then(() => ask('POST', '/houmao/agents/alpha/mail/send', mail, { 'Idempotency-Key': subject }))
      .catch(() => null);
    if (answer?.status === 200) return { host, subject, content };
    // Its server begins again, and says in its folder that it carries mail once it does.
    if (answer !== null && answer.status < 500)
      throw new Error(`${subject}: ${answer.status} ${JSON.stringify(answer.body)}`);
    await sleep(50);
  }
}

/** Waits until no message waits for a host. */
export async function mailIsThere(hosts: readonly FleetHost[]): Promise<void> {
  const waiting = async (): Promise<number[]> =>
    Promise.all(hosts.map(async ({ ask }) => (await ask('GET', '/houmao/fleet')).body.mail_waiting));
  await expect.poll(waiting, { timeout: 300_000 }).toEqual(hosts.map(() => 0));
}

/** Returns what was broken: a message that is lost or came twice, came without its file, or that nobody sent, such as a notice. */
export async function brokenMail(hosts: readonly FleetHost[], sent: readonly SentMail[]): Promise<string[]> {
  const broken: string[] = [];
  for (const { name, session } of hosts) {
    const { items } = await listOf(openRoot(join(session.folder, 'mail')), 'alpha', { box: 'inbox' });
    const mine = sent.filter(({ host }) => host === name);
    for (const { subject, content } of mine) {
      const found = items.filter(({ message }) => message.subject === subject);
      if (found.length !== 1) broken.push(`${name} has ${subject} ${found.length} times`);
      const [file] = found[0]?.message.attachments ?? [];
      if (found.length > 0 && (file ? readFileSync(file.path, 'utf8') : null) !== content)
        broken.push(`${name} has ${subject} with another file`);
    }
    for (const { message } of items)
      if (!mine.some(({ subject }) => subject === message.subject))
        broken.push(`${name} has ${message.subject}, which nobody sent`);
  }
  return broken;
}
