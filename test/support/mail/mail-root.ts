import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../../src/foundation/clock.js';
import { deliver } from '../../../src/mail/filesystem/mailbox/deliver.js';
import type { MailRoot } from '../../../src/mail/filesystem/mailbox/mail-root.js';
import { type MailListing, mailPages } from '../../../src/mail/filesystem/mailbox/read-mailbox.js';
import { openMailRoot } from '../../../src/mail/filesystem/open-mail-root.js';
import { bootstrap } from '../../../src/mail/filesystem/registration/bootstrap.js';
import type { RegistrationInput } from '../../../src/mail/filesystem/registration/plan-registration.js';
import { type Registered, register } from '../../../src/mail/filesystem/registration/register.js';
import type { StateFilter } from '../../../src/mail/filesystem/tables/state-table.js';
import { composeRoot, type RootDraft } from '../../../src/mail/message/compose.js';
import { type MailMessage, plainPrincipal } from '../../../src/mail/message/mail-message.js';
import { temporaryFolder } from '../temporary-folder.js';

export const addressOf = (name: string): string => `${name}@houmao.localhost`;
export const principalOf = (name: string) => plainPrincipal(`HOUMAO-${name}`, addressOf(name));

/** Opens a root for one test. */
export function openRoot(path: string, clock: Clock = systemClock): MailRoot {
  const root = openMailRoot(path, clock);
  onTestFinished(() => root.close());
  return root;
}

/** A root of its own for one test, with mailboxes of those names. */
export async function newRoot(
  names: readonly string[] = [],
  clock: Clock = systemClock,
  path: string = join(mkdtempSync(join(temporaryFolder(), 'mail-')), 'root'),
): Promise<MailRoot> {
  const root = openRoot(path, clock);
  await bootstrap(root);
  for (const name of names) await registerName(root, name);
  return root;
}

export const registerName = (
  root: MailRoot,
  name: string,
  changes: Partial<RegistrationInput> = {},
): Promise<Registered> =>
  register(root, {
    mode: 'safe',
    kind: 'in_root',
    mailboxPath: null,
    address: addressOf(name),
    ownerPrincipalId: `HOUMAO-${name}`,
    displayName: null,
    manifestPathHint: null,
    role: null,
    ...changes,
  });

/** A message from one to others. */
export const mailOf = (
  from: string,
  to: readonly string[],
  changes: Partial<RootDraft> = {},
  now: Date = new Date(),
): MailMessage =>
  composeRoot(
    {
      from: principalOf(from),
      to: to.map(principalOf),
      cc: [],
      replyTo: [],
      subject: 'Hi',
      headers: {},
      body: 'Hello.\n',
      attachments: [],
      notifyBlock: null,
      notifyAuth: null,
      ...changes,
    },
    now,
  );

export async function send(root: MailRoot, message: MailMessage): Promise<MailMessage> {
  await deliver(root, message);
  return message;
}

const anything: StateFilter = { box: 'inbox', read: null, answered: null, archived: null, since: null };

export async function listOf(
  root: MailRoot,
  name: string,
  filter: Partial<StateFilter> = {},
  limit: number | null = null,
): Promise<MailListing> {
  const whose = { address: addressOf(name), principalId: null };
  const all: MailListing = { items: [], damaged: [] };
  for await (const { items, damaged } of mailPages(
    root,
    whose,
    { ...anything, ...filter },
    { limit, oldestFirst: false },
  )) {
    all.items.push(...items);
    all.damaged.push(...damaged);
  }
  return all;
}

/** Subjects in a box, the newest first. */
export const subjectsOf = async (root: MailRoot, name: string, box = 'inbox'): Promise<string[]> =>
  (await listOf(root, name, { box })).items.map(({ message }) => message.subject);
